/* SPDX-License-Identifier: Apache-2.0 */
/* Pairing rests on link widths and card addresses only: order, bus distance, NUMA nodes, subsystem ids and unique ids of
 * mates say nothing (docs/node.md). */
#include "node/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "node/kfd.h"
#include "node/links.h"
#include "node/pci.h"

enum { MATE_LINKS = 4, MATE_MB_S = MATE_LINKS * LINK_MB_S };

static const char *const basis_names[] = {
	[MODULE_LINK_WIDTH] = "link-width",
	[MODULE_SINGLE] = "single",
	[MODULE_PARTITION_PARENT] = "partition-parent",
	[MODULE_HALF_VISIBLE] = "half-visible",
	[MODULE_UNDETERMINED] = "undetermined",
};

const char *module_basis_name(enum module_basis basis)
{
	return basis_names[basis];
}

/* --- what a part is ------------------------------------------------------------------------- */

enum shape {
	SHAPE_UNKNOWN,   /* neither device id nor target tell */
	SHAPE_PERHAPS_TWO, /* gfx90a of an unknown device id: MI210 is one die, MI250 two */
	SHAPE_TWO,       /* two GCDs, each a device */
	SHAPE_CARD       /* one die, or a card that is one device or is partitioned */
};

struct part {
	uint64_t device_id;
	enum shape shape;
	unsigned int xcc; /* compute dies of the whole card; 0: not partitioned, or not known */
	bool host_memory;
};

static const struct part parts[] = {
	{ 0x7408, SHAPE_TWO, 0, false },  /* MI250X */
	{ 0x740c, SHAPE_TWO, 0, false },  /* MI250X/MI250 */
	{ 0x740f, SHAPE_CARD, 0, false }, /* MI210 */
	{ 0x74a0, SHAPE_CARD, 6, true },  /* MI300A */
	{ 0x74a1, SHAPE_CARD, 8, false }, /* MI300X */
	{ 0x74a2, SHAPE_CARD, 4, false }, /* MI308X */
	{ 0x74b5, SHAPE_CARD, 8, false }, /* MI300X, virtual function */
	{ 0x74b9, SHAPE_CARD, 8, false }, /* MI325X */
};

static const struct part *part_of(const struct gpu *gpu)
{
	size_t i;

	for (i = 0; gpu->pci_device_id.known && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].device_id == gpu->pci_device_id.value)
			return &parts[i];
	return NULL;
}

static enum shape shape_of(const struct gpu *gpu)
{
	const struct part *part = part_of(gpu);

	if (part)
		return part->shape;
	if (!gpu->gfx_target[0])
		return SHAPE_UNKNOWN;
	return strcmp(gpu->gfx_target, "gfx90a") == 0 ? SHAPE_PERHAPS_TWO : SHAPE_CARD;
}

/* --- the work ------------------------------------------------------------------------------- */

struct work {
	const struct node *node;
	struct module_list *modules;
	struct finding_list *findings;
	bool *placed; /* by GPU */
};

/* The GPUs' names, with commas; the first few of many. */
static char *labels(const struct work *work, const size_t *gpus, size_t count)
{
	enum { MOST = 8 };
	struct str text = STR_INIT;
	char label[NODE_GFX];
	size_t i;

	for (i = 0; i < count && i < MOST; i++) {
		gpu_label(&work->node->gpus[gpus[i]], label);
		str_addf(&text, "%s%s", i ? ", " : "", label);
	}
	if (count > MOST)
		str_addf(&text, " and %zu more", count - MOST);
	return str_detach(&text);
}

static void join_module(struct work *work, struct module *module, size_t gpu)
{
	module->gpus = xrealloc(module->gpus, (module->gpu_count + 1) * sizeof(*module->gpus));
	module->gpus[module->gpu_count++] = gpu;
	work->placed[gpu] = true;
}

static struct module *add_module(struct work *work, enum module_basis basis, size_t first)
{
	struct module *module;

	work->modules->items = xrealloc(work->modules->items,
		(work->modules->count + 1) * sizeof(*work->modules->items));
	module = &work->modules->items[work->modules->count++];
	memset(module, 0, sizeof(*module));
	module->basis = basis;
	join_module(work, module, first);
	return module;
}

