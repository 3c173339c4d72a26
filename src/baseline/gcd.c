/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "baseline/difference.h"
#include "baseline/gcd_cache.h"
#include "baseline/gcd_run.h"
#include "node/isolation.h"
#include "run/child.h"

enum {
	ANSWER_BYTES = 1 << 20,
	GRACE_MS = 2000,
	COMPILE_DEADLINE_MS = 120000,
	EDITS_MAX = 16,
	TOLD_BYTES = 400
};

struct batch {
	const struct gcd_request *request;
	const struct baseline *cpu;
	char *program;
	char *kernels; /* folder of compiled ones */
	json_t *compiled; /* by target: what hip-compile said */
};

/* --- children --------------------------------------------------------------------------------- */

/* The last line of what the child printed on stderr: a driver says there why it aborts. */
static void add_last_words(const char *path, char *text, size_t size)
{
	struct str told = STR_INIT;
	char *line;
	size_t used = strlen(text);

	if (file_read(path, ANSWER_BYTES, &told, NULL) == 0 && told.len) {
		while (told.len && told.data[told.len - 1] == '\n')
			str_truncate(&told, told.len - 1);
		line = told.len ? strrchr(told.data, '\n') : NULL;
		line = line ? line + 1 : told.data;
		if (line && line[0])
			snprintf(text + used, size - used, "; it said: %.200s", line);
	}
	str_release(&told);
}

static json_t *read_answer(const char *out, const char *errors, const char *schema,
	const struct child_ending *ending, struct error *err)
{
	char how[TOLD_BYTES];
	json_t *answer;

	if (ending->how != CHILD_EXITED || ending->code != 0) {
		child_ending_text(ending, how, sizeof(how));
		add_last_words(errors, how, sizeof(how));
		error_set(err, "the child was %s", how);
		return NULL;
	}
	answer = json_read(out, ANSWER_BYTES, err);
	if (answer && strcmp(json_text(answer, "schema", ""), schema) != 0) {
		json_decref(answer);
		error_set(err, "the child printed something else than its answer");
		return NULL;
	}
	return answer;
}

/* Runs a hidden command of ours. NULL and *err when it gave no answer. */
static json_t *ask_child(const struct batch *batch, char *const *argv, const char *const *edits,
	int64_t deadline_ms, const char *schema, struct error *err)
{
	char *out = path_join(batch->request->work, "child.json"),
	     *errors = path_join(batch->request->work, "child.txt");
	const struct child_command command = { .argv = argv,
		.environ_edits = edits,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline_ms = deadline_ms,
		.grace_ms = GRACE_MS };
	struct child_ending ending;
	json_t *answer = NULL;

	remove(out);
	remove(errors);
	if (child_run(&command, &ending, err) == 0)
		answer = read_answer(out, errors, schema, &ending, err);
	free(errors);
	free(out);
	return answer;
}

/* --- the kernel ------------------------------------------------------------------------------- */

/* For a replayed node whose target this machine's hiprtc cannot compile for: the stand-in runs the
 * kernel that is built into it, whatever image it is given. */
static json_t *substitute(const struct batch *batch, const char *target, const char *why)
{
	char *name = xasprintf("substitute-%zu.kernel", json_object_size(batch->compiled)),
	     *path = path_join(batch->request->work, name);
	char *image = xasprintf("oamqual stand-in for a kernel for %s\n", target);
	struct error err;
	json_t *answer = NULL;

	if (gcd_cache_write(path, image, strlen(image), &err) == 0)
		answer = json_pack("{s:s, s:o, s:o, s:o, s:n}", "state", "substitute", "why",
			json_printable_text(why), "target", json_printable_text(target), "path",
			json_printable_text(path), "compiler");
	else
		answer = json_pack(
			"{s:s, s:o}", "state", "failed", "why", json_printable_text(err.text));
	free(image);
	free(path);
	free(name);
	return answer;
}

static bool is_compiled(const json_t *answer)
{
	const char *state = json_text(answer, "state", "");

	return strcmp(state, "compiled") == 0 || strcmp(state, "cached") == 0;
}

static json_t *compile(const struct batch *batch, const char *target)
{
	/* This machine's own compiler, also for a replayed node. */
	static const char *const edits[] = { "OAMQUAL_SIM", NULL };
	char *argv[] = { batch->program, (char *)"hip-compile", (char *)"--target", (char *)target,
		(char *)"--folder", batch->kernels, NULL };
	struct error err = { "" };
	json_t *answer =
		ask_child(batch, argv, edits, COMPILE_DEADLINE_MS, "oamqual-hip-compile/1", &err);
	json_t *other;

	if (!answer)
		answer = json_pack("{s:s, s:o, s:o}", "state", "failed", "why",
			json_printable_text(err.text), "target", json_printable_text(target));
	if (is_compiled(answer) || !batch->request->variables)
		return answer;
	other = substitute(batch, target, json_text(answer, "why", ""));
	json_decref(answer);
	return other;
}

