/* SPDX-License-Identifier: Apache-2.0 */
/* The path tracer against answers from outside it: closed formulas, a double-precision
 * intersection, and a second estimator of the same integral. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "baseline/baseline.h"
#include "baseline/render.h"
#include "baseline/scene.h"
#include "kernels/kernel_cpu.h"
#include "tap.h"

static struct vec3 v(float x, float y, float z)
{
	return vec3_make(x, y, z);
}

static struct render_options options_of(kernel_u32 size, kernel_u32 samples, kernel_u32 bounces)
{
	return (struct render_options){
		.width = size,
		.height = size,
		.samples = samples,
		.threads = 2,
		.bounces = bounces,
	};
}

static struct render_result render(struct baseline_scene *scene, struct render_options options)
{
	struct render_result result = { 0 };
	struct error err = { "" };

	if (render_cpu(scene, &options, &result, &err) != 0) {
		tap_ok(false, "render: %s", err.text);
		exit(tap_done());
	}
	return result;
}

static void finish(struct baseline_scene *scene)
{
	struct error err = { "" };

	if (baseline_scene_finish(scene, 2, &err) != 0) {
		tap_ok(false, "scene: %s", err.text);
		exit(tap_done());
	}
}

/* Mean of every `step`-th float and the standard error of that mean. */
struct estimate {
	double mean, error;
};

static struct estimate estimate_of(const float *values, size_t count, size_t step)
{
	double sum = 0, squares = 0, n = 0, mean;
	size_t i;

	for (i = 0; i < count; i += step, n++) {
		sum += values[i];
		squares += (double)values[i] * values[i];
	}
	mean = sum / n;
	return (struct estimate){ mean, sqrt(fabs(squares / n - mean * mean) / (n - 1)) };
}

/* --- building blocks --- */

static void test_sincos(void)
{
	double worst = 0;
	int i;

	for (i = 0; i < 1 << 16; i++) {
		float turn = (float)i / (1 << 16), s, c;
		double angle = 6.283185307179586 * turn;

		kernel_sincos(turn, &s, &c);
		worst = fmax(worst, fmax(fabs(s - sin(angle)), fabs(c - cos(angle))));
	}
	tap_ok(worst < 0x1p-22, "sine and cosine are those of libm within 2^-22 (worst %.1e)",
		worst);
}

/* How the points of 65536 keys lie in 16 x 16 cells: the sum of squared misses over what is due. */
static double spread(struct rng_key step, kernel_u32 x_step, kernel_u32 seed_step,
	kernel_u32 sample_step, kernel_u32 dimension_step)
{
	enum { DRAWS = 1 << 16, CELL = DRAWS / 256 };
	int cells[256] = { 0 }, i;
	double chi = 0;

	for (i = 0; i < DRAWS; i++) {
		kernel_u32 n = (kernel_u32)i;
		struct rng_key key =
			rng_key_of(seed_step * n, x_step * n, step.pixel, sample_step * n);
		struct rng_pair p = rng_pair(key, dimension_step * n);

		cells[(int)(p.u * 16) * 16 + (int)(p.v * 16)]++;
	}
	for (i = 0; i < 256; i++)
		chi += (double)(cells[i] - CELL) * (cells[i] - CELL) / CELL;
	return chi;
}

/* Apart from each other, pixels, seeds and dimensions are as good as random: 255 degrees of
 * freedom, mean 255, deviation 22.6. */
static void check_uniform(const char *what, kernel_u32 x, kernel_u32 seed, kernel_u32 dimension)
{
	double chi = spread((struct rng_key){ 5, 0 }, x, seed, 0, dimension);

	tap_ok(fabs(chi - 255) < 4.5 * 22.6,
		"pairs fill the square like random ones along %s "
		"(chi2 %.0f)",
		what, chi);
}

/* Any 2^k samples in a row from a multiple of 2^k on have one point in each cell of 2^a by 2^(k-a):
 * what a (0, m, 2)-net in base 2 is (Niederreiter), and Owen's scrambling keeps. */
static void test_net(void)
{
	int wrong = 0, a, k, i;
	kernel_u32 pixel;

	for (pixel = 0; pixel < 20; pixel++)
		for (k = 1; k <= 10; k++)
			for (a = 0; a <= k; a++) {
				unsigned char seen[1024] = { 0 };

				for (i = 0; i < 1 << k; i++) {
					struct rng_key key = rng_key_of(
						3, pixel, 1, (pixel << k) + (kernel_u32)i);
					struct rng_pair p = rng_pair(key, pixel);
					int cell = (int)(p.u * (float)(1 << a)) << (k - a) |
						   (int)(p.v * (float)(1 << (k - a)));

					wrong += seen[cell]++ != 0;
				}
			}
	tap_number(wrong, 0, "2^k samples have one point in each elementary interval");
}

/* The second dimension by its direction numbers, as Joe and Kuo publish them (degree 1, a 0, m 1):
 * v[j] = v[j-1] ^ v[j-1] >> 1. */