static void add_undetermined(struct work *work, size_t gpu, const char *why)
{
	str_copy(add_module(work, MODULE_UNDETERMINED, gpu)->why, sizeof(((struct module *)0)->why),
		why);
}

/* --- duplicate identities --------------------------------------------------------------------- */

static bool same_value(struct known_u64 a, struct known_u64 b)
{
	return a.known && b.known && a.value == b.value;
}

static bool differ(struct known_u64 a, struct known_u64 b)
{
	return a.known && b.known && a.value != b.value;
}

/* Two entries that cannot be two devices: one address, or, where the domain is unknown, one location and one gpu_id. */
static bool are_duplicates(const struct gpu *a, const struct gpu *b)
{
	if (a->bdf[0] && b->bdf[0])
		return strcmp(a->bdf, b->bdf) == 0;
	return a->location[0] && strcmp(a->location, b->location) == 0 &&
	       same_value(a->kfd_gpu_id, b->kfd_gpu_id);
}

/* One card has one address but for the function; a unique id on two cards is an error of somebody's. */
static bool shares_id_elsewhere(const struct gpu *a, const struct gpu *b)
{
	return same_value(a->unique_id, b->unique_id) && a->bdf[0] && b->bdf[0] &&
	       !pci_same_card(a->bdf, b->bdf);
}

static void say_duplicate(struct work *work, size_t a, size_t b, const char *what)
{
	const struct gpu *one = &work->node->gpus[a], *two = &work->node->gpus[b];
	char label[NODE_GFX], other[NODE_GFX], id[2][24];

	gpu_label(one, label);
	gpu_label(two, other);
	snprintf(id[0], sizeof(id[0]), one->unique_id.known ? "0x%016llx" : "unknown",
		(unsigned long long)one->unique_id.value);
	snprintf(id[1], sizeof(id[1]), two->unique_id.known ? "0x%016llx" : "unknown",
		(unsigned long long)two->unique_id.value);
	finding_add(work->findings, "duplicate-identity", FINDING_FAULT, label,
		"compare the topology with lspci; do not schedule on either entry until it is clear which exists",
		"%s: KFD node %llu (%s, unique id %s) and KFD node %llu (%s, unique id %s); they are "
		"not merged",
		what, (unsigned long long)one->kfd_node.value, label, id[0],
		(unsigned long long)two->kfd_node.value, other, id[1]);
}

/* The next entry that claims what `i` claims; each is told once. */
static size_t next_duplicate(const struct work *work, size_t i, const char **what)
{
	const struct gpu *gpus = work->node->gpus;
	size_t j;

	for (j = i + 1; j < work->node->gpu_count; j++) {
		if (are_duplicates(&gpus[i], &gpus[j]))
			*what = "two entries have one address";
		else if (shares_id_elsewhere(&gpus[i], &gpus[j]))
			*what = "one unique id stands at two addresses";
		else
			continue;
		return j;
	}
	return SIZE_MAX;
}

static void place_duplicates(struct work *work)
{
	const struct node *node = work->node;
	bool *doubled = xcalloc(node->gpu_count + 1, sizeof(*doubled));
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		const char *what = NULL;
		size_t j = next_duplicate(work, i, &what);

		if (j == SIZE_MAX)
			continue;
		doubled[i] = doubled[j] = true;
		say_duplicate(work, i, j, what);
	}
	for (i = 0; i < node->gpu_count; i++)
		if (doubled[i])
			add_undetermined(work, i, "its identity is claimed twice");
	free(doubled);
}

/* --- two-die parts: by link width ------------------------------------------------------------- */

enum edge { EDGE_UNKNOWN, EDGE_OTHER, EDGE_MATE, EDGE_CONFLICT };

struct dies {
	size_t *gpus; /* of the node */
	size_t count;
	unsigned char *edges;    /* [i * count + j]: what i says of j */
	struct known_u64 *hidden; /* the KFD node that is not shown here and to which i has a mate's width */
};

