/* SPDX-License-Identifier: Apache-2.0 */
/* The GCD half of the baseline, as far as it needs no device: the comparison, the spread, the job,
 * the square root of the device. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/str.h"
#include "baseline/difference.h"
#include "baseline/gcd.h"
#include "baseline/gcd_job.h"
#include "baseline/gcd_run.h"
#include "baseline/gcd_source.h"
#include "baseline/scenes.h"
#include "cli/qualify.h"
#include "kernels/root.h"
#include "tap.h"

enum { WIDTH = 40, HEIGHT = 33, SAMPLES = 4 };

/* --- the comparison --------------------------------------------------------------------------- */

struct pictures {
	struct gcd_pixel theirs[WIDTH * HEIGHT];
	float ours[WIDTH * HEIGHT * 3];
};

static void make_equal(struct pictures *p)
{
	int i;

	for (i = 0; i < WIDTH * HEIGHT; i++) {
		p->theirs[i] = (struct gcd_pixel){ { 1.5f + (float)i, 0, 4 }, 7, 3, SAMPLES };
		p->ours[3 * i] = 1.5f + (float)i;
		p->ours[3 * i + 1] = 0;
		p->ours[3 * i + 2] = 4;
	}
}

static struct difference compare(const struct pictures *p)
{
	return difference_of(p->theirs, p->ours, WIDTH, HEIGHT, SAMPLES);
}

static void test_difference(void)
{
	struct pictures *p = xmalloc(sizeof(*p));
	struct difference d;
	char *text;

	make_equal(p);
	d = compare(p);
	tap_number((long long)d.differing, 0, "equal pictures do not differ");
	tap_number((long long)d.closest, 7LL * WIDTH * HEIGHT, "rays are added up");
	tap_ok(difference_text(&d) == NULL, "and there is nothing to say");

	/* nextafter three times: three units in the last place. */
	p->ours[3 * (20 * WIDTH + 18)] = nextafterf(
		nextafterf(nextafterf(p->ours[3 * (20 * WIDTH + 18)], 9e9f), 9e9f), 9e9f);
	d = compare(p);
	tap_number((long long)d.differing, 1, "one pixel differs");
	tap_number((long long)d.ulp_max, 3, "by three units in the last place");
	tap_number((long long)d.ulp[1], 1, "in the bin of up to three");
	tap_ok(d.first_x == 18 && d.first_y == 20, "it is located");
	tap_ok(d.tile_x == 16 && d.tile_y == 16 && d.tile_differing == 1, "in its tile");
	text = difference_text(&d);
	tap_text(text,
		"1 of 1320 pixels differ, the first at (18, 20); up to 3 units in the last place; "
		"worst tile at (16, 16) with 1",
		"said in one line");
	free(text);

	/* 1.625 / 3 is the same float as that of the next float after 1.625. */
	make_equal(p);
	p->theirs[0].sum.x = p->ours[0] = 1.625f;
	p->theirs[0].sum.x = nextafterf(1.625f, 2);
	tap_ok(1.625f / 3 == p->theirs[0].sum.x / 3,
		"a last bit that is lost in the mean of three");
	d = compare(p);
	tap_ok(d.differing == 1 && d.ulp_max == 1, "is found in the sum");

	make_equal(p);
	p->theirs[0].sum.y = -0.0f;
	d = compare(p);
	tap_number((long long)d.ulp_max, 1, "-0 is not 0");
	p->theirs[0].sum.y = NAN;
	d = compare(p);
	tap_ok(d.not_numbers == 1 && d.differing == 1 && d.ulp_max == 0,
		"not a number is counted apart");

	make_equal(p);
	memset(&p->theirs[32 * WIDTH + 39], GCD_POISON_DEVICE, sizeof(p->theirs[0]));
	memset(&p->theirs[0], GCD_POISON_HOST, sizeof(p->theirs[0]));
	p->theirs[5].samples = SAMPLES - 1;
	d = compare(p);
	tap_ok(d.lost == 2 && d.short_of == 1 && d.differing == 3,
		"what was never written, and what was never copied, are lost; the third is short");
	tap_ok(d.tiles_differing == 2 && d.tile_x == 0 && d.tile_y == 0 && d.tile_differing == 2,
		"the tile with most comes first");
	free(p);
}

/* --- the spread ------------------------------------------------------------------------------- */