static void test_sobol(void)
{
	kernel_u32 i, wrong = 0;

	for (i = 0; i < 100000; i++) {
		kernel_u32 number = i * 2654435761u, v = 0x80000000u, want = 0, bit;

		for (bit = 0; bit < 32; bit++, v ^= v >> 1)
			want ^= number >> bit & 1 ? v : 0;
		wrong += rng_reverse(rng_sobol(number)) != want;
	}
	tap_number(wrong, 0, "the second dimension is that of the published direction numbers");
}

static void test_rng(void)
{
	check_uniform("pixels of a row", 1, 0, 0);
	check_uniform("dimensions", 0, 0, 1);
	check_uniform("seeds", 0, 1, 0);
	test_net();
	test_sobol();
}

/* --- the tree and the triangle test --- */

static float random_at(kernel_u32 i, kernel_u32 dimension)
{
	return rng_pair(rng_key_of(99, i, 0, 0), dimension).u;
}

static struct vec3 random_point(kernel_u32 i, kernel_u32 dimension)
{
	return v(random_at(i, dimension), random_at(i, dimension + 1), random_at(i, dimension + 2));
}

static void soup(struct baseline_scene *scene, kernel_u32 count)
{
	kernel_u32 i;

	memset(scene, 0, sizeof(*scene));
	for (i = 0; i < count; i++) {
		struct vec3 a = random_point(i, 0);

		baseline_scene_triangle(scene, a, vec3_along(a, random_point(i, 3), 0.3f),
			vec3_along(a, random_point(i, 6), -0.3f), 0);
	}
	finish(scene);
}

/* Moeller and Trumbore in double: distance, or infinity. */
static double judge_triangle(const struct kernel_triangle *t, struct kernel_ray ray)
{
	double a[3] = { t->v0.x, t->v0.y, t->v0.z };
	double p[3] = { t->v1.x - a[0], t->v1.y - a[1], t->v1.z - a[2] };
	double q[3] = { t->v2.x - a[0], t->v2.y - a[1], t->v2.z - a[2] };
	double d[3] = { ray.direction.x, ray.direction.y, ray.direction.z };
	double o[3] = { ray.origin.x - a[0], ray.origin.y - a[1], ray.origin.z - a[2] };
	double h[3] = { d[1] * q[2] - d[2] * q[1], d[2] * q[0] - d[0] * q[2],
		d[0] * q[1] - d[1] * q[0] };
	double s[3] = { o[1] * p[2] - o[2] * p[1], o[2] * p[0] - o[0] * p[2],
		o[0] * p[1] - o[1] * p[0] };
	double det = p[0] * h[0] + p[1] * h[1] + p[2] * h[2];
	double u = (o[0] * h[0] + o[1] * h[1] + o[2] * h[2]) / det;
	double w = (d[0] * s[0] + d[1] * s[1] + d[2] * s[2]) / det;
	double distance = (q[0] * s[0] + q[1] * s[1] + q[2] * s[2]) / det;

	return u >= 0 && w >= 0 && u + w <= 1 && distance > 0 ? distance : INFINITY;
}

static void test_intersection(void)
{
	enum { RAYS = 3000 };
	struct baseline_scene scene;
	struct kernel_scene kernel;
	int tree_wrong = 0, any_wrong = 0, judge_wrong = 0, hits = 0;
	kernel_u32 i, k;

	soup(&scene, 300);
	kernel = baseline_scene_kernel(&scene);
	for (i = 0; i < RAYS; i++) {
		struct kernel_ray ray = { random_point(i, 20),
			vec3_sub(random_point(i, 30), v(0.5f, 0.5f, 0.5f)), TRACE_MISS };
		struct kernel_hit hit, all = { .t = TRACE_MISS, .triangle = KERNEL_NOTHING }, any;
		struct trace_stack stack;
		int found = trace_scene(&kernel, &stack, ray, 0, &hit), found_all = 0;
		double judge = INFINITY;

		for (k = 0; k < scene.triangle_count; k++) {
			found_all |= trace_nearer(scene.triangles, k, trace_ready(ray), &all);
			judge = fmin(judge, judge_triangle(&scene.triangles[k], ray));
		}
		hits += found;
		tree_wrong += found != found_all || hit.t != all.t;
		any_wrong += trace_scene(&kernel, &stack, ray, 1, &any) != found_all;
		judge_wrong += found != isfinite(judge) ||
			       (found && fabs(hit.t - judge) > 1e-6 + 1e-4 * judge);
	}
	tap_ok(hits > RAYS / 4 && hits < RAYS, "%d of %d rays hit the soup", hits, RAYS);
	tap_number(tree_wrong, 0, "the tree finds what testing every triangle finds, to the bit");
	tap_number(any_wrong, 0, "any-hit agrees with it");
	tap_number(judge_wrong, 0, "a double-precision intersection agrees");
	baseline_scene_release(&scene);
}

/* The triangle with its vertices in the n-th of their six orders. */
static struct kernel_triangle turned(struct vec3 a, struct vec3 b, struct vec3 c, kernel_u32 n)
{
	struct vec3 p[3] = { a, n & 1 ? c : b, n & 1 ? b : c };

	return (struct kernel_triangle){
		.v0 = p[n % 3],
		.v1 = p[(n + 1) % 3],
		.v2 = p[(n + 2) % 3],
	};
}

