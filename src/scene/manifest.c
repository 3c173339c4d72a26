/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/str.h"
#include "scene/blend_read.h"
#include "scene/digest_lane.h"
#include "scene/entry_list.h"
#include "scene/file_hash.h"
#include "scene/label.h"
#include "scene/notes.h"
#include "scene/sniff.h"
#include "scene/source.h"

const struct manifest_limits manifest_limits_default = {
	.content_bytes = 256ull << 30,
	.entries = 1000000,
};

/* Less is hashed sooner than a thread starts. */
enum { LANE_FROM_BYTES = 256 * 1024, BESIDE_FROM_BYTES = 512 * 1024 };

/* An entry while the list is still in the order of the container. */
struct item {
	struct manifest_entry entry;
	char *hard_link; /* the path of the file that it names, else NULL */
	size_t order;
};

struct building {
	struct source *source;
	struct manifest_limits limits;
	bool is_packed; /* contents come out of a decompressor: hashing them is worth a thread */
	struct digest_lane *lane; /* started by the first large content of such a source */
	bool only_blend; /* a bare .blend, whatever its name */
	struct item *items;
	size_t count, capacity;
};

static void entry_release(struct manifest_entry *entry)
{
	free(entry->path);
	free(entry->link_target);
	free(entry->stored_name);
	blend_needs_release(&entry->needs);
}

void manifest_release(struct manifest *manifest)
{
	size_t i;

	if (!manifest)
		return;
	for (i = 0; i < manifest->entry_count; i++)
		entry_release(&manifest->entries[i]);
	free(manifest->entries);
	free(manifest->source);
	notes_free(manifest->notes, manifest->note_count);
	memset(manifest, 0, sizeof(*manifest));
}

/* --- contents --- */

struct content {
	struct building *building;
	struct source *source;
	struct digest *digest;
	uint64_t size;
	enum content_kind kind;
	bool failed; /* the container's own error, which names the entry already */
};

static enum content_kind kind_of(const unsigned char *bytes, size_t len)
{
	if (sniff_is_lfs_pointer(bytes, len))
		return CONTENT_LFS_POINTER;
	return sniff_is_html(bytes, len) ? CONTENT_HTML : CONTENT_OTHER;
}

/* The first bytes of a content are added here, so that a small one never waits for another thread.
 */
static void add(struct content *content, const void *bytes, size_t len)
{
	struct building *building = content->building;

	if (building->is_packed && !building->lane && content->size >= LANE_FROM_BYTES)
		building->lane = digest_lane_start();
	if (building->lane && content->size >= LANE_FROM_BYTES)
		digest_lane_add(building->lane, content->digest, bytes, len);
	else
		digest_add(content->digest, bytes, len);
}

static ssize_t next_block(void *context, const void **block, struct error *err)
{
	struct content *content = context;
	ssize_t got = source_read(content->source, block, err);

	if (got > 0) {
		if (!content->size)
			content->kind = kind_of(*block, (size_t)got);
		add(content, *block, (size_t)got);
		content->size += (uint64_t)got;
	}
	content->failed = got < 0;
	return got;
}

static int read_file(struct content *content, struct error *err)
{
	const void *block;
	ssize_t got;

	while ((got = next_block(content, &block, err)) > 0)
		;
	return got < 0 ? -1 : 0;
}

static bool has_blend_name(const char *path)
{
	size_t len = strlen(path);

	return len >= 6 && strcasecmp(path + len - 6, ".blend") == 0;
}

static int read_blend(struct building *building, struct content *content,
	struct manifest_entry *entry, struct error *err)
{
	if (blend_read(next_block, content, building->limits.content_bytes, &entry->blend,
		    entry->inner_sha256, &entry->needs, err) != 0)
		return content->failed ? -1 : label_prefix(err, entry->path);
	entry->is_blend = true;
	return 0;
}

