/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the path tracer that have an exact answer: one triangle, no light at all, a camera
 * inside a body, progress, rays by kind. Each by single rays and by the fastest path. */
#include <math.h>
#include <string.h>

#include "baseline/baseline.h"
#include "tap.h"

enum { SIZE = 32, SAMPLES = 16 };

static const enum render_path paths[] = { RENDER_SINGLE, RENDER_FASTEST };

static struct vec3 v(float x, float y, float z)
{
	return vec3_make(x, y, z);
}

static struct render_result render(struct baseline_scene *scene, enum render_path path)
{
	struct render_options options = { .width = SIZE,
		.height = SIZE,
		.samples = SAMPLES,
		.threads = 2,
		.bounces = 3,
		.path = path };
	struct render_result result = { 0 };
	struct error err = { "" };

	tap_number(render_cpu(scene, &options, &result, &err), 0, "it renders");
	return result;
}

/* Which side of the line from a to b the point is on: its distance, positive on the left. */
static double side(const double a[2], const double b[2], double x, double y)
{
	double dx = b[0] - a[0], dy = b[1] - a[1];

	return (dx * (y - a[1]) - dy * (x - a[0])) / sqrt(dx * dx + dy * dy);
}

/* 1 when the whole pixel is in the triangle, 0 when none of it is, -1 when an edge crosses it. A
 * pixel is a circle about it, which only makes more of them undecided. */
static int covered(const double corners[3][2], int px, int py)
{
	double x = (px + 0.5) * 2 / SIZE - 1, y = 1 - (py + 0.5) * 2 / SIZE, least = 9;
	int i;

	for (i = 0; i < 3; i++)
		least = fmin(least, side(corners[i], corners[(i + 1) % 3], x, y));
	return least > 1.5 / SIZE ? 1 : least < -1.5 / SIZE ? 0 : -1;
}

/* A triangle that shines, seen from (0, 0, 0) along y: its projection says which pixels are 3,
 * which are 0, and by its area how bright the picture is. */