/* Rays aimed at the edge that two triangles share, at the diagonal of a square exactly and
 * elsewhere as near as float goes: one of the two must be hit. */
static void test_shared_edges(void)
{
	struct kernel_triangle t[2] = { { .material = 0 } };
	int missed = 0;
	kernel_u32 i;

	for (i = 0; i < 100000; i++) {
		bool exact = i % 16 == 0;
		struct vec3 tilt = exact ? v(0, 0, 0) : random_point(i, 0);
		struct vec3 p = v(0, 0, tilt.x), q = v(1, 1, tilt.y);
		float s = exact ? (float)(i % 1024) / 1024 : random_at(i, 3);
		struct vec3 target = vec3_along(p, vec3_sub(q, p), s);
		struct vec3 origin = exact ? vec3_add(target, v(0, 0, 1))
					   : vec3_add(random_point(i, 4), v(0, 0, 2));
		struct kernel_ray ray = { origin, vec3_sub(target, origin), TRACE_MISS };
		float t0, t1;

		t[0] = turned(p, v(1, 0, tilt.z), q, i / 16);
		t[1] = turned(q, v(0, 1, tilt.z), p, i / 16);
		missed += !(trace_triangle(&t[0], trace_ready(ray), &t0) |
			    trace_triangle(&t[1], trace_ready(ray), &t1));
	}
	tap_number(missed, 0, "no ray slips between two triangles that share an edge");
}

/* Counts how often each triangle stands in a leaf; returns the depth, or -1 for a vertex outside
 * its box. */
static int walk(const struct baseline_scene *scene, kernel_u32 index, int *seen)
{
	const struct kernel_node *node = &scene->nodes[index];
	int side, deepest = 0;

	for (side = 0; side < 2; side++) {
		kernel_u32 ref = node->child[side], first = KERNEL_LEAF_FIRST(ref), i;
		int depth = 0;

		if (node->lo[side].x > node->hi[side].x)
			continue;
		for (i = first; i < first + KERNEL_LEAF_COUNT(ref); i++) {
			struct vec3 p = scene->ordered[i].v1;

			seen[scene->ordered[i].source]++;
			if (p.x < node->lo[side].x || p.y < node->lo[side].y ||
				p.z < node->lo[side].z || p.x > node->hi[side].x ||
				p.y > node->hi[side].y || p.z > node->hi[side].z)
				depth = -1;
		}
		if (!KERNEL_LEAF_COUNT(ref))
			depth = walk(scene, ref, seen);
		if (depth < 0 || deepest < 0)
			deepest = -1;
		else if (depth + 1 > deepest)
			deepest = depth + 1;
	}
	return deepest;
}

static void check_tree(const char *what, struct baseline_scene *scene)
{
	int *seen = calloc(scene->triangle_count + 1, sizeof(*seen));
	int depth;
	kernel_u32 i, once = 0;

	baseline_scene_kernel(scene);
	depth = walk(scene, 0, seen);
	for (i = 0; i < scene->triangle_count; i++)
		once += seen[i] == 1;
	tap_ok(depth >= 0 && depth <= KERNEL_DEPTH_MAX && once == scene->triangle_count,
		"%s: every triangle in one leaf and inside its box, depth %d", what, depth);
	free(seen);
	baseline_scene_release(scene);
}

static void test_tree(void)
{
	struct baseline_scene scene = { 0 };
	int i;

	soup(&scene, 3000);
	check_tree("soup", &scene);
	for (i = 0; i < 1000; i++)
		baseline_scene_triangle(&scene, v(1, 1, 1), v(1, 1, 1), v(1, 1, 1), 0);
	finish(&scene);
	check_tree("the same point a thousand times", &scene);
	/* Without area every split costs the same, and the first one peels off a single triangle.
	 */
	for (i = 0; i < 140; i++) {
		struct vec3 p = v(-ldexpf(1, 39 - i), 0, 0);

		baseline_scene_triangle(&scene, p, p, p, 0);
	}
	finish(&scene);
	check_tree("triangles that split off one by one", &scene);
	soup(&scene, 1);
	check_tree("one triangle", &scene);
}

/* --- pictures with a known answer --- */

/* The inside of a box, or with `outward` a block. */
static void add_box(struct baseline_scene *s, float lo, float hi, kernel_u32 material, bool outward)
{
	static const int axes[3][2] = { { 1, 2 }, { 2, 0 }, { 0, 1 } };
	int i;

	for (i = 0; i < 6; i++) {
		float edges[2][3] = { { 0 } }, corner[3] = { lo, lo, lo };
		bool swap = (i >= 3) != outward;
		struct vec3 e[2];
		int k;

		for (k = 0; k < 2; k++)
			edges[k][axes[i % 3][k]] = hi - lo;
		corner[i % 3] = i >= 3 ? hi : lo;
		for (k = 0; k < 2; k++)
			e[k] = v(edges[k][0], edges[k][1], edges[k][2]);
		baseline_scene_quad(
			s, v(corner[0], corner[1], corner[2]), e[swap], e[!swap], material);
	}
}

