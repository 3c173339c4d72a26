/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "baseline/gcd.h"
#include "blender/pool.h"
#include "cli/qualify.h"
#include "node/finding.h"

/* A stand-in runs on this machine's CPU: its rate says nothing, so a small picture does. */
enum { SIMULATED_SIDE = 64, SIMULATED_SAMPLES = 8 };

static bool is_chosen(const struct qualify *run, const struct gpu *gpu)
{
	size_t i;

	for (i = 0; i < run->gpu_count; i++)
		if (run->gpus[i] == gpu)
			return true;
	return false;
}

/* Whoever gives an attempt less time than that does not want to wait longer for this. */
static unsigned deadline_of(const struct qualify *run)
{
	unsigned asked = run->request->deadline_s;

	return asked && asked < GCD_DEADLINE_S ? asked : GCD_DEADLINE_S;
}

/* A child on a GCD whose driver holds a process would only hang there too. */
static const char *why_left_out(const struct gpu *gpu, void *context, char why[GCD_WHY])
{
	const struct qualify *run = context;
	const struct attempt *stuck = pool_stuck_on(run->attempts, run->attempt_count, gpu);

	if (!is_chosen(run, gpu))
		return "left out by --gcd";
	if (!stuck)
		return NULL;
	snprintf(why, GCD_WHY,
		"attempt %u on this GCD is stuck in the kernel as process %ld and could not be "
		"killed",
		stuck->number, stuck->child.ending.pid);
	return why;
}

static json_t *run_gcds(
	struct qualify *run, const char *work, const char *job, const struct baseline *cpu)
{
	const struct gcd_request request = { .node = &run->open.node,
		.variables = run->open.is_replayed ? run->open.replay.variables : NULL,
		.work = work,
		.job = job,
		.hip_library = run->request->hip_library,
		.left_out = why_left_out,
		.context = run,
		.at_least_s = gcd_default_seconds(&run->open.node),
		.deadline_s = deadline_of(run) };

	return gcd_run_all(&request, cpu);
}

/* The picture of the CPU's figures, and where it is another the one that the GCDs are held against.
 * The scene goes to `job`. */
static int render(const struct qualify *run, char *job, struct baseline *out,
	struct baseline *for_gcds, struct error *err)
{
	const struct baseline_input input = { .scene = baseline_scenes };
	struct render_options options = baseline_defaults();

	if (!run->open.node.simulated) {
		options.gcd_job = job;
		return baseline_run(&input, &options, out, err);
	}
	if (baseline_run(&input, &options, out, err) != 0)
		return -1;
	options.width = options.height = SIMULATED_SIDE;
	options.samples = SIMULATED_SAMPLES;
	options.gcd_job = job;
	if (baseline_run(&input, &options, for_gcds, err) == 0)
		return 0;
	baseline_release(out);
	return -1;
}

static json_t *measure(struct qualify *run, const char *work)
{
	struct baseline baseline, small;
	char *job = path_join(work, "job");
	struct error err;
	json_t *json;

	memset(&small, 0, sizeof(small));
	if (render(run, job, &baseline, &small, &err) == 0) {
		const struct baseline *held = small.result.pixels ? &small : &baseline;

		baseline.gcds = run_gcds(run, work, job, held);
		baseline.gcd_options = held->options;
		json = baseline_json(&baseline, &run->open.node);
		json_object_set_new(json, "cycles", qualify_beside_cycles(run));
		baseline_release(&small);
		baseline_release(&baseline);
	} else {
		json = fact_unknown(err.text);
	}
	free(job);
	return json;
}

json_t *qualify_baseline(struct qualify *run)
{
	char *work = path_join(run->out, "baseline");
	struct error err;
	json_t *json;

	if (!run->request->baseline || run->interrupted)
		json = fact_unknown(
			run->interrupted ? "the run was interrupted" : "left out by --no-baseline");
	else if (folder_make(work, &err) != 0)
		json = fact_unknown(err.text);
	else
		json = measure(run, work);
	folder_remove(work, NULL);
	free(work);
	return json;
}

void qualify_baseline_findings(const json_t *baseline, json_t *findings)
{
	static const struct {
		const char *verdict, *code, *text, *remedy;
	} rows[] = {
		{ "differs", "baseline-differs", "its baseline picture is not the CPU's",
			"run 'oamqual baseline --device GCD --gcd-seconds 60' on it alone, then "
			"have "
			"the module looked at: this arithmetic has one right answer" },
		{ "failed", "baseline-failed", "the baseline did not run to its end",
			"look at the kernel log at this time; run 'oamqual baseline --device "
			"GCD'" },
	};
	struct finding_list list = { NULL, 0 };
	json_t *gcd, *made;
	size_t i, k;

	json_array_foreach (json_object_get(baseline, "gcds"), i, gcd)
		for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
			if (strcmp(json_text(gcd, "verdict", ""), rows[k].verdict) == 0)
				finding_add(&list, rows[k].code, FINDING_FAULT,
					json_text(gcd, "bdf", ""), rows[k].remedy, "%s: %s",
					rows[k].text, json_text(gcd, "verdict_why", "no reason"));
	made = finding_list_json(&list);
	json_array_extend(findings, made);
	json_decref(made);
	finding_list_release(&list);
}
