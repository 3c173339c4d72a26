/* SPDX-License-Identifier: Apache-2.0 */
#include "node/description.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "node/sim_abi.h"

/* Where in the document an error is. */
struct place {
	const char *file;
	char path[128];
	struct error *err;
};

struct member {
	const char *key;
	bool required;
	int (*check)(const json_t *value, struct place *place);
};

static int wrong(struct place *place, const char *reason)
{
	char *shown = text_printable(place->path, strlen(place->path));

	error_set(place->err, "%s: %s: %s", place->file, shown[0] ? shown : "document", reason);
	free(shown);
	return -1;
}

/* Enters `name` or `[index]` into the path for the time of a check. */
static int within(struct place *place, const char *name, long index, const json_t *value,
	int (*check)(const json_t *value, struct place *place))
{
	size_t len = strlen(place->path);
	int rc;

	if (name)
		snprintf(
			place->path + len, sizeof(place->path) - len, "%s%s", len ? "." : "", name);
	else
		snprintf(place->path + len, sizeof(place->path) - len, "[%ld]", index);
	rc = check(value, place);
	place->path[len] = '\0';
	return rc;
}

static int unknown_key(const json_t *value, struct place *place)
{
	(void)value;
	return wrong(place, "no such key");
}

static int missing_key(const json_t *value, struct place *place)
{
	(void)value;
	return wrong(place, "missing");
}

static const struct member *find_member(const struct member *members, const char *key)
{
	for (; members->key; members++)
		if (strcmp(members->key, key) == 0)
			return members;
	return NULL;
}

static int check_object(const json_t *value, const struct member *members, struct place *place)
{
	const struct member *member;
	const char *key;
	json_t *entry;

	if (!json_is_object(value))
		return wrong(place, "not an object");
	json_object_foreach ((json_t *)(uintptr_t)value, key, entry) {
		member = find_member(members, key);
		if (within(place, key, 0, entry, member ? member->check : unknown_key) != 0)
			return -1;
	}
	for (member = members; member->key; member++)
		if (member->required && !json_object_get(value, member->key))
			return within(place, member->key, 0, NULL, missing_key);
	return 0;
}

static int check_array(const json_t *value, size_t most, struct place *place,
	int (*check)(const json_t *value, struct place *place))
{
	size_t i;

	if (!json_is_array(value))
		return wrong(place, "not an array");
	if (json_array_size(value) > most)
		return wrong(place, "too many entries");
	for (i = 0; i < json_array_size(value); i++)
		if (within(place, NULL, (long)i, json_array_get(value, i), check) != 0)
			return -1;
	return 0;
}

/* --- values ------------------------------------------------------------------------------ */

/* Goes into sim.conf as the rest of a line. */
static int check_text(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);

	if (!text)
		return wrong(place, "not a text");
	if (!text[0] || strlen(text) > 255 || strlen(text) != json_string_length(value))
		return wrong(place, "empty or longer than 255 bytes");
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			return wrong(place, "holds a control character");
	return 0;
}

static int check_long_text(const json_t *value, struct place *place)
{
	return json_is_string(value) ? 0 : wrong(place, "not a text");
}

static int check_flag(const json_t *value, struct place *place)
{
	return json_is_boolean(value) ? 0 : wrong(place, "neither true nor false");
}

static int check_count(const json_t *value, struct place *place)
{
	if (!json_is_integer(value))
		return wrong(place, "not a whole number");
	return json_integer_value(value) >= 0 ? 0 : wrong(place, "below 0");
}

/* A number that HIP hands out as an int. */
static int check_int(const json_t *value, struct place *place)
{
	if (check_count(value, place) != 0)
		return -1;
	return json_integer_value(value) <= INT_MAX ? 0 : wrong(place, "above 2147483647");
}

static int check_schema(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);

	return text && strcmp(text, "oamqual-node/1") == 0 ? 0
							   : wrong(place, "not \"oamqual-node/1\"");
}

bool description_is_bdf(const char *text)
{
	static const char hex[] = "0123456789abcdef";
	size_t domain = strspn(text, hex);
	const char *rest = text + domain;

	return domain >= 4 && domain <= 8 && strlen(rest) == 8 && rest[0] == ':' &&
	       strspn(rest + 1, hex) == 2 && rest[3] == ':' && strspn(rest + 4, hex) == 2 &&
	       rest[6] == '.' && rest[7] >= '0' && rest[7] <= '7';
}

static int check_bdf(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);

	if (!text || !description_is_bdf(text))
		return wrong(place, "not a PCI address like \"0000:c1:00.0\"");
	return 0;
}

static int check_unique_id(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);
	unsigned long long id;

	if (!text || !str_starts(text, "0x") || strlen(text) > 18 || !text_u64(text + 2, 16, &id))
		return wrong(place, "not \"0x\" and up to 16 hex digits");
	return 0;
}

static int check_gcn_arch(const json_t *value, struct place *place)
{
	if (check_text(value, place) != 0)
		return -1;
	if (!str_starts(json_string_value(value), "gfx") || strchr(json_string_value(value), ' '))
		return wrong(place, "not like \"gfx90a:sramecc+:xnack-\"");
	return strlen(json_string_value(value)) < 64 ? 0 : wrong(place, "longer than 63 bytes");
}