/* Borrowed; each target is compiled once. */
static const json_t *kernel_for(struct batch *batch, const char *target)
{
	json_t *answer = json_object_get(batch->compiled, target);

	if (!answer) {
		answer = compile(batch, target);
		json_object_set_new(batch->compiled, target, answer);
	}
	return answer;
}

/* --- one GCD ---------------------------------------------------------------------------------- */

static const char **environment_edits(const struct gcd_request *request, char *mask)
{
	static const char *const unset[] = { "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
		"GPU_DEVICE_ORDINAL" };
	const char **edits = xcalloc(EDITS_MAX, sizeof(*edits));
	size_t count = 0, i;

	edits[count++] = mask;
	for (i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		edits[count++] = unset[i];
	if (!request->variables)
		edits[count++] = "OAMQUAL_SIM";
	for (i = 0; request->variables && request->variables[i] && count < EDITS_MAX - 1; i++)
		edits[count++] = request->variables[i];
	return edits;
}

static json_t *run_child(const struct batch *batch, const struct gpu *gpu, const char *kernel,
	const char *pixels, struct error *err)
{
	const struct gcd_request *request = batch->request;
	char *mask = xasprintf(
		"ROCR_VISIBLE_DEVICES=GPU-%016llx", (unsigned long long)gpu->unique_id.value);
	char *ms = xasprintf("%.0f", request->at_least_s * 1e3);
	const char **edits = environment_edits(request, mask);
	char *argv[] = { batch->program, (char *)"hip-render", (char *)"--job",
		(char *)request->job, (char *)"--kernel", (char *)kernel, (char *)"--pixels",
		(char *)pixels, (char *)"--at-least", ms,
		request->hip_library ? (char *)"--hip-library" : NULL, (char *)request->hip_library,
		NULL };
	json_t *answer = ask_child(batch, argv, edits, (int64_t)request->deadline_s * 1000,
		"oamqual-hip-render/1", err);

	free(edits);
	free(ms);
	free(mask);
	return answer;
}

static void set_verdict(json_t *entry, const char *verdict, const char *why)
{
	json_object_set_new(entry, "verdict", json_string(verdict));
	json_object_set_new(entry, "verdict_why", why ? json_printable_text(why) : json_null());
}

/* The rate is a fact of its own kind: value, class and from or why stand in the entry itself. */
static void set_unknown(json_t *entry, const char *why)
{
	json_t *fact = fact_unknown(why);

	json_object_update(entry, fact);
	json_decref(fact);
}

static void not_run(json_t *entry, const char *why)
{
	set_unknown(entry, why);
	set_verdict(entry, "not-run", why);
}

static void add_fact(json_t *entry, const char *key, double value, bool known, const char *class,
	const char *why)
{
	json_object_set_new(entry, key,
		known ? fact_json(json_real(value), class, "baseline kernel") : fact_unknown(why));
}

/* Samples a second of a {samples, device_ms}, times `pixels`; 0 when there is none. */
static double rate_of(const json_t *pass, double pixels)
{
	double ms = json_real_of(pass, "device_ms", 0);

	return ms > 0 ? pixels * (double)json_integer_of(pass, "samples", 0) / ms * 1e-3 : 0;
}

static void add_rates(json_t *entry, const struct baseline *cpu, const json_t *answer,
	const struct difference *d, const char *class)
{
	static const char none[] = "the device's events saw no time pass";
	static const char few[] = "one launch only: give more samples";
	double seconds = json_real_of(answer, "device_seconds", 0);
	double pixels = (double)cpu->options.width * cpu->options.height;
	double first = rate_of(json_object_get(answer, "first"), pixels);
	double sustained = rate_of(json_object_get(answer, "sustained"), pixels);
	double rays = (double)(d->closest + d->shadow);
	double mrays = seconds > 0 ? rays / seconds * 1e-6 : 0;
	double rate = seconds > 0 ? pixels * cpu->options.samples / seconds * 1e-6 : 0;
	bool timed = seconds > 0;

	if (timed) {
		json_t *fact = fact_json(json_real(rate), class, "baseline kernel");

		json_object_update(entry, fact);
		json_decref(fact);
	} else {
		set_unknown(entry, none);
	}
	add_fact(entry, "mrays_per_s", mrays, timed, class, none);
	add_fact(entry, "msamples_per_s", rate, timed, class, none);
	add_fact(entry, "first_msamples_per_s", first, first > 0, class, few);
	add_fact(entry, "sustained_msamples_per_s", sustained, sustained > 0, class, few);
	add_fact(entry, "device_seconds", seconds, timed, class, none);
	add_fact(entry, "wall_seconds", json_real_of(answer, "wall_seconds", 0), true, class, "");
}

static void add_counts(
	json_t *entry, const json_t *answer, const struct difference *d, const char *class)
{
	static const char *const plain[] = { "rounds", "round_differs", "launches", "passes" };
	static const char from[] = "baseline kernel";
	size_t i;

	json_object_set_new(
		entry, "rays_closest", fact_integer((json_int_t)d->closest, class, from));
	json_object_set_new(entry, "rays_shadow", fact_integer((json_int_t)d->shadow, class, from));
	json_object_set_new(entry, "device_bytes",
		fact_integer(json_integer_of(answer, "device_bytes", 0), class, from));
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		json_object_set(entry, plain[i], json_object_get(answer, plain[i]));
}

/* 0 and *d, or -1. `ending` "" or ".differs". */
static int compare(const struct batch *batch, const char *pixels, const char *ending,
	struct difference *d, struct error *err)
{
	const struct render_options *o = &batch->cpu->options;
	size_t bytes = (size_t)o->width * o->height * sizeof(struct gcd_pixel);
	char *path = xasprintf("%s%s", pixels, ending);
	struct str picture = STR_INIT;
	int rc = file_read(path, bytes, &picture, err);

	if (rc == 0 && picture.len != bytes)
		rc = error_set(err, "%s: %zu bytes where %zu were to be", path, picture.len, bytes);
	if (rc == 0)
		*d = difference_of((const struct gcd_pixel *)(const void *)picture.data,
			batch->cpu->result.pixels, o->width, o->height, o->samples);
	str_release(&picture);
	free(path);
	return rc;
}

/* A first picture that is right does not make up for a later one that is not. */
static void judge(const struct batch *batch, json_t *entry, const json_t *answer,
	const char *pixels, const char *class)
{
	json_int_t round = json_integer_of(answer, "round_differs", 0);
	struct difference d, later = { 0 };
	struct error err;
	char *why, *text;

	if (compare(batch, pixels, "", &d, &err) != 0 ||
		(round && compare(batch, pixels, ".differs", &later, &err) != 0)) {
		set_verdict(entry, "failed", err.text);
		set_unknown(entry, err.text);
		return;
	}
	add_rates(entry, batch->cpu, answer, &d, class);
	add_counts(entry, answer, &d, class);
	if (!d.differing && round)
		d = later;
	json_object_set_new(entry, "compared", difference_json(&d));
	why = difference_text(&d);
	text = round ? xasprintf("rendered %lld times, the last time another picture%s%s",
			       (long long)round, why ? ": " : "", why ? why : "")
		     : NULL;
	set_verdict(entry, why || text ? "differs" : "equal", text ? text : why);
	free(text);
	free(why);
}

static void run_gpu(struct batch *batch, const struct gpu *gpu, const json_t *kernel, json_t *entry)
{
	const char *class = node_class(batch->request->node), *bdf;
	char *pixels = path_join(batch->request->work, "pixels"), text[200];
	char *later = xasprintf("%s.differs", pixels);
	struct error err = { "" };
	json_t *answer;

	/* What an earlier GCD left must not stand for this one. */
	remove(pixels);
	remove(later);
	free(later);
	answer = run_child(batch, gpu, json_text(kernel, "path", ""), pixels, &err);
	bdf = json_text(answer, "bdf", "");
	if (json_text(answer, "library", NULL))
		json_object_set(entry, "library", json_object_get(answer, "library"));
	if (!answer) {
		set_verdict(entry, "failed", err.text);
		set_unknown(entry, err.text);
	} else if (strcmp(json_text(answer, "state", ""), "done") != 0) {
		set_verdict(entry, "failed", json_text(answer, "why", "it did not finish"));
		set_unknown(entry, json_text(answer, "why", "it did not finish"));
	} else if (strcmp(bdf, gpu->bdf) != 0) {
		snprintf(text, sizeof(text), "another device answered: %.40s", bdf);
		not_run(entry, text);
	} else {
		judge(batch, entry, answer, pixels, class);
	}
	json_decref(answer);
	free(pixels);
}

/* Why HIP cannot run on it, as far as the node says so already; NULL: it may. */
static const char *why_not(
	const struct gcd_request *request, const struct gpu *gpu, char why[GCD_WHY])
{
	const struct node *node = request->node;
	const char *left_out =
		request->left_out ? request->left_out(gpu, request->context, why) : NULL;

	if (left_out)
		return left_out;
	if (node->hip_state != HIP_ANSWERED) {
		snprintf(why, GCD_WHY, "HIP: %.20s%s%.150s", hip_state_name(node->hip_state),
			node->hip_why[0] ? ", " : "", node->hip_why);
		return why;
	}
	if (gpu->in_hip != KNOWN_YES)
		return "HIP does not enumerate it";
	if (!gpu->bdf[0])
		return "its PCI address is unknown, so no answer can be told to be its own";
	if (!gpu->hip_gcn_arch[0])
		return "HIP does not tell its target";
	return isolation_by_id(node, gpu, why) ? NULL : why;
}

static json_t *gcd_entry(struct batch *batch, const struct gpu *gpu)
{
	json_t *entry = json_object();
	const json_t *kernel;
	const char * not ;
	char why[GCD_WHY];

	json_object_set_new(
		entry, "bdf", gpu->bdf[0] ? json_printable_text(gpu->bdf) : json_null());
	not = why_not(batch->request, gpu, why);
	if (not ) {
		not_run(entry, not );
		return entry;
	}
	kernel = kernel_for(batch, gpu->hip_gcn_arch);
	json_object_set_new(entry, "limit", json_string("bits"));
	json_object_set_new(entry, "kernel", json_deep_copy(kernel));
	json_object_del(json_object_get(entry, "kernel"), "path");
	if (json_text(kernel, "path", NULL)) {
		run_gpu(batch, gpu, kernel, entry);
	} else {
		snprintf(why, sizeof(why), "no kernel for %.60s: %.120s", gpu->hip_gcn_arch,
			json_text(kernel, "why", ""));
		not_run(entry, why);
	}
	return entry;
}

double gcd_default_seconds(const struct node *node)
{
	return node->simulated ? 0 : 2;
}

/* The user's cache, else the work folder: the kernel is then compiled at each run. */
static char *kernels_folder(const struct gcd_request *request)
{
	struct error err;
	char *folder = gcd_cache_folder(&err);

	return folder ? folder : xstrdup(request->work);
}

json_t *gcd_run_all(const struct gcd_request *request, const struct baseline *cpu)
{
	struct batch batch = { request, cpu, program_path(), kernels_folder(request),
		json_object() };
	json_t *gcds = json_array();
	size_t i;

	for (i = 0; i < request->node->gpu_count; i++)
		json_array_append_new(gcds, gcd_entry(&batch, &request->node->gpus[i]));
	json_decref(batch.compiled);
	free(batch.kernels);
	free(batch.program);
	return gcds;
}

/* --- all of them ------------------------------------------------------------------------------ */

static int compare_rates(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What a stand-in's rate is like says nothing of the GCD. */
static bool is_outlier(const json_t *gcd, double rate, double median)
{
	return strcmp(json_text(gcd, "class", ""), "observed") == 0 && rate >= 0 &&
	       fabs(rate - median) > 0.1 * median;
}

/* Of the sustained rate where there is one, else of the whole run; negative when it did not run. */
static double rate_fact(const json_t *gcd)
{
	double rate = json_real_of(json_object_get(gcd, "sustained_msamples_per_s"), "value", -1);

	return rate >= 0 ? rate : json_real_of(json_object_get(gcd, "msamples_per_s"), "value", -1);
}

static json_t *named(const json_t *gcds, double median, bool by_verdict)
{
	json_t *names = json_array(), *gcd;
	size_t i;

	json_array_foreach (gcds, i, gcd) {
		const char *verdict = json_text(gcd, "verdict", "");
		bool is_named = by_verdict ? strcmp(verdict, "differs") == 0 ||
						     strcmp(verdict, "failed") == 0
					   : is_outlier(gcd, rate_fact(gcd), median);

		if (is_named)
			json_array_append(names, json_object_get(gcd, "bdf"));
	}
	return names;
}

json_t *gcd_spread(const json_t *gcds)
{
	double *rates = xcalloc(json_array_size(gcds) + 1, sizeof(*rates)), median;
	size_t count = 0, i;
	json_t *gcd, *spread = NULL, *bad = named(gcds, 0, true);

	json_array_foreach (gcds, i, gcd)
		if (rate_fact(gcd) >= 0)
			rates[count++] = rate_fact(gcd);
	qsort(rates, count, sizeof(*rates), compare_rates);
	median = count ? 0.5 * (rates[(count - 1) / 2] + rates[count / 2]) : 0;
	if (count)
		spread = json_pack("{s:f, s:f, s:f, s:o, s:O}", "min", rates[0], "median", median,
			"max", rates[count - 1], "outliers",
			count > 2 ? named(gcds, median, false) : json_array(), "bad", bad);
	else if (json_array_size(bad))
		spread = json_pack("{s:n, s:n, s:n, s:[], s:O}", "min", "median", "max", "outliers",
			"bad", bad);
	json_decref(bad);
	free(rates);
	return spread ? spread : json_null();
}
