/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/options.h"
#include "node/access.h"

struct preflight {
	const struct node *node;
	const struct finding_list *findings;
	struct access_list access;
	char text[800]; /* of the check that was made last */
};

/* Each check answers and leaves the words for it in `text`. */
struct check {
	const char *name;
	enum known (*ask)(struct preflight *preflight);
};

static enum known ask_kfd(struct preflight *p)
{
	const struct node *node = p->node;
	size_t in_kfd = 0, i;

	for (i = 0; i < node->gpu_count; i++)
		in_kfd += node->gpus[i].in_kfd == KNOWN_YES;
	if (node->kfd_readable != KNOWN_YES)
		snprintf(p->text, sizeof(p->text), "KFD's topology cannot be read: %s",
			node->kfd_why);
	else if (!in_kfd)
		str_copy(p->text, sizeof(p->text), "KFD's topology holds no GPU");
	else
		snprintf(p->text, sizeof(p->text), "%zu GPU domains in KFD", in_kfd);
	return node->kfd_readable == KNOWN_UNKNOWN ? KNOWN_UNKNOWN : in_kfd ? KNOWN_YES : KNOWN_NO;
}

static enum known ask_device(struct preflight *p)
{
	const struct access_device *kfd = &p->access.items[0];

	str_copy(p->text, sizeof(p->text), kfd->diagnosis[0] ? kfd->diagnosis : "/dev/kfd opens");
	return kfd->openable;
}

static enum known ask_render(struct preflight *p)
{
	const struct access_device *refused = NULL, *unknown = NULL;
	size_t count = p->access.count - 1, refusals = 0, i;

	for (i = 1; i < p->access.count; i++) {
		const struct access_device *device = &p->access.items[i];

		refusals += device->openable == KNOWN_NO;
		if (device->openable == KNOWN_NO && !refused)
			refused = device;
		if (device->openable == KNOWN_UNKNOWN && !unknown)
			unknown = device;
	}
	if (refused)
		snprintf(p->text, sizeof(p->text), "%zu of %zu render nodes cannot be opened: %s",
			refusals, count, refused->diagnosis);
	else if (!count)
		str_copy(p->text, sizeof(p->text), "without a GPU there is no render node to open");
	else
		str_copy(p->text, sizeof(p->text),
			unknown ? unknown->diagnosis : "every render node opens");
	return refused ? KNOWN_NO : unknown || !count ? KNOWN_UNKNOWN : KNOWN_YES;
}

static enum known ask_hip(struct preflight *p)
{
	const struct node *node = p->node;

	if (node->hip_state == HIP_ANSWERED)
		snprintf(p->text, sizeof(p->text), "HIP answers");
	else
		snprintf(p->text, sizeof(p->text), "HIP: %s%s%s", hip_state_name(node->hip_state),
			node->hip_why[0] ? ": " : "", node->hip_why);
	if (node->hip_state == HIP_NOT_ASKED)
		return KNOWN_UNKNOWN;
	return node->hip_state == HIP_ANSWERED ? KNOWN_YES : KNOWN_NO;
}

/* A mask of the caller is the usual reason that is no fault of the node's. */
static const char *mask_of_caller(void)
{
	static const char *const names[] = { "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
		"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return names[i];
	return NULL;
}

static enum known ask_counts(struct preflight *p)
{
	const char *mask = mask_of_caller();
	size_t in_kfd = 0, in_hip = 0, i;

	if (p->node->hip_state == HIP_NOT_ASKED) {
		str_copy(p->text, sizeof(p->text), "HIP was not asked");
		return KNOWN_UNKNOWN;
	}
	for (i = 0; i < p->node->gpu_count; i++) {
		in_kfd += p->node->gpus[i].in_kfd == KNOWN_YES;
		in_hip += p->node->gpus[i].in_hip == KNOWN_YES;
	}
	snprintf(p->text, sizeof(p->text), "%zu GPU domains in KFD, %zu in HIP%s%s%s", in_kfd,
		in_hip, in_kfd != in_hip && mask ? "; " : "", in_kfd != in_hip && mask ? mask : "",
		in_kfd != in_hip && mask ? " is set here" : "");
	if (!in_kfd && !in_hip)
		return KNOWN_UNKNOWN;
	return in_kfd == in_hip ? KNOWN_YES : KNOWN_NO;
}

/* Warnings that do not prove a job will fail, but that the node is not what it was bought or set up to be. */
static bool stops_a_job(const struct finding *finding)
{
	static const char *const codes[] = { "driver-gap", "memory-below-published" };
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(finding->code, codes[i]) == 0)
			return true;
	return finding->weight == FINDING_FAULT;
}