/* In a closed room where every surface emits 1 and reflects r, a path of 8 hits brings exactly
 * 1 + r + ... + r^7; for r = 1/2 without any rounding. A leak at an edge or a wrong normal shows as
 * less. */
static void test_furnace(void)
{
	struct baseline_scene scene = { 0 };
	struct render_result result;
	float least = FLT_MAX, most = 0;
	size_t i;

	baseline_scene_material(&scene, v(0.5f, 0.5f, 0.5f), v(1, 1, 1));
	add_box(&scene, 0, 1, 0, false);
	add_box(&scene, 0.4f, 0.7f, 0, true);
	baseline_scene_camera(&scene, v(0.1f, 0.2f, 0.3f), vec3_unit(v(0.7f, 0.5f, 0.6f)),
		vec3_unit(v(-0.6f, 0, 0.7f)), 1);
	finish(&scene);
	result = render(&scene, options_of(64, 16, 6));
	for (i = 0; i < 64 * 64 * 3; i++) {
		least = fminf(least, result.pixels[i]);
		most = fmaxf(most, result.pixels[i]);
	}
	tap_ok(least == 1.9921875f && most == 1.9921875f,
		"furnace: every pixel is 1.9921875 exactly (%.9g to %.9g)", least, most);
	tap_number(result.rays_closest, 64 * 64 * 16 * 8, "furnace: each path takes all 8 hits");
	render_release(&result);
	baseline_scene_release(&scene);
}

/* Form factor of a floor point to the rectangle at height 1 with one corner above it and the
 * opposite one at (x, z); odd in both. (Howell's catalogue of radiation configuration factors,
 * B-3.) */
static double corner_factor(double x, double z)
{
	double a = sqrt(1 + x * x), b = sqrt(1 + z * z);

	return (x / a * atan(z / a) + z / b * atan(x / b)) / 6.283185307179586;
}

static double rectangle_factor(double x0, double x1, double z0, double z1)
{
	return corner_factor(x1, z1) - corner_factor(x0, z1) - corner_factor(x1, z0) +
	       corner_factor(x0, z0);
}

struct rectangle {
	float x0, x1, z0, z1;
};

static void add_lamp(struct baseline_scene *s, struct rectangle r)
{
	baseline_scene_light(
		s, v(r.x0, 1, r.z0), v(r.x1 - r.x0, 0, 0), v(0, 0, r.z1 - r.z0), v(3, 2, 1));
}

/* A floor of reflectance 0.6 under lamps at height 1; the picture is one spot of it about the
 * origin. */
static void check_irradiance(
	const char *what, const struct rectangle *lamps, size_t count, bool blocked, double factor)
{
	struct baseline_scene scene = { 0 };
	kernel_u32 floor = baseline_scene_material(&scene, v(0.6f, 0.6f, 0.6f), v(0, 0, 0));
	struct render_result result;
	struct estimate got;
	double want = 0.6 * 3 * factor;
	size_t i;

	baseline_scene_quad(&scene, v(-9, 0, -9), v(0, 0, 18), v(18, 0, 0), floor);
	if (blocked)
		baseline_scene_quad(&scene, v(0, 0.6f, -9), v(9, 0, 0), v(0, 0, 18), floor);
	for (i = 0; i < count; i++)
		add_lamp(&scene, lamps[i]);
	baseline_scene_camera(
		&scene, v(0, 0.5f, -2), vec3_unit(v(0, -0.5f, 2)), vec3_unit(v(0, 2, 0.5f)), 1e-5f);
	finish(&scene);
	result = render(&scene, options_of(64, 64, 0));
	got = estimate_of(result.pixels, 64 * 64 * 3, 3);
	tap_ok(fabs(got.mean - want) < 4.5 * got.error + 1e-5 * want && got.error < 0.003 * want,
		"%s: %.5f, formula %.5f, standard error %.5f", what, got.mean, want, got.error);
	render_release(&result);
	baseline_scene_release(&scene);
}

static void test_irradiance(void)
{
	static const struct rectangle lamps[] = {
		{ -0.5f, 0.5f, -0.75f, 0.75f },
		{ 0.5f, 1.5f, 0.25f, 1 },
		{ -2, -1, -1, 1 },
	};
	double centred = rectangle_factor(-0.5, 0.5, -0.75, 0.75);
	double aside = rectangle_factor(0.5, 1.5, 0.25, 1);

	check_irradiance("a lamp above the point", lamps, 1, false, centred);
	check_irradiance("a lamp to the side", lamps + 1, 1, false, aside);
	check_irradiance("half the lamp hidden", lamps, 1, true, centred / 2);
	check_irradiance("three lamps add up", lamps, 3, false,
		centred + aside + rectangle_factor(-2, -1, -1, 1));
}

/* The same light found by bouncing into it instead of by shadow rays: another estimator of the same
 * integral. Their last hit is one more, and only emits. */
