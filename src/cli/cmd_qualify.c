/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/qualify.h"
#include "cli/qualify_matrix.h"
#include "cli/qualify_state.h"
#include "record/record.h"
#include "report/summary.h"
#include "run/stop.h"

enum { MAX_WORDS = 4096, DEADLINE_DEFAULT_S = 900, REPEATS_MAX = 1000 };

static const struct option_row rows[] = {
	{ "out", 'o', "DIR", "folder of the run, new or empty (default: oamqual-<UTC time>)" },
	{ "resume", 0, "DIR", "go on with the run in DIR, which was interrupted or killed" },
	{ "node", 0, "DIR", "replay a recorded or synthetic node instead of this machine" },
	{ "scene", 's', "PATH",
		"scene archive, .blend or folder; repeat for more (default: the "
		"bundled scenes of the suite)" },
	{ "suite", 0, "NAME",
		"bundled scenes: basic (two, seconds each) or full (all, for acceptance; default "
		"basic)" },
	{ "size", 0, "WxH", "resolution of a scene without scene.json (default 256x256)" },
	{ "samples", 0, "N", "its samples per pixel (default 32)" },
	{ "seed", 0, "N", "its seed (default 0)" },
	{ "parameter", 0, "NAME=VALUE",
		"a parameter of scene.json, such as texture_pixels=16384; repeat for more" },
	{ "expected", 0, "DIR",
		"references: DIR/<scene>/reference.exr, limits.json, "
		"provenance.json" },
	{ "blender", 'b', "PATH",
		"the Blender to judge with, or the root file system of an unpacked "
		"image (default: blender in PATH); several: a column each" },
	{ "gcd", 'g', "BDF", "only this GCD, by PCI address, index or unique id; repeat for more" },
	{ "probe", 0, "NAME", "only strict or only as-farm (default: both)" },
	{ "kernel-cache", 0, "DIR", "kernel files to start with; recorded by digest" },
	{ "hip-library", 0, "FILE", "libamdhip64 to ask instead of the usual names" },
	{ "repeat", 0, "N",
		"render each scene N times on each GCD alone: pictures that differ are unstable "
		"(default 1)" },
	{ "jobs", 'j', "N", "attempts at once (default: one a CPU, at most 8)" },
	{ "deadline", 0, "SECONDS", "for each attempt (default 900)" },
	{ "sandbox", 0, "MODE",
		"auto (with bubblewrap when it works), require or none (default auto)" },
	{ "memory-limit", 0, "BYTES", "what each Blender may write to (default: this machine's)" },
	{ "distributed", 0, NULL,
		"then render one frame of each scene over all accepted GCDs, one rank each, and "
		"merge the shares" },
	{ "no-baseline", 0, NULL, "leave out the path-tracing baseline" },
	{ "json", 0, NULL, "print the record instead of the summary" },
	{ "quiet", 'q', NULL, "no progress" },
	{ NULL, 0, NULL, NULL },
};

static int read_size(
	const struct options *options, struct scene_settings *settings, struct error *err)
{
	const char *text = options_text(options, "size");
	int width, height, used = 0;

	if (!text)
		return 0;
	if (sscanf(text, "%5dx%5d%n", &width, &height, &used) != 2 || text[used] || width < 1 ||
		height < 1 || width > 16384 || height > 16384)
		return error_set(err, "--size takes WIDTHxHEIGHT in pixels, not '%s'", text);
	settings->width = width;
	settings->height = height;
	return 0;
}

static int read_parameters(
	const struct options *options, struct scene_settings *settings, struct error *err)
{
	const char *text;
	size_t i;

	for (i = 0; (text = options_nth(options, "parameter", i)) != NULL; i++)
		if (scene_settings_assign(settings, text, err) != 0)
			return error_prefix(err, "--parameter");
	return 0;
}

static int read_settings(
	const struct options *options, struct scene_settings *settings, struct error *err)
{
	unsigned long long samples = 32, seed = 0;

	*settings = scene_settings_default;
	if (read_size(options, settings, err) != 0 ||
		options_number(options, "samples", 1, 1048576, &samples, err) != 0 ||
		options_number(options, "seed", 0, 2147483647, &seed, err) != 0)
		return -1;
	settings->samples = (int)samples;
	settings->seed = (int)seed;
	return read_parameters(options, settings, err);
}

