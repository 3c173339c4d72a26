/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a scene into a folder. Everything is opened from the folder's descriptor one name at a
 * time and without following links, files are created anew, and links are made last, when nothing
 * is written any more. */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/str.h"
#include "scene/entry_list.h"
#include "scene/label.h"
#include "scene/manifest.h"
#include "scene/source.h"

struct unpacking {
	const struct manifest *manifest;
	struct source *source;
	int root;
	bool *seen; /* for each entry of the manifest */
};

/* The folder of `path` below the root, made where it is missing. A descriptor, or -1; *name is the
 * last part. */
static int open_parent(const struct unpacking *unpacking, const char *path, const char **name)
{
	int at = fcntl(unpacking->root, F_DUPFD_CLOEXEC, 0);
	const char *part = path, *slash;

	while (at >= 0 && (slash = strchr(part, '/'))) {
		char *folder = xstrndup(part, (size_t)(slash - part));
		int below = -1;

		if (mkdirat(at, folder, 0777) == 0 || errno == EEXIST)
			below = openat(at, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		free(folder);
		close(at);
		at = below;
		part = slash + 1;
	}
	*name = part;
	return at;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(fd, bytes, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		bytes += put;
		len -= (size_t)put;
	}
	return 0;
}

static int failed(const struct manifest_entry *entry, const char *what, struct error *err)
{
	error_errno(err, "%s", what);
	return label_prefix(err, entry->path);
}

/* Never writes more than was fingerprinted. */
static int copy_blocks(struct unpacking *unpacking, int fd, const struct manifest_entry *entry,
	struct digest *digest, struct error *err)
{
	uint64_t left = entry->size;
	const void *block;
	ssize_t got;

	while ((got = source_read(unpacking->source, &block, err)) > 0) {
		if ((uint64_t)got > left)
			return label_error(err, entry->path, "changed since it was fingerprinted");
		left -= (uint64_t)got;
		digest_add(digest, block, (size_t)got);
		if (write_all(fd, block, (size_t)got) != 0)
			return failed(entry, "cannot write", err);
	}
	return got < 0 ? -1 : 0;
}

static int copy_content(
	struct unpacking *unpacking, int fd, const struct manifest_entry *entry, struct error *err)
{
	struct digest *digest = digest_new();
	char hex[65];

	if (copy_blocks(unpacking, fd, entry, digest, err) != 0) {
		digest_free(digest);
		return -1;
	}
	digest_finish(digest, hex);
	if (strcmp(hex, entry->sha256) != 0)
		return label_error(err, entry->path, "changed since it was fingerprinted");
	return 0;
}

static int write_file(
	struct unpacking *unpacking, const struct manifest_entry *entry, struct error *err)
{
	const char *name;
	int parent = open_parent(unpacking, entry->path, &name);
	int fd = parent < 0 ? -1
			    : openat(parent, name,
				      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		rc = failed(entry, "cannot write", err);
	else
		rc = copy_content(unpacking, fd, entry, err);
	/* A full disk may show only now. */
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = failed(entry, "cannot write", err);
	if (parent >= 0)
		close(parent);
	return rc;
}

static int make_folder(
	struct unpacking *unpacking, const struct manifest_entry *entry, struct error *err)
{
	const char *name;
	int parent = open_parent(unpacking, entry->path, &name);
	int rc = parent < 0 ? -1 : mkdirat(parent, name, 0777);

	if (rc != 0 && errno != EEXIST)
		failed(entry, "cannot make the folder", err);
	else
		rc = 0;
	if (parent >= 0)
		close(parent);
	return rc;
}

static int make_symlink(
	struct unpacking *unpacking, const struct manifest_entry *entry, struct error *err)
{
	const char *name;
	int parent = open_parent(unpacking, entry->path, &name);
	int rc = parent < 0 ? -1 : symlinkat(entry->link_target, parent, name);

	if (rc != 0)
		failed(entry, "cannot make the link", err);
	if (parent >= 0)
		close(parent);
	return rc;
}

static int make_hard_link(struct unpacking *unpacking, const struct manifest_entry *entry,
	const char *target, struct error *err)
{
	const char *name, *old_name;
	int parent = open_parent(unpacking, entry->path, &name);
	int old_parent = open_parent(unpacking, target, &old_name);
	int rc = -1;

	if (parent >= 0 && old_parent >= 0)
		rc = linkat(old_parent, old_name, parent, name, 0);
	if (rc != 0)
		failed(entry, "cannot make the hard link", err);
	if (parent >= 0)
		close(parent);
	if (old_parent >= 0)
		close(old_parent);
	return rc;
}

/* What the hard link names now must be what it named when it was fingerprinted. */
static int take_hard_link(struct unpacking *unpacking, const struct manifest_entry *entry,
	const char *target, struct error *err)
{
	const struct manifest *manifest = unpacking->manifest;
	const struct manifest_entry *named =
		entry_list_find(manifest->entries, manifest->entry_count, target, strlen(target));

	if (!named || named->type != 'f' || strcmp(named->sha256, entry->sha256) != 0)
		return label_error(err, entry->path, "changed since it was fingerprinted");
	return make_hard_link(unpacking, entry, target, err);
}

static int take_item(struct unpacking *unpacking, const struct source_item *item, struct error *err)
{
	const struct manifest *manifest = unpacking->manifest;
	const struct manifest_entry *entry = entry_list_find(
		manifest->entries, manifest->entry_count, item->path, strlen(item->path));
	char type = item->type == 'h' ? 'f' : item->type;

	if (!entry || entry->type != type ||
		(type == 'l' && strcmp(entry->link_target, item->target) != 0))
		return label_error(err, item->path, "changed since it was fingerprinted");
	unpacking->seen[entry - manifest->entries] = true;
	if (item->type == 'f')
		return write_file(unpacking, entry, err);
	if (item->type == 'h')
		return take_hard_link(unpacking, entry, item->target, err);
	return type == 'd' ? make_folder(unpacking, entry, err) : 0;
}

static int write_entries(struct unpacking *unpacking, struct error *err)
{
	struct source_item item;
	int rc;

	while ((rc = source_next(unpacking->source, &item, err)) == 1) {
		rc = take_item(unpacking, &item, err);
		source_item_release(&item);
		if (rc != 0)
			return -1;
	}
	return rc;
}

static int finish_links(struct unpacking *unpacking, struct error *err)
{
	const struct manifest *manifest = unpacking->manifest;
	size_t i;

	for (i = 0; i < manifest->entry_count; i++) {
		const struct manifest_entry *entry = &manifest->entries[i];

		if (!unpacking->seen[i])
			return label_error(err, entry->path, "gone since it was fingerprinted");
		if (entry->type == 'l' && make_symlink(unpacking, entry, err) != 0)
			return -1;
	}
	return 0;
}

static int unpack(struct unpacking *unpacking, struct error *err)
{
	const struct manifest *manifest = unpacking->manifest;
	/* The manifest was made within its limits; a source that grew since is caught by the
	 * digests. */
	struct manifest_limits limits = { .content_bytes = UINT64_MAX / 2,
		.entries = SIZE_MAX / 2 };

	unpacking->source = source_open(manifest->source, &limits, err);
	if (!unpacking->source)
		return -1;
	if (strcmp(source_container(unpacking->source), manifest->container) != 0 ||
		source_file_size(unpacking->source) != manifest->file_size)
		return error_set(err, "changed since it was fingerprinted");
	if (write_entries(unpacking, err) != 0)
		return -1;
	return finish_links(unpacking, err);
}

/* Empties the folder, which was empty before; a second error would only hide the first. */
static void clear(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		path = path_join(folder, entry->d_name);
		folder_remove(path, NULL);
		free(path);
	}
	if (dir)
		closedir(dir);
}

int scene_unpack(const struct manifest *manifest, const char *folder, struct error *err)
{
	struct unpacking unpacking = { .manifest = manifest };
	int rc;

	if (!folder_is_empty(folder))
		return error_set(err, "%s: not an empty folder", folder);
	unpacking.root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unpacking.root < 0)
		return error_errno(err, "%s", folder);
	unpacking.seen = xcalloc(manifest->entry_count, sizeof(*unpacking.seen));
	rc = unpack(&unpacking, err);
	if (rc != 0) {
		label_prefix(err, manifest->source);
		clear(folder);
	}
	source_close(unpacking.source);
	free(unpacking.seen);
	close(unpacking.root);
	return rc;
}