static void test_two_estimators(void)
{
	enum { SIZE = 32, VALUES = SIZE * SIZE * 3 };
	struct baseline_scene scene = { 0 };
	struct render_result shadow, bounce;
	struct estimate mean, difference;
	float differences[VALUES];
	size_t i;

	baseline_scene_material(&scene, v(0.7f, 0.5f, 0.3f), v(0, 0, 0));
	add_box(&scene, 0, 1, 0, false);
	add_box(&scene, 0.3f, 0.6f, 0, true);
	baseline_scene_light(
		&scene, v(0.1f, 0.98f, 0.1f), v(0.8f, 0, 0), v(0, 0, 0.8f), v(1, 1, 1));
	baseline_scene_camera(&scene, v(0.1f, 0.5f, 0.1f), vec3_unit(v(1, 0, 1)), v(0, 1, 0), 0.7f);
	finish(&scene);
	shadow = render(&scene, options_of(SIZE, 128, 2));
	scene.light_count = 0;
	for (i = 0; i < scene.material_count; i++)
		scene.materials[i].light = 0;
	bounce = render(&scene, options_of(SIZE, 512, 2));
	for (i = 0; i < VALUES; i++)
		differences[i] = shadow.pixels[i] - bounce.pixels[i];
	mean = estimate_of(shadow.pixels, VALUES, 3);
	difference = estimate_of(differences, VALUES, 3);
	tap_number(bounce.rays_shadow, 0, "without lights no shadow ray is traced");
	tap_ok(fabs(difference.mean) < 4.5 * difference.error &&
			difference.error < 0.004 * mean.mean,
		"shadow rays and bounces bring the same light: %.5f, difference %.5f, standard "
		"error %.5f",
		mean.mean, difference.mean, difference.error);
	render_release(&shadow);
	render_release(&bounce);
	baseline_scene_release(&scene);
}

/* --- the same picture however it is made --- */

static void test_same_bits(void)
{
	enum { SIZE = 48, VALUES = SIZE * SIZE * 3 };
	struct render_options options = options_of(SIZE, 8, 6);
	struct baseline_scene scene;
	struct render_result one, many, other;

	baseline_scene_make(baseline_scenes, 0, 1, &scene);
	options.threads = 1;
	one = render(&scene, options);
	options.threads = 5;
	many = render(&scene, options);
	options.seed = 1;
	other = render(&scene, options);
	tap_number(scene.triangle_count, 36, "the Cornell box has 36 triangles");
	tap_ok(memcmp(one.pixels, many.pixels, VALUES * sizeof(float)) == 0,
		"1 and 5 threads: same bits");
	tap_ok(one.rays_closest == many.rays_closest && one.rays_shadow == many.rays_shadow,
		"1 and 5 threads: same rays");
	tap_ok(memcmp(one.pixels, other.pixels, VALUES * sizeof(float)) != 0,
		"another seed: other bits");
	render_release(&one);
	render_release(&many);
	render_release(&other);
	baseline_scene_release(&scene);
}

static void test_launches(void)
{
	struct baseline_scene scene;
	struct kernel_scene kernel;
	struct kernel_params params = { .width = 64, .height = 64, .bounces = 6 };
	struct wide_totals totals = { 0 };
	float whole[64 * 3] = { 0 }, parts[64 * 3] = { 0 };

	baseline_scene_make(baseline_scenes, 0, 1, &scene);
	kernel = baseline_scene_kernel(&scene);
	params.camera = scene.camera;
	params.light_count = scene.light_count;
	params.offset = scene.offset;
	params.sample_count = 9;
	kernel_cpu_pixels(&kernel, &params, 0, 40, 64, whole, &totals);
	params.sample_count = 4;
	kernel_cpu_pixels(&kernel, &params, 0, 40, 64, parts, &totals);
	params.first_sample = 4;
	params.sample_count = 5;
	kernel_cpu_pixels(&kernel, &params, 0, 40, 64, parts, &totals);
	tap_ok(memcmp(whole, parts, sizeof(whole)) == 0 && whole[96] > 0,
		"9 samples in two launches: same bits");
	baseline_scene_release(&scene);
}

/* What every path finds for the same rays as testing every triangle does. */
static void check_paths(const char *what, struct baseline_scene *scene, kernel_u32 few)
{
	enum { RAYS = 1000 };
	static struct kernel_ray rays[RAYS];
	static struct kernel_hit hits[RAYS];
	struct wide_scene wide = baseline_scene_wide(scene);
	enum render_path path;
	kernel_u32 i, k;

	wide.few = few;
	for (i = 0; i < RAYS; i++) {
		struct vec3 d = vec3_sub(random_point(i, 30), v(0.5f, 0.5f, 0.5f));

		d = i % 5 ? d : v(d.x, 0, i % 2 ? d.z : -0.0f);
		rays[i] = (struct kernel_ray){ random_point(i, 20), d, i % 3 ? TRACE_MISS : 0.3f };
	}
	for (path = RENDER_PORTABLE; path <= RENDER_AVX512; path++) {
		const struct wide_path *build = render_path_wide(path);
		int wrong = 0, found = 0, any;
		void *work;

		if (!render_path_usable(path)) {
			tap_skip(what, "this CPU lacks the instructions");
			continue;
		}
		work = aligned_alloc(64, (build->work_bytes + 63) / 64 * 64);
		for (any = 0; any < 2; any++) {
			build->trace(&wide, rays, RAYS, any, hits, work);
			for (i = 0; i < RAYS; i++) {
				struct kernel_hit all = { rays[i].t_max, KERNEL_NOTHING };

				for (k = 0; k < scene->triangle_count; k++)
					trace_nearer(
						scene->triangles, k, trace_ready(rays[i]), &all);
				found += all.triangle != KERNEL_NOTHING;
				wrong += (hits[i].triangle == KERNEL_NOTHING) !=
						 (all.triangle == KERNEL_NOTHING) ||
					 (!any && (hits[i].triangle != all.triangle ||
							  (all.triangle != KERNEL_NOTHING &&
								  hits[i].t != all.t)));
			}
		}
		tap_ok(wrong == 0 && found > 0 && found < 2 * RAYS,
			"%s, %s: %d of 2000 rays hit, %d otherwise than without a tree", what,
			build->name, found, wrong);
		free(work);
	}
}

