/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/site.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/text.h"
#include "inventory/hostlist.h"
#include "node/catalogue.h"
#include "node/rooted.h"

enum { CPUS_MOST = 65536 };

/* --- domains ------------------------------------------------------------------------------------
 */

/* KFD is the kernel's own list. Where it cannot be read HIP's answer stands. */
static bool is_counted(const struct node *node, const struct gpu *gpu)
{
	return node->kfd_readable == KNOWN_YES ? gpu->in_kfd == KNOWN_YES
					       : gpu->in_hip == KNOWN_YES;
}

static struct known_u64 memory_of(const struct gpu *gpu)
{
	return gpu->vram_total.known ? gpu->vram_total : gpu->hip_total;
}

static void add_domain(struct site *site, size_t gpu, size_t module, const char *device_folder)
{
	struct site_domain *domain = &site->domains[site->count++];

	domain->gpu = &site->node->gpus[gpu];
	domain->module = module;
	if (domain->gpu->drm_render_minor.known)
		domain->file = xasprintf("%s/renderD%llu", device_folder,
			(unsigned long long)domain->gpu->drm_render_minor.value);
}

static size_t module_of(const struct module_list *modules, size_t gpu)
{
	size_t i, j;

	for (i = 0; i < modules->count; i++)
		for (j = 0; j < modules->items[i].gpu_count; j++)
			if (modules->items[i].gpus[j] == gpu)
				return i;
	return 0;
}

static void add_domains(struct site *site, const char *device_folder)
{
	size_t i;

	site->domains = xcalloc(site->node->gpu_count, sizeof(*site->domains));
	for (i = 0; i < site->node->gpu_count; i++)
		if (is_counted(site->node, &site->node->gpus[i]))
			add_domain(site, i, module_of(&site->modules, i), device_folder);
}

static void take_smaller(struct known_u64 *smallest, struct known_u64 value)
{
	if (value.known && (!smallest->known || value.value < smallest->value))
		*smallest = value;
}

static void measure(struct site *site)
{
	size_t i, j;

	for (i = 0; i < site->count; i++)
		take_smaller(&site->domain_bytes, memory_of(site->domains[i].gpu));
	for (i = 0; i < site->modules.count; i++) {
		const struct module *module = &site->modules.items[i];
		struct known_u64 sum = known_u64(0);

		for (j = 0; j < module->gpu_count; j++) {
			struct known_u64 one = memory_of(&site->node->gpus[module->gpus[j]]);

			sum.known = sum.known && one.known;
			sum.value += one.value;
		}
		if (module->basis == MODULE_UNDETERMINED)
			site->undetermined = true;
		if (module->gpu_count > 1 && sum.known && sum.value > site->module_bytes.value)
			site->module_bytes = sum;
	}
}

/* --- how to name them
 * ----------------------------------------------------------------------------- */

/* The catalogue's part when there is only one it can be, else the target. */
static char *type_of(const struct site *site)
{
	const struct catalogue_entry *parts[2];
	size_t i, found;
	char *type;

	if (!site->count)
		return xstrdup("");
	found = catalogue_match(site->domains[0].gpu, parts, 2);
	type = text_printable(found == 1 ? parts[0]->name : site->domains[0].gpu->gfx_target,
		strlen(found == 1 ? parts[0]->name : site->domains[0].gpu->gfx_target));
	for (i = 0; type[i]; i++)
		type[i] = isalnum((unsigned char)type[i]) ? (char)tolower((unsigned char)type[i])
							  : '_';
	return type;
}

/* A partition of one compute die is CPX whatever their number; else the number says it. */
static const char *mode_of(const struct site *site)
{
	static const char *const names[] = { "", "SPX", "DPX", "TPX", "QPX" };
	size_t i, largest = 0;

	for (i = 0; i < site->modules.count; i++)
		if (site->modules.items[i].basis == MODULE_PARTITION_PARENT &&
			site->modules.items[i].gpu_count > largest)
			largest = site->modules.items[i].gpu_count;
	if (!largest)
		return "";
	if (largest > 4 || (largest > 1 && site->domains[0].gpu->num_xcc.known &&
				   site->domains[0].gpu->num_xcc.value == 1))
		return "CPX";
	return names[largest];
}

/* --- cores
 * ------------------------------------------------------------------------------------------ */

static long list_length(const struct site *site, const char *path, char **second)
{
	char *line = rooted_line(site->node->root_fd, path, NULL), *list, **names = NULL;
	long count, i;

	*second = NULL;
	if (!line)
		return -1;
	list = xasprintf("[%s]", line);
	count = hostlist_expand(list, CPUS_MOST, &names);
	free(list);
	free(line);
	if (count > 1)
		*second = xstrdup(names[1]);
	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return count;
}

