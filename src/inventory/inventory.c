/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/inventory.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "inventory/hostlist.h"
#include "inventory/readers.h"

enum { TEXT_LIMIT = 16 << 20 };

static const struct {
	const char *name;
	int (*read)(struct inventory *inventory, struct error *err);
} kinds[INVENTORY_KIND_COUNT] = {
	[INVENTORY_SLURM_CONF] = { "slurm.conf", slurm_conf_read },
	[INVENTORY_GRES_CONF] = { "gres.conf", gres_conf_read },
	[INVENTORY_SCONTROL] = { "scontrol", scontrol_read },
	[INVENTORY_KUBERNETES] = { "kubernetes", kubernetes_read },
	[INVENTORY_OPENCUE] = { "opencue", opencue_read },
	[INVENTORY_CSV] = { "csv", csv_read },
	[INVENTORY_JSON] = { "json", json_items_read },
};

const char *inventory_kind_name(enum inventory_kind kind)
{
	return kind < INVENTORY_KIND_COUNT ? kinds[kind].name : "unknown";
}

enum inventory_kind inventory_kind_find(const char *name)
{
	int kind;

	for (kind = 0; kind < INVENTORY_KIND_COUNT; kind++)
		if (strcmp(kinds[kind].name, name) == 0)
			break;
	return (enum inventory_kind)kind;
}

/* --- items ------------------------------------------------------------------------------------ */

struct inventory_item *inventory_add(struct inventory *inventory, size_t line, struct error *err)
{
	struct inventory_item *item;
	char **texts[9];
	size_t i;

	if (inventory->count >= MOST_ITEMS) {
		error_set(err, "%s:%zu: more than %d items", inventory->path, line, MOST_ITEMS);
		return NULL;
	}
	if (!(inventory->count & (inventory->count - 1)))
		inventory->items = xrealloc(inventory->items,
			(inventory->count ? 2 * inventory->count : 1) * sizeof(*item));
	item = &inventory->items[inventory->count++];
	memset(item, 0, sizeof(*item));
	texts[0] = &item->host;
	texts[1] = &item->type;
	texts[2] = &item->module;
	texts[3] = &item->bdf;
	texts[4] = &item->cores;
	texts[5] = &item->autodetect;
	texts[6] = &item->mode;
	texts[7] = &item->junk;
	texts[8] = &item->reason;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = xstrdup("");
	item->hosts = 1;
	item->line = line;
	return item;
}

static void item_release(struct inventory_item *item)
{
	size_t i;

	for (i = 0; i < item->file_count; i++)
		free(item->files[i]);
	for (i = 0; i < item->tag_count; i++)
		free(item->tags[i]);
	free(item->files);
	free(item->tags);
	free(item->host);
	free(item->type);
	free(item->module);
	free(item->bdf);
	free(item->cores);
	free(item->autodetect);
	free(item->mode);
	free(item->junk);
	free(item->reason);
}

void inventory_release(struct inventory *inventory)
{
	size_t i;

	for (i = 0; i < inventory->count; i++)
		item_release(&inventory->items[i]);
	free(inventory->items);
	free(inventory->path);
	str_release(&inventory->text);
	memset(inventory, 0, sizeof(*inventory));
}

void item_text(char **field, const char *value)
{
	char *shown = text_printable(value, strlen(value));

	free(*field);
	*field = shown;
}

struct known_u64 item_number(const char *text)
{
	struct known_u64 unknown = { false, 0 };
	unsigned long long value;

	if (strspn(text, "0123456789") != strlen(text) || !text_u64(text, 10, &value))
		return unknown;
	return known_u64(value);
}

bool inventory_item_is_of(const struct inventory_item *item, const char *host)
{
	if (!item->host[0])
		return true;
	return item->is_list ? hostlist_holds(item->host, host) : hostlist_same(item->host, host);
}

/* --- names of columns ---------------------------------------------------------------------------
 */

static uint64_t cut_unit(char *name)
{
	static const struct {
		const char *end;
		int bits;
	} units[] = { { "_bytes", 0 }, { "_kb", 10 }, { "_kib", 10 }, { "_mb", 20 }, { "_mib", 20 },
		{ "_gb", 30 }, { "_gib", 30 } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_ends(name, units[i].end)) {
			name[strlen(name) - strlen(units[i].end)] = '\0';
			return (uint64_t)1 << units[i].bits;
		}
	return 0;
}

enum inventory_column column_of(const char *name, uint64_t *unit)
{
	static const char *const names[COLUMN_COUNT_ALL] = {
		[COLUMN_HOST] = " node host hostname node_name nodename server ",
		[COLUMN_COUNT] = " gpus gpu_count count num_gpus quantity gpu_quantity ",
		[COLUMN_MEMORY] =
			" gpu_memory memory mem vram gpu_vram gpu_mem memory_per_gpu hbm ",
		[COLUMN_TYPE] = " type model gpu_type gpu_model product part gpu ",
		[COLUMN_MODULE] = " module oam module_id slot oam_slot ",
		[COLUMN_BDF] = " bdf pci pci_address pci_bus_id address bus_id ",
	};
	char word[64], padded[68];
	int column;
	size_t i;

	str_copy(word, sizeof(word), name);
	for (i = 0; word[i]; i++)
		word[i] = word[i] == ' ' || word[i] == '-' || word[i] == '(' || word[i] == ')'
				  ? '_'
				  : (char)tolower((unsigned char)word[i]);
	while (i && word[i - 1] == '_')
		word[--i] = '\0';
	*unit = cut_unit(word);
	str_copy(padded, sizeof(padded), " ");
	strcat(padded, word);
	strcat(padded, " ");
	for (column = 0; column < COLUMN_COUNT_ALL; column++)
		if (word[0] && strstr(names[column], padded))
			return (enum inventory_column)column;
	return COLUMN_COUNT_ALL;
}

