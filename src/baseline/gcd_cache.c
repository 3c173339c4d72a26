/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"

#define MAGIC "oamqual-kernel/1 "

enum { CODE_LIMIT = 64 << 20, HEAD_MAX = sizeof(MAGIC) + 64 + 32 };

static char *wanted_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return path_join(cache, "oamqual/kernels");
	return home && home[0] == '/' ? path_join(home, ".cache/oamqual/kernels") : NULL;
}

/* What is loaded onto a device from here must be ours. */
static int check_private(const char *folder, struct error *err)
{
	struct stat info;

	if (stat(folder, &info) != 0)
		return error_errno(err, "%s", folder);
	if (info.st_uid != geteuid() || info.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, "%s: others may write to it", folder);
	return 0;
}

char *gcd_cache_folder(struct error *err)
{
	char *folder = wanted_folder();

	if (!folder) {
		error_set(err, "neither XDG_CACHE_HOME nor HOME names a folder");
		return NULL;
	}
	if (!folder_exists(folder) && folder_make(folder, err) == 0)
		chmod(folder, 0700);
	if (check_private(folder, err) == 0)
		return folder;
	free(folder);
	return NULL;
}

static void digest_hex(const void *bytes, size_t len, char hex[65])
{
	struct digest *digest = digest_new();

	digest_add(digest, bytes, len);
	digest_finish(digest, hex);
}

/* The length of the head when it is one and fits what follows, else 0. */
static size_t head_length(const struct str *file)
{
	const char *end = file->data ? memchr(file->data, '\n', file->len) : NULL;
	char head[HEAD_MAX + 1], hex[65];
	size_t len = end ? (size_t)(end - file->data) + 1 : 0;
	unsigned long long bytes;

	if (!len || len > HEAD_MAX || !str_starts(file->data, MAGIC))
		return 0;
	memcpy(head, file->data, len - 1);
	head[len - 1] = '\0';
	if (strlen(head) < sizeof(MAGIC) + 65 || head[sizeof(MAGIC) - 1 + 64] != ' ' ||
		!text_u64(head + sizeof(MAGIC) + 64, 10, &bytes) || bytes != file->len - len)
		return 0;
	digest_hex(end + 1, file->len - len, hex);
	return strncmp(hex, head + sizeof(MAGIC) - 1, 64) == 0 ? len : 0;
}

int gcd_cache_read(const char *path, struct str *code, struct error *err)
{
	struct str file = STR_INIT;
	size_t head;
	int rc = file_read(path, CODE_LIMIT, &file, err), saved = errno;

	if (rc == 0) {
		head = head_length(&file);
		saved = 0;
		if (head)
			str_add_bytes(code, file.data + head, file.len - head);
		else
			rc = error_set(err, "%s: damaged, its digest is another", path);
	}
	str_release(&file);
	errno = saved;
	return rc;
}

int gcd_cache_write(const char *path, const void *code, size_t len, struct error *err)
{
	struct str file = STR_INIT;
	char hex[65];
	int rc;

	digest_hex(code, len, hex);
	str_addf(&file, MAGIC "%s %zu\n", hex, len);
	str_add_bytes(&file, code, len);
	rc = file_write(path, file.data, file.len, err);
	str_release(&file);
	return rc;
}
