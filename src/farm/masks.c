/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/masks.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { CGROUP_BYTES = 64 << 10 };

/* --- lists ------------------------------------------------------------------------------------ */

struct known_u64 masks_count(const char *list)
{
	struct cpus set;
	uint64_t count = 0;
	unsigned i;

	if (!list)
		return (struct known_u64){ .known = false, .value = 0 };
	if (cpus_parse(list, &set) != 0)
		return (struct known_u64){ .known = false, .value = 0 };
	for (i = 0; i < CPUS_MAX; i++)
		count += cpus_has(&set, i);
	return known_u64(count);
}

bool masks_holds(const char *list, unsigned long long index)
{
	struct cpus set;

	return list && index < CPUS_MAX && cpus_parse(list, &set) == 0 &&
	       cpus_has(&set, (unsigned)index);
}

/* --- which GPUs are ours ---------------------------------------------------------------------- */

static void pin(struct mask_pins *pins, const struct gpu *gpu)
{
	pins->gpus[pins->count++] = gpu;
}

static void pin_visible(const struct node *node, struct mask_pins *pins)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].in_hip == KNOWN_YES)
			pin(pins, &node->gpus[i]);
}

/* gres.conf's order is not known here; HIP's own is the nearest to it that can be read. */
static void pin_positions(const struct node *node, const char *list, struct mask_pins *pins)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		if (node->gpus[i].hip_index.known &&
			masks_holds(list, node->gpus[i].hip_index.value))
			pin(pins, &node->gpus[i]);
}

static struct known_u64 allocated(const struct mask_counts *counts)
{
	return counts->step.known ? counts->step : counts->job;
}

void masks_choose(const struct node *node, const struct mask_counts *counts, const char *step_gpus,
	struct mask_pins *pins)
{
	struct known_u64 ours = allocated(counts);

	*pins = (struct mask_pins){ .count = 0 };
	pins->gpus = xcalloc(node->gpu_count + 1, sizeof(*pins->gpus));
	if (!ours.known) {
		pins->basis = "Slurm named no GPU, so all of the node's are judged";
	} else if (ours.value >= counts->kfd) {
		pins->basis = "the step was given all GPUs that KFD shows, so all are judged";
	} else if (counts->hip <= ours.value) {
		pins->basis = "those that HIP enumerates under the step's masks";
		pin_visible(node, pins);
	} else {
		pins->basis = "HIP's indices named by SLURM_STEP_GPUS: assumed, since the masks "
			      "hide none";
		pin_positions(node, step_gpus, pins);
	}
}

/* --- what disagrees --------------------------------------------------------------------------- */

static void add_finding(json_t *findings, const char *id, const char *severity, char *text)
{
	json_array_append_new(findings,
		json_pack("{s:s, s:s, s:s}", "id", id, "severity", severity, "text", text));
	free(text);
}

static unsigned long long number(uint64_t value)
{
	return value;
}

static void compare_visible(const struct mask_counts *counts, json_t *findings)
{
	struct known_u64 ours = allocated(counts);

	if (ours.value < counts->hip)
		add_finding(findings, "allocated-fewer-than-visible", "fault",
			xasprintf("%llu allocated, %zu visible: the masks of this step hide "
				  "nothing from HIP, so a job can use GPUs that Slurm gave to "
				  "others (ConstrainDevices= in cgroup.conf, and what unsets "
				  "ROCR_VISIBLE_DEVICES)",
				number(ours.value), counts->hip));
	else if (ours.value > counts->hip)
		add_finding(findings, "allocated-more-than-visible", "fault",
			xasprintf("%llu allocated, %zu visible: the step cannot use all that it "
				  "was given (its masks, the order in gres.conf, or HIP)",
				number(ours.value), counts->hip));
}