static int take_content(struct building *building, struct manifest_entry *entry, struct error *err)
{
	struct content content = {
		.building = building, .source = building->source, .digest = digest_new()
	};
	int rc;

	if (building->only_blend || has_blend_name(entry->path))
		rc = read_blend(building, &content, entry, err);
	else
		rc = read_file(&content, err);
	digest_lane_wait(building->lane);
	if (rc != 0) {
		digest_free(content.digest);
		return -1;
	}
	digest_finish(content.digest, entry->sha256);
	entry->size = content.size;
	entry->content = content.kind;
	if (entry->is_blend && !entry->inner_sha256[0])
		memcpy(entry->inner_sha256, entry->sha256, sizeof(entry->sha256));
	return 0;
}

static void take_link_target(struct manifest_entry *entry)
{
	struct digest *digest = digest_new();

	entry->size = strlen(entry->link_target);
	digest_add(digest, entry->link_target, entry->size);
	digest_finish(digest, entry->sha256);
}

/* --- the list --- */

static struct item *add_item(struct building *building)
{
	struct item *item;

	if (building->count == building->capacity) {
		building->capacity = building->capacity ? 2 * building->capacity : 64;
		building->items =
			xrealloc(building->items, building->capacity * sizeof(*building->items));
	}
	item = &building->items[building->count];
	memset(item, 0, sizeof(*item));
	item->order = building->count++;
	return item;
}

static int take_entry(struct building *building, struct source_item *found, struct error *err)
{
	struct item *item = add_item(building);
	struct manifest_entry *entry = &item->entry;

	entry->path = found->path;
	entry->stored_name = found->stored_name;
	entry->type = found->type == 'h' ? 'f' : found->type;
	if (found->type == 'h')
		item->hard_link = found->target;
	else
		entry->link_target = found->target;
	if (found->type == 'f')
		return take_content(building, entry, err);
	if (found->type == 'l')
		take_link_target(entry);
	return 0;
}

static int read_entries(struct building *building, struct error *err)
{
	struct source_item found;
	int rc;

	while ((rc = source_next(building->source, &found, err)) == 1)
		if (take_entry(building, &found, err) != 0)
			return -1;
	return rc;
}

static int by_path(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->entry.path, y->entry.path);

	return order ? order : x->order < y->order ? -1 : 1;
}

static void item_release(struct item *item)
{
	entry_release(&item->entry);
	free(item->hard_link);
}

/* A folder may be named again; anything else twice would leave open which one counts. */
static int drop_duplicates(struct building *building, struct error *err)
{
	size_t kept = 0, i;

	for (i = 0; i < building->count; i++) {
		struct item *item = &building->items[i];
		struct item *last = kept ? &building->items[kept - 1] : NULL;

		if (!last || strcmp(last->entry.path, item->entry.path) != 0) {
			if (kept != i) {
				building->items[kept] = *item;
				memset(item, 0, sizeof(*item));
			}
			kept++;
			continue;
		}
		if (last->entry.type != 'd' || item->entry.type != 'd')
			return label_error(err, item->entry.path, "appears twice in the archive");
		item_release(item);
		memset(item, 0, sizeof(*item));
	}
	building->count = kept;
	return 0;
}

static int by_path_key(const void *key, const void *element)
{
	return strcmp(key, ((const struct item *)element)->entry.path);
}

static int resolve_hard_link(const struct building *building, struct item *link, struct error *err)
{
	const struct item *named = bsearch(link->hard_link, building->items, building->count,
		sizeof(*building->items), by_path_key);
	struct manifest_entry entry;

	if (!named || named->order >= link->order || named->entry.type != 'f')
		return label_error(err, link->entry.path,
			"a hard link to what is not a file earlier in the archive");
	entry = named->entry;
	entry.path = link->entry.path;
	entry.stored_name = link->entry.stored_name;
	if (!has_blend_name(entry.path)) {
		entry.is_blend = false;
		memset(&entry.blend, 0, sizeof(entry.blend));
		memset(&entry.needs, 0, sizeof(entry.needs));
		entry.inner_sha256[0] = '\0';
	} else if (!entry.is_blend) {
		return label_error(
			err, entry.path, "a hard link named .blend to a file that is not named so");
	}
	if (entry.is_blend)
		blend_needs_copy(&named->entry.needs, &entry.needs);
	link->entry = entry;
	return 0;
}