static size_t find_die(const struct node *node, const struct dies *dies, uint64_t kfd_node)
{
	size_t low = 0, high = dies->count;

	/* The GPUs of KFD are in the order of their node numbers. */
	while (low < high) {
		size_t middle = (low + high) / 2;
		uint64_t value = node->gpus[dies->gpus[middle]].kfd_node.value;

		if (value == kfd_node)
			return middle;
		if (value < kfd_node)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

/* A node of the topology that is neither a GPU nor a CPU of our list: its properties could not be read. */
static bool is_hidden(const struct node *node, uint64_t kfd_node)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].kfd_node.known && node->gpus[i].kfd_node.value == kfd_node)
			return false;
	for (i = 0; i < node->kfd_cpu_count; i++)
		if (node->kfd_cpus[i] == kfd_node)
			return false;
	return true;
}

static void enter_link(const struct node *node, struct dies *dies, size_t from,
	const struct link *link)
{
	enum edge edge = EDGE_UNKNOWN;
	unsigned char *cell;
	size_t to;

	if (!link->type.known || link->type.value != LINK_XGMI || !link->node_to.known)
		return;
	if (link->max_bandwidth.known)
		edge = link->max_bandwidth.value == MATE_MB_S ? EDGE_MATE : EDGE_OTHER;
	to = find_die(node, dies, link->node_to.value);
	if (to == SIZE_MAX) {
		if (edge == EDGE_MATE && is_hidden(node, link->node_to.value))
			dies->hidden[from] = link->node_to;
		return;
	}
	if (to == from || edge == EDGE_UNKNOWN)
		return;
	cell = &dies->edges[from * dies->count + to];
	*cell = (unsigned char)(*cell == EDGE_UNKNOWN || *cell == edge ? edge : EDGE_CONFLICT);
}

static void read_edges(const struct node *node, struct dies *dies)
{
	size_t i, j;

	for (i = 0; i < dies->count; i++) {
		struct link_list links;

		link_list_read(node->root_fd, node->gpus[dies->gpus[i]].kfd_node.value, &links);
		for (j = 0; j < links.count; j++)
			enter_link(node, dies, i, &links.items[j]);
		link_list_release(&links);
	}
}

/* What both ends say of a link; one end is enough. */
static enum edge edge_between(const struct dies *dies, size_t i, size_t j)
{
	enum edge there = dies->edges[i * dies->count + j], back = dies->edges[j * dies->count + i];

	if (there == EDGE_UNKNOWN || there == back)
		return back;
	return back == EDGE_UNKNOWN ? there : EDGE_CONFLICT;
}

static size_t mates_of(const struct dies *dies, size_t i, size_t *last)
{
	size_t count = 0, j;

	for (j = 0; j < dies->count; j++)
		if (j != i && edge_between(dies, i, j) == EDGE_MATE) {
			*last = j;
			count++;
		}
	return count;
}

static bool all_edges_known(const struct dies *dies, size_t i)
{
	size_t j;

	for (j = 0; j < dies->count; j++)
		if (j != i && edge_between(dies, i, j) != EDGE_OTHER)
			return false;
	return true;
}

static void say_conflicts(struct work *work, const struct dies *dies)
{
	size_t i, j;

	for (i = 0; i < dies->count; i++)
		for (j = i + 1; j < dies->count; j++) {
			char a[NODE_GFX], b[NODE_GFX];

			if (edge_between(dies, i, j) != EDGE_CONFLICT)
				continue;
			gpu_label(&work->node->gpus[dies->gpus[i]], a);
			gpu_label(&work->node->gpus[dies->gpus[j]], b);
			finding_add(work->findings, "link-inconsistent", FINDING_WARNING, a,
				"read both io_links folders; a link that trained narrower than its peer "
				"says is a hardware matter",
				"the link between %s and %s is told with two different widths", a, b);
		}
}

static void pair(struct work *work, struct dies *dies, size_t i, size_t j)
{
	struct module *module = add_module(work, MODULE_LINK_WIDTH, dies->gpus[i]);
	char a[NODE_GFX], b[NODE_GFX];

	join_module(work, module, dies->gpus[j]);
	gpu_label(&work->node->gpus[dies->gpus[i]], a);
	gpu_label(&work->node->gpus[dies->gpus[j]], b);
	snprintf(module->why, sizeof(module->why), "x%d (%d MB/s) between %s and %s, the only such link of either",
		MATE_LINKS, MATE_MB_S, a, b);
}

