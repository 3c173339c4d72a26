/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/kind_archive.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "scene/feed.h"

int kind_next_header(struct archive *archive, const char *locale, struct archive_entry **entry)
{
	locale_t mine = newlocale(LC_CTYPE_MASK, locale, (locale_t)0);
	locale_t before;
	int rc;

	if (!mine) {
		archive_set_error(archive, EIO, "the locale %s is missing", locale);
		return ARCHIVE_FATAL;
	}
	before = uselocale(mine);
	rc = archive_read_next_header(archive, entry);
	uselocale(before);
	freelocale(mine);
	return rc;
}

static const struct {
	unsigned int type;
	const char *name;
} refused[] = {
	{ AE_IFIFO, "a fifo" },
	{ AE_IFSOCK, "a socket" },
	{ AE_IFCHR, "a character device" },
	{ AE_IFBLK, "a block device" },
};

static int refuse_type(unsigned int type, struct error *err)
{
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].type == type)
			return error_set(err, "%s has no place in a scene", refused[i].name);
	return error_set(err, "an entry of unknown type 0%o", type);
}

static int fill_hardlink(struct archive_entry *entry, struct raw_item *item, struct error *err)
{
	item->type = 'h';
	item->target = archive_entry_hardlink(entry);
	if (item->has_size && item->size > 0)
		return error_set(err, "a hard link that carries %llu bytes of data",
			(unsigned long long)item->size);
	return 0;
}

int kind_fill_item(struct archive_entry *entry, struct raw_item *item, struct error *err)
{
	unsigned int type = archive_entry_filetype(entry);

	memset(item, 0, sizeof(*item));
	item->path = archive_entry_pathname(entry);
	item->has_size = archive_entry_size_is_set(entry) != 0;
	if (item->has_size && archive_entry_size(entry) < 0)
		return error_set(err, "a negative size");
	item->size = item->has_size ? (uint64_t)archive_entry_size(entry) : 0;
	if (archive_entry_is_encrypted(entry))
		return error_set(err, "encrypted, so it cannot be fingerprinted");
	if (archive_entry_hardlink(entry))
		return fill_hardlink(entry, item, err);
	if (type != AE_IFREG && type != AE_IFLNK && type != AE_IFDIR)
		return refuse_type(type, err);
	item->type = type == AE_IFREG ? 'f' : type == AE_IFLNK ? 'l' : 'd';
	if (item->type == 'l')
		item->target = archive_entry_symlink(entry);
	return 0;
}

int kind_header_error(struct archive *archive, const char *what, struct error *err)
{
	if (archive_read_has_encrypted_entries(archive) > 0)
		return error_set(err, "%s: encrypted, so it cannot be fingerprinted", what);
	return feed_error(archive, what, err);
}

bool kind_is_name_warning(struct archive *archive)
{
	const char *text = archive_error_string(archive);

	return text && (strstr(text, "can't be converted from") ||
			       strstr(text, "cannot be converted from"));
}

ssize_t kind_read_block(struct archive *archive, const char *what, const void **block,
	int64_t *offset, struct error *err)
{
	size_t len = 0;
	la_int64_t at = -1;
	int rc;

	do {
		rc = archive_read_data_block(archive, block, &len, &at);
	} while (rc == ARCHIVE_OK && len == 0);
	*offset = at;
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc != ARCHIVE_OK)
		return kind_header_error(archive, what, err);
	return (ssize_t)len;
}