static const struct member device_members[] = {
	{ "bdf", true, check_bdf },
	{ "unique_id", true, check_unique_id },
	{ "gcn_arch", true, check_gcn_arch },
	{ "name", true, check_text },
	{ "total_bytes", true, check_count },
	{ "free_bytes", true, check_count },
	{ "multiprocessors", false, check_int },
	{ "clock_khz", false, check_int },
	{ "memory_clock_khz", false, check_int },
	{ "memory_bus_bits", false, check_int },
	{ "l2_bytes", false, check_int },
	{ NULL, false, NULL },
};

static int check_device(const json_t *value, struct place *place)
{
	if (check_object(value, device_members, place) != 0)
		return -1;
	if (json_integer_value(json_object_get(value, "free_bytes")) >
		json_integer_value(json_object_get(value, "total_bytes")))
		return wrong(place, "free_bytes is above total_bytes");
	return 0;
}

static int check_devices(const json_t *value, struct place *place)
{
	size_t i, j;

	if (check_array(value, SIM_MAX_DEVICES, place, check_device) != 0)
		return -1;
	for (i = 0; i < json_array_size(value); i++)
		for (j = 0; j < i; j++)
			if (json_equal(json_object_get(json_array_get(value, i), "bdf"),
				    json_object_get(json_array_get(value, j), "bdf")))
				return wrong(place, "two devices have the same bdf");
	return 0;
}

static int check_soname(const json_t *value, struct place *place)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 5 || number > 7)
		return wrong(place, "not 5, 6 or 7");
	return 0;
}

static int check_sonames(const json_t *value, struct place *place)
{
	return check_array(value, 3, place, check_soname);
}

static const struct member hip_members[] = {
	{ "sonames", true, check_sonames },
	{ "driver_version", true, check_int },
	{ "runtime_version", true, check_int },
	{ "devices", true, check_devices },
	{ NULL, false, NULL },
};

static int check_hip(const json_t *value, struct place *place)
{
	return check_object(value, hip_members, place);
}

static int check_fault_device(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);

	if (!text || (strcmp(text, "*") != 0 && !description_is_bdf(text)))
		return wrong(place, "neither \"*\" nor a PCI address");
	return 0;
}

static int check_fault_word(const json_t *value, struct place *place)
{
	static const char *const words[] = {
#define SIM_FAULT_WORD(name, word, what) word,
		SIM_FAULTS(SIM_FAULT_WORD)
#undef SIM_FAULT_WORD
	};
	const char *text = json_string_value(value);
	size_t i;

	for (i = 0; text && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], text) == 0)
			return 0;
	return wrong(place, "no such fault");
}

static const struct member fault_members[] = {
	{ "device", true, check_fault_device },
	{ "fault", true, check_fault_word },
	{ "after", false, check_int },
	{ NULL, false, NULL },
};

static int check_fault(const json_t *value, struct place *place)
{
	return check_object(value, fault_members, place);
}

static int check_faults(const json_t *value, struct place *place)
{
	return check_array(value, 256, place, check_fault);
}

static int check_hipcc(const json_t *value, struct place *place)
{
	const char *text = json_string_value(value);

	if (!text ||
		(strcmp(text, "hidden") != 0 && strcmp(text, "inherit") != 0 && text[0] != '/'))
		return wrong(place, "none of \"hidden\", \"inherit\" and an absolute path");
	return check_text(value, place);
}

static const struct member tools_members[] = {
	{ "hipcc", false, check_hipcc },
	{ NULL, false, NULL },
};

static int check_tools(const json_t *value, struct place *place)
{
	return check_object(value, tools_members, place);
}

static const struct member node_members[] = {
	{ "schema", true, check_schema },
	{ "name", true, check_text },
	{ "derived", false, check_flag },
	{ "provenance", false, check_long_text },
	{ "hip", false, check_hip },
	{ "faults", false, check_faults },
	{ "tools", false, check_tools },
	{ "playback", false, check_text },
	{ NULL, false, NULL },
};

/* A fault of a device that is not there would be a silent pass. */
static int check_fault_targets(const json_t *description, struct place *place)
{
	const json_t *faults = json_object_get(description, "faults");
	const json_t *devices = json_object_get(json_object_get(description, "hip"), "devices");
	size_t i, j;

	for (i = 0; i < json_array_size(faults); i++) {
		const char *bdf =
			json_string_value(json_object_get(json_array_get(faults, i), "device"));
		bool met = strcmp(bdf, "*") == 0;

		for (j = 0; !met && j < json_array_size(devices); j++)
			met = strcmp(bdf, json_string_value(json_object_get(
						  json_array_get(devices, j), "bdf"))) == 0;
		snprintf(place->path, sizeof(place->path), "faults[%zu].device", i);
		if (!met)
			return wrong(place, "no device of hip.devices");
	}
	return 0;
}

int description_check(const char *path, const json_t *description, struct error *err)
{
	struct place place = { path, "", err };

	if (check_object(description, node_members, &place) != 0)
		return -1;
	return check_fault_targets(description, &place);
}