static void test_paths(void)
{
	struct baseline_scene scene;
	kernel_u32 i;

	soup(&scene, 3000);
	check_paths("soup", &scene, 0);
	baseline_scene_release(&scene);
	soup(&scene, 60);
	check_paths("few triangles", &scene, scene.triangle_count);
	check_paths("few triangles in a tree", &scene, 0);
	baseline_scene_release(&scene);
	/* Every triangle three times: of equal hits the first must win. */
	memset(&scene, 0, sizeof(scene));
	for (i = 0; i < 300; i++) {
		struct vec3 a = random_point(i % 100, 0);

		baseline_scene_triangle(&scene, a, vec3_along(a, random_point(i % 100, 3), 0.3f),
			vec3_along(a, random_point(i % 100, 6), -0.3f), 0);
	}
	finish(&scene);
	check_paths("triangles three times", &scene, 0);
	baseline_scene_release(&scene);
	/* Planes of a grid, which rays of equal coordinates graze. */
	for (i = 0; i < 200; i++) {
		float at = (float)(i % 10) / 10;

		if (i < 100)
			baseline_scene_quad(&scene, v(at, 0, (float)(i / 10) / 10), v(0, 0.1f, 0),
				v(0, 0, 0.1f), 0);
		else
			baseline_scene_quad(&scene, v(at, at, at), v(0, 0, 0), v(0.1f, 0, 0), 0);
	}
	finish(&scene);
	check_paths("a grid and triangles without area", &scene, 0);
	baseline_scene_release(&scene);
}

/* Rays from the camera that walk the tree together, narrow and wide: of three triangles in one
 * place, each of another colour, the first must be seen. Bit by bit the picture of single rays. */
static void check_camera(struct baseline_scene *scene, float half_size, kernel_u32 samples)
{
	struct render_options options = options_of(40, samples, 0);
	struct render_result single, fast;
	int path;

	baseline_scene_camera(scene, v(0.5f, 0.4f, -1.5f), v(0, 0, 1), v(0, 1, 0), half_size);
	options.path = RENDER_SINGLE;
	single = render(scene, options);
	for (path = RENDER_PORTABLE; path <= RENDER_AVX512; path++) {
		options.path = (enum render_path)path;
		if (!render_path_usable(options.path))
			continue;
		fast = render(scene, options);
		tap_ok(memcmp(single.pixels, fast.pixels, 40 * 40 * 3 * sizeof(float)) == 0,
			"camera rays, %u a pixel, picture %g wide, %s: the bits of single rays",
			samples, half_size, render_path_name(options.path));
		render_release(&fast);
	}
	render_release(&single);
}

static void test_camera(void)
{
	struct baseline_scene scene = { 0 };
	kernel_u32 i;

	for (i = 0; i < 3; i++)
		baseline_scene_material(&scene, v(0, 0, 0), v(i == 0, i == 1, i == 2));
	for (i = 0; i < 900; i++) {
		struct vec3 a = random_point(i / 3, 0);

		baseline_scene_triangle(&scene, a, vec3_along(a, random_point(i / 3, 3), 0.1f),
			vec3_along(a, random_point(i / 3, 6), -0.1f), (i + i / 3) % 3);
	}
	finish(&scene);
	check_camera(&scene, 0.3f, 16);
	check_camera(&scene, 3, 1);
	baseline_scene_release(&scene);
}

/* Counts how often each triangle stands in a leaf; returns the depth, or -1 when a corner lies
 * outside its box. */
static int walk_wide(const struct baseline_scene *scene, kernel_u32 index, int *seen)
{
	const struct wide_node *node = &scene->wide.nodes[index];
	int deepest = 0, slot, i, axis, corner;

	for (slot = 0; slot < WIDE; slot++) {
		kernel_u32 ref = node->child[slot];
		int depth = 0;

		if (node->bound[0][0][slot] > node->bound[0][1][slot])
			continue;
		if (!(ref & WIDE_LEAF))
			depth = walk_wide(scene, ref, seen);
		for (i = 0; ref & WIDE_LEAF && i < WIDE; i++) {
			const struct wide_leaf *leaf = &scene->wide.leaves[ref & ~WIDE_LEAF];

			if (leaf->triangle[i] == KERNEL_NOTHING)
				continue;
			seen[leaf->triangle[i]]++;
			for (corner = 0; corner < 3; corner++)
				for (axis = 0; axis < 3; axis++) {
					float x = leaf->corner[corner][axis][i];

					if (x < node->bound[axis][0][slot] ||
						x > node->bound[axis][1][slot])
						return -1;
				}
		}
		if (depth < 0)
			return -1;
		deepest = depth + 1 > deepest ? depth + 1 : deepest;
	}
	return deepest;
}

