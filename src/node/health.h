/* SPDX-License-Identifier: Apache-2.0 */
/* How each GPU is doing, from the files of its PCI device: hwmon temperatures and power, memory in
 * use, RAS error counts, link replays. What cannot be read, "N/A", and the numbers that stand for
 * "none" are unknown and never 0.
 *
 * The power of a two-die module is measured once: amdgpu gives 0 on the die without the meter, so a
 * power or a cap of 0 is no reading, and the module's number is attributed to the module, not split
 * or doubled. */
#ifndef NODE_HEALTH_H
#define NODE_HEALTH_H

#include <jansson.h>

#include "node/finding.h"
#include "node/module.h"
#include "node/node.h"

enum health_key {
	HEALTH_TEMPERATURE_EDGE, /* millidegrees Celsius */
	HEALTH_TEMPERATURE_JUNCTION,
	HEALTH_TEMPERATURE_MEMORY,
	HEALTH_POWER, /* microwatts */
	HEALTH_POWER_CAP,
	HEALTH_BUSY, /* percent */
	HEALTH_VRAM_TOTAL, /* bytes */
	HEALTH_VRAM_USED,
	HEALTH_UNCORRECTED, /* RAS: the sum over all blocks, since the driver was loaded */
	HEALTH_CORRECTED,
	HEALTH_PCIE_REPLAYS,
	HEALTH_KEYS
};

struct health_value {
	struct known_u64 number;
	char why[200]; /* of unknown */
};

struct ras_block {
	char name[32]; /* "umc" */
	struct known_u64 uncorrected, corrected;
};

enum { RAS_BLOCKS = 32 };

struct health {
	char bdf[NODE_BDF]; /* "" unknown, then nothing else is known */
	struct health_value values[HEALTH_KEYS];
	struct ras_block blocks[RAS_BLOCKS];
	size_t block_count;
};

struct health_list {
	struct health *items; /* one a GPU of the node, in its order */
	size_t count;
};

/* Never fails: what cannot be read says why. */
void health_read(const struct node *node, struct health_list *out);

/* The list of one GPU: for a reading before and one after something was run on it. */
void health_read_gpu(const struct node *node, const struct gpu *gpu, struct health_list *out);

/* Only its power: cheap enough to be asked again and again. */
void health_read_power(const struct node *node, const struct gpu *gpu, struct health_value *out);

void health_list_release(struct health_list *list);

/* "ue: 0\nce: 5\n" of a ras/<block>_err_count file. 0, or -1 when it says neither. */
int health_ras_parse(const char *text, struct known_u64 *uncorrected, struct known_u64 *corrected);

/* The power of a module: of the one GCD that has a meter, whose address is then in meter[]; unknown
 * with why when none has one or several disagree. */
struct health_value health_module_power(
	const struct health_list *list, const struct module *module, char meter[NODE_BDF]);

/* For a GCD without a meter in a module that has one: its power is unknown because it is measured
 * there. */
void health_attribute_power(struct health_list *list, const struct module_list *modules);

/* What happened between two readings of the same node, by PCI address: counts are since the driver
 * was loaded, so only their growth accuses. A count that is unknown on either side accuses nobody
 * and is noted. */
void health_compare(const struct health_list *before, const struct health_list *after,
	struct finding_list *findings);

/* New references: [{bdf, temperature_edge_c, ..., ras: {block: {uncorrected, corrected}}}]; and,
 * `modules` given,
 * [{gcds, power_w, meter}]. */
json_t *health_json(const struct health_list *list, const char *class);
json_t *health_modules_json(
	const struct health_list *list, const struct module_list *modules, const char *class);

#endif