json_t *masks_findings(const struct mask_counts *counts)
{
	json_t *findings = json_array();

	if (!counts->job.known && !counts->step.known) {
		if (counts->asked)
			add_finding(findings, "none-allocated", "fault",
				xasprintf("%llu GPUs were asked of Slurm, and neither "
					  "SLURM_JOB_GPUS nor SLURM_STEP_GPUS names one",
					number(counts->asked)));
		else if (counts->hip)
			add_finding(findings, "not-scheduled", "warning",
				xasprintf("Slurm gives out no GPU of this node (its Gres= names "
					  "none), and %zu are visible to every job on it",
					counts->hip));
		return findings;
	}
	if (counts->job.known && counts->step.known && counts->job.value != counts->step.value)
		add_finding(findings, "step-differs-from-job", "warning",
			xasprintf("the job was given %llu GPUs and its step %llu",
				number(counts->job.value), number(counts->step.value)));
	if (allocated(counts).value != counts->asked)
		add_finding(findings, "allocated-other-than-asked", "warning",
			xasprintf("%llu GPUs were asked of Slurm, %llu allocated",
				number(counts->asked), number(allocated(counts).value)));
	compare_visible(counts, findings);
	return findings;
}

/* --- as it is here ---------------------------------------------------------------------------- */

static const char *const runtime_masks[] = { "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES", NULL };

static void add_variable(json_t *to, const char *name, const char *value)
{
	json_object_set_new(to, name, value ? json_printable_text(value) : json_null());
}

/* job.sh keeps the job's own masks under OAMQUAL_JOB_<name>. */
static json_t *job_masks(void)
{
	json_t *job = json_object();
	size_t i;

	add_variable(job, "SLURM_JOB_GPUS", getenv("SLURM_JOB_GPUS"));
	for (i = 0; runtime_masks[i]; i++) {
		char *name = xasprintf("OAMQUAL_JOB_%s", runtime_masks[i]);
		const char *value = getenv(name);

		add_variable(job, runtime_masks[i],
			value && strcmp(value, "(unset)") != 0 ? value : NULL);
		free(name);
	}
	return job;
}

static json_t *step_masks(void)
{
	json_t *step = json_object();
	struct cpus cpus;
	char list[1024];
	size_t i;

	add_variable(step, "SLURM_STEP_GPUS", getenv("SLURM_STEP_GPUS"));
	for (i = 0; runtime_masks[i]; i++)
		add_variable(step, runtime_masks[i], getenv(runtime_masks[i]));
	if (cpus_of_process(0, &cpus) == 0) {
		cpus_format(&cpus, list, sizeof(list));
		add_variable(step, "cpus", list);
	}
	return step;
}

static json_t *cgroup_lines(void)
{
	json_t *lines = json_array();
	struct str text = STR_INIT;
	char *line, *rest;

	if (file_read("/proc/self/cgroup", CGROUP_BYTES, &text, NULL) == 0 && text.data)
		for (line = strtok_r(text.data, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest))
			json_array_append_new(lines, json_printable_text(line));
	str_release(&text);
	return lines;
}

static json_t *pinned_json(const struct mask_pins *pins)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < pins->count; i++)
		json_array_append_new(list, json_string(pins->gpus[i]->bdf));
	return list;
}

static json_t *count_json(struct known_u64 count)
{
	return count.known ? json_integer((json_int_t)count.value) : json_null();
}

json_t *masks_read(const struct node *node, uint64_t asked, struct mask_pins *pins)
{
	struct mask_counts counts = { .job = masks_count(getenv("SLURM_JOB_GPUS")),
		.step = masks_count(getenv("SLURM_STEP_GPUS")),
		.asked = asked,
		.kfd = 0 };
	json_t *masks;
	size_t i;

	for (i = 0; i < node->gpu_count; i++) {
		counts.kfd += node->gpus[i].in_kfd == KNOWN_YES;
		counts.hip += node->gpus[i].in_hip == KNOWN_YES;
	}
	masks_choose(node, &counts, getenv("SLURM_STEP_GPUS"), pins);
	masks = json_pack("{s:o, s:o, s:o, s:I, s:o, s:i, s:i, s:o, s:s, s:o}", "job", job_masks(),
		"step", step_masks(), "cgroup", cgroup_lines(), "asked", (json_int_t)asked,
		"allocated", count_json(allocated(&counts)), "visible", (int)counts.hip, "kfd",
		(int)counts.kfd, "pinned", pinned_json(pins), "pinned_by", pins->basis, "findings",
		masks_findings(&counts));
	return masks;
}