static enum known ask_findings(struct preflight *p)
{
	size_t i;

	str_copy(p->text, sizeof(p->text), "no finding stops a job");
	for (i = 0; p->findings && i < p->findings->count; i++)
		if (stops_a_job(&p->findings->items[i])) {
			snprintf(p->text, sizeof(p->text), "%s%s%s", p->findings->items[i].subject,
				p->findings->items[i].subject[0] ? ": " : "",
				p->findings->items[i].text);
			return KNOWN_NO;
		}
	return KNOWN_YES;
}

/* Rendering on one node does well with a small one, so it is shown and decides nothing. */
static enum known ask_memlock(struct preflight *p)
{
	struct rlimit limit;
	char bytes[24];

	if (p->node->simulated || getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
		str_copy(p->text, sizeof(p->text), "memlock unknown");
	} else if (limit.rlim_cur == RLIM_INFINITY) {
		str_copy(p->text, sizeof(p->text), "memlock unlimited");
	} else {
		text_bytes(bytes, (double)limit.rlim_cur);
		snprintf(p->text, sizeof(p->text), "memlock %s", bytes);
	}
	return KNOWN_YES;
}

static const struct check checks[] = {
	{ "kfd-present", ask_kfd },
	{ "kfd-openable", ask_device },
	{ "render-openable", ask_render },
	{ "hip-answers", ask_hip },
	{ "hip-counts-as-kfd", ask_counts },
	{ "no-finding-stops", ask_findings },
	{ "memlock", ask_memlock },
};

enum { CHECKS = sizeof(checks) / sizeof(checks[0]) };

struct outcome {
	enum known answer; /* of all checks */
	char *reason; /* of the check that decides; the counts when all hold */
	json_t *checks;
};

static struct outcome ask_all(struct preflight *p)
{
	struct outcome outcome = { KNOWN_YES, NULL, json_array() };
	struct str held = STR_INIT;
	size_t i;

	for (i = 0; i < CHECKS; i++) {
		enum known answer = checks[i].ask(p);
		bool heavier = answer == KNOWN_NO
				       ? outcome.answer != KNOWN_NO
				       : answer == KNOWN_UNKNOWN && outcome.answer == KNOWN_YES;

		if (heavier) {
			free(outcome.reason);
			outcome.reason = xstrdup(p->text);
			outcome.answer = answer;
		}
		if (checks[i].ask == ask_counts || checks[i].ask == ask_memlock)
			str_addf(&held, "%s%s", held.len ? ", " : "", p->text);
		json_array_append_new(outcome.checks,
			json_pack("{s:s, s:s, s:o}", "check", checks[i].name, "answer",
				known_name(answer), "text", json_printable_text(p->text)));
	}
	if (outcome.answer == KNOWN_YES)
		outcome.reason = xstrdup(held.data);
	str_release(&held);
	return outcome;
}

static void print_outcome(const struct node *node, const struct outcome *outcome)
{
	static const char *const words[] = { [KNOWN_UNKNOWN] = "cannot tell",
		[KNOWN_NO] = "not ready",
		[KNOWN_YES] = "ready to be qualified" };
	char *reason = text_printable(outcome->reason, strlen(outcome->reason));

	printf("%s: %s%s\n", words[outcome->answer], reason, node->simulated ? " (SIMULATED)" : "");
	free(reason);
}

int node_preflight(const struct node *node, const struct finding_list *findings, bool json)
{
	static const int statuses[] = { [KNOWN_UNKNOWN] = STATUS_CANNOT_JUDGE,
		[KNOWN_NO] = STATUS_NOT_ACCEPTED,
		[KNOWN_YES] = STATUS_ACCEPTED };
	struct preflight preflight = { .node = node, .findings = findings };
	struct outcome outcome;
	json_t *document;

	access_read(node, &preflight.access);
	outcome = ask_all(&preflight);
	access_list_release(&preflight.access);
	if (json) {
		document = json_pack("{s:s, s:s, s:s, s:o, s:O}", "schema", "oamqual-preflight/1",
			"source", node->simulated ? "simulated" : "live", "ready",
			known_name(outcome.answer), "reason", json_printable_text(outcome.reason),
			"checks", outcome.checks);
		json_print(document, stdout);
		json_decref(document);
	} else {
		print_outcome(node, &outcome);
	}
	json_decref(outcome.checks);
	free(outcome.reason);
	return statuses[outcome.answer];
}