static void check_wide_tree(const char *what, struct baseline_scene *scene)
{
	int *seen = calloc(scene->triangle_count + 1, sizeof(*seen));
	int depth = walk_wide(scene, 0, seen);
	kernel_u32 i, once = 0;

	for (i = 0; i < scene->triangle_count; i++)
		once += seen[i] == 1;
	tap_ok(depth >= 0 && depth <= KERNEL_DEPTH_MAX && once == scene->triangle_count,
		"%s: every triangle in one leaf of the wide tree and inside its box, depth %d",
		what, depth);
	free(seen);
	baseline_scene_release(scene);
}

static void test_wide_tree(void)
{
	struct baseline_scene scene;
	int i;

	soup(&scene, 20000);
	check_wide_tree("soup on two threads", &scene);
	for (i = 0; i < 1000; i++)
		baseline_scene_triangle(&scene, v(1, 1, 1), v(1, 1, 1), v(1, 1, 1), 0);
	finish(&scene);
	check_wide_tree("the same point a thousand times", &scene);
	for (i = 0; i < 140; i++) {
		struct vec3 p = v(-ldexpf(1, 39 - i), 0, 0);

		baseline_scene_triangle(&scene, p, p, p, 0);
	}
	finish(&scene);
	check_wide_tree("triangles that split off one by one", &scene);
	soup(&scene, 1);
	check_wide_tree("one triangle", &scene);
}

/* --- mirror and glass --- */

/* A lamp seen in a mirror, and through a pane of glass, by a camera that looks straight at them:
 * what arrives is the lamp's radiance times what the mirror keeps, or times what the two faces of a
 * pane let through with all reflections between them, (1 - r) / (1 + r) for r = ((n - 1) / (n +
 * 1))^2. */
static void test_mirror_and_glass(void)
{
	struct render_options options = options_of(32, 256, 64);
	struct baseline_scene scene = { 0 };
	struct render_result result;
	struct estimate got;
	double r = 0.04, want = 5 * (1 - r) / (1 + r);
	kernel_u32 material = baseline_scene_mirror(&scene, v(0.5f, 0.25f, 1));

	baseline_scene_quad(&scene, v(-1, -1, 1), v(2, 0, 0), v(0, 2, 0), material);
	baseline_scene_light(&scene, v(-1, -1, -1), v(2, 0, 0), v(0, 2, 0), v(4, 4, 4));
	baseline_scene_camera(&scene, v(0, 0, 0), v(0, 0, 1), v(0, 1, 0), 0.1f);
	finish(&scene);
	result = render(&scene, options);
	tap_ok(result.pixels[0] == 2 && result.pixels[1] == 1 && result.pixels[2] == 4,
		"a lamp in a coloured mirror (%g %g %g)", result.pixels[0], result.pixels[1],
		result.pixels[2]);
	render_release(&result);
	baseline_scene_release(&scene);
	material = baseline_scene_glass(&scene, v(1, 1, 1), 1.5f);
	add_box(&scene, -1, 1, material, true);
	baseline_scene_light(&scene, v(9, -9, 3), v(-18, 0, 0), v(0, 18, 0), v(5, 5, 5));
	baseline_scene_camera(&scene, v(0, 0, -3), v(0, 0, 1), v(0, 1, 0), 1e-4f);
	finish(&scene);
	result = render(&scene, options);
	got = estimate_of(result.pixels, 32 * 32 * 3, 3);
	tap_ok(fabs(got.mean - want) < 4.5 * got.error + 1e-5 && got.error < 0.01 * want,
		"a lamp through glass: %.4f, formula %.4f, standard error %.4f", got.mean, want,
		got.error);
	render_release(&result);
	baseline_scene_release(&scene);
}

/* A floor under a sky of radiance 2 sends on its reflectance times that; what leaves is the sky
 * itself. */
static void test_sky(void)
{
	struct render_options options = options_of(16, 16, 6);
	struct baseline_scene scene = { 0 };
	struct render_result result;
	size_t half = 3 * 16 * 8;
	int wrong = 0;
	size_t i;

	baseline_scene_material(&scene, v(0.5f, 0.5f, 0.5f), v(0, 0, 0));
	baseline_scene_quad(&scene, v(-9e3f, 0, -1), v(0, 0, 9e3f), v(18e3f, 0, 0), 0);
	baseline_scene_camera(&scene, v(0, 1, 0), v(0, 0, 1), v(0, 1, 0), 0.01f);
	scene.sky = v(2, 2, 2);
	finish(&scene);
	scene.camera.forward = v(0, -0.5f, 1);
	result = render(&scene, options);
	for (i = 0; i < 2 * half; i++)
		wrong += result.pixels[i] != 1;
	tap_number(wrong, 0, "a floor under the sky: its reflectance times the sky, exactly");
	render_release(&result);
	scene.camera.forward = v(0, 0.5f, 1);
	result = render(&scene, options);
	for (wrong = 0, i = 0; i < 2 * half; i++)
		wrong += result.pixels[i] != 2;
	tap_number(wrong, 0, "the sky itself");
	render_release(&result);
	baseline_scene_release(&scene);
}