static int read_probes(
	const struct options *options, struct qualify_request *request, struct error *err)
{
	const char *probe = options_text(options, "probe");

	request->strict = !probe || strcmp(probe, "strict") == 0;
	request->as_farm = !probe || strcmp(probe, "as-farm") == 0;
	if (!request->strict && !request->as_farm)
		return error_set(err, "--probe takes strict or as-farm, not '%s'", probe);
	return 0;
}

static int read_suite(
	const struct options *options, struct qualify_request *request, struct error *err)
{
	const char *suite = options_text(options, "suite");

	if (suite && options_flag(options, "scene"))
		return error_set(err, "--suite chooses among the bundled scenes, so it cannot be "
				      "given with --scene");
	request->suite = suite && strcmp(suite, "full") == 0 ? SCENE_FULL : SCENE_BASIC;
	if (suite && request->suite == SCENE_BASIC && strcmp(suite, "basic") != 0)
		return error_set(err, "--suite takes basic or full, not '%s'", suite);
	return 0;
}

static int read_isolation(
	const struct options *options, struct qualify_request *request, struct error *err)
{
	static const char *const modes[] = { "auto", "require", "none" };
	const char *mode = options_text(options, "sandbox");
	unsigned long long bytes = 0;
	size_t i;

	for (i = 0; mode && i < sizeof(modes) / sizeof(modes[0]) && strcmp(mode, modes[i]) != 0;
		i++)
		;
	if (i == sizeof(modes) / sizeof(modes[0]))
		return error_set(err, "--sandbox takes auto, require or none, not '%s'", mode);
	request->sandbox = modes[i];
	if (options_number(options, "memory-limit", 1 << 20, UINT64_MAX, &bytes, err) != 0)
		return -1;
	request->memory_bytes = bytes;
	return 0;
}

static const char **read_list(const struct options *options, const char *name, size_t *count)
{
	const char **list = xcalloc(MAX_WORDS, sizeof(*list));

	*count = 0;
	while (*count < MAX_WORDS && (list[*count] = options_nth(options, name, *count)))
		++*count;
	return list;
}

static int read_request(
	const struct options *options, struct qualify_request *request, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long jobs = cpus < 1 ? 1 : cpus > 8 ? 8 : (unsigned long long)cpus;
	unsigned long long deadline = DEADLINE_DEFAULT_S, repeats = 1;

	if (read_settings(options, &request->settings, err) != 0 ||
		read_probes(options, request, err) != 0 || read_suite(options, request, err) != 0 ||
		read_isolation(options, request, err) != 0 ||
		options_number(options, "jobs", 1, 64, &jobs, err) != 0 ||
		options_number(options, "repeat", 1, REPEATS_MAX, &repeats, err) != 0 ||
		options_number(options, "deadline", 1, 86400, &deadline, err) != 0)
		return -1;
	request->jobs = (size_t)jobs;
	request->repeats = (size_t)repeats;
	request->deadline_s = (unsigned)deadline;
	request->node_folder = options_text(options, "node");
	request->blender = options_text(options, "blender");
	request->expected = options_text(options, "expected");
	request->kernel_cache = options_text(options, "kernel-cache");
	request->hip_library = options_text(options, "hip-library");
	request->baseline = !options_flag(options, "no-baseline");
	request->distributed = options_flag(options, "distributed");
	request->quiet = options_flag(options, "quiet");
	request->json = options_flag(options, "json");
	request->scenes = read_list(options, "scene", &request->scene_count);
	request->gcds = read_list(options, "gcd", &request->gcd_count);
	return 0;
}

/* A case that was asked for decides, too. */
static int status_of_distributed(const json_t *distributed)
{
	const char *outcome = json_text(distributed, "outcome", NULL);

	if (!outcome || strcmp(outcome, "accepted") == 0)
		return STATUS_ACCEPTED;
	return strcmp(outcome, "failed") == 0 ? STATUS_NOT_ACCEPTED : STATUS_CANNOT_JUDGE;
}

