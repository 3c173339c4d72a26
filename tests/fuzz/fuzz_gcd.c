/* SPDX-License-Identifier: Apache-2.0 */
/* The files between the program and the children that run the baseline on a GCD: the job, and a
 * compiled kernel. A job that is accepted is rendered: no number in it may lead outside, and no
 * walk may last for ever. */
#define _GNU_SOURCE /* memfd_create */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "baseline/gcd_cache.h"
#include "baseline/gcd_job.h"
#include "kernels/path.h"
#include "tests/fuzz/fuzz.h"

static void render(struct gcd_job *job)
{
	struct kernel_counts counts = { 0, 0 };
	float sums[3] = { 0, 0, 0 };

	job->params.sample_count = 1;
	path_pixel(&job->scene, &job->params, job->params.width / 2, job->params.height / 2, sums,
		&counts);
	assert(counts.closest >= 1 && counts.closest <= BASELINE_BOUNCES_MAX + 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("job", MFD_CLOEXEC);
	struct str code = STR_INIT;
	struct gcd_job job;
	struct error err;
	bool is_job, is_kernel;
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	is_job = gcd_job_read(path, &job, &err) == 0;
	if (is_job) {
		render(&job);
		gcd_job_release(&job);
	}
	is_kernel = gcd_cache_read(path, &code, &err) == 0;
	assert(!is_kernel || code.len < size);
	fuzz_count(is_job || is_kernel);
	str_release(&code);
	close(fd);
	return 0;
}
