/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/slurm_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "inventory/slurm_line.h"

enum { MOST_LINES = 100000, MOST_FIELDS = 6 };

struct piece {
	const char *text;
	size_t len;
};

/* --- words ------------------------------------------------------------------------------------ */

struct state_word {
	const char *word;
	enum slurm_job_state state;
};

/* The states and flags of squeue(1) and sacct(1), 22.05 to 26.05. */
static const struct state_word job_words[] = {
	{ "BOOT_FAIL", SLURM_JOB_NODE_FAILED },
	{ "CANCELLED", SLURM_JOB_CANCELLED },
	{ "COMPLETED", SLURM_JOB_COMPLETED },
	{ "COMPLETING", SLURM_JOB_RUNNING },
	{ "CONFIGURING", SLURM_JOB_RUNNING },
	{ "DEADLINE", SLURM_JOB_TIMED_OUT },
	{ "EXPEDITING", SLURM_JOB_PENDING },
	{ "FAILED", SLURM_JOB_FAILED },
	{ "LAUNCH_FAILED", SLURM_JOB_FAILED },
	{ "NODE_FAIL", SLURM_JOB_NODE_FAILED },
	{ "OUT_OF_MEMORY", SLURM_JOB_OUT_OF_MEMORY },
	{ "PENDING", SLURM_JOB_PENDING },
	{ "POWER_UP_NODE", SLURM_JOB_RUNNING },
	{ "PREEMPTED", SLURM_JOB_CANCELLED },
	{ "RECONFIG_FAIL", SLURM_JOB_FAILED },
	{ "REQUEUED", SLURM_JOB_PENDING },
	{ "REQUEUE_FED", SLURM_JOB_PENDING },
	{ "REQUEUE_HOLD", SLURM_JOB_PENDING },
	{ "RESIZING", SLURM_JOB_RUNNING },
	{ "RESV_DEL_HOLD", SLURM_JOB_PENDING },
	{ "REVOKED", SLURM_JOB_CANCELLED },
	{ "RUNNING", SLURM_JOB_RUNNING },
	{ "SIGNALING", SLURM_JOB_RUNNING },
	{ "SPECIAL_EXIT", SLURM_JOB_PENDING },
	{ "STAGE_OUT", SLURM_JOB_RUNNING },
	{ "STOPPED", SLURM_JOB_RUNNING },
	{ "SUSPENDED", SLURM_JOB_RUNNING },
	{ "TIMEOUT", SLURM_JOB_TIMED_OUT },
	{ "UPDATE_DB", SLURM_JOB_RUNNING },
};

static const char job_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

enum slurm_job_state slurm_job_state_of(const char *word)
{
	size_t len = strspn(word, job_letters), i;

	for (i = 0; i < sizeof(job_words) / sizeof(job_words[0]); i++)
		if (strlen(job_words[i].word) == len && memcmp(word, job_words[i].word, len) == 0)
			return job_words[i].state;
	return SLURM_JOB_UNKNOWN;
}

bool slurm_job_ended(enum slurm_job_state state)
{
	return state >= SLURM_JOB_COMPLETED;
}

struct node_word {
	const char *word;
	enum slurm_node_state state;
};

/* sinfo(1): the marks that may follow (* ~ # ! % $ @ ^ -) do not change whether a job is taken, but
 * for what the word itself says. Every other word is of a node that takes jobs, now or later. */
static const struct node_word node_words[] = {
	{ "down", SLURM_NODE_DOWN },
	{ "drain", SLURM_NODE_DRAINED },
	{ "drained", SLURM_NODE_DRAINED },
	{ "draining", SLURM_NODE_DRAINED },
	{ "drng", SLURM_NODE_DRAINED },
	{ "error", SLURM_NODE_DOWN },
	{ "fail", SLURM_NODE_DOWN },
	{ "failing", SLURM_NODE_DRAINED },
	{ "failg", SLURM_NODE_DRAINED },
	{ "future", SLURM_NODE_DOWN },
	{ "inval", SLURM_NODE_DOWN },
	{ "unknown", SLURM_NODE_DOWN },
};

enum slurm_node_state slurm_node_state_of(const char *word)
{
	size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz_"), i;

