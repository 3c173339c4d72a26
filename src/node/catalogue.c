/* SPDX-License-Identifier: Apache-2.0 */
#include "node/catalogue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/catalogue_parts.h"
#include "node/pci.h"

#define UNITS                                                                                      \
	"GB is 10^9 bytes, GiB is 2^30 bytes; published sizes are printed as their source prints " \
	"them"

/* --- finding entries ---------------------------------------------------------------------- */

const struct catalogue_entry *catalogue_find(const char *name)
{
	static const char *const prefixes[] = { "", "AMD Instinct ", "Instinct ",
		"AMD ", "ROCm " };
	const struct catalogue_entry *entry;
	size_t i;

	for (entry = catalogue; entry->name; entry++)
		for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
			size_t len = strlen(prefixes[i]);

			if (strcasecmp(entry->name, name) == 0 ||
				(strncasecmp(name, prefixes[i], len) == 0 &&
					strcasecmp(entry->name, name + len) == 0) ||
				(strncasecmp(entry->name, prefixes[i], len) == 0 &&
					strcasecmp(entry->name + len, name) == 0))
				return entry;
		}
	return NULL;
}

bool catalogue_is_part(const struct catalogue_entry *entry)
{
	return strcmp(entry->kind, "part") == 0;
}

static bool has_id(const struct catalogue_entry *entry, uint64_t id)
{
	const uint64_t *at;

	for (at = entry->device_ids; at && *at; at++)
		if (*at == id)
			return true;
	return false;
}

/* Is the part's name a whole word of a marketing name such as "AMD Instinct
 * MI250X/MI250"? */
bool catalogue_names_part(const char *marketing, const char *part)
{
	size_t len = strlen(part);
	const char *at;

	for (at = marketing; *at; at++)
		if ((at == marketing || !isalnum((unsigned char)at[-1])) &&
			strncasecmp(at, part, len) == 0 && !isalnum((unsigned char)at[len]))
			return true;
	return false;
}

bool catalogue_id_is_listed(uint64_t id)
{
	const struct catalogue_entry *entry;

	for (entry = catalogue; entry->name; entry++)
		if (has_id(entry, id))
			return true;
	return false;
}

/* A device id that no part is known by leaves the parts whose ids nobody has published. Without an
 * id there is the target, and without both the name. */
static bool is_candidate(const struct catalogue_entry *entry, const struct gpu *gpu)
{
	bool same_target = gpu->gfx_target[0] && entry->gfx_target &&
			   strcmp(gpu->gfx_target, entry->gfx_target) == 0;

	if (!catalogue_is_part(entry) ||
		(gpu->pci_vendor_id.known && gpu->pci_vendor_id.value != PCI_VENDOR_AMD))
		return false;
	if (gpu->gfx_target[0] && entry->gfx_target && !same_target)
		return false;
	if (gpu->pci_device_id.known && catalogue_id_is_listed(gpu->pci_device_id.value))
		return has_id(entry, gpu->pci_device_id.value);
	if (gpu->pci_device_id.known)
		return same_target && !entry->device_ids;
	return gpu->gfx_target[0] ? same_target : catalogue_names_part(gpu->hip_name, entry->name);
}

size_t catalogue_match(const struct gpu *gpu, const struct catalogue_entry **out, size_t most)
{
	const struct catalogue_entry *entry;
	size_t named = 0, count = 0;

	for (entry = catalogue; entry->name; entry++)
		named += is_candidate(entry, gpu) &&
			 catalogue_names_part(gpu->hip_name, entry->name);
	for (entry = catalogue; entry->name; entry++) {
		if (!is_candidate(entry, gpu) ||
			(named && !catalogue_names_part(gpu->hip_name, entry->name)))
			continue;
		if (count < most)
			out[count] = entry;
		count++;
	}
	return count;
}

size_t catalogue_candidates(
	const struct gpu *gpu, const struct catalogue_entry *out[CATALOGUE_VARIANTS])
{
	size_t count = catalogue_match(gpu, out, CATALOGUE_VARIANTS);

	return count < CATALOGUE_VARIANTS ? count : CATALOGUE_VARIANTS;
}

