/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "scene/feed.h"
#include "scene/kind_archive.h"
#include "scene/zip_directory.h"

struct zip {
	struct feed feed;
	struct archive *archive; /* NULL for a zip without entries, which libarchive does not take
				    for one */
	struct zip_directory directory;
	size_t next;
};

static void zip_close(void *state)
{
	struct zip *zip = state;

	archive_read_free(zip->archive);
	feed_release(&zip->feed);
	zip_directory_release(&zip->directory);
	free(zip);
}

static int zip_start(struct zip *zip, int fd, struct error *err)
{
	if (!zip->directory.count)
		return 0;
	zip->archive = archive_read_new();
	/* Never the streaming reader: it takes a zip without its directory for a whole one. */
	archive_read_support_format_zip_seekable(zip->archive);
	if (feed_open(&zip->feed, zip->archive, fd, true) != ARCHIVE_OK)
		return feed_error(zip->archive, "zip", err);
	return 0;
}

void *kind_zip_open(int fd, uint64_t file_size, size_t max_entries, struct error *err)
{
	struct zip *zip = xcalloc(1, sizeof(*zip));

	if (zip_directory_read(fd, file_size, max_entries, &zip->directory, err) == 0 &&
		zip_start(zip, fd, err) == 0)
		return zip;
	zip_close(zip);
	return NULL;
}

/* libarchive goes through the entries by offset, as our list does; its place in the file proves
 * that both speak of the same entry. A link's target has been read already. */
static bool is_same_entry(const struct zip *zip, const struct zip_name *name, char type)
{
	uint64_t at = (uint64_t)archive_filter_bytes(zip->archive, 0);

	return type == 'l' ? at >= name->content : at == name->content;
}

static int fill_item(const struct zip *zip, const struct zip_name *name,
	struct archive_entry *entry, struct raw_item *item, struct error *err)
{
	int rc = kind_fill_item(entry, item, err);

	item->path = name->name;
	item->stored_name = name->stored;
	if (rc != 0)
		return -1;
	if (!is_same_entry(zip, name, item->type))
		return error_set(err, "damaged zip: its directory and its data disagree");
	if (item->type == 'f' && str_ends(name->name, "/"))
		item->type = 'd';
	return 1;
}

static int zip_next(void *state, struct raw_item *item, struct error *err)
{
	struct zip *zip = state;
	struct archive_entry *entry;
	int rc = zip->archive ? kind_next_header(zip->archive, "C", &entry) : ARCHIVE_EOF;

	if (rc == ARCHIVE_EOF && zip->next == zip->directory.count)
		return 0;
	if (zip->next < zip->directory.count)
		item->path = zip->directory.names[zip->next].name;
	if (rc == ARCHIVE_EOF || zip->next == zip->directory.count)
		return error_set(err, "damaged zip: its directory and its data disagree");
	if (rc != ARCHIVE_OK && !(rc == ARCHIVE_WARN && kind_is_name_warning(zip->archive)))
		return kind_header_error(zip->archive, "zip", err);
	return fill_item(zip, &zip->directory.names[zip->next++], entry, item, err);
}

static ssize_t zip_read(void *state, const void **block, int64_t *offset, struct error *err)
{
	struct zip *zip = state;

	return kind_read_block(zip->archive, "zip", block, offset, err);
}

const struct kind_ops kind_zip_ops = { zip_next, zip_read, zip_close };
