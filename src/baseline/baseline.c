/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/baseline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/str.h"
#include "baseline/cpu.h"
#include "baseline/gcd.h"
#include "baseline/gcd_job.h"

struct render_options baseline_defaults(void)
{
	unsigned cpus = cpu_usable();

	return (struct render_options){
		.width = 256,
		.height = 256,
		.samples = 32,
		.threads = cpus < BASELINE_THREADS_MAX ? cpus : BASELINE_THREADS_MAX,
		.bounces = 6,
	};
}

/* Of the means. */
static void digest_picture(
	const struct render_result *sums, const struct render_options *options, char hex[65])
{
	size_t count = (size_t)options->width * options->height * 3;
	struct digest *digest = digest_new();
	size_t i;

	for (i = 0; i < count; i++) {
		float mean = sums->pixels[i] / (float)options->samples;
		unsigned char bytes[4];
		uint32_t bits;

		memcpy(&bits, &mean, sizeof(bits));
		bytes[0] = (unsigned char)bits;
		bytes[1] = (unsigned char)(bits >> 8);
		bytes[2] = (unsigned char)(bits >> 16);
		bytes[3] = (unsigned char)(bits >> 24);
		digest_add(digest, bytes, sizeof(bytes));
	}
	digest_finish(digest, hex);
}

static void tell(const struct baseline *b, const char *what)
{
	const struct render_watch *watch = b->options.watch;

	if (watch)
		watch->tell(watch->data, what, 0, 0);
}

static uint64_t process_peak_bytes(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static int make_scene(struct baseline *b, struct baseline_scene *scene, struct error *err)
{
	double start = clock_monotonic_s();

	tell(b, b->input.mesh ? "reading the mesh" : "making the scene");
	if (baseline_input_make(&b->input, scene, err) != 0)
		return -1;
	b->make_seconds = clock_monotonic_s() - start;
	start = clock_monotonic_s();
	tell(b, "building the tree");
	if (baseline_scene_finish(scene, b->options.threads, err) != 0)
		return b->input.mesh ? error_prefix(err, "%s", b->input.mesh) : -1;
	b->build_seconds = clock_monotonic_s() - start;
	b->tree_bytes = wide_tree_bytes(&scene->wide);
	b->triangle_count = scene->triangle_count;
	return 0;
}

int baseline_run(const struct baseline_input *input, const struct render_options *options,
	struct baseline *out, struct error *err)
{
	struct baseline baseline = { .input = *input, .options = *options };
	struct baseline_scene scene = { 0 };
	int rc;

	baseline.options.bounces = input->scene->bounces;
	baseline.options.path = render_path_here(options->path);
	rc = make_scene(&baseline, &scene, err);
	if (rc == 0)
		rc = render_sums(&scene, &baseline.options, &baseline.result, err);
	if (rc == 0 && options->gcd_job) {
		rc = gcd_job_write(options->gcd_job, &scene, &baseline.options, err);
		if (rc != 0)
			render_release(&baseline.result);
	}
	if (rc == 0) {
		digest_picture(&baseline.result, &baseline.options, baseline.image_sha256);
		baseline.process_peak_bytes = process_peak_bytes();
		baseline.options.watch = NULL;
		*out = baseline;
	}
	baseline_scene_release(&scene);
	return rc;
}

void baseline_release(struct baseline *baseline)
{
	render_release(&baseline->result);
	json_decref(baseline->gcds);
	baseline->gcds = NULL;
}

static double millions_per_s(double count, double seconds)
{
	return seconds > 0 ? count / seconds * 1e-6 : 0;
}

double baseline_msamples_per_s(const struct baseline *baseline)
{
	const struct render_options *o = &baseline->options;

	return millions_per_s((double)o->width * o->height * o->samples, baseline->result.seconds);
}

double baseline_mrays_per_s(const struct baseline *baseline)
{
	const struct render_result *r = &baseline->result;

	return millions_per_s((double)(r->rays_closest + r->rays_shadow), r->seconds);
}

const char *baseline_kind_name(enum wide_kind kind)
{
	static const char *const names[WIDE_KINDS] = { "camera", "bounce", "shadow" };

	return names[kind];
}

/* Each sample begins with one ray of the camera. */
uint64_t baseline_kind_rays(const struct baseline *b, enum wide_kind kind)
{
	uint64_t camera = (uint64_t)b->options.width * b->options.height * b->options.samples;

	return kind == WIDE_SHADOW   ? b->result.rays_shadow
	       : kind == WIDE_CAMERA ? camera
				     : b->result.rays_closest - camera;
}

double baseline_kind_mrays_per_s(const struct baseline *b, enum wide_kind kind)
{
	double seconds = b->result.trace_seconds[kind] / b->options.threads;

	return seconds > 0 ? millions_per_s((double)baseline_kind_rays(b, kind), seconds) : -1;
}

const char *baseline_gcd_why(void)
{
	return "only the CPU was asked for";
}

static json_t *seen_real(double value)
{
	return fact_json(json_real(value), "observed", "baseline kernel");
}

static json_t *seen_integer(uint64_t value)
{
	return fact_integer((json_int_t)value, "observed", "baseline kernel");
}

static json_t *model_fact(void)
{
	char *model = cpu_model();
	json_t *fact = model ? fact_text(model, "observed", "/proc/cpuinfo")
			     : fact_unknown("/proc/cpuinfo names no model");

	free(model);
	return fact;
}

static json_t *rate_fact(const struct baseline *baseline, double rate)
{
	return baseline->result.seconds > 0 ? seen_real(rate)
					    : fact_unknown("the clock saw no time pass");
}

static json_t *kinds_json(const struct baseline *b)
{
	json_t *kinds = json_object();
	enum wide_kind kind;

	for (kind = 0; kind < WIDE_KINDS; kind++) {
		double rate = baseline_kind_mrays_per_s(b, kind);
		json_t *json = json_object();

		json_object_set_new(json, "count", seen_integer(baseline_kind_rays(b, kind)));
		json_object_set_new(json, "mrays_per_s",
			rate >= 0 ? seen_real(rate)
				  : fact_unknown("single rays are not timed by kind"));
		json_object_set_new(kinds, baseline_kind_name(kind), json);
	}
	return kinds;
}

static json_t *cpu_json(const struct baseline *b)
{
	json_t *cpu = json_object();

	json_object_set_new(cpu, "about", json_string("the machine that ran the tool"));
	json_object_set_new(cpu, "model", model_fact());
	json_object_set_new(cpu, "threads", seen_integer(b->options.threads));
	json_object_set_new(cpu, "path",
		fact_text(render_path_name(b->options.path), "observed", "baseline kernel"));
	json_object_set_new(cpu, "make_seconds", seen_real(b->make_seconds));
	json_object_set_new(cpu, "build_seconds", seen_real(b->build_seconds));
	json_object_set_new(cpu, "tree_bytes", seen_integer(b->tree_bytes));
	json_object_set_new(cpu, "seconds", seen_real(b->result.seconds));
	json_object_set_new(cpu, "cpu_seconds", seen_real(b->result.cpu_seconds));
	json_object_set_new(cpu, "rays_closest", seen_integer(b->result.rays_closest));
	json_object_set_new(cpu, "rays_shadow", seen_integer(b->result.rays_shadow));
	json_object_set_new(cpu, "msamples_per_s", rate_fact(b, baseline_msamples_per_s(b)));
	json_object_set_new(cpu, "mrays_per_s", rate_fact(b, baseline_mrays_per_s(b)));
	json_object_set_new(cpu, "rays", kinds_json(b));
	json_object_set_new(cpu, "process_peak_bytes",
		b->process_peak_bytes ? seen_integer(b->process_peak_bytes)
				      : fact_unknown("getrusage() failed"));
	json_object_set_new(
		cpu, "image_sha256", fact_text(b->image_sha256, "observed", "baseline kernel"));
	return cpu;
}

/* The fact of a rate that is not there, with the name of the GCD. */
static json_t *gcd_json(const struct gpu *gpu)
{
	json_t *gcd = fact_unknown(baseline_gcd_why());

	json_object_set_new(gcd, "bdf", gpu->bdf[0] ? json_printable_text(gpu->bdf) : json_null());
	json_object_set_new(gcd, "verdict", json_string("not-run"));
	json_object_set_new(gcd, "verdict_why", json_string(baseline_gcd_why()));
	return gcd;
}

const char *baseline_no_gcd_why(const struct node *node)
{
	if (node->kfd_readable == KNOWN_YES)
		return "KFD lists no GCD";
	return node->kfd_why[0] ? node->kfd_why : "KFD was not read";
}

static json_t *settings_json(const struct baseline *b, const struct render_options *o)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "width", (json_int_t)o->width, "height",
		(json_int_t)o->height, "samples", (json_int_t)o->samples, "bounces",
		(json_int_t)o->bounces, "seed", (json_int_t)b->input.seed, "noise_seed",
		(json_int_t)o->seed);
}

