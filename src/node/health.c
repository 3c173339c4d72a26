/* SPDX-License-Identifier: Apache-2.0 */
#include "node/health.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/rooted.h"

#define PCI "sys/bus/pci/devices"

/* A GPU that could be read is below this; a hotter number is another kind of "not there". */
#define HOTTEST_MC 250000U

enum place { IN_DEVICE, IN_HWMON, FROM_LABEL, FROM_RAS };

struct row {
	const char *key;
	enum place place;
	const char *file, *other; /* `other`: of a kernel that names it differently; or the label */
	double scale; /* of the JSON value; 1: an integer */
};

static const struct row rows[HEALTH_KEYS] = {
	[HEALTH_TEMPERATURE_EDGE] = { "temperature_edge_c", FROM_LABEL, "edge", NULL, 1e-3 },
	[HEALTH_TEMPERATURE_JUNCTION] = { "temperature_junction_c", FROM_LABEL, "junction", NULL,
		1e-3 },
	[HEALTH_TEMPERATURE_MEMORY] = { "temperature_memory_c", FROM_LABEL, "mem", NULL, 1e-3 },
	[HEALTH_POWER] = { "power_w", IN_HWMON, "power1_average", "power1_input", 1e-6 },
	[HEALTH_POWER_CAP] = { "power_cap_w", IN_HWMON, "power1_cap", NULL, 1e-6 },
	[HEALTH_BUSY] = { "busy_percent", IN_DEVICE, "gpu_busy_percent", NULL, 1 },
	[HEALTH_VRAM_TOTAL] = { "vram_total", IN_DEVICE, "mem_info_vram_total", NULL, 1 },
	[HEALTH_VRAM_USED] = { "vram_used", IN_DEVICE, "mem_info_vram_used", NULL, 1 },
	[HEALTH_UNCORRECTED] = { "ecc_uncorrected", FROM_RAS, NULL, NULL, 1 },
	[HEALTH_CORRECTED] = { "ecc_corrected", FROM_RAS, NULL, NULL, 1 },
	[HEALTH_PCIE_REPLAYS] = { "pcie_replays", IN_DEVICE, "pcie_replay_count", NULL, 1 },
};

static void unknown(struct health_value *value, const char *why)
{
	value->number = (struct known_u64){ false, 0 };
	str_copy(value->why, sizeof(value->why), why);
}

static void read_value(
	int root_fd, const char *folder, const char *file, struct health_value *value)
{
	char *path = xasprintf("%s/%s", folder, file);
	struct error err;

	value->number = rooted_reading(root_fd, path, &err);
	if (!value->number.known)
		str_copy(value->why, sizeof(value->why), err.text);
	free(path);
}

/* --- hwmon ------------------------------------------------------------------------------------ */

/* "…/hwmon/hwmon3", or NULL with the reason in `err`. */
static char *hwmon_folder(int root_fd, const char *device, struct error *err)
{
	char *parent = xasprintf("%s/hwmon", device), *folder = NULL;
	char **names = rooted_names(root_fd, parent, "hwmon");

	if (!names)
		error_set(err, "/%s: %s", parent, strerror(errno));
	else if (!names[0])
		error_set(err, "/%s: holds no sensors", parent);
	else
		folder = xasprintf("%s/%s", parent, names[0]);
	rooted_names_free(names);
	free(parent);
	return folder;
}

/* Sensors are numbered by presence, so the label decides, not the number. */
static char *labelled_file(int root_fd, const char *hwmon, const char *label)
{
	char **names = rooted_names(root_fd, hwmon, "temp"), *file = NULL;
	size_t i;

	for (i = 0; names && names[i] && !file; i++) {
		char *path, *text;

		if (!str_ends(names[i], "_label"))
			continue;
		path = xasprintf("%s/%s", hwmon, names[i]);
		text = rooted_line(root_fd, path, NULL);
		if (text && strcmp(text, label) == 0)
			file = xasprintf("%.*s_input", (int)strcspn(names[i], "_"), names[i]);
		free(text);
		free(path);
	}
	rooted_names_free(names);
	return file;
}

static void read_temperature(
	int root_fd, const char *hwmon, const char *label, struct health_value *value)
{
	char *file = labelled_file(root_fd, hwmon, label);

	if (!file) {
		snprintf(value->why, sizeof(value->why), "/%s: no sensor is labelled \"%s\"", hwmon,
			label);
		return;
	}
	read_value(root_fd, hwmon, file, value);
	if (value->number.known && value->number.value > HOTTEST_MC) {
		char why[120];

		snprintf(why, sizeof(why), "%llu millidegrees is no temperature of a running GPU",
			(unsigned long long)value->number.value);
		unknown(value, why);
	}
	free(file);
}

