/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the provenance.json of a reference. Its picture is none, so the reference never
 * counts; the furthest that provenance can lead is to that picture being read. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "blender/reference.h"
#include "tests/fuzz/fuzz.h"

static const char limits[] =
	"{\"schema\":\"oamqual-limits/1\",\"pixel_limit\":0.1,\"share_over\":0.1,"
	"\"mean_error\":0.1,\"rms_error\":0.1,\"tile_error\":0.1,\"calibration\":{}}";

/* The shim and its 250 libraries are loaded with the first picture. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct image image;

	(void)argc;
	(void)argv;
	return image_read("/nonexistent", &image, NULL) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct scene_settings settings = {
		.width = 256, .height = 256, .samples = 32, .frame = 1
	};
	const char *place = fuzz_kept_place();
	static char tree[65];
	struct reference reference;

	if (!tree[0]) {
		memset(tree, 'a', 64);
		fuzz_save(place, "reference.exr", "x", 1);
		fuzz_save(place, "limits.json", limits, sizeof(limits) - 1);
	}
	fuzz_save(place, "provenance.json", data, size);
	reference_read(place, tree, &settings, &reference);
	assert(!reference.present && reference.why[0]);
	json_decref(reference_json(&reference));
	fuzz_count(strstr(reference.why, "reference.exr: ") != NULL);
	reference_release(&reference);
	return 0;
}
