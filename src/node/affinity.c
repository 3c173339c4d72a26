/* SPDX-License-Identifier: Apache-2.0 */
#include "node/affinity.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "node/rooted.h"

#define NUMA "sys/devices/system/node"

enum { LIST_TEXT = 400 };

/* --- hwloc ------------------------------------------------------------------------------------ */

static hwloc_topology_t load_topology(struct affinity_list *list)
{
	hwloc_topology_t topology;
	unsigned version = hwloc_get_api_version();

	if (hwloc_topology_init(&topology) != 0)
		return NULL;
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(topology) != 0) {
		hwloc_topology_destroy(topology);
		return NULL;
	}
	snprintf(list->hwloc, sizeof(list->hwloc), "%u.%u.%u", version >> 16, version >> 8 & 255,
		version & 255);
	/* A topology from a file or of another machine binds nothing here. */
	list->this_system = hwloc_topology_is_thissystem(topology) != 0;
	return topology;
}

/* Of a GPU in the midst of several NUMA nodes there is no nearest one. */
static void enter_locality(hwloc_obj_t near, struct affinity *affinity)
{
	int cpu, numa;

	if (near->nodeset && hwloc_bitmap_weight(near->nodeset) == 1) {
		numa = hwloc_bitmap_first(near->nodeset);
		affinity->numa_node = known_u64((uint64_t)numa);
	}
	if (!near->cpuset || hwloc_bitmap_iszero(near->cpuset))
		return;
	for (cpu = hwloc_bitmap_first(near->cpuset); cpu >= 0 && cpu < CPUS_MAX;
		cpu = hwloc_bitmap_next(near->cpuset, cpu))
		cpus_add(&affinity->cpus, (unsigned)cpu);
	affinity->cpus_known = !cpus_is_empty(&affinity->cpus);
	affinity->from = "hwloc";
}

static void ask_hwloc(hwloc_topology_t topology, struct affinity *affinity)
{
	hwloc_obj_t device =
		affinity->bdf[0] ? hwloc_get_pcidev_by_busidstring(topology, affinity->bdf) : NULL;
	hwloc_obj_t near = device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;

	if (near)
		enter_locality(near, affinity);
}

/* --- sysfs ------------------------------------------------------------------------------------ */

static void read_cpulist(const struct node *node, struct affinity *affinity)
{
	char *path =
		xasprintf(NUMA "/node%llu/cpulist", (unsigned long long)affinity->numa_node.value);
	struct error err = { "" };
	char *line = rooted_line(node->root_fd, path, &err);

	if (line && cpus_parse(line, &affinity->cpus) == 0)
		affinity->cpus_known = !cpus_is_empty(&affinity->cpus);
	else if (line)
		snprintf(affinity->why, sizeof(affinity->why), "/%s is no list of CPUs", path);
	else
		str_copy(affinity->why, sizeof(affinity->why), err.text);
	free(line);
	free(path);
}

static void read_one(const struct node *node, const struct gpu *gpu, hwloc_topology_t topology,
	struct affinity *affinity)
{
	str_copy(affinity->bdf, sizeof(affinity->bdf), gpu->bdf);
	if (topology)
		ask_hwloc(topology, affinity);
	if (affinity->cpus_known && affinity->numa_node.known)
		return;
	if (!affinity->numa_node.known && gpu->numa_node.known && gpu->numa_node.value < CPUS_MAX) {
		affinity->numa_node = gpu->numa_node;
		affinity->from = affinity->from	  ? affinity->from
				 : gpu->numa_from ? gpu->numa_from
						  : "pci";
	}
	if (!affinity->numa_node.known)
		str_copy(affinity->why, sizeof(affinity->why),
			"neither hwloc nor sysfs places the device");
	else if (!affinity->cpus_known)
		read_cpulist(node, affinity);
}

void affinity_read(const struct node *node, struct affinity_list *out)
{
	hwloc_topology_t topology;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->items = xcalloc(node->gpu_count ? node->gpu_count : 1, sizeof(*out->items));
	out->count = node->gpu_count;
	topology = node->simulated || !node->gpu_count ? NULL : load_topology(out);
	for (i = 0; i < node->gpu_count; i++)
		read_one(node, &node->gpus[i], topology, &out->items[i]);
	if (topology)
		hwloc_topology_destroy(topology);
}

void affinity_list_release(struct affinity_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

const struct affinity *affinity_find(const struct affinity_list *list, const char *bdf)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (bdf[0] && strcmp(list->items[i].bdf, bdf) == 0)
			return &list->items[i];
	return NULL;
}

/* --- what follows -------------------------------------------------------------------------------
 */

