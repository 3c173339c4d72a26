/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/attempt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "blender/bind.h"
#include "blender/confine.h"
#include "blender/witness.h"
#include "blender/worker_script.h"

enum { WORDS_MAX = 24, GRACE_MS = 3000, WORKER_BYTES = 4 * 1024 * 1024, VARIABLES_MAX = 48 };

/* As src/blender/worker.py ends when it skips a scene. */
enum { SKIPPED_STATUS = 77 };

const uint64_t attempt_file_bytes_max = (uint64_t)2 << 30;
const uint64_t attempt_open_files_max = 4096;

void attempt_plan(struct attempt *attempt, const struct attempt_context *context,
	const struct render_scene *scene, const struct gpu *gpu, enum probe probe, unsigned number,
	const char *attempts_folder)
{
	memset(attempt, 0, sizeof(*attempt));
	attempt->context = context;
	attempt->scene = scene;
	attempt->gpu = gpu;
	attempt->probe = probe;
	attempt->number = number;
	attempt->repeat = 1;
	attempt->folder = xasprintf("%s/%03u-%s-%s-%s", attempts_folder, number, probe_name(probe),
		scene->spec.name,
		!gpu	      ? "cpu"
		: gpu->bdf[0] ? gpu->bdf
			      : "unaddressed");
}

static char *inside(const struct attempt *attempt, const char *name)
{
	return path_join(attempt->folder, name);
}

static int write_job(const struct attempt *attempt, struct error *err)
{
	const struct scene_settings *s = &attempt->scene->spec.settings;
	char *image = inside(attempt, "image.exr"), *report = inside(attempt, "worker.json");
	char *path = inside(attempt, "job.json");
	json_t *job = scene_settings_json(s);
	int rc;

	json_object_set_new(job, "probe", json_string(probe_name(attempt->probe)));
	json_object_set_new(job, "image", json_string(image));
	json_object_set_new(job, "report", json_string(report));
	json_object_set_new(job, "threads", json_integer(attempt->context->threads));
	if (attempt->probe == PROBE_RANK)
		json_object_set_new(job, "range",
			json_pack("{s:i, s:i}", "first", (int)attempt->range.first, "count",
				(int)attempt->range.count));
	rc = json_write(path, job, err);
	json_decref(job);
	free(image);
	free(report);
	free(path);
	return rc;
}

static void add_words(char **argv, size_t *count, const char *const *words)
{
	for (; *words; words++)
		argv[(*count)++] = xstrdup(*words);
}

/* Cycles reads only what follows "--", and the script's exit status must be set before the script.
 */
static char **command_line(const struct attempt *attempt)
{
	static const char *const before[] = { "--background", "-noaudio", "--factory-startup",
		"--disable-autoexec", "--python-exit-code", "64", NULL };
	static const char *const log_3_to_4[] = { "--debug-cycles", NULL };
	static const char *const log_5[] = { "--log", "cycles,render", "--log-level", "info",
		NULL };
	static const char *const refuse[] = { "--cycles-device", "HIP", NULL };
	char **argv = xcalloc(WORDS_MAX, sizeof(*argv));
	size_t count = 0;

	argv[count++] = xstrdup(attempt->context->blender->path);
	add_words(argv, &count, before);
	argv[count++] = path_join(attempt->scene->folder, attempt->scene->blend->path);
	add_words(argv, &count, attempt->context->blender->major >= 5 ? log_5 : log_3_to_4);
	argv[count++] = xstrdup("--python");
	argv[count++] = inside(attempt, "worker.py");
	argv[count++] = xstrdup("--");
	if (attempt->probe == PROBE_STRICT || attempt->probe == PROBE_RANK)
		add_words(argv, &count, refuse);
	return argv;
}

static void add_variable(char **edits, size_t *count, char *variable)
{
	if (*count + 1 < VARIABLES_MAX)
		edits[(*count)++] = variable;
	else
		free(variable);
}

/* Masks that act after ROCR_VISIBLE_DEVICES would re-base indices, a user's Blender folders would
 * bring scripts of their own, and the stand-in's configuration must never reach a live node's
 * child. */
static const char *const unset[] = { "DISPLAY", "XDG_CONFIG_HOME", "HIP_VISIBLE_DEVICES",
	"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "BLENDER_USER_RESOURCES",
	"BLENDER_USER_CONFIG", "BLENDER_USER_SCRIPTS", "BLENDER_USER_DATAFILES",
	"BLENDER_USER_EXTENSIONS", "OAMQUAL_SIM" };

