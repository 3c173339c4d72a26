/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "baseline/gcd_job.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static size_t whole_length(const struct gcd_job_head *head)
{
	return sizeof(*head) + head->node_count * sizeof(struct kernel_node) +
	       head->triangle_count * sizeof(struct kernel_triangle) +
	       head->material_count * sizeof(struct kernel_material) +
	       head->light_count * sizeof(struct kernel_light);
}

static bool is_range(kernel_u32 value, kernel_u32 min, kernel_u32 max)
{
	return value >= min && value <= max;
}

static bool is_sane(const struct gcd_job_head *head)
{
	const struct kernel_params *p = &head->params;

	return memcmp(head->magic, GCD_JOB_MAGIC, sizeof(head->magic)) == 0 &&
	       is_range(head->node_count, 1, KERNEL_TRIANGLES_MAX) &&
	       head->triangle_count <= KERNEL_TRIANGLES_MAX &&
	       head->material_count <= BASELINE_MATERIALS_MAX &&
	       head->light_count <= BASELINE_LIGHTS_MAX && p->light_count == head->light_count &&
	       is_range(p->width, 1, KERNEL_SIZE_MAX) && is_range(p->height, 1, KERNEL_SIZE_MAX) &&
	       is_range(p->sample_count, 1, BASELINE_SAMPLES_MAX) && p->first_sample == 0 &&
	       p->bounces <= BASELINE_BOUNCES_MAX;
}

/* An inner child comes later than its parent and has no other one, so that a walk ends; `depth`
 * says how deep it goes. */
static bool is_tree(const struct gcd_job *job, unsigned char *depth)
{
	kernel_u32 i, side;

	for (i = 0; i < job->node_count; i++) {
		for (side = 0; side < 2; side++) {
			kernel_u32 child = job->scene.nodes[i].child[side];
			kernel_u32 count = KERNEL_LEAF_COUNT(child);

			if (job->scene.nodes[i].lo[side].x > job->scene.nodes[i].hi[side].x)
				continue;
			if (count &&
				(KERNEL_LEAF_FIRST(child) >= job->triangle_count ||
					count > job->triangle_count - KERNEL_LEAF_FIRST(child)))
				return false;
			if (count)
				continue;
			if (child <= i || child >= job->node_count || depth[child] ||
				depth[i] + 1 >= KERNEL_DEPTH_MAX)
				return false;
			depth[child] = (unsigned char)(depth[i] + 1);
		}
	}
	return true;
}

static bool is_within(const struct gcd_job *job)
{
	unsigned char *depth = xcalloc(job->node_count, 1);
	bool within = is_tree(job, depth);
	kernel_u32 i;

	free(depth);
	for (i = 0; within && i < job->triangle_count; i++)
		within = job->scene.triangles[i].material < job->material_count;
	for (i = 0; within && i < job->material_count; i++)
		within = job->scene.materials[i].light <= job->light_count;
	return within;
}

static void set_arrays(struct gcd_job *job, const struct gcd_job_head *head)
{
	const char *at = (const char *)(head + 1);

	job->params = head->params;
	job->node_count = head->node_count;
	job->triangle_count = head->triangle_count;
	job->material_count = head->material_count;
	job->light_count = head->light_count;
	job->scene.nodes = (const void *)at;
	at += job->node_count * sizeof(*job->scene.nodes);
	job->scene.triangles = (const void *)at;
	at += job->triangle_count * sizeof(*job->scene.triangles);
	job->scene.materials = (const void *)at;
	at += job->material_count * sizeof(*job->scene.materials);
	job->scene.lights = (const void *)at;
}

static int map(const char *path, struct gcd_job *job, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	int rc = -1;

	if (fd < 0 || fstat(fd, &info) != 0)
		error_errno(err, "%s", path);
	else if (!S_ISREG(info.st_mode) || info.st_size < (off_t)sizeof(struct gcd_job_head))
		error_set(err, "%s: not a job", path);
	else
		rc = 0;
	if (rc == 0) {
		job->len = (size_t)info.st_size;
		job->bytes = mmap(NULL, job->len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (job->bytes == MAP_FAILED)
			rc = error_errno(err, "%s: cannot be mapped", path);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int gcd_job_read(const char *path, struct gcd_job *out, struct error *err)
{
	struct gcd_job job = { .len = 0 };
	const struct gcd_job_head *head;
	bool good;

	if (map(path, &job, err) != 0)
		return -1;
	head = job.bytes;
	good = is_sane(head) && whole_length(head) == job.len;
	if (good)
		set_arrays(&job, head);
	if (!good || !is_within(&job)) {
		gcd_job_release(&job);
		return error_set(err, "%s: not a job, or damaged", path);
	}
	*out = job;
	return 0;
}

void gcd_job_release(struct gcd_job *job)
{
	if (job->bytes)
		munmap(job->bytes, job->len);
	memset(job, 0, sizeof(*job));
}

/* --- launches --------------------------------------------------------------------------------- */

kernel_u32 gcd_job_tiles(const struct kernel_params *params)
{
	return GCD_TILES(params->width) * GCD_TILES(params->height);
}

kernel_u32 gcd_job_launch_blocks(const struct kernel_params *params)
{
	kernel_u32 tiles = gcd_job_tiles(params);

	return tiles < GCD_LAUNCH_BLOCKS ? tiles : GCD_LAUNCH_BLOCKS;
}

/* Eight launches of each place where there are samples for it, so that the first can be told from
 * the rest. */
kernel_u32 gcd_job_launch_samples(const struct kernel_params *params)
{
	kernel_u32 most = GCD_LAUNCH_SAMPLES / (gcd_job_launch_blocks(params) * GCD_BLOCK);
	kernel_u32 wanted = (params->sample_count + 7) / 8;

	return wanted < most ? wanted : most;
}
