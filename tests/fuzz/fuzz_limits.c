/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as limits.json: refused with a reason, or five numbers from 0 to 1. */
#define _GNU_SOURCE /* memfd_create */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/compare.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compare_limits limits = { -1, -1, -1, -1, -1, { 0, 0, 0, 0 } };
	int fd = memfd_create("limits", MFD_CLOEXEC);
	struct error err = { "" };
	char path[40];
	bool accepted;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	accepted = compare_limits_read(path, &limits, &err) == 0;
	fuzz_count(accepted);
	if (accepted)
		assert(limits.pixel_limit >= 0 && limits.pixel_limit <= 1 &&
			limits.share_over >= 0 && limits.share_over <= 1 &&
			limits.mean_error >= 0 && limits.mean_error <= 1 && limits.rms_error >= 0 &&
			limits.rms_error <= 1 && limits.tile_error >= 0 && limits.tile_error <= 1 &&
			(limits.noise.renders == 0 ||
				(limits.noise.renders >= 2 && limits.noise.tile_z > 0 &&
					limits.noise.tile_chi > 0 && limits.noise.bias_z > 0 &&
					limits.noise.outliers >= 0 && limits.noise.outliers <= 1)));
	else
		assert(err.text[0] && limits.tile_error == -1);
	close(fd);
	return 0;
}
