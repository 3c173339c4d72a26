/* SPDX-License-Identifier: Apache-2.0 */
#include "artifact/artifact.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "artifact/parts.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/str.h"

const char *artifact_format_name(enum artifact_format format)
{
	return format == ARTIFACT_GGUF ? "GGUF" : "safetensors";
}

/* The file that a folder is read by. */
static char *find_in_folder(const char *folder, struct error *err)
{
	static const char *const names[] = { "model.safetensors.index.json", "model.safetensors" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path_join(folder, names[i]);

		if (file_exists(path))
			return path;
		free(path);
	}
	error_set(err, "%s: holds neither %s nor %s", folder, names[0], names[1]);
	return NULL;
}

static int read_first_bytes(const char *path, char first[9], struct error *err)
{
	struct input input;
	int rc;

	if (input_open(&input, path, err) != 0)
		return -1;
	rc = input.size < 9 ? error_set(err, "%s: too short for a safetensors or GGUF file", path)
			    : input_bytes(&input, first, 9, err);
	input_close(&input);
	return rc;
}

/* By content: an index is JSON at once, a safetensors file behind its length. */
static int read_file(const char *path, struct artifact *artifact, struct error *err)
{
	char first[9];
	int rc;

	if (read_first_bytes(path, first, err) != 0)
		return -1;
	if (memcmp(first, "GGUF", 4) == 0)
		return gguf_read(path, artifact, err);
	if (first[0] == '{' && str_ends(path, ".json"))
		rc = safetensors_read_index(path, artifact, err);
	else
		rc = safetensors_read(path, path_base(path), NULL, NULL, artifact, err);
	artifact->format = ARTIFACT_SAFETENSORS;
	if (rc == 0)
		cache_from_config(path, &artifact->cache);
	return rc;
}

int artifact_read(const char *path, struct artifact *out, struct error *err)
{
	struct artifact *artifact = xcalloc(1, sizeof(*artifact));
	char *file = NULL;
	int rc = -1;

	if (folder_exists(path))
		file = find_in_folder(path, err);
	else
		file = xstrdup(path);
	if (file)
		rc = read_file(file, artifact, err);
	if (rc == 0 && !artifact->weight_bytes)
		rc = error_set(err, "%s: holds no weights", path);
	if (rc == 0)
		*out = *artifact;
	else
		artifact_release(artifact);
	free(artifact);
	free(file);
	return rc;
}

void artifact_release(struct artifact *artifact)
{
	size_t i;

	if (!artifact)
		return;
	for (i = 0; i < artifact->file_count; i++)
		free(artifact->files[i].path);
	free(artifact->files);
	memset(artifact, 0, sizeof(*artifact));
}

int artifact_digest(struct artifact *artifact, struct error *err)
{
	size_t i;

	for (i = 0; i < artifact->file_count; i++)
		if (digest_file(artifact->files[i].path, artifact->files[i].sha256, NULL, err) != 0)
			return -1;
	return 0;
}