/* In the order of the container, so that a link to a link finds that one resolved. */
static int resolve_hard_links(const struct building *building, size_t orders, struct error *err)
{
	struct item **links = xcalloc(orders, sizeof(*links));
	size_t i;
	int rc = 0;

	for (i = 0; i < building->count; i++)
		if (building->items[i].hard_link)
			links[building->items[i].order] = &building->items[i];
	for (i = 0; rc == 0 && i < orders; i++)
		if (links[i])
			rc = resolve_hard_link(building, links[i], err);
	free(links);
	return rc;
}

/* --- all together --- */

static void building_release(struct building *building)
{
	size_t i;

	for (i = 0; i < building->count; i++)
		item_release(&building->items[i]);
	free(building->items);
	digest_lane_stop(building->lane);
	source_close(building->source);
}

static int sort_entries(struct building *building, struct error *err)
{
	size_t orders = building->count;

	if (!orders)
		return 0;
	qsort(building->items, building->count, sizeof(*building->items), by_path);
	if (drop_duplicates(building, err) != 0)
		return -1;
	return resolve_hard_links(building, orders, err);
}

/* Moves the entries over. */
static void fill_manifest(struct building *building, const char *path, struct manifest *manifest)
{
	size_t i;

	manifest->source = xstrdup(path);
	str_copy(manifest->container, sizeof(manifest->container),
		source_container(building->source));
	str_copy(manifest->filter, sizeof(manifest->filter), source_filter(building->source));
	manifest->file_size = source_file_size(building->source);
	manifest->entries = xcalloc(building->count, sizeof(*manifest->entries));
	manifest->entry_count = building->count;
	for (i = 0; i < building->count; i++) {
		manifest->entries[i] = building->items[i].entry;
		free(building->items[i].hard_link);
	}
	building->count = 0;
}

static bool has_blend(const struct manifest *manifest)
{
	size_t i;

	for (i = 0; i < manifest->entry_count; i++)
		if (manifest->entries[i].is_blend)
			return true;
	return false;
}

static int finish_manifest(struct manifest *manifest, bool want_blend, struct error *err)
{
	if (entry_list_check(manifest->entries, manifest->entry_count, err) != 0)
		return -1;
	if (want_blend && !has_blend(manifest))
		return error_set(err, "no .blend inside");
	entry_list_digest(manifest->entries, manifest->entry_count, manifest->tree_sha256);
	manifest->notes = notes_of(manifest->entries, manifest->entry_count, &manifest->note_count);
	return 0;
}

/* Reads the entries while the digest of the file itself is taken beside it. */
static int read_both(struct building *building, char file_sha256[65], struct error *err)
{
	int fd = source_fd(building->source);
	bool is_large = source_file_size(building->source) >= BESIDE_FROM_BYTES;
	struct file_hash *hash = fd >= 0 ? file_hash_start(fd, is_large) : NULL;

	if (read_entries(building, err) != 0) {
		file_hash_cancel(hash);
		return -1;
	}
	if (hash &&
		file_hash_finish(hash, source_file_size(building->source), file_sha256, err) != 0)
		return -1;
	return source_check_unchanged(building->source, err);
}

static int build(struct building *building, const char *path, bool want_blend,
	struct manifest *manifest, struct error *err)
{
	building->source = source_open(path, &building->limits, err);
	if (!building->source)
		return -1;
	building->is_packed = strcmp(source_filter(building->source), "none") != 0 ||
			      strcmp(source_container(building->source), "zip") == 0 ||
			      strcmp(source_container(building->source), "7z") == 0;
	building->only_blend = strcmp(source_container(building->source), "blend") == 0;
	if (read_both(building, manifest->file_sha256, err) != 0 ||
		sort_entries(building, err) != 0)
		return -1;
	fill_manifest(building, path, manifest);
	return finish_manifest(manifest, want_blend, err);
}

int manifest_read(const char *source, bool want_blend, const struct manifest_limits *limits,
	struct manifest *out, struct error *err)
{
	struct building building = { .limits = limits ? *limits : manifest_limits_default };
	struct manifest manifest = { 0 };
	int rc = build(&building, source, want_blend, &manifest, err);

	building_release(&building);
	if (rc == 0) {
		*out = manifest;
		return 0;
	}
	manifest_release(&manifest);
	return label_prefix(err, source);
}