/* One of the values of hwmon; `why` tells of a folder that is not there. */
static void read_hwmon_value(int root_fd, const char *hwmon, const char *why, const struct row *row,
	struct health_value *value)
{
	struct health_value second = { { false, 0 }, "" };

	if (!hwmon)
		unknown(value, why);
	else if (row->place == FROM_LABEL)
		read_temperature(root_fd, hwmon, row->file, value);
	else
		read_value(root_fd, hwmon, row->file, value);
	if (hwmon && !value->number.known && row->other) {
		read_value(root_fd, hwmon, row->other, &second);
		if (second.number.known)
			*value = second;
	}
	if (row->place == IN_HWMON && value->number.known && !value->number.value)
		unknown(value,
			"0 W is what the driver gives for a die that has no meter of its own");
}

static void read_hwmon(int root_fd, const char *device, struct health *health)
{
	struct error err = { "" };
	char *hwmon = hwmon_folder(root_fd, device, &err);
	size_t i;

	for (i = 0; i < HEALTH_KEYS; i++)
		if (rows[i].place == IN_HWMON || rows[i].place == FROM_LABEL)
			read_hwmon_value(root_fd, hwmon, err.text, &rows[i], &health->values[i]);
	free(hwmon);
}

/* --- RAS -------------------------------------------------------------------------------------- */

static bool labelled_number(const char *text, const char *label, struct known_u64 *out)
{
	const char *at = strstr(text, label);
	unsigned long long value;
	char digits[24] = "";
	size_t len;

	if (!at || (at != text && at[-1] != '\n'))
		return false;
	at += strlen(label);
	at += strspn(at, " \t");
	len = strcspn(at, "\r\n");
	if (!len || len >= sizeof(digits) || at[0] < '0' || at[0] > '9')
		return false;
	memcpy(digits, at, len);
	if (!text_u64(digits, 10, &value) || rooted_is_absent(value))
		return false;
	*out = known_u64(value);
	return true;
}

int health_ras_parse(const char *text, struct known_u64 *uncorrected, struct known_u64 *corrected)
{
	bool ue = labelled_number(text, "ue:", uncorrected),
	     ce = labelled_number(text, "ce:", corrected);

	return ue || ce ? 0 : -1;
}

static void read_block(int root_fd, const char *folder, const char *file, struct health *health)
{
	struct ras_block *block = &health->blocks[health->block_count++];
	char *path = xasprintf("%s/%s", folder, file), *text;

	memset(block, 0, sizeof(*block));
	snprintf(block->name, sizeof(block->name), "%.*s",
		(int)(strlen(file) - strlen("_err_count")), file);
	text = rooted_text(root_fd, path, NULL);
	if (text)
		health_ras_parse(text, &block->uncorrected, &block->corrected);
	free(text);
	free(path);
}

/* A sum over blocks of which one could not be read is no sum. */
static void add_block(struct health_value *sum, struct known_u64 part, const char *block)
{
	if (!sum->number.known)
		return;
	if (part.known && part.value <= UINT64_MAX - sum->number.value) {
		sum->number.value += part.value;
		return;
	}
	sum->number = (struct known_u64){ false, 0 };
	snprintf(sum->why, sizeof(sum->why), "ras/%s_err_count does not give it", block);
}

static void read_ras(int root_fd, const char *device, struct health *health)
{
	struct health_value *ue = &health->values[HEALTH_UNCORRECTED],
			    *ce = &health->values[HEALTH_CORRECTED];
	char *folder = xasprintf("%s/ras", device), **names = rooted_names(root_fd, folder, "");
	char why[160];
	size_t i;

	snprintf(why, sizeof(why), "/%.100s: %s", folder,
		names ? "counts no errors" : strerror(errno));
	for (i = 0; names && names[i] && health->block_count < RAS_BLOCKS; i++)
		if (str_ends(names[i], "_err_count"))
			read_block(root_fd, folder, names[i], health);
	if (!health->block_count) {
		unknown(ue, why);
		unknown(ce, why);
	} else {
		ue->number = ce->number = known_u64(0);
	}
	for (i = 0; i < health->block_count; i++) {
		add_block(ue, health->blocks[i].uncorrected, health->blocks[i].name);
		add_block(ce, health->blocks[i].corrected, health->blocks[i].name);
	}
	rooted_names_free(names);
	free(folder);
}

