/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a picture: read, checked, compared with itself, never a crash, and never "within"
 * when unsound. */
#define _GNU_SOURCE /* memfd_create */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/compare.h"
#include "image/noise.h"
#include "tests/fuzz/fuzz.h"

static bool comparison_is_sane(const struct comparison *comparison)
{
	return !comparison->compared ||
	       (comparison->rms_error == 0 && comparison->tile_error == 0 &&
		       comparison->tile8_error == 0 && !comparison->by_steps);
}

/* The same bytes as a noise model: refused with a reason, or one that a test can use. */
static bool exercise_noise(const char *path)
{
	const struct image_choice choice = { .layer = "mean" };
	struct noise_model model;
	struct noise_result result;
	struct image image;
	struct error err = { "" };

	if (noise_read(path, 8, &model, &err) != 0) {
		assert(err.text[0]);
		return false;
	}
	if (model.width < 256 && model.height < 256 &&
		image_read_layer(path, &choice, &image, NULL) == 0) {
		noise_test(&image, &model, NULL, &result);
		assert(!result.within);
		json_decref(noise_json(&result));
		image_release(&image);
	}
	noise_release(&model);
	return true;
}

static void exercise(const struct image *image)
{
	static const struct compare_limits limits = { 1, 1, 1, 1, 1, { 0, 0, 0, 0 } };
	struct image_check check;
	struct comparison comparison;

	image_check(image, image->width, image->height, &check);
	image_compare(image, image, &limits, &comparison);
	assert(check.right_shape == KNOWN_YES);
	assert(!comparison.within || (check.finite == KNOWN_YES && check.not_empty == KNOWN_YES));
	assert(comparison_is_sane(&comparison));
	if (comparison.compared && image->width < 64 && image->height < 64) {
		image_perceive(image, image, &comparison);
		assert(!(comparison.flip > 0) && !(comparison.hdr_flip > 0));
	}
	json_decref(image_metadata_json(image, image));
	json_decref(image_shape_json(image));
	if (comparison.compared && image->width < 256 && image->height < 256) {
		struct image difference;

		image_difference(image, image, &limits, &difference);
		image_release(&difference);
	}
}

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
	int fd = memfd_create("picture", MFD_CLOEXEC);
	struct image image;
	struct error err = { "" };
	char path[40];
	bool accepted, is_model;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	accepted = image_read(path, &image, &err) == 0;
	is_model = exercise_noise(path);
	fuzz_count(accepted || is_model);
	if (accepted) {
		exercise(&image);
		image_release(&image);
	} else {
		assert(err.text[0]);
	}
	close(fd);
	return 0;
}