static void test_single_triangle(enum render_path path)
{
	static const double corners[3][2] = { { -0.7, -0.6 }, { 0.8, -0.5 }, { 0.1, 0.75 } };
	const float depth[3] = { 2, 3, 5 };
	struct baseline_scene scene = { 0 };
	struct render_result result;
	int x, y, wrong = 0, decided = 0;
	double sum = 0, area;
	struct vec3 p[3];

	for (x = 0; x < 3; x++)
		p[x] = v(
			(float)corners[x][0] * depth[x], depth[x], (float)corners[x][1] * depth[x]);
	baseline_scene_material(&scene, v(0, 0, 0), v(3, 3, 3));
	baseline_scene_triangle(&scene, p[0], p[1], p[2], 0);
	baseline_scene_camera(&scene, v(0, 0, 0), v(0, 1, 0), v(0, 0, 1), 1);
	tap_number(baseline_scene_finish(&scene, 1, NULL), 0, "one triangle is a scene");
	result = render(&scene, path);
	for (y = 0; y < SIZE; y++)
		for (x = 0; x < SIZE; x++) {
			int in = covered(corners, x, y);
			float got = result.pixels[3 * (y * SIZE + x)];

			decided += in >= 0;
			wrong += in >= 0 ? got != (float)(3 * in) : got < 0 || got > 3;
			sum += got;
		}
	area = ((corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
		       (corners[2][0] - corners[0][0]) * (corners[1][1] - corners[0][1])) /
	       2;
	tap_number(wrong, 0, "each pixel inside its projection is 3, each outside 0");
	tap_ok(decided > SIZE * SIZE / 2, "%d pixels are inside or outside", decided);
	/* Some 100 pixels at the edges, each off by at most 3 / sqrt(16) / 2 at random. */
	tap_ok(fabs(sum / (SIZE * SIZE) - 3 * area / 4) < 0.01,
		"the picture is as bright as the projection is large: %.4f, %.4f",
		sum / (SIZE * SIZE), 3 * area / 4);
	render_release(&result);
	baseline_scene_release(&scene);
}

static void add_cube(struct baseline_scene *scene, float half, kernel_u32 material)
{
	float l = 2 * half;

	baseline_scene_quad(scene, v(-half, -half, -half), v(0, l, 0), v(l, 0, 0), material);
	baseline_scene_quad(scene, v(-half, -half, half), v(l, 0, 0), v(0, l, 0), material);
	baseline_scene_quad(scene, v(-half, -half, -half), v(l, 0, 0), v(0, 0, l), material);
	baseline_scene_quad(scene, v(-half, half, -half), v(0, 0, l), v(l, 0, 0), material);
	baseline_scene_quad(scene, v(-half, -half, -half), v(0, 0, l), v(0, l, 0), material);
	baseline_scene_quad(scene, v(half, -half, -half), v(0, l, 0), v(0, 0, l), material);
}

/* The camera is in the middle of a cube whose fronts look outwards. */
static struct render_result inside(
	struct baseline_scene *scene, enum render_path path, struct vec3 emission, struct vec3 sky)
{
	baseline_scene_material(scene, v(0.5f, 0.5f, 0.5f), emission);
	add_cube(scene, 1, 0);
	scene->sky = sky;
	baseline_scene_camera(scene, v(0, 0, 0), v(0, 1, 0), v(0, 0, 1), 1);
	tap_number(baseline_scene_finish(scene, 1, NULL), 0, "a cube is a scene");
	return render(scene, path);
}

static size_t count_other(const struct render_result *result, float value)
{
	size_t i, count = 0;

	for (i = 0; i < (size_t)SIZE * SIZE * 3; i++)
		count += result->pixels[i] != value;
	return count;
}

static void test_no_light(enum render_path path)
{
	struct baseline_scene scene = { 0 };
	struct render_result result = inside(&scene, path, v(0, 0, 0), v(0, 0, 0));

	tap_number(count_other(&result, 0), 0, "a scene without any light is black");
	tap_number(result.rays_shadow, 0, "and no shadow ray is traced");
	render_release(&result);
	baseline_scene_release(&scene);
}

static void test_camera_inside(enum render_path path)
{
	struct baseline_scene scene = { 0 };
	struct render_result result = inside(&scene, path, v(7, 7, 7), v(9, 9, 9));

	tap_number(count_other(&result, 0), 0,
		"inside a body that shines outwards, under a sky: black, nothing leaks in");
	tap_number(result.rays_closest, SIZE * SIZE * SAMPLES * 5, "each path makes all its hits");
	render_release(&result);
	baseline_scene_release(&scene);
}

struct seen {
	unsigned calls, backwards, last;
	char first[32];
};

static void see(void *data, const char *what, unsigned done, unsigned total)
{
	struct seen *seen = data;

	if (!seen->calls++)
		snprintf(seen->first, sizeof(seen->first), "%s", what);
	if (total) {
		seen->backwards += done < seen->last || done > total;
		seen->last = done;
	}
}

static void test_run(void)
{
	const struct baseline_input input = { .scene = baseline_scenes };
	struct seen seen = { 0, 0, 0, "" };
	struct render_watch watch = { see, &seen };
	struct render_options options = baseline_defaults();
	struct baseline baseline;
	uint64_t camera, bounce, shadow;

	options.width = options.height = SIZE;
	options.samples = SAMPLES;
	options.watch = &watch;
	tap_number(baseline_run(&input, &options, &baseline, NULL), 0, "the Cornell box renders");
	tap_ok(seen.calls >= 3 && seen.backwards == 0 &&
			strcmp(seen.first, "making the scene") == 0,
		"who watches is told, and never less than before (%u times)", seen.calls);
	camera = baseline_kind_rays(&baseline, WIDE_CAMERA);
	bounce = baseline_kind_rays(&baseline, WIDE_BOUNCE);
	shadow = baseline_kind_rays(&baseline, WIDE_SHADOW);
	tap_number(camera, SIZE * SIZE * SAMPLES, "a ray of the camera a sample");
	tap_ok(bounce > camera && camera + bounce == baseline.result.rays_closest &&
			shadow == baseline.result.rays_shadow && shadow > 0,
		"rays by kind are all rays");
	tap_ok(baseline_kind_mrays_per_s(&baseline, WIDE_CAMERA) > 0 &&
			baseline_kind_mrays_per_s(&baseline, WIDE_SHADOW) > 0,
		"each kind has a rate");
	tap_ok(baseline.result.trace_seconds[WIDE_BOUNCE] > 0 &&
			baseline.result.trace_seconds[WIDE_CAMERA] +
					baseline.result.trace_seconds[WIDE_BOUNCE] +
					baseline.result.trace_seconds[WIDE_SHADOW] <=
				baseline.result.seconds * options.threads,
		"tracing takes no longer than the run");
	tap_ok(baseline.process_peak_bytes > (1 << 20), "the process has a peak");
	baseline_release(&baseline);
	options.path = RENDER_SINGLE;
	tap_number(baseline_run(&input, &options, &baseline, NULL), 0, "and by single rays");
	tap_ok(baseline_kind_mrays_per_s(&baseline, WIDE_BOUNCE) < 0,
		"which are not timed by kind");
	baseline_release(&baseline);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		test_single_triangle(paths[i]);
		test_no_light(paths[i]);
		test_camera_inside(paths[i]);
	}
	test_run();
	return tap_done();
}