/* --- a node --------------------------------------------------------------------------------- */

static void read_gpu(const struct node *node, const struct gpu *gpu, struct health *health)
{
	char *device;
	size_t i;

	memset(health, 0, sizeof(*health));
	str_copy(health->bdf, sizeof(health->bdf), gpu->bdf);
	if (!gpu->bdf[0]) {
		for (i = 0; i < HEALTH_KEYS; i++)
			unknown(&health->values[i], "the PCI address is unknown");
		return;
	}
	device = xasprintf(PCI "/%s", gpu->bdf);
	for (i = 0; i < HEALTH_KEYS; i++)
		if (rows[i].place == IN_DEVICE)
			read_value(node->root_fd, device, rows[i].file, &health->values[i]);
	read_hwmon(node->root_fd, device, health);
	read_ras(node->root_fd, device, health);
	free(device);
}

void health_read(const struct node *node, struct health_list *out)
{
	size_t i;

	out->items = xcalloc(node->gpu_count ? node->gpu_count : 1, sizeof(*out->items));
	out->count = node->gpu_count;
	for (i = 0; i < node->gpu_count; i++)
		read_gpu(node, &node->gpus[i], &out->items[i]);
}

void health_read_gpu(const struct node *node, const struct gpu *gpu, struct health_list *out)
{
	out->items = xcalloc(1, sizeof(*out->items));
	out->count = 1;
	read_gpu(node, gpu, out->items);
}

void health_read_power(const struct node *node, const struct gpu *gpu, struct health_value *out)
{
	struct error err = { "the PCI address is unknown" };
	char *device = xasprintf(PCI "/%s", gpu->bdf), *hwmon = NULL;

	if (gpu->bdf[0])
		hwmon = hwmon_folder(node->root_fd, device, &err);
	*out = (struct health_value){ { false, 0 }, "" };
	read_hwmon_value(node->root_fd, hwmon, err.text, &rows[HEALTH_POWER], out);
	free(hwmon);
	free(device);
}