static void add_gcds(json_t *document, const struct baseline *b, const struct node *node)
{
	json_t *gcds = b->gcds ? json_incref(b->gcds) : json_array();
	size_t i;

	for (i = 0; !b->gcds && i < node->gpu_count; i++)
		json_array_append_new(gcds, gcd_json(&node->gpus[i]));
	json_object_set_new(document, "gcds", gcds);
	if (b->gcds)
		json_object_set_new(document, "gcd_settings", settings_json(b, &b->gcd_options));
	json_object_set_new(document, "gcd_spread", gcd_spread(gcds));
	if (!node->gpu_count)
		json_object_set_new(
			document, "gcds_why", json_printable_text(baseline_no_gcd_why(node)));
}

static json_t *node_source_json(const struct node *node)
{
	json_t *json = json_object();

	json_object_set_new(
		json, "name", node->name ? json_printable_text(node->name) : json_null());
	json_object_set_new(
		json, "source", json_string(node->simulated ? "simulated" : "observed"));
	return json;
}

json_t *baseline_json(const struct baseline *b, const struct node *node)
{
	json_t *document = json_pack("{s:s, s:o, s:{s:s, s:I}, s:o, s:o}", "schema",
		"oamqual-baseline/1", "node", node_source_json(node), "scene", "name",
		b->input.scene->name, "triangles", (json_int_t)b->triangle_count, "settings",
		settings_json(b, &b->options), "cpu", cpu_json(b));

	add_gcds(document, b, node);
	return document;
}
