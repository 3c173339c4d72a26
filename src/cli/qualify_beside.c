/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "baseline/baseline.h"
#include "cli/data.h"
#include "cli/qualify.h"

/* What differs beside the speed; 32-scenes.sh holds it against what is in the scene. */
static const char *const not_said =
	"This does not say that Cycles would be as fast as the kernel, nor that a GCD would be: "
	"the kernel knows few surfaces and lights, and a sample of it carries other noise. It is "
	"not the same work either. Cycles follows four diffuse bounces there, the kernel six; "
	"Cycles clamps indirect light at 10, ends paths by roulette from the first bounce on and "
	"leaves out light below 0.01, and the kernel does none of that; Cycles filters pixels over "
	"1.5 of them (Blackman-Harris), the kernel over one (box); Cycles has a faint sky there "
	"and a lamp that is no plate. And Cycles' seconds are of a small picture and hold what it "
	"does before the first sample.";

/* The program's own, not one that somebody gave the same name. */
static bool is_own_cornell(const struct render_scene *scene)
{
	char *folder = data_scenes(NULL);
	char *ours = folder ? realpath(folder, NULL) : NULL;
	char *path = scene->spec.archive ? realpath(scene->spec.archive, NULL) : NULL;
	bool own = ours && path && strcmp(scene->spec.name, baseline_scenes[0].name) == 0 &&
		   str_starts(path, ours);

	free(folder);
	free(ours);
	free(path);
	return own;
}

/* Its first control on the CPU, or NULL. */
static const struct attempt *control_of_cornell(const struct qualify *run)
{
	size_t i;

	for (i = 0; i < run->attempt_count; i++)
		if (!run->attempts[i].gpu && is_own_cornell(run->attempts[i].scene))
			return &run->attempts[i];
	return NULL;
}

static double render_seconds(const struct attempt *attempt)
{
	return json_real_of(json_object_get(attempt->kept, "timing"), "render_seconds", 0);
}

static json_t *rate(const struct scene_settings *settings, double seconds, const char *from)
{
	double samples = (double)settings->width * settings->height * settings->samples;

	return seconds > 0 ? fact_json(json_real(samples / seconds * 1e-6), "observed", from)
			   : fact_unknown("the clock saw no time pass");
}

static json_t *beside_json(const struct attempt *control, const struct baseline *ours)
{
	const struct scene_settings *settings = &control->scene->spec.settings;
	double seconds = render_seconds(control);
	char *from = xasprintf("worker.json of attempt %u", control->number);
	json_t *json = json_pack("{s:s, s:i, s:i, s:i, s:i}", "scene", control->scene->spec.name,
		"attempt", (int)control->number, "width", settings->width, "height",
		settings->height, "samples", settings->samples);

	json_object_set_new(json, "threads",
		fact_integer(control->context->threads, "observed", "the job of both"));
	json_object_set_new(
		json, "cycles_seconds", fact_json(json_real(seconds), "observed", from));
	json_object_set_new(json, "cycles_msamples_per_s", rate(settings, seconds, from));
	json_object_set_new(json, "baseline_seconds",
		fact_json(json_real(ours->result.seconds), "observed", "baseline kernel"));
	json_object_set_new(json, "baseline_msamples_per_s",
		rate(settings, ours->result.seconds, "baseline kernel"));
	json_object_set_new(json, "not_said", json_string(not_said));
	free(from);
	return json;
}

json_t *qualify_beside_cycles(const struct qualify *run)
{
	const struct baseline_input input = { .scene = baseline_scenes };
	const struct attempt *control = control_of_cornell(run);
	struct render_options options = baseline_defaults();
	struct baseline ours;
	struct error err;
	json_t *json;

	if (!control)
		return fact_unknown("the program's own scene cornell was not among the scenes");
	if (control->verdict.id != VERDICT_ACCEPTED || !(render_seconds(control) > 0))
		return fact_unknown("the control of scene cornell on the CPU was not accepted");
	options.width = (kernel_u32)control->scene->spec.settings.width;
	options.height = (kernel_u32)control->scene->spec.settings.height;
	options.samples = (kernel_u32)control->scene->spec.settings.samples;
	options.threads = (kernel_u32)control->context->threads;
	if (baseline_run(&input, &options, &ours, &err) != 0)
		return fact_unknown(err.text);
	json = beside_json(control, &ours);
	baseline_release(&ours);
	return json;
}