static bool is_two_die(const struct work *work, const struct dies *dies, size_t i)
{
	return shape_of(&work->node->gpus[dies->gpus[i]]) == SHAPE_TWO;
}

static void pair_dies(struct work *work, struct dies *dies)
{
	size_t i, j = 0, back = 0;

	for (i = 0; i < dies->count; i++)
		if (!work->placed[dies->gpus[i]] && !dies->hidden[i].known &&
			mates_of(dies, i, &j) == 1 && !dies->hidden[j].known &&
			mates_of(dies, j, &back) == 1 &&
			(is_two_die(work, dies, i) || is_two_die(work, dies, j)))
			pair(work, dies, i, j);
}

static void add_half(struct work *work, const struct dies *dies, size_t i)
{
	struct module *module = add_module(work, MODULE_HALF_VISIBLE, dies->gpus[i]);

	if (dies->hidden[i].known)
		snprintf(module->why, sizeof(module->why),
			"x%d (%d MB/s) to KFD node %llu, which is not shown here", MATE_LINKS, MATE_MB_S,
			(unsigned long long)dies->hidden[i].value);
	else
		str_copy(module->why, sizeof(module->why),
			dies->count == 1 ? "one GCD of a two-die part, and no other is visible here"
					 : "one GCD of a two-die part, and its links to all others "
					   "that are visible are narrower than x4");
}

static const char *why_undetermined(const struct dies *dies, size_t i)
{
	size_t j, mates = mates_of(dies, i, &j);
	bool any = false;

	if (mates > 1 || (mates && dies->hidden[i].known))
		return "more than one of its links is x4: the widths do not single out a mate";
	if (mates == 1)
		return "its only x4 peer has more than one x4 link: the widths do not single out a mate";
	for (j = 0; j < dies->count; j++)
		any = any || edge_between(dies, i, j) != EDGE_UNKNOWN;
	if (!any)
		return "no link width of it could be read: order, addresses and ids do not tell mates";
	return all_edges_known(dies, i)
		       ? "none of its links is x4: the widths do not single out a mate"
		       : "the width of one of its links is unknown, and none that is known is x4";
}

/* The one that is left over when the others have mates has its own out of sight; of several that are left, a link may
 * have trained narrower, so nothing is concluded. */
static void place_rest_of_dies(struct work *work, struct dies *dies)
{
	size_t left = 0, i;

	for (i = 0; i < dies->count; i++)
		left += !work->placed[dies->gpus[i]];
	for (i = 0; i < dies->count; i++) {
		bool two = is_two_die(work, dies, i);
		size_t j, mates = mates_of(dies, i, &j);

		if (work->placed[dies->gpus[i]])
			continue;
		if (two && mates == 0 &&
			(dies->hidden[i].known || (left == 1 && all_edges_known(dies, i))))
			add_half(work, dies, i);
		else if (!two)
			add_undetermined(work, dies->gpus[i],
				"gfx90a of an unknown device id: one die (MI210) or half of two");
		else
			add_undetermined(work, dies->gpus[i], why_undetermined(dies, i));
	}
}

static void place_dies(struct work *work)
{
	const struct node *node = work->node;
	struct dies dies = { .gpus = xcalloc(node->gpu_count + 1, sizeof(*dies.gpus)) };
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		enum shape shape = shape_of(&node->gpus[i]);

		if (work->placed[i] || (shape != SHAPE_TWO && shape != SHAPE_PERHAPS_TWO))
			continue;
		if (node->gpus[i].kfd_node.known)
			dies.gpus[dies.count++] = i;
		else
			add_undetermined(work, i, "not in KFD's topology, which alone tells link widths");
	}
	dies.edges = xcalloc(dies.count * dies.count + 1, 1);
	dies.hidden = xcalloc(dies.count + 1, sizeof(*dies.hidden));
	read_edges(node, &dies);
	say_conflicts(work, &dies);
	pair_dies(work, &dies);
	place_rest_of_dies(work, &dies);
	free(dies.hidden);
	free(dies.edges);
	free(dies.gpus);
}

