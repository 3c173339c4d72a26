/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "baseline/cpu.h"
#include "baseline/scene_write.h"
#include "cli/baseline_gcds.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "image/image.h"

static const struct option_row rows[] = {
	{ "node", 0, "DIR",
		"a recorded node: the stand-in plays its GCDs; the CPU is still this machine's" },
	BASELINE_GCDS_ROWS,
	{ "scene", 0, "NAME", "cornell (default), terrain, million or glass" },
	{ "path", 0, "NAME",
		"single, portable, avx2, avx512 or fastest (default: the fastest of them here)" },
	{ "mesh", 0, "FILE", "a PLY file instead of a scene, camera and lamp set by its bounds" },
	{ "seed", 0, "N", "of the scene and of the random numbers (default 0)" },
	{ "noise-seed", 0, "N", "of the random numbers alone: the same scene, other noise" },
	{ "samples", 0, "N", "samples a pixel (default 32)" },
	{ "size", 0, "WxH", "pixels (default 256x256)" },
	{ "threads", 0, "N", "threads (default: one a usable CPU)" },
	{ "image", 0, "FILE", "write the picture there: EXR by that ending, else PNG" },
	{ "write-scene", 0, "FILE",
		"write the scene as PLY with its materials and camera, and render nothing" },
	{ "json", 0, NULL, "print the measurement as JSON" },
	{ "quiet", 'q', NULL, "no progress" },
	{ NULL, 0, NULL, NULL },
};

static int read_size(const char *text, struct render_options *render, struct error *err)
{
	char *copy = xstrdup(text), *x = strchr(copy, 'x');
	unsigned long long width = 0, height = 0;
	bool read;

	if (x)
		*x = 0;
	read = x && text_u64(copy, 10, &width) && text_u64(x + 1, 10, &height);
	free(copy);
	if (!read || !width || !height || width > KERNEL_SIZE_MAX || height > KERNEL_SIZE_MAX)
		return error_set(err, "--size takes WIDTHxHEIGHT, each from 1 to %d, not '%s'",
			KERNEL_SIZE_MAX, text);
	render->width = (kernel_u32)width;
	render->height = (kernel_u32)height;
	return 0;
}

static int read_options(
	const struct options *options, struct render_options *render, struct error *err)
{
	unsigned long long samples = render->samples, threads = render->threads, seed = 0;
	const char *size = options_text(options, "size"), *path = options_text(options, "path");

	if (options_number(options, "samples", 1, BASELINE_SAMPLES_MAX, &samples, err) != 0 ||
		options_number(options, "threads", 1, BASELINE_THREADS_MAX, &threads, err) != 0 ||
		options_number(options, "seed", 0, UINT32_MAX, &seed, err) != 0 ||
		options_number(options, "noise-seed", 0, UINT32_MAX, &seed, err) != 0)
		return -1;
	if (path && render_path_find(path) < 0)
		return error_set(
			err, "--path is single, portable, avx2, avx512 or fastest, not '%s'", path);
	if (path)
		render->path = (enum render_path)render_path_find(path);
	render->seed = (kernel_u32)seed;
	render->samples = (kernel_u32)samples;
	render->threads = (kernel_u32)threads;
	return size ? read_size(size, render, err) : 0;
}

static int read_input(
	const struct options *options, struct baseline_input *input, struct error *err)
{
	const char *name = options_text(options, "scene");
	unsigned long long seed = 0;

	input->mesh = options_text(options, "mesh");
	input->scene = input->mesh ? &baseline_mesh_row
		       : name	   ? baseline_scene_find(name)
				   : baseline_scenes;
	if (input->mesh && name)
		return error_set(err, "--scene and --mesh are two scenes");
	if (!input->scene)
		return error_set(
			err, "--scene is cornell, terrain, million or glass, not '%s'", name);
	if (options_number(options, "seed", 0, UINT32_MAX, &seed, err) != 0)
		return -1;
	input->seed = (kernel_u32)seed;
	return 0;
}

/* Once no GCD is to be held against the sums any more. */
static int write_picture(const char *path, struct baseline *baseline, struct error *err)
{
	struct image image = {
		.width = (int)baseline->options.width,
		.height = (int)baseline->options.height,
		.channels = 3,
		.names = { "R", "G", "B" },
		.pixels = baseline->result.pixels,
	};

	render_divide(&baseline->result, &baseline->options);
	return str_ends(path, ".exr") ? image_write_exr(path, &image, err)
				      : image_write_png(path, &image, 1.0f, err);
}

/* Before minutes of rendering, not after them. */
static int check_picture(const char *path, struct error *err)
{
	size_t len = (size_t)(path_base(path) - path);
	char *folder = len ? xstrndup(path, len) : xstrdup(".");
	int rc = 0;

	if (folder_exists(path))
		rc = error_set(err, "--image %s: is a folder", path);
	else if (access(folder, W_OK | X_OK) != 0)
		rc = error_errno(err, "--image %s: %s", path, folder);
	free(folder);
	return rc;
}

static void print_kinds(const struct baseline *b)
{
	enum wide_kind kind;

	printf("rays    ");
	for (kind = 0; kind < WIDE_KINDS; kind++) {
		double rate = baseline_kind_mrays_per_s(b, kind);

		printf("%s %s %.2f M", kind ? "," : "", baseline_kind_name(kind),
			1e-6 * (double)baseline_kind_rays(b, kind));
		if (rate >= 0)
			printf(" (%.2f M/s)", rate);
	}
	putchar('\n');
}

