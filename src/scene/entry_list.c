/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/entry_list.h"

#include <string.h>

#include "base/digest.h"
#include "base/str.h"
#include "scene/label.h"
#include "scene/scene_path.h"

/* As many links as the kernel follows in one path. */
enum { HOPS_MAX = 40 };

static int compare(const char *path, size_t len, const char *other)
{
	int order = strncmp(path, other, len);

	return order ? order : other[len] ? -1 : 0;
}

const struct manifest_entry *entry_list_find(
	const struct manifest_entry *entries, size_t count, const char *path, size_t len)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(path, len, entries[middle].path);

		if (order == 0)
			return &entries[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static int check_parents(const struct manifest_entry *entries, size_t count,
	const struct manifest_entry *entry, struct error *err)
{
	const char *slash = entry->path;

	while ((slash = strchr(slash, '/'))) {
		const struct manifest_entry *parent =
			entry_list_find(entries, count, entry->path, (size_t)(slash - entry->path));

		if (parent && parent->type == 'l')
			return label_error(
				err, entry->path, "a path that goes through a symbolic link");
		if (parent && parent->type == 'f')
			return label_error(err, entry->path, "a path that goes through a file");
		slash++;
	}
	return 0;
}

static void drop_last(struct str *place)
{
	char *slash = strrchr(place->data, '/');

	place->len = slash ? (size_t)(slash - place->data) : 0;
	place->data[place->len] = '\0';
}

static void enter(struct str *place, const char *part, size_t len)
{
	if (place->len)
		str_add(place, "/");
	str_add_bytes(place, part, len);
}

/* Walks from the folder `place` along `rest` as the kernel would, links and all. 1 with a further
 * link's target to follow in *rest, 0 when it stays inside, -1. */
static int walk(const struct manifest_entry *entries, size_t count, struct str *place,
	struct str *rest, struct error *err)
{
	const char *part = rest->data;

	while (*part) {
		size_t len = strcspn(part, "/");
		const char *after = part + len + (part[len] == '/');
		const struct manifest_entry *found = NULL;

		if (len == 2 && memcmp(part, "..", 2) == 0) {
			if (!place->len)
				return error_set(err, "a symbolic link that leaves the archive by "
						      "way of another link");
			drop_last(place);
		} else if (len && !(len == 1 && part[0] == '.')) {
			enter(place, part, len);
			if (place->len > SCENE_PATH_BYTES)
				return error_set(err, "a symbolic link to too long a path");
			found = entry_list_find(entries, count, place->data, place->len);
		}
		if (found && found->type == 'l') {
			char *next = xasprintf("%s/%s", found->link_target, after);

			drop_last(place);
			str_release(rest);
			rest->data = next;
			rest->len = strlen(next);
			rest->capacity = rest->len + 1;
			return 1;
		}
		part = after;
	}
	return 0;
}

static int check_link(const struct manifest_entry *entries, size_t count,
	const struct manifest_entry *link, struct error *err)
{
	struct str place = STR_INIT, rest = STR_INIT;
	int hops = 0, rc;

	str_add(&place, link->path);
	drop_last(&place);
	str_add(&rest, link->link_target);
	do {
		rc = walk(entries, count, &place, &rest, err);
	} while (rc == 1 && ++hops < HOPS_MAX);
	if (rc == 1)
		error_set(err, "a symbolic link that goes through too many others, or round");
	str_release(&place);
	str_release(&rest);
	return rc == 0 ? 0 : label_prefix(err, link->path);
}

bool entry_list_reaches(const struct manifest_entry *entries, size_t count, const char *path)
{
	struct str place = STR_INIT, rest = STR_INIT;
	const struct manifest_entry *found = NULL;
	struct error ignored;
	int hops = 0, rc;

	str_add(&place, "");
	str_add(&rest, path);
	do {
		rc = walk(entries, count, &place, &rest, &ignored);
	} while (rc == 1 && ++hops < HOPS_MAX);
	if (rc == 0)
		found = entry_list_find(entries, count, place.data, place.len);
	str_release(&place);
	str_release(&rest);
	return found && found->type == 'f';
}

int entry_list_check(const struct manifest_entry *entries, size_t count, struct error *err)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (check_parents(entries, count, &entries[i], err) != 0)
			return -1;
	for (i = 0; i < count; i++)
		if (entries[i].type == 'l' && check_link(entries, count, &entries[i], err) != 0)
			return -1;
	return 0;
}

void entry_list_digest(const struct manifest_entry *entries, size_t count, char hex[65])
{
	static const char start[] = "oamqual-tree/1\n";
	struct digest *digest = digest_new();
	size_t i;

	digest_add(digest, start, sizeof(start) - 1);
	for (i = 0; i < count; i++) {
		const struct manifest_entry *entry = &entries[i];

		if (entry->type == 'd')
			continue;
		digest_add(digest, &entry->type, 1);
		digest_add_number(digest, strlen(entry->path));
		digest_add(digest, entry->path, strlen(entry->path));
		digest_add_number(digest, entry->size);
		digest_add_hex(digest, entry->sha256);
	}
	digest_finish(digest, hex);
}