static char **environment_edits(const struct attempt *attempt)
{
	const struct replay *replay = attempt->context->replay;
	char **edits = xcalloc(VARIABLES_MAX, sizeof(*edits));
	size_t count = 0, i;

	add_variable(edits, &count, xasprintf("OAMQUAL_JOB=%s/job.json", attempt->folder));
	add_variable(edits, &count, xasprintf("HOME=%s/home", attempt->folder));
	add_variable(edits, &count, xasprintf("TMPDIR=%s/tmp", attempt->folder));
	add_variable(edits, &count, xasprintf("XDG_CACHE_HOME=%s", attempt->context->cache_folder));
	add_variable(edits, &count, xstrdup("LC_ALL=C.UTF-8"));
	for (i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		if (!replay || strcmp(unset[i], "OAMQUAL_SIM") != 0)
			add_variable(edits, &count, xstrdup(unset[i]));
	if (attempt->gpu && attempt->gpu->unique_id.known)
		add_variable(edits, &count,
			xasprintf("ROCR_VISIBLE_DEVICES=GPU-%016llx",
				(unsigned long long)attempt->gpu->unique_id.value));
	for (i = 0; replay && replay->variables[i]; i++)
		add_variable(edits, &count, xstrdup(replay->variables[i]));
	return edits;
}

/* Each attempt has a script of its own: nothing that a scene may bring along can reach another's.
 */
static int write_worker(const struct attempt *attempt, struct error *err)
{
	size_t len;
	const char *script = worker_script(&len);
	char *path = inside(attempt, "worker.py");
	int rc = file_write(path, script, len, err);

	free(path);
	return rc;
}

static int make_folders(const struct attempt *attempt, struct error *err)
{
	static const char *const names[] = { "home", "tmp" };
	size_t i;

	if (mkdir(attempt->folder, 0777) != 0)
		return error_errno(err, "cannot make the folder %s", attempt->folder);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = inside(attempt, names[i]);
		int rc = folder_make(path, err);

		free(path);
		if (rc != 0)
			return -1;
	}
	if (confine_prepare(attempt, err) != 0 || write_worker(attempt, err) != 0)
		return -1;
	return write_job(attempt, err);
}

static uint64_t monotonic_us(void)
{
	return (uint64_t)(clock_monotonic_s() * 1e6);
}

int attempt_start(struct attempt *attempt, struct error *err)
{
	char *out = inside(attempt, "stdout.txt"), *errors = inside(attempt, "stderr.txt");
	char *status = confine_status_path(attempt);
	struct child_command command = {
		.folder = attempt->folder,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline_ms = attempt->context->deadline_ms,
		.grace_ms = GRACE_MS,
		.file_bytes_max = attempt_file_bytes_max,
		.open_files_max = attempt_open_files_max,
		.memory_bytes_max = attempt->context->memory_bytes_max,
		.status_path = status,
	};
	int rc = make_folders(attempt, err);

	if (rc == 0) {
		attempt->argv = confine_words(attempt, command_line(attempt));
		attempt->environ_edits = environment_edits(attempt);
		command.argv = attempt->argv;
		command.environ_edits = (const char *const *)attempt->environ_edits;
		clock_utc(attempt->started_utc);
		attempt->started_us = monotonic_us();
		if (attempt->gpu) {
			health_read_gpu(attempt->context->node, attempt->gpu, &attempt->counters);
			power_begin(&attempt->power, attempt->context->node, attempt->gpu);
		}
		command.cpus = attempt_bind(attempt);
		rc = child_start(&attempt->child, &command, err);
		attempt->started = rc == 0;
		if (rc == 0)
			attempt_bound(attempt);
	}
	free(out);
	free(errors);
	free(status);
	return rc;
}

/* The one whose entries KFD keeps. */
static void find_program(struct attempt *attempt)
{
	char *status = confine_status_path(attempt);

	if (attempt->program_pid) {
		free(status);
		return;
	}
	if (!status)
		attempt->program_pid = attempt->inner_pid = attempt->child.pid;
	else if (sandbox_find_program(status, &attempt->program_pid, &attempt->inner_pid) != 0)
		attempt->program_pid = 0;
	free(status);
}

/* KFD keeps an entry for each process that has the device open:
 * /sys/class/kfd/kfd/proc/<pid>/vram_<gpu_id>. The stand-in knows Blender's pid as Blender does. */
static char *vram_path(const struct attempt *attempt)
{
	unsigned long long id = (unsigned long long)attempt->gpu->kfd_gpu_id.value;
	char *state = confine_state(attempt), *path;

	path = state ? xasprintf("%s/kfd/proc/%ld/vram_%llu", state, attempt->inner_pid, id)
		     : xasprintf("/sys/class/kfd/kfd/proc/%ld/vram_%llu", attempt->program_pid, id);
	free(state);
	return path;
}

static void read_vram(struct attempt *attempt)
{
	char *path = vram_path(attempt);
	struct str text = STR_INIT;
	unsigned long long bytes;

	if (file_read(path, 64, &text, NULL) == 0) {
		text.data[strcspn(text.data, "\n")] = '\0';
		if (text_u64(text.data, 10, &bytes) &&
			(!attempt->vram_peak.known || bytes > attempt->vram_peak.value))
			attempt->vram_peak = known_u64(bytes);
	}
	str_release(&text);
	free(path);
}

