/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_pick.h"
#include "base/plain.h"
#include "report/farm.h"

static const size_t list_bytes_max = (size_t)256 << 20;
static const char list_schema[] = "oamqual-farm/1";

/* The records of a list lie below it: one from elsewhere must not make us read anything else. */
static bool stays_inside(const char *relative)
{
	return relative[0] && relative[0] != '/' && strcmp(relative, "..") != 0 &&
	       !str_starts(relative, "../") && !strstr(relative, "/../") &&
	       !str_ends(relative, "/..");
}

/* Nor does a link lead out of it. What is not there leads nowhere. */
static bool lies_inside(const char *record, const char *root)
{
	char *resolved = realpath(record, NULL);
	size_t len = strlen(root);
	bool inside = !resolved || (strncmp(resolved, root, len) == 0 &&
					   (resolved[len] == '/' || strcmp(root, "/") == 0));

	free(resolved);
	return inside;
}

static int read_digest(const json_t *node, const char **sha256, struct error *err)
{
	const json_t *given = json_object_get(node, "record_sha256");

	*sha256 = json_string_value(given);
	if (given && !*sha256 && !json_is_null(given))
		return error_set(
			err, "node %s: its record_sha256 is no text", json_text(node, "name", "?"));
	return 0;
}

/* `root` is the folder with its links resolved. */
static int make_entry(const json_t *node, const char *folder, const char *root,
	struct farm_entry *entry, struct error *err)
{
	const char *record = json_text(node, "record", NULL);

	entry->name = json_text(node, "name", NULL);
	entry->outcome = json_text(node, "outcome", NULL);
	entry->why = json_text(node, "why", NULL);
	entry->record = NULL;
	if (!entry->name || !entry->outcome)
		return error_set(err, "a node has no name or no outcome");
	if (read_digest(node, &entry->sha256, err) != 0)
		return -1;
	if (!record)
		return 0;
	if (stays_inside(record))
		entry->record = path_join(folder, record);
	if (!entry->record || !lies_inside(entry->record, root))
		return error_set(err, "node %s: its record %s is not below the list's folder",
			entry->name, record);
	return 0;
}

/* The same bytes cannot be what two nodes saw, and whose they are is not said. */
static void refuse_shared(struct farm_report *farm)
{
	json_t *first = json_object();
	size_t i;

	for (i = 0; i < farm->count; i++) {
		struct farm_node *node = &farm->nodes[i], *other;
		const json_t *at = json_object_get(first, node->sha256);
		char *why;

		if (!node->has_record)
			continue;
		if (!at) {
			json_object_set_new(first, node->sha256, json_integer((json_int_t)i));
			continue;
		}
		other = &farm->nodes[json_integer_value(at)];
		why = xasprintf("its record is that of node %s too, to the byte", other->name);
		farm_node_refuse(node, why);
		free(why);
		why = xasprintf("its record is that of node %s too, to the byte", node->name);
		if (other->has_record)
			farm_node_refuse(other, why);
		free(why);
	}
	json_decref(first);
}

static void release_entries(struct farm_entry *entries, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		free((char *)entries[i].record);
	free(entries);
}

static struct farm_report *read_nodes(const json_t *nodes, const char *path, struct error *err)
{
	size_t count = json_array_size(nodes), i, len = (size_t)(path_base(path) - path);
	struct farm_entry *entries = xcalloc(count ? count : 1, sizeof(*entries));
	char *folder = len ? xstrndup(path, len) : xstrdup("."), *root = realpath(folder, NULL);
	struct farm_report *farm = NULL;

	for (i = 0; root && i < count; i++)
		if (make_entry(json_array_get(nodes, i), folder, root, &entries[i], err) != 0)
			break;
	if (root && i == count)
		farm = farm_report_read(entries, count);
	else if (root)
		error_prefix(err, "%s", path);
	else
		error_errno(err, "%s", folder);
	if (farm)
		refuse_shared(farm);
	release_entries(entries, count);
	free(root);
	free(folder);
	return farm;
}

