/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a scene archive of any kind. What is accepted must hold what manifest.h promises,
 * and must unpack into a folder that has the same tree digest. */
#define _GNU_SOURCE /* memfd_create */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "scene/manifest.h"
#include "tests/fuzz/fuzz.h"

static void require(int fact)
{
	if (!fact)
		abort();
}

static void check_path(const char *path)
{
	require(path[0] && path[0] != '/' && strlen(path) <= 4095);
	require(strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0);
	require(!strstr(path, "/../") && !strstr(path, "//"));
	require(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
}

static void check_entries(const struct manifest *manifest)
{
	size_t i;

	for (i = 0; i < manifest->entry_count; i++) {
		const struct manifest_entry *entry = &manifest->entries[i];

		check_path(entry->path);
		require(!i || strcmp(manifest->entries[i - 1].path, entry->path) < 0);
		require(entry->type == 'f' || entry->type == 'l' || entry->type == 'd');
		require(!entry->link_target == (entry->type != 'l'));
		require(!entry->link_target || entry->link_target[0] != '/');
		require(strlen(entry->sha256) == (entry->type == 'd' ? 0u : 64u));
	}
}

static void check_unpacking(const struct manifest *manifest)
{
	char folder[FUZZ_PLACE];
	struct manifest again;
	struct error err = { "" };

	fuzz_place(folder);
	if (scene_unpack(manifest, folder, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	if (manifest_read(folder, false, NULL, &again, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	require(strcmp(again.tree_sha256, manifest->tree_sha256) == 0);
	manifest_release(&again);
	folder_remove(folder, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct manifest_limits limits = { .content_bytes = 1 << 20, .entries = 64 };
	struct manifest manifest;
	struct error err = { "" };
	bool accepted;
	char path[64];
	int fd = memfd_create("archive", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	accepted = manifest_read(path, false, &limits, &manifest, &err) == 0;
	fuzz_count(accepted);
	if (accepted) {
		json_t *json = manifest_json(&manifest);

		require(json != NULL);
		json_decref(json);
		check_entries(&manifest);
		manifest_blend(&manifest, NULL, &err);
		check_unpacking(&manifest);
		manifest_release(&manifest);
	} else {
		require(strncmp(err.text, path, strlen(path)) == 0);
	}
	close(fd);
	return 0;
}