/* --- cards: by address ------------------------------------------------------------------------ */

/* Equal bus numbers in different domains are different cards; without the domains only the id can say that two are one. */
static bool same_card(const struct gpu *a, const struct gpu *b)
{
	if (a->bdf[0] && b->bdf[0])
		return pci_same_card(a->bdf, b->bdf) && !differ(a->unique_id, b->unique_id);
	return pci_same_card(a->location, b->location) && same_value(a->unique_id, b->unique_id);
}

static int function_of(const struct gpu *gpu)
{
	const char *dot = strrchr(gpu->bdf[0] ? gpu->bdf : gpu->location, '.');

	return dot ? dot[1] - '0' : -1;
}

/* "0000:0a:00" of the first of it. */
static void card_label(const struct work *work, const struct module *module, char label[NODE_GFX])
{
	char *dot;

	gpu_label(&work->node->gpus[module->gpus[0]], label);
	dot = strrchr(label, '.');
	if (dot)
		*dot = '\0';
}

static void explain_card(struct work *work, struct module *module)
{
	const struct gpu *first = &work->node->gpus[module->gpus[0]];
	const struct part *part = part_of(first);
	char card[NODE_GFX];

	card_label(work, module, card);
	if (module->gpu_count > 1) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why), "%zu partitions of the card %s%s",
			module->gpu_count, card,
			first->unique_id.known ? ", with one unique id"
					       : ", by their address alone: the unique id is unknown");
	} else if (part && part->xcc && first->num_xcc.known && first->num_xcc.value &&
		   first->num_xcc.value < part->xcc) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why),
			"a partition with %llu of the %u compute dies of the card %s",
			(unsigned long long)first->num_xcc.value, part->xcc, card);
	} else if (function_of(first) > 0 && !(part && part->xcc && same_value(first->num_xcc, known_u64(part->xcc)))) {
		module->basis = MODULE_PARTITION_PARENT;
		snprintf(module->why, sizeof(module->why),
			"function %d of the card %s, whose first is not shown here", function_of(first), card);
	} else {
		str_copy(module->why, sizeof(module->why),
			part && part->xcc && !first->num_xcc.known
				? "one device a card; num_xcc is unknown, so whether it is the whole card is not known"
				: "one device a card");
	}
}

static void place_cards(struct work *work)
{
	const struct node *node = work->node;
	size_t i, j;

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];
		enum shape shape = shape_of(gpu);
		struct module *module;

		if (work->placed[i])
			continue;
		if (shape == SHAPE_UNKNOWN || (!gpu->bdf[0] && !gpu->location[0])) {
			add_undetermined(work, i,
				shape == SHAPE_UNKNOWN
					? "neither its target nor its device id tells what part it is"
					: "its address is unknown");
			continue;
		}
		module = add_module(work, MODULE_SINGLE, i);
		for (j = i + 1; j < node->gpu_count; j++)
			if (!work->placed[j] && shape_of(&node->gpus[j]) == SHAPE_CARD &&
				same_card(gpu, &node->gpus[j]))
				join_module(work, module, j);
		explain_card(work, module);
	}
}

/* --- missing partitions ------------------------------------------------------------------------- */

/* Compute dies a partition, the same for all of the module; 0 when not known. */
static uint64_t partition_xcc(const struct work *work, const struct module *module)
{
	uint64_t xcc = 0;
	size_t i;

	for (i = 0; i < module->gpu_count; i++) {
		const struct gpu *gpu = &work->node->gpus[module->gpus[i]];

		if (!gpu->num_xcc.known || !gpu->num_xcc.value || (xcc && xcc != gpu->num_xcc.value))
			return 0;
		xcc = gpu->num_xcc.value;
	}
	return xcc;
}

/* Cards of one kind in one mode: the other has more partitions, so this one lacks some. */
static bool same_mode(const struct work *work, const struct module *a, const struct module *b)
{
	const struct gpu *one = &work->node->gpus[a->gpus[0]], *two = &work->node->gpus[b->gpus[0]];

	return b->basis == MODULE_PARTITION_PARENT &&
	       same_value(one->pci_device_id, two->pci_device_id) &&
	       (one->num_xcc.known || two->num_xcc.known
			       ? same_value(one->num_xcc, two->num_xcc)
			       : same_value(one->simd_count, two->simd_count));
}