void attempt_sample(struct attempt *attempt)
{
	const struct gpu *gpu = attempt->gpu;

	if (!attempt->child.pid)
		return;
	if (gpu)
		power_sample(&attempt->power, attempt->context->node);
	find_program(attempt);
	if (!gpu || !attempt->program_pid)
		return;
	if (!gpu->kfd_gpu_id.known) {
		str_copy(attempt->vram_why, sizeof(attempt->vram_why),
			"KFD's id of the device is unknown, so its process entries cannot be "
			"found");
		return;
	}
	read_vram(attempt);
	if (!attempt->vram_peak.known)
		snprintf(attempt->vram_why, sizeof(attempt->vram_why),
			"the child never had an entry vram_%llu under KFD's proc folder",
			(unsigned long long)gpu->kfd_gpu_id.value);
}

/* Counts are since the driver was loaded: only what grew while it ran accuses it. */
static void compare_counters(struct attempt *attempt)
{
	struct health_list after;

	if (!attempt->gpu)
		return;
	health_read_gpu(attempt->context->node, attempt->gpu, &after);
	health_compare(&attempt->counters, &after, &attempt->counted);
	health_list_release(&after);
}

bool attempt_step(struct attempt *attempt)
{
	if (!child_step(&attempt->child))
		return false;
	attempt->ended_us = monotonic_us();
	if (attempt->context->sandbox->bwrap)
		sandbox_read_ending(&attempt->child.ending);
	kernel_log_poll(attempt->context->kernel_log);
	compare_counters(attempt);
	return true;
}

/* The log is read as far as it goes: one that cannot be read leaves its events unseen, which never
 * helps a verdict. */
static void read_logs(struct attempt *attempt)
{
	char *out = inside(attempt, "stdout.txt"), *errors = inside(attempt, "stderr.txt");

	log_init(&attempt->log);
	log_read(&attempt->log, errors, NULL);
	log_read(&attempt->log, out, NULL);
	free(out);
	free(errors);
}

static void read_worker(struct attempt *attempt)
{
	char *path = inside(attempt, "worker.json");

	attempt->worker = json_read(path, WORKER_BYTES, NULL);
	free(path);
}

static void write_difference(const struct attempt *attempt)
{
	const struct reference *reference = attempt->match.reference;
	char *path = inside(attempt, "difference.png");
	struct image difference;

	image_difference(&attempt->image, &reference->image, &reference->limits, &difference);
	image_write_png(path, &difference, 1.0f, NULL);
	image_release(&difference);
	free(path);
}

static void begin_without_run(struct attempt *attempt)
{
	attempt->facts = xmalloc(sizeof(*attempt->facts));
	facts_init(attempt->facts, attempt->probe);
	log_init(&attempt->log);
	witness_node(attempt, attempt->facts);
}

static void end_judgement(struct attempt *attempt)
{
	attempt->verdict = verdict_of(attempt->facts);
	attempt->judged = true;
}

void attempt_judge(struct attempt *attempt)
{
	attempt->facts = xmalloc(sizeof(*attempt->facts));
	facts_init(attempt->facts, attempt->probe);
	read_logs(attempt);
	read_worker(attempt);
	witness_all(attempt, attempt->facts);
	if (attempt->match.comparison.compared)
		write_difference(attempt);
	end_judgement(attempt);
}

/* Both its exit status and its word: either alone may mean something else. */
const char *attempt_skipped(const struct attempt *attempt)
{
	const struct child_ending *ending = &attempt->child.ending;
	const char *reason = json_text(attempt->worker, "skipped", NULL);

	return ending->how == CHILD_EXITED && ending->code == SKIPPED_STATUS ? reason : NULL;
}

bool attempt_settles_others(const struct attempt *attempt)
{
	return attempt->judged && attempt->gpu && attempt->gpu->gfx_target[0] &&
	       attempt->verdict.id == VERDICT_KERNEL_BUILD_FAILED;
}

void attempt_not_run(struct attempt *attempt, const char *why)
{
	begin_without_run(attempt);
	facts_set(attempt->facts, FACT_NOT_INTERRUPTED, KNOWN_NO, "never started: %s", why);
	end_judgement(attempt);
}

void attempt_settle(struct attempt *attempt, const struct attempt *cause)
{
	begin_without_run(attempt);
	facts_set(attempt->facts, FACT_KERNELS_BUILT, KNOWN_NO,
		"not run: attempt %03u compiled for the same %s with the same Blender and compiler "
		"and failed: %.200s",
		cause->number, attempt->gpu->gfx_target,
		cause->facts->evidence[FACT_KERNELS_BUILT]);
	end_judgement(attempt);
}

static void free_words(char **words)
{
	size_t i;

	for (i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

void attempt_release(struct attempt *attempt)
{
	free(attempt->folder);
	free_words(attempt->argv);
	free_words(attempt->environ_edits);
	json_decref(attempt->worker);
	json_decref(attempt->kept);
	health_list_release(&attempt->counters);
	finding_list_release(&attempt->counted);
	if (attempt->image_read)
		image_release(&attempt->image);
	free(attempt->facts);
	memset(attempt, 0, sizeof(*attempt));
}
