/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/data.h"
#include "run/child.h"

enum { PROBE_DEADLINE_MS = 20000, PROBE_GRACE_MS = 500, PROBE_BYTES = 1 << 20 };

static void enter_answer(struct node *node, const char *path, const struct child_ending *ending)
{
	struct str text = STR_INIT;
	struct error err;
	char how[200];

	child_ending_text(ending, how, sizeof(how));
	if (ending->how == CHILD_STUCK) {
		snprintf(how, sizeof(how),
			"the probe is stuck in the driver as process %ld: not even SIGKILL ends it",
			ending->pid);
		node_hip_failed(node, HIP_HUNG, how);
	} else if (ending->how == CHILD_TIMED_OUT)
		node_hip_failed(node, HIP_HUNG, "the HIP runtime did not answer within 20 s");
	else if (ending->how != CHILD_EXITED || ending->code != 0)
		node_hip_failed(node, HIP_CRASHED, how);
	else if (file_read(path, PROBE_BYTES, &text, &err) != 0)
		node_hip_failed(node, HIP_UNUSABLE, err.text);
	else
		node_merge_hip(node, text.data, text.len, NULL);
	str_release(&text);
}

/* HIP is asked in the caller's own environment: masks that hide devices from us hide them from jobs
 * too. */
static int ask_hip_in_child(
	struct open_node *open, const char *work, const char *library, struct error *err)
{
	char *program = program_path();
	char *out = path_join(work, "hip-probe.json"), *errors = path_join(work, "hip-probe.txt");
	char *argv[] = { program, (char *)"hip-probe", library ? (char *)"--hip-library" : NULL,
		(char *)library, NULL };
	/* A stand-in that lies in the loader's way has no devices without its configuration. */
	static const char *const live[] = { "OAMQUAL_SIM", NULL };
	const struct child_command command = {
		.argv = argv,
		.environ_edits =
			open->is_replayed ? (const char *const *)open->replay.variables : live,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline_ms = PROBE_DEADLINE_MS,
		.grace_ms = PROBE_GRACE_MS,
	};
	struct child_ending ending;
	int rc = child_run(&command, &ending, err);

	if (rc == 0)
		enter_answer(&open->node, out, &ending);
	free(program);
	free(out);
	free(errors);
	return rc;
}

static int set_stage(struct open_node *open, const char *work, struct error *err)
{
	char *simhip, *stage;
	int rc = -1;

	if (!open->node.simulated || !open->node.description)
		return 0;
	simhip = data_simhip(err);
	stage = path_join(work, "sim");
	if (simhip)
		rc = replay_make(&open->node, simhip, stage, &open->replay, err);
	open->is_replayed = rc == 0;
	free(simhip);
	free(stage);
	return rc;
}

int node_open(const char *folder, const char *work, const char *hip_library, bool ask_hip,
	struct open_node *out, struct error *err)
{
	struct open_node open;
	char *place = path_join(work, "node");
	bool can_ask;
	int rc;

	memset(&open, 0, sizeof(open));
	rc = node_read(folder, &open.node, err);
	if (rc == 0) {
		rc = folder_make(place, err);
		if (rc == 0)
			rc = set_stage(&open, place, err);
		/* A replayed tree whose node.json says nothing of HIP has no runtime to ask: this
		 * machine's would be another node's. */
		can_ask = !open.node.simulated ||
			  (open.is_replayed && json_object_get(open.node.description, "hip"));
		if (rc == 0 && ask_hip && can_ask)
			rc = ask_hip_in_child(&open, place, hip_library, err);
		if (rc != 0)
			node_close(&open);
	}
	free(place);
	if (rc == 0)
		*out = open;
	return rc;
}

void node_close(struct open_node *open)
{
	if (open->is_replayed)
		replay_release(&open->replay);
	node_release(&open->node);
	memset(open, 0, sizeof(*open));
}