static void print_text(const struct baseline *b, const struct node *node)
{
	char *model = cpu_model(), *about = baseline_input_about(&b->input, b->triangle_count);

	printf("scene    %s, made in %.1f ms, its tree built in %.1f ms\n", about,
		1e3 * b->make_seconds, 1e3 * b->build_seconds);
	printf("picture  %ux%u, %u samples a pixel, at most %u bounces\n", b->options.width,
		b->options.height, b->options.samples, b->options.bounces);
	printf("CPU      %s, threads: %u, path: %s (the machine that ran the tool)\n",
		model ? model : "model unknown", b->options.threads,
		render_path_name(b->options.path));
	printf("time     %.2f s, of CPUs %.2f s\n", b->result.seconds, b->result.cpu_seconds);
	printf("rate     %.2f Msamples/s, %.2f Mrays/s\n", baseline_msamples_per_s(b),
		baseline_mrays_per_s(b));
	print_kinds(b);
	printf("memory   tree %.1f MiB, peak of the process %.1f MiB\n",
		(double)b->tree_bytes / (1 << 20), (double)b->process_peak_bytes / (1 << 20));
	printf("image    sha256 %s\n", b->image_sha256);
	baseline_gcds_print(b, node, stdout);
	free(model);
	free(about);
}

/* Runs, writes the picture and prints; nothing on stdout when any of it fails. */
static int measure(const struct options *options, const struct baseline_input *input,
	const struct render_options *render, struct baseline_gcds *gcds)
{
	const struct node *node = &gcds->open.node;
	const char *picture = options_text(options, "image");
	struct render_options watched = *render;
	struct baseline baseline;
	struct progress progress;
	struct render_watch watch = { progress_share, &progress };
	struct error err;
	int rc = 0, status;

	progress_init(&progress, 1, false, options_flag(options, "quiet"));
	watched.watch = &watch;
	rc = baseline_run(input, &watched, &baseline, &err);
	progress_end(&progress);
	if (rc != 0)
		return cli_fail(&err);
	baseline_gcds_run(gcds, &baseline);
	if (picture)
		rc = write_picture(picture, &baseline, &err);
	if (rc == 0 && options_flag(options, "json")) {
		json_t *document = baseline_json(&baseline, node);

		json_print(document, stdout);
		json_decref(document);
	} else if (rc == 0) {
		print_text(&baseline, node);
	}
	status = baseline_gcds_status(gcds, &baseline);
	baseline_release(&baseline);
	return rc == 0 ? status : cli_fail(&err);
}

/* For another renderer: what would be rendered, and with how many bounces. */
static int write_scene(const char *path, const struct baseline_input *input)
{
	char *comments = xasprintf("oamqual baseline: %s, seed %u\nbounces %u\n",
		input->scene->name, input->seed, input->scene->bounces);
	struct baseline_scene scene;
	struct error err;
	int rc = baseline_input_make(input, &scene, &err);

	if (rc == 0) {
		rc = baseline_scene_write(&scene, comments, path, &err);
		baseline_scene_release(&scene);
	}
	free(comments);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run(const struct options *options)
{
	const char *scene_file = options_text(options, "write-scene");
	const char *picture = options_text(options, "image");
	struct render_options render = baseline_defaults();
	struct baseline_input input;
	struct baseline_gcds gcds;
	struct error err;
	bool is_usage;
	int status;

	if (read_input(options, &input, &err) != 0 || read_options(options, &render, &err) != 0)
		return cli_usage(options, &err);
	if (scene_file)
		return write_scene(scene_file, &input);
	if (picture && check_picture(picture, &err) != 0)
		return cli_fail(&err);
	if (baseline_gcds_open(options, &gcds, &is_usage, &err) != 0)
		return is_usage ? cli_usage(options, &err) : cli_fail(&err);
	render.gcd_job = gcds.job;
	status = measure(options, &input, &render, &gcds);
	baseline_gcds_close(&gcds);
	return status;
}

const struct command command_baseline = {
	.name = "baseline",
	.operands = "",
	.summary = "time the project's own path tracer on this machine's CPU and GCDs",
	.about = "Renders a scene with the project's path-tracing kernel and prints how fast that "
		 "was and\n"
		 "the digest of the picture. The picture does not depend on threads, path, "
		 "compiler or CPU:\n"
		 "the same settings give the same digest everywhere. Each GCD renders it too, by a "
		 "kernel compiled\n"
		 "on the node, and its picture must be the CPU's to the bit: exit status 1 when "
		 "one is not.\n\n"
		 "rate: samples and rays over the wall clock of the rendering. rays: how many of "
		 "each kind, and\n"
		 "millions a second while all threads trace that kind alone. No number says how "
		 "fast Cycles\n"
		 "would be: docs/baseline.md.\n\n"
		 "  oamqual baseline --scene million --samples 64\n"
		 "  oamqual baseline --mesh statue.ply --size 800x600 --image statue.png\n"
		 "  oamqual baseline --scene glass --image glass.exr --json\n"
		 "  oamqual baseline --device 3 --gcd-seconds 60\n"
		 "  oamqual baseline --scene million --write-scene million.ply",
	.rows = rows,
	.run = run,
};