	for (i = 0; i < sizeof(node_words) / sizeof(node_words[0]); i++)
		if (strlen(node_words[i].word) == len && memcmp(word, node_words[i].word, len) == 0)
			return node_words[i].state;
	return len ? SLURM_NODE_USABLE : SLURM_NODE_UNKNOWN;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The next line from *at on, without its end. False at the end of the text. */
static bool next_line(const char **at, struct piece *line)
{
	const char *end;

	if (!**at)
		return false;
	end = strchr(*at, '\n');
	line->text = *at;
	line->len = end ? (size_t)(end - *at) : strlen(*at);
	*at += line->len + (end != NULL);
	return true;
}

/* At the first `count - 1` bars; what is left is the last field. False when there are fewer. */
static bool split(const struct piece *line, struct piece *fields, size_t count)
{
	const char *at = line->text, *end = line->text + line->len;
	size_t i;

	for (i = 0; i + 1 < count; i++) {
		const char *bar = memchr(at, '|', (size_t)(end - at));

		if (!bar)
			return false;
		fields[i] = (struct piece){ at, (size_t)(bar - at) };
		at = bar + 1;
	}
	fields[i] = (struct piece){ at, (size_t)(end - at) };
	return true;
}

static void copy_printable(char *to, size_t size, struct piece from)
{
	char *shown = text_printable(from.text, from.len);

	str_copy(to, size, shown);
	free(shown);
}

/* Slurm's words for nothing. */
static bool is_nothing(struct piece piece)
{
	static const char *const words[] = { "", "(null)", "none", "None", "None assigned",
		"None+" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == piece.len && memcmp(words[i], piece.text, piece.len) == 0)
			return true;
	return false;
}

static bool copy_id(char *to, struct piece from)
{
	size_t i;

	if (!from.len || from.len >= SLURM_ID)
		return false;
	for (i = 0; i < from.len; i++)
		if (from.text[i] < '0' || from.text[i] > '9')
			return false;
	memcpy(to, from.text, from.len);
	to[from.len] = '\0';
	return true;
}

/* "3:15": code and signal. */
static bool read_exit(struct piece from, struct slurm_job *job)
{
	char text[24], *colon;
	unsigned long long code, signal;

	if (from.len >= sizeof(text))
		return false;
	memcpy(text, from.text, from.len);
	text[from.len] = '\0';
	colon = strchr(text, ':');
	if (!colon)
		return false;
	*colon = '\0';
	if (!text_u64(text, 10, &code) || !text_u64(colon + 1, 10, &signal) || code > 255 ||
		signal > 255)
		return false;
	job->exit_known = true;
	job->exit_code = (int)code;
	job->exit_signal = (int)signal;
	return true;
}

static void enter_state(struct slurm_job *job, struct piece word)
{
	copy_printable(job->word, sizeof(job->word), word);
	job->state = slurm_job_state_of(job->word);
}

static void enter_name(char *to, size_t size, struct piece from)
{
	to[0] = '\0';
	if (!is_nothing(from))
		copy_printable(to, size, from);
}

/* --- jobs ------------------------------------------------------------------------------------- */

typedef bool job_line_fn(const struct piece *line, struct slurm_job *job);

static bool squeue_line(const struct piece *line, struct slurm_job *job)
{
	struct piece fields[4];

	if (!split(line, fields, 4) || !copy_id(job->id, fields[0]) || !fields[1].len)
		return false;
	enter_state(job, fields[1]);
	enter_name(job->node, sizeof(job->node), fields[2]);
	enter_name(job->reason, sizeof(job->reason), fields[3]);
	return true;
}

static bool sacct_line(const struct piece *line, struct slurm_job *job)
{
	struct piece fields[4];

	if (!split(line, fields, 4) || !copy_id(job->id, fields[0]) || !fields[1].len)
		return false;
	enter_state(job, fields[1]);
	read_exit(fields[2], job);
	enter_name(job->node, sizeof(job->node), fields[3]);
	return true;
}

static size_t read_jobs(const char *text, job_line_fn *read, struct slurm_job **jobs)
{
	struct piece line;
	size_t count = 0, room = 0;

	*jobs = NULL;
	while (next_line(&text, &line) && count < MOST_LINES) {
		struct slurm_job job;

		memset(&job, 0, sizeof(job));
		if (!read(&line, &job))
			continue;
		if (count == room) {
			room = room ? 2 * room : 16;
			*jobs = xrealloc(*jobs, room * sizeof(**jobs));
		}
		(*jobs)[count++] = job;
	}
	return count;
}

size_t slurm_squeue_parse(const char *text, struct slurm_job **jobs)
{
	return read_jobs(text, squeue_line, jobs);
}

size_t slurm_sacct_parse(const char *text, struct slurm_job **jobs)
{
	return read_jobs(text, sacct_line, jobs);
}

/* The value of `key` when the line begins with it after its blanks; ends at the next blank. */
static bool leading_value(const struct piece *line, const char *key, struct piece *value)
{
	size_t at = 0, len = strlen(key);

	while (at < line->len && (line->text[at] == ' ' || line->text[at] == '\t'))
		at++;
	if (line->len - at < len || memcmp(line->text + at, key, len) != 0)
		return false;
	value->text = line->text + at + len;
	value->len = 0;
	while (at + len + value->len < line->len && value->text[value->len] != ' ')
		value->len++;
	return true;
}

/* " ExitCode=1:0" is the last of its line, which begins with Requeue=: nothing of that line is
 * written by a user. */
static bool exit_of_line(const struct piece *line, struct piece *value)
{
	static const char key[] = " ExitCode=";
	size_t len = sizeof(key) - 1, at;
	struct piece ignored;

	if (!leading_value(line, "Requeue=", &ignored))
		return false;
	for (at = 0; at + len <= line->len; at++)
		if (memcmp(line->text + at, key, len) == 0) {
			value->text = line->text + at + len;
			value->len = strcspn(value->text, " \n");
			return true;
		}
	return false;
}

/* "TIMEOUT Reason=TimeLimit Dependency=(null)": a reason may hold blanks. */
static void enter_reason(const struct piece *line, struct slurm_job *job)
{
	static const char from[] = " Reason=", to[] = " Dependency=";
	struct str text = STR_INIT;
	char *at, *end;

	str_add_bytes(&text, line->text, line->len);
	at = text.data ? strstr(text.data, from) : NULL;
	if (at) {
		at += sizeof(from) - 1;
		end = strstr(at, to);
		enter_name(job->reason, sizeof(job->reason),
			(struct piece){ at, end ? (size_t)(end - at) : strlen(at) });
	}
	str_release(&text);
}

/* The first line of each kind counts: a comment may have lines, and is printed after them. */
static void scontrol_line(const struct piece *line, struct slurm_job *job, bool *node_known)
{
	struct piece value;

	if (leading_value(line, "JobState=", &value) && !job->word[0]) {
		enter_state(job, value);
		enter_reason(line, job);
	} else if (exit_of_line(line, &value) && !job->exit_known) {
		read_exit(value, job);
	} else if (leading_value(line, "NodeList=", &value) && !*node_known) {
		enter_name(job->node, sizeof(job->node), value);
		*node_known = true;
	}
}

bool slurm_scontrol_parse(const char *text, const char *id, struct slurm_job *job)
{
	struct slurm_job found;
	struct piece line, value;
	bool ours = false, node_known = false;

	memset(&found, 0, sizeof(found));
	while (next_line(&text, &line)) {
		/* A block begins at the margin. */
		if (line.len && line.text[0] != ' ' && leading_value(&line, "JobId=", &value))
			ours = value.len == strlen(id) && memcmp(value.text, id, value.len) == 0;
		else if (ours)
			scontrol_line(&line, &found, &node_known);
	}
	if (!found.word[0])
		return false;
	str_copy(found.id, sizeof(found.id), id);
	*job = found;
	return true;
}

int slurm_sbatch_parse(const char *text, char id[SLURM_ID], struct error *err)
{
	struct piece line, last = { "", 0 };

	while (next_line(&text, &line)) {
		const char *cluster = memchr(line.text, ';', line.len);

		if (cluster)
			line.len = (size_t)(cluster - line.text);
		if (copy_id(id, line))
			return 0;
		if (line.len)
			last = line;
	}
	return error_set(err, "sbatch printed no job id: '%.*s'",
		(int)(last.len < 200 ? last.len : 200), last.text);
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* What hosts are called; nothing else can be a node of ours. */
static bool is_host(struct piece name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t i;

	for (i = 0; i < name.len && memchr(allowed, name.text[i], sizeof(allowed) - 1); i++)
		;
	return i && i == name.len && i < SLURM_NAME;
}

static bool sinfo_line(const struct piece *line, struct slurm_node *node, bool *is_default)
{
	struct piece fields[MOST_FIELDS];
	char gres[2 * SLURM_REASON], *type;

	if (!split(line, fields, MOST_FIELDS) || !is_host(fields[0]) || !fields[1].len)
		return false;
	memset(node, 0, sizeof(*node));
	copy_printable(node->name, sizeof(node->name), fields[0]);
	copy_printable(node->word, sizeof(node->word), fields[1]);
	node->state = slurm_node_state_of(node->word);
	*is_default = fields[2].len && fields[2].text[fields[2].len - 1] == '*';
	fields[2].len -= *is_default;
	enter_name(node->partition, sizeof(node->partition), fields[2]);
	enter_name(gres, sizeof(gres), fields[3]);
	if (!slurm_gres_gpus(gres, &node->gpus, &type))
		node->gpus = 0;
	free(type);
	enter_name(node->features, sizeof(node->features), fields[4]);
	enter_name(node->reason, sizeof(node->reason), fields[5]);
	return true;
}

size_t slurm_sinfo_parse(const char *text, struct slurm_node **nodes)
{
	struct slurm_node node;
	struct piece line;
	size_t count = 0, room = 0;
	json_t *places = json_object(), *place;
	bool is_default;

	*nodes = NULL;
	while (next_line(&text, &line) && count < MOST_LINES) {
		if (!sinfo_line(&line, &node, &is_default))
			continue;
		if (is_default)
			node.partition[0] = '\0';
		place = json_object_get(places, node.name);
		if (place && is_default)
			(*nodes)[json_integer_value(place)].partition[0] = '\0';
		if (place)
			continue;
		if (count == room) {
			room = room ? 2 * room : 16;
			*nodes = xrealloc(*nodes, room * sizeof(**nodes));
		}
		json_object_set_new(places, node.name, json_integer((json_int_t)count));
		(*nodes)[count++] = node;
	}
	json_decref(places);
	return count;
}