static json_t *gcd(const char *bdf, const char *verdict, double rate, const char *class)
{
	return json_pack("{s:s, s:s, s:s, s:{s:f}}", "bdf", bdf, "verdict", verdict, "class", class,
		"sustained_msamples_per_s", "value", rate);
}

static void test_spread(void)
{
	json_t *gcds = json_array(), *spread;
	char *text;
	int i;

	spread = gcd_spread(gcds);
	tap_ok(json_is_null(spread), "no GCD has no spread");
	json_decref(spread);
	for (i = 0; i < 7; i++)
		json_array_append_new(gcds, gcd("even", "equal", 100 + i, "observed"));
	json_array_append_new(gcds, gcd("slow", "equal", 80, "observed"));
	json_array_append_new(gcds, gcd("wrong", "differs", 101, "observed"));
	json_array_append_new(gcds, json_pack("{s:s, s:s}", "bdf", "dead", "verdict", "failed"));
	json_array_append_new(gcds, json_pack("{s:s, s:s}", "bdf", "out", "verdict", "not-run"));
	spread = gcd_spread(gcds);
	text = json_dumps(spread, JSON_SORT_KEYS | JSON_COMPACT);
	tap_text(text,
		"{\"bad\":[\"wrong\",\"dead\"],\"max\":106.0,\"median\":102.0,\"min\":80.0,"
		"\"outliers\":[\"slow\"]}",
		"the slow one is named, and the bad ones");
	free(text);
	json_decref(spread);
	json_decref(gcds);

	gcds = json_array();
	for (i = 0; i < 4; i++)
		json_array_append_new(gcds, gcd("x", "equal", i ? 100 : 10, "simulated"));
	spread = gcd_spread(gcds);
	tap_number((long long)json_array_size(json_object_get(spread, "outliers")), 0,
		"a stand-in's rate makes no outlier");
	json_decref(spread);
	json_decref(gcds);
}

/* --- the job ---------------------------------------------------------------------------------- */

/* Writes `bytes` of `value` over the job at `at` and reads it. */
static bool accepts(const char *sound, size_t at, kernel_u32 value)
{
	struct gcd_job job;
	struct error err;
	char command[300];
	bool accepted;
	int fd;

	snprintf(command, sizeof(command), "cp %s damaged", sound);
	if (system(command) != 0)
		return true;
	fd = open("damaged", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, &value, sizeof(value), (off_t)at) != (ssize_t)sizeof(value))
		return true;
	close(fd);
	accepted = gcd_job_read("damaged", &job, &err) == 0;
	if (accepted)
		gcd_job_release(&job);
	return accepted;
}

static void test_job(void)
{
	enum { HEAD = 24 + sizeof(struct kernel_params) };
	struct render_options options = { .width = 24, .height = 16, .samples = 9, .bounces = 6 };
	struct baseline_scene scene;
	struct kernel_scene arrays;
	struct gcd_job job;
	struct error err = { "" };
	size_t triangles;

	baseline_scene_make(baseline_scenes, 0, 1, &scene);
	arrays = baseline_scene_kernel(&scene);
	tap_number(gcd_job_write("job", &scene, &options, &err), 0, "a job is written");
	tap_number(gcd_job_read("job", &job, &err), 0, "and read");
	tap_ok(job.node_count == scene.node_count && job.triangle_count == 36 &&
			job.params.sample_count == 9 && job.params.width == 24 &&
			memcmp(job.scene.nodes, arrays.nodes,
				scene.node_count * sizeof(*arrays.nodes)) == 0 &&
			memcmp(job.scene.triangles, arrays.triangles,
				36 * sizeof(*arrays.triangles)) == 0,
		"as it was");
	triangles = HEAD + job.node_count * sizeof(struct kernel_node);
	tap_number(gcd_job_tiles(&job.params), 3 * 2, "24x16 pixels are six blocks");
	tap_number(gcd_job_launch_samples(&job.params), 2, "nine samples go two at a time");
	gcd_job_release(&job);

	tap_ok(accepts("job", HEAD + 60, 5), "what no kernel reads may be anything");
	tap_ok(!accepts("job", 0, 0), "not a job");
	tap_ok(!accepts("job", 8, 5), "a node less than there are bytes for");
	tap_ok(!accepts("job", 12, 0xffffffff), "more triangles than may be");
	tap_ok(!accepts("job", HEAD + 48, 0x0fffffff), "a node that is not there");
	tap_ok(!accepts("job", HEAD + 48, 0), "a node that is its own parent");
	tap_ok(accepts("job", HEAD + 48, 1) != accepts("job", HEAD + 48, 2),
		"of the root's children only its own, not one of another node");
	tap_ok(!accepts("job", HEAD + 48, KERNEL_LEAF(36, 1)), "a triangle that is not there");
	tap_ok(!accepts("job", HEAD + 48, KERNEL_LEAF(30, 15)), "a leaf over the end");
	tap_ok(!accepts("job", triangles + 36, 99), "a material that is not there");
	tap_ok(!accepts("job", 24 + 48, 0), "no width");
	tap_ok(truncate("job", 1000) == 0 && gcd_job_read("job", &job, &err) != 0, "cut short");
	tap_ok(mkfifo("pipe", 0600) == 0 && gcd_job_read("pipe", &job, &err) != 0,
		"a pipe is refused without waiting");
	baseline_scene_release(&scene);
}