/* --- the scenes --- */

static void test_scenes(void)
{
	static const struct {
		const char *name;
		kernel_u32 triangles;
	} want[] = { { "cornell", 36 }, { "terrain", 99842 }, { "glass", 9048 } };
	struct render_options options = options_of(24, 4, 6);
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct render_result single, fast;
		struct baseline_scene scene;

		baseline_scene_make(baseline_scene_find(want[i].name), 0, 2, &scene);
		tap_number(scene.triangle_count, want[i].triangles, want[i].name);
		options.path = RENDER_SINGLE;
		single = render(&scene, options);
		options.path = RENDER_FASTEST;
		fast = render(&scene, options);
		tap_ok(memcmp(single.pixels, fast.pixels, 24 * 24 * 3 * sizeof(float)) == 0 &&
				single.rays_closest == fast.rays_closest &&
				single.rays_shadow == fast.rays_shadow,
			"%s: single rays and the fastest path give the same bits", want[i].name);
		tap_ok(single.rays_shadow > 0 && single.pixels[3 * 24 * 12] > 0,
			"%s: something is seen", want[i].name);
		render_release(&single);
		render_release(&fast);
		baseline_scene_release(&scene);
	}
	tap_ok(baseline_scene_find("nothing") == NULL, "a scene of another name is none");
}

/* --- odd input --- */

static void test_odd_input(void)
{
	struct baseline_scene scene = { 0 };
	struct render_options options = options_of(8, 4, 6);
	struct render_result result;
	struct error err = { "" };
	float nothing = 0;
	int i;

	baseline_scene_camera(&scene, v(0, 0, 0), v(0, 0, 1), v(0, 1, 0), 1);
	finish(&scene);
	result = render(&scene, options);
	for (i = 0; i < 8 * 8 * 3; i++)
		nothing = fmaxf(nothing, fabsf(result.pixels[i]));
	tap_ok(nothing == 0 && result.rays_closest == 8 * 8 * 4,
		"an empty scene is black, a ray a sample");
	render_release(&result);
	options.threads = 0;
	tap_number(render_cpu(&scene, &options, &result, &err), -1, "0 threads are refused");
	tap_text(err.text, "threads is 0, not from 1 to 1024", "and named");
	baseline_scene_release(&scene);
	baseline_scene_triangle(&scene, v(0, 0, 0), v(0, NAN, 0), v(1, 0, 0), 0);
	tap_number(baseline_scene_finish(&scene, 1, &err), -1, "a NaN vertex is refused");
	tap_text(err.text, "triangle 0: vertex 1 is not finite or too far out", "and named");
	baseline_scene_release(&scene);
}

static void test_json(void)
{
	struct gpu gpus[2] = { { .bdf = "0000:c1:00.0" }, { .bdf = "" } };
	struct node node = { .simulated = true, .gpus = gpus, .gpu_count = 2 };
	struct render_options options = options_of(8, 2, 6);
	const struct baseline_input input = { .scene = baseline_scenes };
	struct baseline baseline;
	json_t *document, *gcd;

	tap_number(baseline_run(&input, &options, &baseline, NULL), 0, "a small run");
	document = baseline_json(&baseline, &node);
	gcd = json_array_get(json_object_get(document, "gcds"), 0);
	tap_text(json_text(document, "schema", ""), "oamqual-baseline/1", "the schema is named");
	tap_text(json_text(gcd, "bdf", ""), "0000:c1:00.0", "a GCD is named by its address");
	tap_ok(json_is_null(json_object_get(gcd, "value")), "its rate is null");
	tap_text(json_text(gcd, "class", ""), "unknown", "and unknown");
	tap_text(json_text(gcd, "why", ""), "only the CPU was asked for", "and says why");
	tap_number(json_array_size(json_object_get(document, "gcds")), 2,
		"an unnamed GCD is not dropped");
	json_decref(document);
	node.gpu_count = 0;
	strcpy(node.kfd_why, "no such folder");
	document = baseline_json(&baseline, &node);
	tap_text(json_text(document, "gcds_why", ""), "no such folder",
		"no GCD: the document says why");
	json_decref(document);
	baseline_release(&baseline);
}

int main(void)
{
	test_sincos();
	test_rng();
	test_intersection();
	test_shared_edges();
	test_tree();
	test_furnace();
	test_irradiance();
	test_two_estimators();
	test_same_bits();
	test_launches();
	test_paths();
	test_camera();
	test_wide_tree();
	test_mirror_and_glass();
	test_sky();
	test_scenes();
	test_odd_input();
	test_json();
	return tap_done();
}