/* Accepted only when there is a GCD and every one is a render worker. */
static int status_of(const json_t *record)
{
	const json_t *gcds = json_object_get(record, "gcds"), *gcd;
	bool interrupted =
		json_is_true(json_object_get(json_object_get(record, "run"), "interrupted"));
	size_t i;

	if (interrupted || json_array_size(gcds) == 0)
		return STATUS_CANNOT_JUDGE;
	json_array_foreach (gcds, i, gcd)
		if (!json_is_true(json_object_get(gcd, "render_worker")))
			return STATUS_NOT_ACCEPTED;
	return status_of_distributed(json_object_get(record, "distributed"));
}

/* What was gained is on disk: say how to go on. */
static int fail_resumable(const struct qualify *run, const struct error *err)
{
	int status = cli_fail(err);

	if (run->attempt_count)
		fprintf(stderr, "oamqual: to go on: oamqual qualify --resume %s\n",
			run->request->out);
	return status;
}

static int print_record(const json_t *record, const struct qualify_request *request)
{
	if (request->json)
		json_print(record, stdout);
	else if (!request->silent)
		report_summary_print(record, request->out, stdout);
	return status_of(record);
}

static int qualify_run(const struct qualify_request *request)
{
	struct qualify run;
	struct error err;
	json_t *record = NULL;
	int status;

	stop_catch(STOP_AGAIN_ENDS);
	/* First of all: what a sandbox leaves behind is ours to wait for, from its trial on. */
	children_adopt_orphans();
	if (qualify_prepare(request, &run, &err) != 0) {
		children_end_orphans();
		return cli_fail(&err);
	}
	status = qualify_attempt(&run, &err);
	children_end_orphans();
	if (status == 0)
		record = qualify_record(&run, &err);
	status = record ? print_record(record, request) : fail_resumable(&run, &err);
	json_decref(record);
	qualify_release(&run);
	return status;
}

static int qualify(const struct qualify_request *request)
{
	int status;

	image_load_ahead();
	status = qualify_run(request);
	image_load_wait();
	return status;
}

/* --- a run that was begun earlier ------------------------------------------------------------- */

struct resume {
	const char *out;
	bool json, quiet;
};

/* The options of the run that began it; where it lies and what is printed are ours. */
static int run_again(const struct options *options, void *data)
{
	const struct resume *resume = data;
	struct qualify_request request = { .argv = options_words(options) };
	struct error err;
	int status;

	request.out = resume->out;
	if (read_request(options, &request, &err) == 0) {
		request.resume = true;
		request.json = resume->json;
		request.quiet = resume->quiet;
		status = qualify(&request);
	} else {
		status = cli_usage(options, &err);
	}
	free(request.scenes);
	free(request.gcds);
	return status;
}

/* A run that came to its end has nothing left to do: its record, or NULL. */
static json_t *finished_record(const char *out)
{
	char *path = path_join(out, "record.json");
	json_t *record = file_exists(path) ? record_read(path, NULL) : NULL;

	if (record &&
		json_is_true(json_object_get(json_object_get(record, "run"), "interrupted"))) {
		json_decref(record);
		record = NULL;
	}
	free(path);
	return record;
}

static int resume_run(struct resume *resume)
{
	struct qualify_request request = { .out = resume->out, .json = resume->json };
	json_t *record = finished_record(resume->out);
	struct error err;
	char **words;
	int status;

	if (record) {
		fprintf(stderr, "%s: the run came to its end; nothing to resume\n", resume->out);
		status = print_record(record, &request);
		json_decref(record);
		return status;
	}
	words = state_words(resume->out, &err);
	if (!words)
		return cli_fail(&err);
	status = command_repeat(&command_qualify, words, run_again, resume);
	state_words_free(words);
	return status;
}

static int run_resume(const struct options *options)
{
	static const char *const allowed[] = { "resume", "json", "quiet", NULL };
	const char *other = options_other(options, allowed),
		   *folder = options_text(options, "resume");
	struct resume resume = { .json = options_flag(options, "json"),
		.quiet = options_flag(options, "quiet") };
	char resolved[PATH_MAX];
	struct error err;

	if (other) {
		error_set(&err,
			"--resume takes the options of the run itself, so --%s cannot be given",
			other);
		return cli_usage(options, &err);
	}
	if (!realpath(folder, resolved)) {
		error_errno(&err, "%s", folder);
		return cli_fail(&err);
	}
	resume.out = resolved;
	return resume_run(&resume);
}