/* CPUs over threads of the first core: what `Cores=` may name. */
static void count_cores(struct site *site)
{
	static const char cpus[] = "sys/devices/system/cpu/present";
	static const char siblings[] = "sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
	char *unused, *second;
	long cpu_count = list_length(site, cpus, &unused);
	long thread_count = list_length(site, siblings, &second);

	if (cpu_count > 0 && thread_count > 0 && cpu_count % thread_count == 0)
		site->core_count = known_u64((uint64_t)(cpu_count / thread_count));
	site->threads_adjacent = second && strcmp(second, "1") == 0;
	free(unused);
	free(second);
}

/* --- the whole
 * -------------------------------------------------------------------------------------- */

static int check_view(const struct site *site, struct error *err)
{
	const struct node *node = site->node;
	size_t i;

	if (node->kfd_readable != KNOWN_YES && node->hip_state != HIP_ANSWERED)
		return error_set(err,
			"the node does not tell how many GPUs it has: KFD: %s; HIP: %s",
			node->kfd_why[0] ? node->kfd_why : "not readable",
			node->hip_why[0] ? node->hip_why : hip_state_name(node->hip_state));
	for (i = 0; i < site->modules.count; i++)
		if (site->modules.items[i].basis == MODULE_HALF_VISIBLE)
			return error_set(err,
				"only a part of the node can be seen here (%s), so an inventory of "
				"the "
				"whole cannot be judged: run it outside of a job's allocation",
				site->modules.items[i].why);
	return 0;
}

/* It goes into configuration files, and the name of a recorded node may be any text. */
static char *host_word(const char *name)
{
	char *word = text_printable(name, strlen(name));
	size_t i;

	for (i = 0; word[i]; i++)
		if (strchr(" ,#=[]\"'\\", word[i]))
			word[i] = '_';
	return word;
}

int site_make(const struct node *node, const char *host, const char *type,
	const char *device_folder, struct site *out, struct error *err)
{
	struct site site;

	memset(&site, 0, sizeof(site));
	site.node = node;
	module_group(node, &site.modules, &site.findings);
	add_domains(&site, device_folder ? device_folder : "/dev/dri");
	if (check_view(&site, err) != 0) {
		site_release(&site);
		return -1;
	}
	site.host = host_word(host ? host : node->name);
	site.type = type ? xstrdup(type) : type_of(&site);
	site.mode = mode_of(&site);
	measure(&site);
	count_cores(&site);
	*out = site;
	return 0;
}

void site_release(struct site *site)
{
	size_t i;

	for (i = 0; i < site->count; i++)
		free(site->domains[i].file);
	free(site->domains);
	free(site->host);
	free(site->type);
	module_list_release(&site->modules);
	finding_list_release(&site->findings);
	memset(site, 0, sizeof(*site));
}

/* Lists leave the domain out ("c1:00.0") or write it and the address in capitals. */
static bool same_address(const char *listed, const char *bdf)
{
	size_t len = strlen(listed), whole = strlen(bdf);

	if (len + 5 == whole && str_starts(bdf, "0000:"))
		bdf += 5;
	return len && strcasecmp(listed, bdf) == 0;
}

long site_find_bdf(const struct site *site, const char *bdf)
{
	size_t i;

	for (i = 0; i < site->count; i++)
		if (site->domains[i].gpu->bdf[0] && same_address(bdf, site->domains[i].gpu->bdf))
			return (long)i;
	return -1;
}

long site_find_file(const struct site *site, const char *file)
{
	size_t i;

	for (i = 0; i < site->count; i++)
		if (site->domains[i].file && strcmp(file, site->domains[i].file) == 0)
			return (long)i;
	return -1;
}

char *site_module_name(const struct site *site, size_t module)
{
	const struct module *item = &site->modules.items[module];
	const char *first = site->node->gpus[item->gpus[0]].bdf;
	struct str name = STR_INIT;
	size_t i;

	if (item->basis == MODULE_UNDETERMINED)
		return xstrdup("undetermined");
	if (item->basis == MODULE_PARTITION_PARENT && first[0])
		return xstrndup(first, strcspn(first, "."));
	for (i = 0; i < item->gpu_count; i++) {
		char label[NODE_GFX];

		gpu_label(&site->node->gpus[item->gpus[i]], label);
		str_addf(&name, "%s%s", i ? "+" : "", label);
	}
	return str_detach(&name);
}

void site_memory_text(struct known_u64 bytes, char text[32])
{
	const uint64_t gib = (uint64_t)1 << 30;

	if (bytes.known)
		snprintf(text, 32, "%llu GiB", (unsigned long long)((bytes.value + gib / 2) / gib));
	else
		str_copy(text, 32, "unknown memory");
}
