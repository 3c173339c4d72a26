/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/slurm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/program.h"
#include "base/text.h"
#include "run/child.h"

enum {
	DEADLINE_MS = 30000,
	GRACE_MS = 2000,
	SILENCE_MS = 2000,
	STEP_MS = 100,
	OUTPUT_MOST = 64 << 20,
	WORDS_MOST = 400
};

static void find_commands(struct slurm *slurm)
{
	slurm->sbatch = program_search("sbatch");
	slurm->squeue = program_search("squeue");
	slurm->sinfo = program_search("sinfo");
	slurm->scontrol = program_search("scontrol");
	slurm->scancel = program_search("scancel");
	slurm->sacct = program_search("sacct");
}

static char *make_work(void)
{
	const char *base = getenv("TMPDIR");
	char *work = path_join(base && base[0] ? base : "/tmp", "oamqual-farm-XXXXXX");

	if (!mkdtemp(work)) {
		free(work);
		return NULL;
	}
	return work;
}

static void read_version(struct slurm *slurm)
{
	char *argv[] = { slurm->sbatch, (char *)"--version", NULL };
	struct str out = STR_INIT;

	str_copy(slurm->version, sizeof(slurm->version), "unknown");
	if (slurm_run(slurm, argv, &out, NULL) == 0 && out.len) {
		char *shown;

		out.data[strcspn(out.data, "\n")] = '\0';
		shown = text_printable(out.data, strlen(out.data));
		str_copy(slurm->version, sizeof(slurm->version), shown);
		free(shown);
	}
	str_release(&out);
}

int slurm_open(struct slurm *slurm, struct error *err)
{
	struct slurm found;

	memset(&found, 0, sizeof(found));
	find_commands(&found);
	if (!found.sbatch || !found.squeue || !found.sinfo || !found.scontrol || !found.scancel) {
		slurm_close(&found);
		return error_set(err, "no Slurm here: sbatch, squeue, sinfo, scontrol and scancel "
				      "are not all in "
				      "PATH; 'oamqual qualify' judges this machine without it");
	}
	found.work = make_work();
	if (!found.work) {
		error_errno(err, "cannot make a folder for the output of Slurm's commands");
		slurm_close(&found);
		return -1;
	}
	read_version(&found);
	*slurm = found;
	return 0;
}

void slurm_close(struct slurm *slurm)
{
	if (slurm->work)
		folder_remove(slurm->work, NULL);
	free(slurm->work);
	free(slurm->sbatch);
	free(slurm->squeue);
	free(slurm->sinfo);
	free(slurm->scontrol);
	free(slurm->scancel);
	free(slurm->sacct);
	memset(slurm, 0, sizeof(*slurm));
}

/* The last line that it wrote to stderr: Slurm's errors come after its notes. */
static int fail_with_words(
	const char *path, const char *errors, const struct child_ending *ending, struct error *err)
{
	struct str text = STR_INIT;
	char end[200], *last, *shown;

	child_ending_text(ending, end, sizeof(end));
	if (file_read(errors, 1 << 20, &text, NULL) != 0 || !text.len) {
		str_release(&text);
		return error_set(err, "%s: %s", path_base(path), end);
	}
	while (text.len && strchr("\n ", text.data[text.len - 1]))
		str_truncate(&text, text.len - 1);
	last = text.len ? strrchr(text.data, '\n') : NULL;
	last = last ? last + 1 : text.len ? text.data : (char *)"";
	shown = text_printable(last, strlen(last));
	error_set(err, "%s (%s)", shown, end);
	free(shown);
	str_release(&text);
	return -1;
}

/* A controller that is gone is waited for long, and nobody should wonder for what. */
static int run_child(const struct slurm *slurm, const struct child_command *command,
	struct child_ending *ending, struct error *err)
{
	struct child child;
	const struct child *waited[1] = { &child };
	bool told = !slurm->waits;

	if (child_start(&child, command, err) != 0)
		return -1;
	while (!child_step(&child)) {
		children_wait(waited, 1, STEP_MS);
		if (told || clock_monotonic_ms() - child.started_ms < SILENCE_MS)
			continue;
		slurm->waits(path_base(command->argv[0]), SILENCE_MS / 1000, DEADLINE_MS / 1000);
		told = true;
	}
	*ending = child.ending;
	return 0;
}