int affinity_order(const struct affinity_list *list, size_t *order)
{
	size_t i, j;

	for (i = 0; i < list->count; i++)
		if (!list->items[i].numa_node.known)
			return -1;
	for (i = 0; i < list->count; i++) {
		for (j = i; j > 0 && list->items[order[j - 1]].numa_node.value >
					     list->items[i].numa_node.value;
			j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	return 0;
}

bool affinity_choose(
	const struct affinity_list *list, const struct gpu *gpu, struct cpus *out, char why[200])
{
	const struct affinity *affinity = affinity_find(list, gpu->bdf);
	struct cpus own, common;

	if (!list->this_system) {
		str_copy(why, 200,
			list->hwloc[0] ? "hwloc's topology is not this machine's"
				       : "hwloc was not asked");
		return false;
	}
	if (!affinity || !affinity->cpus_known) {
		str_copy(why, 200, affinity ? affinity->why : "the device is not in the list");
		return false;
	}
	if (cpus_of_process(0, &own) != 0) {
		snprintf(why, 200, "sched_getaffinity: %s", strerror(errno));
		return false;
	}
	common = cpus_common(&affinity->cpus, &own);
	if (cpus_is_empty(&common)) {
		str_copy(why, 200, "this process may use none of the CPUs near to the GPU");
		return false;
	}
	*out = common;
	return true;
}

static void order_text(const struct affinity_list *list, char *text, size_t size)
{
	size_t *order = xcalloc(list->count + 1, sizeof(*order)), i, len = 0;

	text[0] = '\0';
	if (affinity_order(list, order) == 0)
		for (i = 0; i < list->count && len + 8 < size; i++)
			len += (size_t)snprintf(
				text + len, size - len, "%s%zu", i ? "," : "", order[i]);
	free(order);
}

/* The first GPU that the mask is far from, or NULL. A job that sees its GPU through HIP is judged
 * by that one alone. */
static const struct affinity *far_from(const struct affinity_list *list, const struct node *node,
	const struct cpus *mask, size_t *count)
{
	const struct affinity *first = NULL;
	size_t i;

	*count = 0;
	for (i = 0; i < list->count && i < node->gpu_count; i++) {
		const struct affinity *item = &list->items[i];
		struct cpus common;

		if (!item->cpus_known || node->gpus[i].in_hip == KNOWN_NO)
			continue;
		common = cpus_common(&item->cpus, mask);
		if (!cpus_is_empty(&common))
			continue;
		first = first ? first : item;
		++*count;
	}
	return first;
}

void affinity_findings(const struct affinity_list *list, const struct node *node,
	const struct cpus *mask, struct finding_list *findings)
{
	char have[LIST_TEXT], near[LIST_TEXT], order[LIST_TEXT], remedy[2 * LIST_TEXT + 120];
	const struct affinity *first;
	size_t count;

	first = far_from(list, node, mask, &count);
	if (!first)
		return;
	cpus_format(mask, have, sizeof(have));
	cpus_format(&first->cpus, near, sizeof(near));
	order_text(list, order, sizeof(order));
	snprintf(remedy, sizeof(remedy),
		"bind to CPUs %s; tasks that go along the NUMA nodes take the GPUs in the order %s",
		near, order[0] ? order : "that is unknown here");
	finding_add(findings, "bad-affinity", FINDING_WARNING, first->bdf, remedy,
		"this process may run on CPUs %s, far from %zu of the GPUs that it sees: the first "
		"is nearest to CPUs %s (NUMA "
		"node %llu)",
		have, count, near, (unsigned long long)first->numa_node.value);
}

/* Unknown counts as bound: then the question is asked. */
static bool may_use_all(const struct node *node, const struct cpus *own)
{
	char *line = rooted_line(node->root_fd, "sys/devices/system/cpu/online", NULL);
	struct cpus online, common;
	bool all = false;

	if (line && cpus_parse(line, &online) == 0) {
		common = cpus_common(own, &online);
		all = cpus_equal(&common, &online);
	}
	free(line);
	return all;
}

void affinity_check_process(const struct node *node, struct finding_list *findings)
{
	struct affinity_list list;
	struct cpus own;

	if (node->simulated || !node->gpu_count || cpus_of_process(0, &own) != 0 ||
		may_use_all(node, &own))
		return;
	affinity_read(node, &list);
	affinity_findings(&list, node, &own, findings);
	affinity_list_release(&list);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *cpus_fact(const struct cpus *cpus, const char *class, const char *from)
{
	char text[CPUS_MAX * 3];

	cpus_format(cpus, text, sizeof(text));
	return fact_text(text, class, from);
}

static json_t *order_fact(const struct affinity_list *list, const struct node *node)
{
	size_t *order = xcalloc(list->count + 1, sizeof(*order)), i;
	json_t *array;

	if (!list->count || affinity_order(list, order) != 0) {
		free(order);
		return fact_unknown(
			list->count ? "the NUMA node of a GPU is unknown" : "there is no GPU");
	}
	array = json_array();
	for (i = 0; i < list->count; i++)
		json_array_append_new(array, json_integer((json_int_t)order[i]));
	free(order);
	return fact_json(array, node_class(node), "numa_node");
}

json_t *affinity_json(const struct affinity_list *list, const struct node *node)
{
	const char *class = node_class(node);
	json_t *json = json_object(), *gcds = json_array();
	struct cpus own;
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct affinity *item = &list->items[i];

		json_array_append_new(
			gcds, json_pack("{s:o, s:o, s:o}", "bdf",
				      item->bdf[0] ? fact_text(item->bdf, class, "kfd")
						   : fact_unknown("not in KFD's properties"),
				      "numa_node",
				      fact_u64(item->numa_node, class,
					      item->from ? item->from : "pci", item->why),
				      "cpus",
				      item->cpus_known ? cpus_fact(&item->cpus, class,
								 item->from ? item->from : NUMA)
						       : fact_unknown(item->why)));
	}
	json_object_set_new(json, "gcds", gcds);
	json_object_set_new(json, "order", order_fact(list, node));
	json_object_set_new(json, "hwloc",
		list->hwloc[0]
			? fact_text(list->hwloc, "observed", "hwloc")
			: fact_unknown(node->simulated ? "a replayed node is not this machine"
						       : "it was not asked"));
	json_object_set_new(json, "process_cpus",
		node->simulated ? fact_unknown("a replayed node has no process of its own")
		: cpus_of_process(0, &own) == 0 ? cpus_fact(&own, "observed", "sched_getaffinity")
						: fact_unknown(strerror(errno)));
	return json;
}