/* How many partitions the card has: by the highest function, by its compute dies, by its like on this node. */
static size_t expected_partitions(const struct work *work, const struct module *module)
{
	const struct part *part = part_of(&work->node->gpus[module->gpus[0]]);
	uint64_t xcc = partition_xcc(work, module);
	size_t expected = module->gpu_count, i;

	for (i = 0; i < module->gpu_count; i++) {
		int function = function_of(&work->node->gpus[module->gpus[i]]);

		if (function >= 0 && (size_t)function + 1 > expected)
			expected = (size_t)function + 1;
	}
	if (part && part->xcc && xcc && part->xcc % xcc == 0 && part->xcc / xcc > expected)
		expected = part->xcc / (size_t)xcc;
	for (i = 0; i < work->modules->count; i++) {
		const struct module *other = &work->modules->items[i];

		if (other != module && other->gpu_count > expected && same_mode(work, module, other))
			expected = other->gpu_count;
	}
	return expected;
}

/* ".3, .5" of the functions below `expected` that are not there. */
static char *missing_functions(const struct work *work, const struct module *module, size_t expected)
{
	struct str text = STR_INIT;
	size_t function, i;

	for (function = 0; function < expected && function < 8; function++) {
		for (i = 0; i < module->gpu_count; i++)
			if (function_of(&work->node->gpus[module->gpus[i]]) == (int)function)
				break;
		if (i == module->gpu_count)
			str_addf(&text, "%s.%zu", text.len ? ", " : "", function);
	}
	return str_detach(&text);
}

static size_t all_expected(const struct work *work, size_t *present)
{
	size_t expected = 0, i;

	*present = 0;
	for (i = 0; i < work->modules->count; i++)
		if (work->modules->items[i].basis == MODULE_PARTITION_PARENT) {
			*present += work->modules->items[i].gpu_count;
			expected += expected_partitions(work, &work->modules->items[i]);
		}
	return expected;
}

static void say_missing_partitions(struct work *work)
{
	size_t present, expected = all_expected(work, &present), i;
	bool hidden = work->node->kfd_hidden_count > 0;

	for (i = 0; i < work->modules->count; i++) {
		const struct module *module = &work->modules->items[i];
		size_t of_card;
		char card[NODE_GFX], *functions;

		if (module->basis != MODULE_PARTITION_PARENT)
			continue;
		of_card = expected_partitions(work, module);
		if (of_card <= module->gpu_count)
			continue;
		card_label(work, module, card);
		functions = missing_functions(work, module, of_card);
		finding_add(work->findings, "partition-missing",
			hidden ? FINDING_WARNING : FINDING_FAULT, card,
			hidden ? "ask the scheduler for the whole card, or look from outside the allocation"
			       : "look for the card's errors in the kernel's log, then set its partition mode again",
			"%zu of the %zu partitions of card %s are in KFD's topology (%zu of %zu on this "
			"node); missing: %s%s",
			module->gpu_count, of_card, card, present, expected,
			functions[0] ? functions : "unknown",
			hidden ? "; some topology nodes cannot be read here, so they may only be hidden" : "");
		free(functions);
	}
}

/* --- other findings --------------------------------------------------------------------------------- */

static void say_half(struct work *work, const struct module *module)
{
	char label[NODE_GFX], size[80] = "";
	const struct gpu *gpu = &work->node->gpus[module->gpus[0]];

	gpu_label(gpu, label);
	if (gpu->vram_total.known)
		snprintf(size, sizeof(size), "; its memory is %llu bytes, not the module's",
			(unsigned long long)gpu->vram_total.value);
	finding_add(work->findings, "module-half-visible", FINDING_NOTE, label, NULL,
		"1 GCD is visible of a 2-GCD module; its mate is not visible here%s. This is how a "
		"scheduler gives one GCD, not a fault",
		size);
}

