/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm's commands print: the first byte selects which. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "farm/masks.h"
#include "farm/slurm_text.h"
#include "tests/fuzz/fuzz.h"

static bool is_shown(const char *text, size_t size)
{
	size_t i;

	if (!memchr(text, '\0', size))
		return false;
	for (i = 0; text[i]; i++)
		if ((unsigned char)text[i] < ' ')
			return false;
	return true;
}

static void check_job(const struct slurm_job *job)
{
	assert(job->id[0] && strspn(job->id, "0123456789") == strlen(job->id));
	assert(job->state <= SLURM_JOB_CANCELLED);
	assert(is_shown(job->word, sizeof(job->word)) && is_shown(job->node, sizeof(job->node)) &&
		is_shown(job->reason, sizeof(job->reason)));
	assert(job->exit_code >= 0 && job->exit_code < 256 && job->exit_signal >= 0 &&
		job->exit_signal < 256);
	/* A state by its word alone. */
	assert(slurm_job_state_of(job->word) == job->state);
}

static bool read_jobs(size_t (*parse)(const char *text, struct slurm_job **jobs), const char *text)
{
	struct slurm_job *jobs;
	size_t count = parse(text, &jobs), i;

	for (i = 0; i < count; i++)
		check_job(&jobs[i]);
	free(jobs);
	return count > 0;
}

static bool read_nodes(const char *text)
{
	struct slurm_node *nodes;
	size_t count = slurm_sinfo_parse(text, &nodes), i, j;

	for (i = 0; i < count; i++) {
		assert(nodes[i].name[0] && is_shown(nodes[i].name, sizeof(nodes[i].name)) &&
			is_shown(nodes[i].reason, sizeof(nodes[i].reason)) &&
			is_shown(nodes[i].features, sizeof(nodes[i].features)));
		for (j = 0; j < i && count < 50; j++)
			assert(strcmp(nodes[i].name, nodes[j].name) != 0);
	}
	free(nodes);
	return count > 0;
}

static bool read_block(const char *text)
{
	struct slurm_job job;
	bool found = slurm_scontrol_parse(text, "7", &job);

	if (found)
		check_job(&job);
	return found;
}

static bool read_id(const char *text)
{
	char id[SLURM_ID];
	bool found = slurm_sbatch_parse(text, id, NULL) == 0;

	assert(!found || (id[0] && strlen(id) < SLURM_ID));
	return found;
}

static bool read_mask(const char *text)
{
	struct known_u64 count = masks_count(text);

	assert(!masks_holds(text, 0) || count.value > 0);
	return count.known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	bool accepted = false;

	if (!size)
		return 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0] % 6) {
	case 0:
		accepted = read_jobs(slurm_squeue_parse, text);
		break;
	case 1:
		accepted = read_jobs(slurm_sacct_parse, text);
		break;
	case 2:
		accepted = read_nodes(text);
		break;
	case 3:
		accepted = read_block(text);
		break;
	case 4:
		accepted = read_id(text);
		break;
	case 5:
		accepted = read_mask(text);
		break;
	}
	fuzz_count(accepted);
	free(text);
	return 0;
}
