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
#include "tests/fuzz/fuzz.h"

static void exercise(const struct image *image)
{
	static const struct compare_limits limits = { 1, 1, 1, 1, 1, { 0, 0, 0, 0 } };
	struct image_check check;
	struct comparison comparison;

	image_check(image, image->width, image->height, &check);
	image_compare(image, image, &limits, &comparison);
	assert(check.right_shape == KNOWN_YES);
	assert(!comparison.within || (check.finite == KNOWN_YES && check.not_empty == KNOWN_YES));
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
	bool accepted;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	accepted = image_read(path, &image, &err) == 0;
	fuzz_count(accepted);
	if (accepted) {
		exercise(&image);
		image_release(&image);
	} else {
		assert(err.text[0]);
	}
	close(fd);
	return 0;
}