/* --- a new run -------------------------------------------------------------------------------- */

static int run_one(const struct options *options, const char *out, bool silent)
{
	struct qualify_request request = {
		.argv = options_words(options), .out = out, .silent = silent
	};
	struct error err;
	int status = read_request(options, &request, &err) == 0 ? qualify(&request)
								: cli_usage(options, &err);
	free(request.scenes);
	free(request.gcds);
	return status;
}

static int run_silently(const struct options *options, void *data)
{
	(void)data;
	return run_one(options, options_text(options, "out"), true);
}

int qualify_silently(char **words)
{
	return command_repeat(&command_qualify, words, run_silently, NULL);
}

static int check_request(const struct options *options, void *data)
{
	struct qualify_request request = { .argv = options_words(options) };
	struct error err;
	int status = STATUS_ACCEPTED;

	(void)data;
	if (read_request(options, &request, &err) != 0)
		status = cli_usage(options, &err);
	free(request.scenes);
	free(request.gcds);
	return status;
}

int qualify_check_words(char **words)
{
	return command_repeat(&command_qualify, words, check_request, NULL);
}

struct use {
	qualify_use_fn *use;
	void *data;
};

static int use_request(const struct options *options, void *data)
{
	const struct use *use = data;
	struct qualify_request request = {
		.argv = options_words(options), .out = options_text(options, "out"), .silent = true
	};
	struct error err;
	int status = read_request(options, &request, &err) == 0 ? use->use(&request, use->data)
								: cli_usage(options, &err);
	free(request.scenes);
	free(request.gcds);
	return status;
}

int qualify_with(char **words, qualify_use_fn *use, void *data)
{
	struct use all = { use, data };

	return command_repeat(&command_qualify, words, use_request, &all);
}

static int run_new(const struct options *options)
{
	char stamp[17], *own_out;
	const char *out = options_text(options, "out");
	int status;

	clock_utc_compact(stamp);
	own_out = xasprintf("oamqual-%s", stamp);
	out = out ? out : own_out;
	status = options_nth(options, "blender", 1) ? qualify_matrix(options, out)
						    : run_one(options, out, false);
	free(own_out);
	return status;
}

static int run_qualify(const struct options *options)
{
	return options_flag(options, "resume") ? run_resume(options) : run_new(options);
}

const struct command command_qualify = {
	.name = "qualify",
	.operands = "",
	.summary = "judge every GCD of a node: render, compare, record",
	.about = "Renders each scene with this Blender on each GCD alone, in two ways: strict\n"
		 "(`-- --cycles-device HIP`: Blender refuses rather than falls back) and as a farm "
		 "would\n"
		 "(GPU asked, no override: what falls back silently), and once on the CPU as a "
		 "control.\n"
		 "GCDs that were accepted alone are then run all at once. Compares the pixels with "
		 "the\n"
		 "scene's reference and writes record.json, report.html and all evidence to "
		 "--out.\n\n"
		 "A GCD is accepted only when every rung of the ladder is yes, with evidence. See\n"
		 "'oamqual explain VERDICT' for what a verdict means. Exit status 0: all GCDs of "
		 "the "
		 "node are; those\n"
		 "that --gcd leaves out are inconclusive.\n\n"
		 "Examples:\n"
		 "  oamqual qualify --out run1                     this node, the basic suite\n"
		 "  oamqual qualify --suite full --out run1        all bundled scenes, for "
		 "acceptance\n"
		 "  oamqual qualify -s shot.tar.zst --expected refs --gcd 0000:c1:00.0\n"
		 "  oamqual qualify -b /opt/blender-4.2/blender -b images/blender-5   two builds "
		 "side by side\n"
		 "  oamqual qualify --resume run1                  after a crash, a full disk or "
		 "Ctrl-C\n"
		 "  oamqual qualify --node tests/nodes/mi250x-blade   a synthetic node "
		 "(SIMULATED)\n",
	.rows = rows,
	.run = run_qualify,
};