void catalogue_list_names(const struct catalogue_entry *const *entries, size_t count,
	const char *between, char *text, size_t size)
{
	size_t i;

	text[0] = '\0';
	for (i = 0; i < count; i++) {
		size_t len = strlen(text);

		snprintf(text + len, size - len, "%s%s", i ? between : "", entries[i]->name);
	}
}

void catalogue_identity_text(const struct gpu *gpu, char *text, size_t size)
{
	char id[32] = "unknown";

	if (gpu->pci_device_id.known)
		snprintf(id, sizeof(id), "0x%04llx", (unsigned long long)gpu->pci_device_id.value);
	snprintf(text, size, "PCI device id %s, target %s, name %s%s%s", id,
		gpu->gfx_target[0] ? gpu->gfx_target : "unknown", gpu->hip_name[0] ? "'" : "",
		gpu->hip_name[0] ? gpu->hip_name : "unknown", gpu->hip_name[0] ? "'" : "");
}

/* --- values ------------------------------------------------------------------------------- */

static const struct catalogue_value *value_of(const struct catalogue_entry *entry, const char *key)
{
	const struct catalogue_value *value;

	for (value = entry->values; value->key; value++)
		if (strcmp(value->key, key) == 0)
			return value;
	return NULL;
}

static json_t *value_json(const struct catalogue_value *value)
{
	if (!value->value)
		return fact_unknown(value->why);
	return json_pack("{s:s, s:s, s:s}", "value", value->value, "class", value->class, "source",
		value->source);
}

static json_t *bytes_json(const struct catalogue_entry *entry)
{
	const struct catalogue_value *text = value_of(entry, "domain-memory");

	if (!entry->domain_bytes || !text || !text->value)
		return fact_unknown("no size is published for a domain");
	return json_pack("{s:I, s:s, s:s}", "value", (json_int_t)entry->domain_bytes, "class",
		text->class, "source", text->source);
}

static json_t *texts_json(const char *const *texts)
{
	json_t *json = json_array();

	for (; *texts; texts++)
		json_array_append_new(json, json_string(*texts));
	return json;
}

json_t *catalogue_entry_json(const struct catalogue_entry *entry)
{
	json_t *values = json_object(), *ids = json_array();
	const struct catalogue_value *value;
	const uint64_t *id;

	for (value = entry->values; value->key; value++)
		json_object_set_new(values, value->key, value_json(value));
	for (id = entry->device_ids; id && *id; id++)
		json_array_append_new(ids, json_sprintf("0x%04llx", (unsigned long long)*id));
	if (catalogue_is_part(entry))
		json_object_set_new(values, "domain-bytes", bytes_json(entry));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", entry->name, "kind", entry->kind,
		"device_ids", ids, "values", values, "rules",
		texts_json(catalogue_rules(entry->kind)));
}

/* --- the domain of a device --------------------------------------------------------------- */

/* "0000:c1:00.0" without its function names the card. */
static bool same_card(const struct gpu *a, const struct gpu *b)
{
	const char *dot = strrchr(a->bdf, '.');
	size_t len = dot ? (size_t)(dot - a->bdf) + 1 : 0;

	return len && strncmp(a->bdf, b->bdf, len) == 0;
}

/* Yes only when the node says so: the number of dies that the device has, or no, when another
 * function is seen. */
static enum known is_whole_gpu(
	const struct node *node, const struct gpu *gpu, const struct catalogue_entry *entry)
{
	const char *dot = strrchr(gpu->bdf, '.');
	size_t i;

	if (!entry->domain_is_whole_gpu)
		return KNOWN_YES;
	if (dot && strcmp(dot, ".0") != 0)
		return KNOWN_NO;
	for (i = 0; i < node->gpu_count; i++)
		if (&node->gpus[i] != gpu && same_card(gpu, &node->gpus[i]))
			return KNOWN_NO;
	if (!entry->whole_gpu_xcc || !gpu->num_xcc.known)
		return KNOWN_UNKNOWN;
	return gpu->num_xcc.value == (uint64_t)entry->whole_gpu_xcc ? KNOWN_YES : KNOWN_NO;
}

