/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "scene/feed.h"
#include "scene/kind_archive.h"
#include "scene/label.h"
#include "scene/scene_path.h"
#include "scene/sniff.h"
#include "scene/source_kinds.h"

enum { HOLE_BYTES = 64 * 1024, NAME_BYTES_PER_ENTRY = 256 };

struct source {
	char *path;
	int fd;
	struct stat before;
	const char *container, *filter;
	const struct kind_ops *ops;
	void *state;
	struct manifest_limits limits;
	uint64_t produced; /* content bytes of all entries */
	uint64_t name_bytes; /* of all paths and targets */
	size_t entries;
	char *last; /* the path of the last item, for errors; NULL before the first */

	bool has_size, ended; /* of the content of the last item */
	uint64_t size, at, hole;
	const void *held; /* a block that comes after the hole */
	size_t held_len;
};

static const unsigned char zeros[HOLE_BYTES];

/* --- what is it? --- */

static bool is_tar(const unsigned char *block, size_t len)
{
	long sum = 0, stored = 0;
	size_t i;

	if (len < 512)
		return false;
	if (!block[0] && memcmp(block, block + 1, 511) == 0)
		return true; /* a tar without entries */
	for (i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : block[i];
	for (i = 148; i < 156 && (block[i] == ' ' || block[i] == '0'); i++)
		;
	for (; i < 156 && block[i] >= '0' && block[i] <= '7'; i++)
		stored = 8 * stored + (block[i] - '0');
	return stored == sum;
}

/* Why the first bytes are no scene although they could be read; 0 when nothing speaks against them.
 */
static int check_layers(struct archive *raw, const char *filter, struct error *err)
{
	/* The last filter is the reading itself. */
	int layers = archive_filter_count(raw) - 1;

	if (layers < 1)
		return error_set(err, "%s: truncated or damaged", filter);
	return layers > 1 ? error_set(err, "compressed more than once") : 0;
}

/* The first bytes below a compression. -1 when it gives none; *len is then 0. */
static int peel(int fd, const char *filter, unsigned char head[SNIFF_NEED_BYTES], size_t *len,
	struct error *err)
{
	struct archive *raw = archive_read_new();
	struct archive_entry *entry;
	struct feed feed;
	la_ssize_t got = -1;
	int rc;

	archive_read_support_format_raw(raw);
	feed_add_filter(raw, filter);
	if (feed_open(&feed, raw, fd, false) == ARCHIVE_OK &&
		archive_read_next_header(raw, &entry) == ARCHIVE_OK)
		got = archive_read_data(raw, head, SNIFF_NEED_BYTES);
	if (got < 0)
		rc = feed_error(raw, filter, err);
	else
		rc = check_layers(raw, filter, err);
	*len = got < 0 ? 0 : (size_t)got;
	archive_read_free(raw);
	feed_release(&feed);
	return rc;
}

static int refuse(const unsigned char *head, size_t len, const char *filter, struct error *err)
{
	char what[SNIFF_TEXT_BYTES];

	sniff_describe(head, len, what);
	return error_set(err, "not a scene archive (tar, zip, 7z), .blend or folder: %s%s%s", what,
		filter ? " inside " : "", filter ? filter : "");
}

static int settle(
	struct source *source, const char *container, const struct kind_ops *ops, void *state)
{
	source->container = container;
	source->ops = ops;
	source->state = state;
	return state ? 0 : -1;
}

static int open_peeled(struct source *source, const unsigned char *head, size_t len,
	const char *filter, struct error *err)
{
	source->filter = filter ? filter : "none";
	if (len >= 7 && memcmp(head, "BLENDER", 7) == 0)
		return settle(source, "blend", &kind_blend_ops,
			kind_blend_open(source->fd, path_base(source->path)));
	if (is_tar(head, len))
		return settle(source, "tar", &kind_tar_ops,
			kind_tar_open(source->fd, source->filter, err));
	return refuse(head, len, filter, err);
}

static int open_file(struct source *source, struct error *err)
{
	unsigned char head[SNIFF_NEED_BYTES];
	ssize_t got = pread(source->fd, head, sizeof(head), 0);
	size_t len = got < 0 ? 0 : (size_t)got;
	const char *filter = feed_filter_of(head, len);

	if (got < 0)
		return error_errno(err, "cannot read");
	source->filter = "none";
	if (len >= 4 && (memcmp(head, "PK\003\004", 4) == 0 || memcmp(head, "PK\005\006", 4) == 0))
		return settle(source, "zip", &kind_zip_ops,
			kind_zip_open(
				source->fd, source_file_size(source), source->limits.entries, err));
	if (len >= 6 && memcmp(head, "7z\274\257\047\034", 6) == 0)
		return settle(source, "7z", &kind_seven_ops, kind_seven_open(source->fd, err));
	if (filter && peel(source->fd, filter, head, &len, err) != 0)
		return -1;
	return open_peeled(source, head, len, filter, err);
}

static int open_kind(struct source *source, struct error *err)
{
	/* O_NONBLOCK: a fifo is to be refused, not waited for. */
	source->fd = open(source->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (source->fd < 0 || fstat(source->fd, &source->before) != 0)
		return error_errno(err, "cannot open");
	if (S_ISDIR(source->before.st_mode)) {
		source->filter = "none";
		return settle(source, "folder", &kind_folder_ops, kind_folder_open(source->fd));
	}
	if (!S_ISREG(source->before.st_mode))
		return error_set(err, "neither a file nor a folder");
	return open_file(source, err);
}

struct source *source_open(
	const char *path, const struct manifest_limits *limits, struct error *err)
{
	struct source *source = xcalloc(1, sizeof(*source));

	source->path = xstrdup(path);
	source->limits = *limits;
	if (open_kind(source, err) == 0)
		return source;
	source_close(source);
	return NULL;
}

/* --- entries --- */

static int name_failure(struct source *source, const struct raw_item *raw, struct error *err)
{
	if (raw->path)
		return label_prefix(err, raw->path);
	if (source->last) {
		char *label = label_new(source->last);

		error_prefix(err, "after %s", label);
		free(label);
	}
	return -1;
}

static int take_link(struct source *source, const struct raw_item *raw, struct source_item *item,
	struct error *err)
{
	(void)source;
	if (!raw->target)
		return error_set(err, "a link without a readable target");
	if (item->type == 'h') {
		item->target = scene_path_normalise(raw->target, err);
		return item->target ? 0 : error_prefix(err, "hard link target");
	}
	if (scene_path_check_target(item->path, raw->target, err) != 0)
		return -1;
	item->target = xstrdup(raw->target);
	return 0;
}

static int take_content(struct source *source, const struct raw_item *raw, struct error *err)
{
	source->has_size = raw->has_size;
	source->size = raw->size;
	source->at = source->hole = 0;
	source->held_len = 0;
	source->ended = raw->type != 'f';
	if (raw->type == 'd' && raw->has_size && raw->size)
		return error_set(err, "a folder that carries data");
	if (raw->type == 'f' && raw->has_size &&
		raw->size > source->limits.content_bytes - source->produced)
		return error_set(err, "over the limit of %llu bytes of content",
			(unsigned long long)source->limits.content_bytes);
	return 0;
}

static int count_entry(struct source *source, const struct source_item *item, struct error *err)
{
	source->name_bytes += strlen(item->path) + (item->target ? strlen(item->target) : 0);
	if (++source->entries > source->limits.entries)
		return error_set(err, "over the limit of %zu entries", source->limits.entries);
	if (source->name_bytes / NAME_BYTES_PER_ENTRY > source->limits.entries)
		return error_set(err, "over the limit on the length of all names together");
	return 0;
}

static int take_item(struct source *source, const struct raw_item *raw, struct source_item *item,
	struct error *err)
{
	item->type = raw->type;
	if (!raw->path)
		return error_set(err, "an entry without a readable name");
	item->path = scene_path_normalise(raw->path, err);
	if (!item->path)
		return -1;
	if (raw->stored_name)
		item->stored_name = xstrdup(raw->stored_name);
	if (!item->path[0] && item->type != 'd')
		return error_set(err, "an entry in the place of the top folder");
	if ((item->type == 'l' || item->type == 'h') && take_link(source, raw, item, err) != 0)
		return -1;
	if (take_content(source, raw, err) != 0)
		return -1;
	return count_entry(source, item, err);
}

int source_next(struct source *source, struct source_item *item, struct error *err)
{
	struct source_item taken = { 0 };
	int rc;

	do {
		struct raw_item raw = { 0 };

		source_item_release(&taken);
		rc = source->ops->next(source->state, &raw, err);
		if (rc == 0)
			return 0;
		if (rc < 0 || take_item(source, &raw, &taken, err) != 0) {
			name_failure(source, &raw, err);
			source_item_release(&taken);
			return -1;
		}
	} while (!taken.path[0]); /* the top folder has no place in the list */
	free(source->last);
	source->last = xstrdup(taken.path);
	*item = taken;
	return 1;
}

/* --- content --- */

static int claim(struct source *source, uint64_t bytes, struct error *err)
{
	if (bytes > source->limits.content_bytes - source->produced)
		return label_error(err, source->last, "over the limit of %llu bytes of content",
			(unsigned long long)source->limits.content_bytes);
	source->produced += bytes;
	return 0;
}

static int check_size(const struct source *source, struct error *err)
{
	if (source->has_size && source->at != source->size)
		return label_error(err, source->last,
			"truncated or damaged: %llu bytes where %llu were announced",
			(unsigned long long)source->at, (unsigned long long)source->size);
	return 0;
}

/* Takes one block of the container in: the hole before it, and the block, held until the hole is
 * out. */
static int pull(struct source *source, struct error *err)
{
	int64_t offset = -1;
	ssize_t got = source->ops->read(source->state, &source->held, &offset, err);

	if (got < 0)
		return label_prefix(err, source->last);
	if (offset >= 0 && (uint64_t)offset < source->at && got > 0)
		return label_error(err, source->last, "damaged: content that overlaps itself");
	if (offset >= 0 && (uint64_t)offset > source->at)
		source->hole = (uint64_t)offset - source->at;
	source->held_len = (size_t)got;
	source->ended = got == 0;
	if (source->hole > UINT64_MAX - source->held_len)
		return label_error(err, source->last, "damaged: impossible size");
	return claim(source, source->hole + source->held_len, err);
}

static ssize_t give(struct source *source, const void *bytes, size_t len, const void **block)
{
	*block = bytes;
	source->at += len;
	return (ssize_t)len;
}

ssize_t source_read(struct source *source, const void **block, struct error *err)
{
	size_t len = source->held_len;

	if (!source->hole && !len && !source->ended && pull(source, err) != 0)
		return -1;
	if (source->hole) {
		len = source->hole < HOLE_BYTES ? (size_t)source->hole : HOLE_BYTES;
		source->hole -= len;
		return give(source, zeros, len, block);
	}
	len = source->held_len;
	source->held_len = 0;
	return len ? give(source, source->held, len, block) : check_size(source, err);
}

/* --- the rest --- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int source_check_unchanged(struct source *source, struct error *err)
{
	struct stat now, by_name;

	if (fstat(source->fd, &now) != 0 || stat(source->path, &by_name) != 0)
		return error_errno(err, "cannot read");
	if (!is_same(&source->before, &now) || !is_same(&now, &by_name))
		return error_set(err, "changed while it was read");
	return 0;
}

const char *source_container(const struct source *source)
{
	return source->container;
}

const char *source_filter(const struct source *source)
{
	return source->filter;
}

int source_fd(const struct source *source)
{
	return S_ISREG(source->before.st_mode) ? source->fd : -1;
}

uint64_t source_file_size(const struct source *source)
{
	return S_ISREG(source->before.st_mode) ? (uint64_t)source->before.st_size : 0;
}

void source_item_release(struct source_item *item)
{
	free(item->path);
	free(item->target);
	free(item->stored_name);
	memset(item, 0, sizeof(*item));
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->state)
		source->ops->close(source->state);
	if (source->fd >= 0)
		close(source->fd);
	free(source->last);
	free(source->path);
	free(source);
}