void health_list_release(struct health_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

/* --- power ---------------------------------------------------------------------------------- */

struct health_value health_module_power(
	const struct health_list *list, const struct module *module, char meter[NODE_BDF])
{
	struct health_value found = { { false, 0 },
		"no GCD of the module has a meter that could be read" };
	const struct health *first = NULL;
	size_t i;

	meter[0] = '\0';
	for (i = 0; i < module->gpu_count; i++) {
		const struct health *item =
			module->gpus[i] < list->count ? &list->items[module->gpus[i]] : NULL;

		if (!item || !item->values[HEALTH_POWER].number.known)
			continue;
		if (first && item->values[HEALTH_POWER].number.value != found.number.value) {
			snprintf(found.why, sizeof(found.why),
				"%s and %s both give a number, and not the same", first->bdf,
				item->bdf);
			found.number = (struct known_u64){ false, 0 };
			meter[0] = '\0';
			return found;
		}
		if (!first) {
			first = item;
			found = item->values[HEALTH_POWER];
			str_copy(meter, NODE_BDF, item->bdf);
		}
	}
	return found;
}

void health_attribute_power(struct health_list *list, const struct module_list *modules)
{
	char meter[NODE_BDF], why[160];
	size_t i, j;

	for (i = 0; i < modules->count; i++) {
		const struct module *module = &modules->items[i];

		if (!health_module_power(list, module, meter).number.known)
			continue;
		snprintf(why, sizeof(why), "measured once a module, at %s", meter);
		for (j = 0; j < module->gpu_count; j++)
			if (module->gpus[j] < list->count &&
				!list->items[module->gpus[j]].values[HEALTH_POWER].number.known)
				unknown(&list->items[module->gpus[j]].values[HEALTH_POWER], why);
	}
}

/* --- between two readings -----------------------------------------------------------------------
 */

struct growth {
	enum health_key key;
	const char *code, *what;
	enum finding_weight weight;
};

static const struct growth growths[] = {
	{ HEALTH_UNCORRECTED, "ecc-uncorrected", "uncorrected memory errors", FINDING_FAULT },
	{ HEALTH_CORRECTED, "ecc-corrected", "corrected memory errors", FINDING_WARNING },
	{ HEALTH_PCIE_REPLAYS, "pcie-replays", "replays on the PCI link", FINDING_NOTE },
};

static void compare_count(const struct growth *growth, const struct health *before,
	const struct health *after, struct finding_list *findings)
{
	const struct health_value *was = &before->values[growth->key],
				  *is = &after->values[growth->key];
	unsigned long long a = was->number.value, b = is->number.value;

	if (!was->number.known || !is->number.known)
		finding_add(findings, "count-unknown", FINDING_NOTE, after->bdf, NULL,
			"whether there were %s is unknown: %s", growth->what,
			was->number.known ? is->why : was->why);
	else if (b < a)
		finding_add(findings, "count-restarted", FINDING_WARNING, after->bdf,
			"look for a reset in the kernel's log",
			"the count of %s went from %llu back to %llu: the GPU was reset or the "
			"driver loaded anew",
			growth->what, a, b);
	else if (b > a)
		finding_add(findings, growth->code, growth->weight, after->bdf, NULL,
			"%s grew by %llu, from %llu to %llu", growth->what, b - a, a, b);
	else if (a)
		finding_add(findings, "count-of-before", FINDING_NOTE, after->bdf, NULL,
			"%llu %s are older than this run; none came", a, growth->what);
}

void health_compare(const struct health_list *before, const struct health_list *after,
	struct finding_list *findings)
{
	size_t i, j, k;

	for (i = 0; i < after->count; i++)
		for (j = 0; j < before->count; j++) {
			if (!after->items[i].bdf[0] ||
				strcmp(after->items[i].bdf, before->items[j].bdf) != 0)
				continue;
			for (k = 0; k < sizeof(growths) / sizeof(growths[0]); k++)
				compare_count(
					&growths[k], &before->items[j], &after->items[i], findings);
		}
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *value_json(
	const struct health_value *value, const struct row *row, const char *class)
{
	if (!value->number.known || row->scale == 1)
		return fact_u64(
			value->number, class, row->place == FROM_RAS ? "ras" : "sysfs", value->why);
	return fact_json(json_real((double)value->number.value * row->scale), class, "hwmon");
}

static json_t *ras_json(const struct health *health, const char *class)
{
	json_t *ras = json_object();
	size_t i;

	for (i = 0; i < health->block_count; i++) {
		const struct ras_block *block = &health->blocks[i];
		char *name = text_printable(block->name, strlen(block->name));

		json_object_set_new(ras, name,
			json_pack("{s:o, s:o}", "uncorrected",
				fact_u64(block->uncorrected, class, "ras",
					"the file gives no such number"),
				"corrected",
				fact_u64(block->corrected, class, "ras",
					"the file gives no such number")));
		free(name);
	}
	return ras;
}

json_t *health_json(const struct health_list *list, const char *class)
{
	json_t *array = json_array();
	size_t i, j;

	for (i = 0; i < list->count; i++) {
		const struct health *item = &list->items[i];
		json_t *json = json_object();

		json_object_set_new(json, "bdf",
			item->bdf[0] ? fact_text(item->bdf, class, "kfd")
				     : fact_unknown("not in KFD's properties"));
		for (j = 0; j < HEALTH_KEYS; j++)
			json_object_set_new(
				json, rows[j].key, value_json(&item->values[j], &rows[j], class));
		json_object_set_new(json, "resets",
			fact_unknown("no file of sysfs counts them; the kernel's log names each"));
		json_object_set_new(json, "ras", ras_json(item, class));
		json_array_append_new(array, json);
	}
	return array;
}

json_t *health_modules_json(
	const struct health_list *list, const struct module_list *modules, const char *class)
{
	json_t *array = json_array();
	size_t i, j;

	for (i = 0; i < modules->count; i++) {
		const struct module *module = &modules->items[i];
		char meter[NODE_BDF];
		struct health_value power = health_module_power(list, module, meter);
		json_t *gcds = json_array();

		for (j = 0; j < module->gpu_count; j++)
			json_array_append_new(
				gcds, json_string(module->gpus[j] < list->count
							  ? list->items[module->gpus[j]].bdf
							  : ""));
		json_array_append_new(
			array, json_pack("{s:o, s:o, s:o}", "gcds", gcds, "power_w",
				       value_json(&power, &rows[HEALTH_POWER], class), "meter",
				       meter[0] ? fact_text(meter, class, "hwmon")
						: fact_unknown(power.why)));
	}
	return array;
}