int slurm_run(struct slurm *slurm, char *const *argv, struct str *out, struct error *err)
{
	char *output = path_join(slurm->work, "stdout"), *errors = path_join(slurm->work, "stderr");
	/* Formats and filters of the user's own environment would change what is printed. */
	static const char *const edits[] = { "SQUEUE_FORMAT", "SQUEUE_FORMAT2", "SQUEUE_STATES",
		"SQUEUE_PARTITION", "SQUEUE_ACCOUNT", "SQUEUE_QOS", "SQUEUE_USERS", "SQUEUE_NAMES",
		"SQUEUE_SORT", "SQUEUE_ARRAY", "SINFO_FORMAT", "SINFO_PARTITION", "SINFO_SORT",
		"SACCT_FORMAT", "SLURM_TIME_FORMAT", "LC_ALL=C", NULL };
	struct child_command command = { .argv = argv,
		.environ_edits = edits,
		.stdout_path = output,
		.stderr_path = errors,
		.deadline_ms = DEADLINE_MS,
		.grace_ms = GRACE_MS };
	struct child_ending ending;
	int rc;

	unlink(output);
	unlink(errors);
	rc = run_child(slurm, &command, &ending, err);
	if (rc == 0 && (ending.how != CHILD_EXITED || ending.code != 0))
		rc = fail_with_words(argv[0], errors, &ending, err);
	if (rc == 0)
		rc = file_read(output, OUTPUT_MOST, out, err);
	free(output);
	free(errors);
	return rc;
}

/* NUL would hide what follows it. */
static const char *text_of(struct str *out)
{
	size_t i;

	for (i = 0; i < out->len; i++)
		if (!out->data[i])
			out->data[i] = '?';
	return out->data ? out->data : "";
}

long slurm_nodes(struct slurm *slurm, const char *list, const char *partition,
	struct slurm_node **nodes, struct error *err)
{
	char *by_list = xasprintf("--nodes=%s", list ? list : "");
	char *by_partition = xasprintf("--partition=%s", partition ? partition : "");
	char *argv[8], **word = argv;
	struct str out = STR_INIT;
	long count = -1;

	*word++ = slurm->sinfo;
	if (!partition) /* sinfo refuses both; this is for hidden partitions */
		*word++ = (char *)"--all";
	*word++ = (char *)"--Node";
	*word++ = (char *)"--noheader";
	*word++ = (char *)"--format=" SLURM_SINFO_FORMAT;
	if (list)
		*word++ = by_list;
	if (partition)
		*word++ = by_partition;
	*word = NULL;
	if (slurm_run(slurm, argv, &out, err) == 0)
		count = (long)slurm_sinfo_parse(text_of(&out), nodes);
	str_release(&out);
	free(by_list);
	free(by_partition);
	return count;
}

long slurm_jobs_named(
	struct slurm *slurm, const char *name, struct slurm_job **jobs, struct error *err)
{
	char *by_name = xasprintf("--name=%s", name);
	char *argv[] = { slurm->squeue, (char *)"--all", (char *)"--noheader",
		(char *)"--states=all", (char *)"--me", by_name,
		(char *)"--format=" SLURM_SQUEUE_FORMAT, NULL };
	struct str out = STR_INIT;
	long count = -1;

	if (slurm_run(slurm, argv, &out, err) == 0)
		count = (long)slurm_squeue_parse(text_of(&out), jobs);
	str_release(&out);
	free(by_name);
	return count;
}

static bool job_of_accounting(struct slurm *slurm, const char *id, struct slurm_job *job)
{
	char *argv[] = { slurm->sacct, (char *)"--allocations", (char *)"--noheader",
		(char *)"--parsable2", (char *)"--format=" SLURM_SACCT_FORMAT, (char *)"--jobs",
		(char *)id, NULL };
	struct slurm_job *jobs = NULL;
	struct str out = STR_INIT;
	bool found = false;
	size_t count = 0, i;

	if (slurm->sacct && slurm_run(slurm, argv, &out, NULL) == 0)
		count = slurm_sacct_parse(text_of(&out), &jobs);
	for (i = 0; i < count; i++)
		if (strcmp(jobs[i].id, id) == 0) {
			*job = jobs[i];
			found = true;
		}
	free(jobs);
	str_release(&out);
	return found;
}

int slurm_job_read(struct slurm *slurm, const char *id, struct slurm_job *job, struct error *err)
{
	char *argv[] = { slurm->scontrol, (char *)"show", (char *)"job", (char *)id, NULL };
	struct str out = STR_INIT;
	struct error own;
	bool found = slurm_run(slurm, argv, &out, &own) == 0 &&
		     slurm_scontrol_parse(text_of(&out), id, job);

	str_release(&out);
	if (found || job_of_accounting(slurm, id, job))
		return 0;
	return error_set(err, "job %s: neither slurmctld nor the accounting knows it", id);
}

int slurm_job_cancel(struct slurm *slurm, const char *id, struct error *err)
{
	char *argv[] = { slurm->scancel, (char *)id, NULL };
	struct str out = STR_INIT;
	int rc = slurm_run(slurm, argv, &out, err);

	str_release(&out);
	return rc;
}
