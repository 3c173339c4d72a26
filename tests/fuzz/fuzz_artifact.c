/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a safetensors file, a GGUF file, an index of files, or config.json: the first byte
 * chooses. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact/artifact.h"
#include "artifact/fit.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

static const char *const names[] = { "model.safetensors", "model.gguf", "m-00001-of-00002.gguf",
	"model.safetensors.index.json", "config.json" };

/* A sound file: config.json is only read beside one. */
static const char sound[] =
	"\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}   x";

static void check(const struct artifact *artifact)
{
	uint64_t bytes = 0, tensors = 0, files = 0;
	size_t i;

	for (i = 0; i < artifact->type_count; i++) {
		bytes += artifact->types[i].bytes;
		tensors += artifact->types[i].tensors;
	}
	for (i = 0; i < artifact->file_count; i++)
		files += artifact->files[i].bytes;
	assert(bytes == artifact->weight_bytes && tensors == artifact->tensors);
	/* Tensors do not overlap, so they are no larger than the files that hold them. */
	assert(bytes && bytes <= files);
	assert(artifact->cache.elements_per_token.known || artifact->cache.why[0]);
}

static void judge(const struct artifact *artifact, uint64_t context)
{
	struct fit_request request = {
		.context = known_u64(context), .kv_half_bits = 32, .margin_permille = 10
	};
	struct node node;
	struct gpu gpu;
	struct fit fit;

	memset(&node, 0, sizeof(node));
	memset(&gpu, 0, sizeof(gpu));
	gpu.vram_total = known_u64(68702699520u);
	node.gpus = &gpu;
	node.gpu_count = 1;
	if (fit_judge(artifact, &request, &node, &fit, NULL) != 0)
		return;
	assert(fit.fits != KNOWN_YES || fit.needed <= 68702699520u);
	json_decref(fit_json(artifact, &request, &fit, &node));
	fit_release(&fit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *place = fuzz_kept_place();
	struct artifact artifact;
	struct error err = { "" };
	size_t which;
	bool accepted;
	char *path, *other;

	if (!size)
		return 0;
	which = data[0] % (sizeof(names) / sizeof(names[0]));
	path = path_join(place, names[which]);
	other = path_join(place, "model.safetensors");
	if (which)
		fuzz_save(place, "model.safetensors", sound, sizeof(sound) - 1);
	fuzz_save(place, names[which], data + 1, size - 1);
	accepted = artifact_read(which == 4 ? other : path, &artifact, &err) == 0;
	fuzz_count(accepted);
	if (accepted) {
		check(&artifact);
		judge(&artifact, 4096);
		judge(&artifact, UINT64_MAX / 3);
		artifact_release(&artifact);
	} else {
		assert(err.text[0]);
	}
	unlink(path);
	free(path);
	free(other);
	return 0;
}
