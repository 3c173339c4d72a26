/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a PLY mesh: refused with a reason, or finite places and corners that exist. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/ply.h"
#include "tests/fuzz/fuzz.h"

/* What memory holds after the bytes must not be read: a copy without anything behind it. */
static char *copy_of(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = copy_of(data, size);
	struct ply ply = { NULL, NULL, 0, 0 };
	struct error err = { "" };
	size_t i;
	int rc = ply_parse(bytes, size, &ply, &err);

	fuzz_count(rc == 0);
	if (rc != 0) {
		assert(err.text[0] && !ply.places && !ply.corners && !ply.triangle_count);
	} else {
		assert(ply.triangle_count > 0 && ply.vertex_count > 0);
		for (i = 0; i < 3 * ply.vertex_count; i++)
			assert(isfinite(ply.places[i]));
		for (i = 0; i < 3 * ply.triangle_count; i++)
			assert(ply.corners[i] < ply.vertex_count);
	}
	ply_release(&ply);
	free(bytes);
	return 0;
}