/* --- the square root of the device ------------------------------------------------------------ */

static float moved(float value, int by)
{
	union root_bits bits;

	bits.value = value;
	bits.bits += (kernel_u32)by;
	return bits.value;
}

/* From every guess that is at most a unit off the C library's root. */
static void test_root(void)
{
	kernel_u32 i, wrong = 0, count = 0;
	union root_bits x;
	int by;

	for (i = 0; i < 400000; i++) {
		x.bits = 0x0f800000u + i * 4567u; /* from 2^-96 to beyond 2^95 */
		if (x.bits >= 0x7f800000u)
			break;
		for (by = -1; by <= 1; by++)
			wrong += root_settle(x.value, moved(sqrtf(x.value), by)) != sqrtf(x.value);
		count++;
	}
	tap_ok(count > 300000 && !wrong, "a guess next to the root is settled to the root");
	tap_ok(root_settle(0, 0) == 0 && signbit(root_settle(-0.0f, -0.0f)), "0 and -0 stay");
	tap_ok(isinf(root_settle(INFINITY, INFINITY)) && isnan(root_settle(NAN, NAN)),
		"infinity and not a number stay");
}

static void test_source(void)
{
	char *source = gcd_source();

	tap_ok(strstr(source, "oamqual_baseline(") != NULL, "the source has the entry");
	tap_ok(strstr(source, "#include") == NULL, "and needs no other file");
	free(source);
}

/* --- after the ladder ------------------------------------------------------------------------- */

/* A process that survives SIGKILL cannot be made here, so its ending is entered. */
static void test_stuck(void)
{
	struct gpu gpu = { .bdf = "0000:c1:00.0",
		.in_hip = KNOWN_YES,
		.hip_gcn_arch = "gfx90a",
		.unique_id = known_u64(7) };
	const struct gpu *gpus[] = { &gpu };
	struct attempt attempt = { .gpu = &gpu, .number = 3 };
	struct qualify_request request = { .baseline = true };
	char folder[] = "/tmp/oamqual-stuck-XXXXXX";
	struct qualify run = { .request = &request,
		.out = mkdtemp(folder),
		.gpus = gpus,
		.gpu_count = 1,
		.attempts = &attempt,
		.attempt_count = 1 };
	const json_t *gcd;
	json_t *json;

	run.open.node = (struct node){
		.gpus = &gpu, .gpu_count = 1, .hip_state = HIP_ANSWERED, .simulated = true
	};
	attempt.child.ending.how = CHILD_STUCK;
	attempt.child.ending.pid = 4711;
	json = qualify_baseline(&run);
	gcd = json_array_get(json_object_get(json, "gcds"), 0);
	tap_text(
		json_text(gcd, "verdict", ""), "not-run", "a GCD that is stuck is not tried again");
	tap_text(json_text(gcd, "class", ""), "unknown", "nothing is known of its baseline");
	tap_text(json_text(gcd, "why", ""),
		"attempt 3 on this GCD is stuck in the kernel as process 4711 and could not be "
		"killed",
		"and the reason is named");
	json_decref(json);
	rmdir(folder);
}

int main(void)
{
	tap_place();
	test_difference();
	test_spread();
	test_job();
	test_root();
	test_source();
	test_stuck();
	return tap_done();
}