static struct known_u64 unknown_domain(char *text, size_t size, const char *why)
{
	str_copy(text, size, why);
	return (struct known_u64){ false, 0 };
}

struct known_u64 catalogue_domain(
	const struct node *node, const struct gpu *gpu, char *text, size_t size)
{
	const struct catalogue_entry *entries[CATALOGUE_VARIANTS];
	size_t i, count = catalogue_candidates(gpu, entries);
	char names[300];

	if (!count)
		return unknown_domain(
			text, size, "no part of the catalogue is known by what was read of it");
	catalogue_list_names(entries, count, " or ", names, sizeof(names));
	for (i = 0; i < count; i++) {
		enum known whole = is_whole_gpu(node, gpu, entries[i]);

		if (!entries[i]->domain_bytes ||
			entries[i]->domain_bytes != entries[0]->domain_bytes) {
			snprintf(text, size, "it may be %s: no one domain size is published for %s",
				names, count == 1 ? "it" : "all of them");
			return (struct known_u64){ false, 0 };
		}
		if (whole != KNOWN_YES)
			return unknown_domain(text, size,
				whole == KNOWN_NO ? "published for the whole GPU, and this is a "
						    "partition of one"
						  : "published for the whole GPU, and whether this "
						    "is one is unknown");
	}
	snprintf(text, size, "catalogue: %s, %s", names,
		value_of(entries[0], "domain-memory")->class);
	return known_u64(entries[0]->domain_bytes);
}

static json_t *variant_json(
	const struct gpu *gpu, const struct catalogue_entry *const *entries, size_t count)
{
	char names[300], read[NODE_NAME + 200], why[NODE_NAME + 600];

	catalogue_identity_text(gpu, read, sizeof(read));
	if (count == 1) {
		char *from = NULL;
		json_t *fact;

		snprintf(why, sizeof(why), "catalogue, by %s", read);
		from = text_printable(why, strlen(why));
		fact = fact_text(entries[0]->name, "published", from);
		free(from);
		return fact;
	}
	catalogue_list_names(entries, count, " or ", names, sizeof(names));
	if (count)
		snprintf(why, sizeof(why), "it is %s, and what was read does not tell which: %s",
			names, read);
	else
		snprintf(why, sizeof(why), "no part of the catalogue is known by what was read: %s",
			read);
	return fact_unknown(why);
}

/* The published text stands when every part that it may be prints the same. */
static json_t *memory_json(const struct catalogue_entry *const *entries, size_t count)
{
	const struct catalogue_value *first = count ? value_of(entries[0], "domain-memory") : NULL;
	char names[300], from[500];
	size_t i;

	catalogue_list_names(entries, count, " or ", names, sizeof(names));
	for (i = 0; first && i < count; i++) {
		const struct catalogue_value *value = value_of(entries[i], "domain-memory");

		if (!value || !value->value || !first->value ||
			strcmp(value->value, first->value) != 0)
			first = NULL;
	}
	if (!first)
		return fact_unknown(count ? "the parts that it may be do not all publish the same"
					  : "the part is unknown");
	snprintf(from, sizeof(from), "catalogue: %s, %s, %s", names, first->class, first->source);
	return fact_text(first->value, "published", from);
}

json_t *catalogue_published_json(const struct node *node, const struct gpu *gpu)
{
	const struct catalogue_entry *entries[CATALOGUE_VARIANTS];
	size_t i, count = catalogue_candidates(gpu, entries);
	json_t *names = json_array();
	char text[600];
	struct known_u64 bytes = catalogue_domain(node, gpu, text, sizeof(text));

	for (i = 0; i < count; i++)
		json_array_append_new(names, json_string(entries[i]->name));
	return json_pack("{s:o, s:o, s:o, s:o, s:s}", "variants", names, "variant",
		variant_json(gpu, entries, count), "domain_memory", memory_json(entries, count),
		"domain_bytes", fact_u64(bytes, "published", text, text), "units", UNITS);
}