static void say_undetermined(struct work *work)
{
	size_t *gpus = xcalloc(work->node->gpu_count + 1, sizeof(*gpus)), count = 0, i;
	char *names;

	for (i = 0; i < work->modules->count; i++)
		if (work->modules->items[i].basis == MODULE_UNDETERMINED)
			gpus[count++] = work->modules->items[i].gpus[0];
	names = labels(work, gpus, count);
	if (count)
		finding_add(work->findings, "module-undetermined", FINDING_WARNING, "",
			"read the io_links of the KFD topology on the host; treat each GCD as a device of its own until then",
			"which module %zu GCD%s belong%s to is undetermined: %s", count,
			count == 1 ? "" : "s", count == 1 ? "s" : "", names);
	free(names);
	free(gpus);
}

static void say_subsystems(struct work *work, const struct module *module)
{
	const struct gpu *a = &work->node->gpus[module->gpus[0]];
	size_t i;

	for (i = 1; i < module->gpu_count; i++) {
		const struct gpu *b = &work->node->gpus[module->gpus[i]];
		char one[NODE_GFX], two[NODE_GFX];

		if (!differ(a->pci_subsystem_vendor_id, b->pci_subsystem_vendor_id) &&
			!differ(a->pci_subsystem_device_id, b->pci_subsystem_device_id))
			continue;
		gpu_label(a, one);
		gpu_label(b, two);
		finding_add(work->findings, "subsystem-inconsistent", FINDING_WARNING, one,
			"do not tell modules or models apart by subsystem ids",
			"%s has subsystem %04llx:%04llx and %s of the same module has %04llx:%04llx", one,
			(unsigned long long)a->pci_subsystem_vendor_id.value,
			(unsigned long long)a->pci_subsystem_device_id.value, two,
			(unsigned long long)b->pci_subsystem_vendor_id.value,
			(unsigned long long)b->pci_subsystem_device_id.value);
	}
}

static void say_host_memory(struct work *work)
{
	size_t *gpus = xcalloc(work->node->gpu_count + 1, sizeof(*gpus)), count = 0, i;
	char *names;

	for (i = 0; i < work->node->gpu_count; i++) {
		const struct part *part = part_of(&work->node->gpus[i]);

		if (part && part->host_memory)
			gpus[count++] = i;
	}
	names = labels(work, gpus, count);
	if (count)
		finding_add(work->findings, "memory-shared-with-host", FINDING_NOTE, "",
			"do not count this memory a second time as the host's",
			"%zu GPU%s of MI300A share%s memory with the host's cores: %s", count,
			count == 1 ? "" : "s", count == 1 ? "s" : "", names);
	free(names);
	free(gpus);
}

static int by_first(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return (x->gpus[0] > y->gpus[0]) - (x->gpus[0] < y->gpus[0]);
}

void module_group(const struct node *node, struct module_list *out, struct finding_list *findings)
{
	struct work work = { node, out, findings, xcalloc(node->gpu_count + 1, sizeof(bool)) };
	size_t i;

	memset(out, 0, sizeof(*out));
	place_duplicates(&work);
	place_dies(&work);
	place_cards(&work);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_first);
	say_undetermined(&work);
	for (i = 0; i < out->count; i++) {
		if (out->items[i].basis == MODULE_HALF_VISIBLE)
			say_half(&work, &out->items[i]);
		say_subsystems(&work, &out->items[i]);
	}
	say_missing_partitions(&work);
	say_host_memory(&work);
	free(work.placed);
}

void module_list_release(struct module_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->items[i].gpus);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

json_t *module_list_json(const struct module_list *list, const struct node *node)
{
	json_t *array = json_array();
	size_t i, j;

	for (i = 0; i < list->count; i++) {
		const struct module *module = &list->items[i];
		json_t *gcds = json_array();

		for (j = 0; j < module->gpu_count; j++) {
			char label[NODE_GFX];

			gpu_label(&node->gpus[module->gpus[j]], label);
			json_array_append_new(gcds, json_string(label));
		}
		json_array_append_new(array,
			json_pack("{s:o, s:s, s:s}", "gcds", gcds, "basis",
				module_basis_name(module->basis), "why", module->why));
	}
	return array;
}