struct farm_report *farm_report_read_list(const char *path, struct error *err)
{
	json_t *list = json_read_plain(path, list_bytes_max, err);
	const json_t *nodes = json_object_get(list, "nodes");
	struct farm_report *farm = NULL;

	if (!list)
		return NULL;
	if (strcmp(json_text(list, "schema", ""), list_schema) != 0) {
		error_set(err, "%s: not a farm: \"schema\" is not \"%s\"", path, list_schema);
	} else if (!json_is_array(nodes)) {
		error_set(err, "%s: not a farm: it has no nodes", path);
	} else {
		farm = read_nodes(nodes, path, err);
	}
	if (farm) {
		free(farm->origin);
		farm->origin = xstrdup(path);
		if (json_is_object(json_object_get(list, "distributed")))
			farm->distributed = json_incref(json_object_get(list, "distributed"));
		/* null: no record says what it is. Any other word than observed is not trusted. */
		farm_report_mark(
			farm, strcmp(json_text(list, "source", "observed"), "observed") != 0);
	}
	json_decref(list);
	return farm;
}

/* A record of another name may be large: only its schema is made a value. */
static bool is_list(const char *path)
{
	static const struct json_pick schema[] = { { "schema", NULL }, { NULL, NULL } };
	struct str text = STR_INIT;
	struct error err;
	json_t *list = NULL;
	bool found;

	if (folder_exists(path) || strcmp(path_base(path), "record.json") == 0)
		return false;
	if (plain_read(path, list_bytes_max, &text, &err) == 0)
		list = json_pick(path, text.data ? text.data : "", text.len, schema, &err);
	found = strcmp(json_text(list, "schema", ""), list_schema) == 0;
	json_decref(list);
	str_release(&text);
	return found;
}

/* The list that a path names, itself or by its folder: a farm run's has no record.json. NULL when
 * it names none. The caller frees. */
static char *list_of(const char *path)
{
	char *record = path_join(path, "record.json");
	char *list = folder_exists(path) && !file_exists(record) ? path_join(path, "farm.json")
								 : xstrdup(path);

	free(record);
	if (is_list(list))
		return list;
	free(list);
	return NULL;
}

bool farm_report_is_list(const char *path)
{
	char *list = list_of(path);
	bool found = list != NULL;

	free(list);
	return found;
}

/* What tells two nodes apart: the bytes of the record, or where it should be. */
static const char *identity(const struct farm_node *node)
{
	return node->sha256[0] ? node->sha256 : node->record;
}

/* The same record is given twice easily, by a pattern or a copy: it is no second node. */
static void drop_copies(struct farm_report *farm)
{
	json_t *seen = json_object();
	size_t i, kept = 0;

	for (i = 0; i < farm->count; i++) {
		json_t *id = json_printable_text(identity(&farm->nodes[i]));

		if (json_object_get(seen, json_string_value(id))) {
			json_array_append_new(
				farm->same_twice, json_printable_text(farm->nodes[i].record));
			farm_node_release(&farm->nodes[i]);
		} else {
			json_object_set_new(seen, json_string_value(id), json_true());
			farm->nodes[kept++] = farm->nodes[i];
		}
		json_decref(id);
	}
	farm->count = kept;
	json_decref(seen);
}

struct farm_report *farm_report_read_paths(
	const char *const *paths, size_t count, struct error *err)
{
	struct farm_entry *entries;
	struct farm_report *farm;
	char *list = count == 1 ? list_of(paths[0]) : NULL;
	size_t i;

	if (list) {
		farm = farm_report_read_list(list, err);
		free(list);
		return farm;
	}
	entries = xcalloc(count ? count : 1, sizeof(*entries));
	for (i = 0; i < count; i++)
		entries[i].record = paths[i];
	farm = farm_report_read(entries, count);
	drop_copies(farm);
	free(entries);
	return farm;
}