/* --- which kind
 * ----------------------------------------------------------------------------------- */

json_t *inventory_json(const struct inventory *inventory, struct error *err)
{
	json_error_t reason;
	json_t *value = json_loadb(inventory->text.data ? inventory->text.data : "",
		inventory->text.len, JSON_REJECT_DUPLICATES, &reason);

	if (!value) {
		char *shown = text_printable(reason.text, strlen(reason.text));

		error_set(err, "%s:%d: not valid JSON: %s", inventory->path, reason.line, shown);
		free(shown);
	}
	return value;
}

/* The object that tells the kind: the document, or the first of its list. */
static const json_t *first_object(const json_t *document)
{
	const json_t *list = json_object_get(document, "items");

	if (!list)
		list = json_object_get(document, "hosts");
	if (json_is_object(list))
		list = json_object_get(list, "hosts");
	if (json_is_array(document))
		list = document;
	return json_is_array(list) ? json_array_get(list, 0) : document;
}

static enum inventory_kind kind_of_json(const struct inventory *inventory)
{
	static const char *const words[] = { "total_gpu_memory", "totalGpuMemory", "idle_gpus",
		"idleGpus", "alloc_name", "allocName", "nimby_enabled", "nimbyEnabled" };
	json_t *document = inventory_json(inventory, NULL);
	const json_t *first = first_object(document);
	const char *kind = json_string_value(json_object_get(first, "kind"));
	enum inventory_kind found = INVENTORY_JSON;
	size_t i;

	if (kind && strcmp(kind, "Node") == 0)
		found = INVENTORY_KUBERNETES;
	for (i = 0; found == INVENTORY_JSON && i < sizeof(words) / sizeof(words[0]); i++)
		if (json_object_get(first, words[i]))
			found = INVENTORY_OPENCUE;
	json_decref(document);
	return found;
}

/* Does a line begin with one of the words (and a `=`, blanks between allowed)? */
static bool begins_setting(const char *line, size_t len, const char *word)
{
	size_t at = 0, word_len = strlen(word);

	while (at < len && isspace((unsigned char)line[at]))
		at++;
	if (len - at <= word_len || strncasecmp(line + at, word, word_len) != 0)
		return false;
	for (at += word_len; at < len && (line[at] == ' ' || line[at] == '\t'); at++)
		;
	return at < len && line[at] == '=';
}

static bool holds(const char *line, size_t len, const char *word)
{
	size_t word_len = strlen(word), at;

	for (at = 0; at + word_len <= len; at++)
		if (strncasecmp(line + at, word, word_len) == 0)
			return true;
	return false;
}

/* The kind that one line gives away. */
static enum inventory_kind kind_of_line(const char *line, size_t len)
{
	static const char *const conf[] = { "ClusterName", "SlurmctldHost", "ControlMachine",
		"PartitionName", "GresTypes", "SelectType", "SlurmctldPort", "AuthType" };
	bool node = begins_setting(line, len, "NodeName");
	size_t i;

	if (begins_setting(line, len, "AutoDetect") || begins_setting(line, len, "Name"))
		return INVENTORY_GRES_CONF;
	if (node && (holds(line, len, " Name=") || holds(line, len, "AutoDetect=")))
		return INVENTORY_GRES_CONF;
	if (node && (holds(line, len, " Arch=") || holds(line, len, "CPUAlloc=") ||
			    holds(line, len, "CoresPerSocket=1 CPUAlloc")))
		return INVENTORY_SCONTROL;
	for (i = 0; i < sizeof(conf) / sizeof(conf[0]); i++)
		if (begins_setting(line, len, conf[i]))
			return INVENTORY_SLURM_CONF;
	if (begins_setting(line, len, "CPUAlloc") || begins_setting(line, len, "CfgTRES"))
		return INVENTORY_SCONTROL;
	return INVENTORY_KIND_COUNT;
}

static enum inventory_kind kind_of_text(const struct inventory *inventory)
{
	const char *text = inventory->text.data ? inventory->text.data : "";
	size_t len = inventory->text.len, at = 0;
	bool node = false;

	while (at < len && isspace((unsigned char)text[at]))
		at++;
	if (at < len && (text[at] == '{' || text[at] == '['))
		return kind_of_json(inventory);
	for (at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = end ? (size_t)(end - text) - at : len - at;
		enum inventory_kind kind = kind_of_line(text + at, line);

		if (kind != INVENTORY_KIND_COUNT)
			return kind;
		node = node || begins_setting(text + at, line, "NodeName");
		at += line + 1;
	}
	return node ? INVENTORY_SLURM_CONF : INVENTORY_CSV;
}

/* --- reading
 * ---------------------------------------------------------------------------------------- */

int inventory_parse(const char *path, struct str *text, enum inventory_kind kind,
	struct inventory *out, struct error *err)
{
	struct inventory inventory;

	memset(&inventory, 0, sizeof(inventory));
	inventory.path = xstrdup(path);
	inventory.text = *text;
	memset(text, 0, sizeof(*text));
	inventory.kind = kind == INVENTORY_KIND_COUNT ? kind_of_text(&inventory) : kind;
	if (kinds[inventory.kind].read(&inventory, err) != 0) {
		inventory_release(&inventory);
		return -1;
	}
	*out = inventory;
	return 0;
}

int inventory_read(
	const char *path, enum inventory_kind kind, struct inventory *out, struct error *err)
{
	struct str text = STR_INIT;

	if (file_read(path, TEXT_LIMIT, &text, err) != 0) {
		str_release(&text);
		return -1;
	}
	return inventory_parse(path, &text, kind, out, err);
}
