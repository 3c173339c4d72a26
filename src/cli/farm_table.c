/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/farm.h"
#include "cli/farm_frame.h"

enum { DRAW_MS = 500, SPEAK_MS = 30000, ROWS_DEFAULT = 24, WIDTH_DEFAULT = 80 };

/* --- live, on stderr -------------------------------------------------------------------------- */

static struct {
	int drawn; /* lines of the table on the terminal */
	int64_t at_ms; /* when it was drawn or spoken last */
	char *said; /* one byte a node: 1 + the outcome that was last told, 0 none */
	size_t count;
} live;

static void terminal_size(int *rows, int *columns)
{
	struct winsize size;

	*rows = ROWS_DEFAULT;
	*columns = WIDTH_DEFAULT;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
}

static const char *state_of(const struct farm_member *node)
{
	if (node->had_record)
		return node->plan_sha256 ? "rendered before" : "qualified before";
	if (node->settled && node->plan_sha256 && node->outcome == FARM_QUALIFIED)
		return "ranks rendered";
	if (node->settled)
		return farm_outcome_name(node->outcome);
	if (!node->facts.submitted)
		return "to be submitted";
	return node->facts.job.state == SLURM_JOB_RUNNING ? "running" : "waiting";
}

static void row_of(const struct farm_member *node, struct str *to)
{
	bool has_why = node->settled || node->facts.submitted;

	str_addf(to, "%-20s %-18s %-10s ", node->name, state_of(node),
		node->facts.job.id[0] ? node->facts.job.id : "-");
	if (has_why && node->why.len)
		text_add_printable(to, node->why.data, node->why.len);
}

static void sum_of(const struct farm_run *run, struct str *to)
{
	size_t settled = 0, running = 0, i;

	for (i = 0; i < run->count; i++) {
		settled += run->nodes[i].settled;
		running += !run->nodes[i].settled &&
			   run->nodes[i].facts.job.state == SLURM_JOB_RUNNING;
	}
	str_addf(to, "%zu of %zu nodes have an outcome; %zu running, %zu waiting", settled,
		run->count, running, run->count - settled - running);
}

static void put_line(const char *text, int columns)
{
	fprintf(stderr, "\r\033[K%.*s\n", columns > 1 ? columns - 1 : 1, text);
}

/* When not all fit, those without an outcome come first. */
static int draw_rows(const struct farm_run *run, int room, int columns, bool settled)
{
	struct str row = STR_INIT;
	int drawn = 0;
	size_t i;

	for (i = 0; i < run->count && drawn < room; i++) {
		if (run->nodes[i].settled != settled)
			continue;
		row_of(&run->nodes[i], &row);
		put_line(row.data, columns);
		str_truncate(&row, 0);
		drawn++;
	}
	str_release(&row);
	return drawn;
}

static void draw(const struct farm_run *run)
{
	struct str sum = STR_INIT;
	int rows, columns, room;

	terminal_size(&rows, &columns);
	room = rows > 3 ? rows - 2 : 1;
	if (live.drawn)
		fprintf(stderr, "\033[%dA", live.drawn);
	live.drawn = draw_rows(run, room, columns, false);
	live.drawn += draw_rows(run, room - live.drawn, columns, true);
	sum_of(run, &sum);
	put_line(sum.data, columns);
	live.drawn++;
	fputs("\033[J", stderr);
	str_release(&sum);
}

void farm_table_say(const char *format, ...)
{
	va_list args;

	fputs("oamqual: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\n", stderr);
	live.drawn = 0;
}

void farm_tell_waiting(const char *command, unsigned seconds, unsigned seconds_most)
{
	farm_table_say("Slurm's %s has not answered for %u s; it is waited for up to %u s", command,
		seconds, seconds_most);
}

/* A line when a node's state changes, and a sign of life. */
static void speak(const struct farm_run *run, int64_t now_ms)
{
	struct str line = STR_INIT;
	size_t i;

	for (i = 0; i < run->count; i++) {
		const struct farm_member *node = &run->nodes[i];
		char told = (char)(node->settled	    ? 2 + (int)node->outcome
				   : !node->facts.submitted ? 0
							    : 100 + (int)node->facts.job.state);

		if (told == live.said[i])
			continue;
		live.said[i] = told;
		row_of(node, &line);
		fprintf(stderr, "%s\n", line.data);
		str_truncate(&line, 0);
		live.at_ms = now_ms;
	}
	if (now_ms - live.at_ms >= SPEAK_MS) {
		sum_of(run, &line);
		fprintf(stderr, "%s\n", line.data);
		live.at_ms = now_ms;
	}
	str_release(&line);
}

void farm_table_show(const struct farm_run *run, bool force)
{
	int64_t now_ms = clock_monotonic_ms();

	if (run->quiet)
		return;
	if (!live.said) {
		live.said = xcalloc(run->count + 1, 1);
		live.at_ms = now_ms;
		force = true;
	}
	if (!isatty(STDERR_FILENO)) {
		speak(run, now_ms);
	} else if (force || now_ms - live.at_ms >= DRAW_MS) {
		draw(run);
		live.at_ms = now_ms;
	}
}

void farm_table_end(const struct farm_run *run)
{
	if (!run->quiet)
		farm_table_show(run, true);
	free(live.said);
	memset(&live, 0, sizeof(live));
}

/* --- at the end, on stdout -------------------------------------------------------------------- */

static void print_row(const struct farm_member *node, const json_t *json, FILE *to)
{
	fprintf(to, "%-20s %-18s", node->name, farm_outcome_name(node->outcome));
	if (node->outcome == FARM_QUALIFIED)
		fprintf(to, " %zu of %zu GCDs are render workers%s%s", node->workers, node->gcds,
			node->first[0] ? "; " : "", node->first);
	if (json_text(json, "why", NULL))
		fprintf(to, " %s", json_text(json, "why", ""));
	fputc('\n', to);
	if (json_text(json, "evidence", NULL))
		fprintf(to, "%20s evidence so far: %s\n", "", json_text(json, "evidence", ""));
	if (json_text(json, "kept_on_node", NULL))
		fprintf(to, "%20s what it has is on the node: %s\n", "",
			json_text(json, "kept_on_node", ""));
}

/* What a node wrote is shown, never obeyed. */
static void print_shown(const json_t *object, const char *key, const char *end, FILE *to)
{
	const char *text = json_text(object, key, "?");
	char *shown = text_printable(text, strlen(text));

	fprintf(to, "%s%s", shown, end);
	free(shown);
}

static void print_findings(const json_t *node, FILE *to)
{
	const json_t *findings = json_object_get(json_object_get(node, "masks"), "findings"), *one;
	size_t i;

	json_array_foreach (findings, i, one) {
		fprintf(to, "%20s ", "");
		print_shown(one, "severity", ": ", to);
		print_shown(one, "id", ": ", to);
		print_shown(one, "text", "\n", to);
	}
}

static void print_sums(const struct farm_run *run, const struct farm_sums *sums, FILE *to)
{
	enum farm_outcome i;

	fprintf(to, "\n%s%zu nodes:", sums->simulated ? "SIMULATED " : "", sums->nodes);
	for (i = 0; i < FARM_OUTCOME_COUNT; i++)
		if (sums->by_outcome[i])
			fprintf(to, " %zu %s", sums->by_outcome[i], farm_outcome_name(i));
	fprintf(to, ".\n%zu of %zu GCDs are render workers; all GCDs of %zu node%s.\n",
		sums->workers, sums->gcds, sums->accepted_nodes,
		sums->accepted_nodes == 1 ? "" : "s");
	if (sums->simulated)
		fputs("A stand-in runtime played nodes of this farm: it shows what the tool does, "
		      "and proves "
		      "nothing about any hardware.\n",
			to);
	if (!run->unwritten)
		fprintf(to, "%s/farm.json\n%s/report.html\n", run->folder, run->folder);
}

/* A frame over several GCDs: of a node's own, and of all nodes together. */
static void print_cases(const json_t *cases, const char *where, FILE *to)
{
	const json_t *one;
	size_t i;

	json_array_foreach (cases, i, one) {
		fprintf(to, "%-20s scene ", where);
		print_shown(one, "scene", ": ", to);
		print_shown(one, "outcome", "", to);
		if (json_text(one, "why", NULL)) {
			fputs(", ", to);
			print_shown(one, "why", "", to);
		}
		fputc('\n', to);
	}
}

static void print_distributed(const json_t *distributed, FILE *to)
{
	const json_t *node;
	size_t i;

	if (!json_is_object(distributed))
		return;
	fprintf(to, "\nOne frame over several GCDs: %s\n", json_text(distributed, "outcome", "?"));
	print_cases(json_object_get(distributed, "cases"), "all nodes together", to);
	json_array_foreach (json_object_get(distributed, "nodes"), i, node)
		print_cases(json_object_get(node, "cases"), json_text(node, "node", "?"), to);
}

static void offer(const struct farm_member *node, bool accepted, const char *mark, FILE *to)
{
	const char *features = node->seen.features, *comma = features[0] ? "," : "";

	if (accepted)
		fprintf(to,
			"%sscontrol update NodeName=%s AvailableFeatures=%s%soamqual "
			"ActiveFeatures=%s%soamqual\n",
			mark, node->name, features, comma, features, comma);
	else
		fprintf(to, "%sscontrol update NodeName=%s State=DRAIN Reason=\"oamqual: %s\"\n",
			mark, node->name, node->first);
}

static bool has_feature(const char *features)
{
	static const char name[] = "oamqual";
	const char *at = features;

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (len == sizeof(name) - 1 && memcmp(at, name, len) == 0)
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

static bool is_accepted(const struct farm_member *node)
{
	return node->gcds && node->workers == node->gcds;
}

/* Is there something to do about it? What is not known is no reason to drain a node. */
static bool has_offer(const struct farm_member *node)
{
	if (node->outcome != FARM_QUALIFIED || !node->gcds)
		return false;
	return is_accepted(node) ? !has_feature(node->seen.features)
				 : !str_ends(node->first, " inconclusive");
}

/* Never done by us: what a node is for is the operator's decision. */
static void print_offers(const struct farm_run *run, const struct farm_sums *sums, FILE *to)
{
	const char *mark = sums->simulated ? "# SIMULATED, not for use: " : "";
	bool any = false;
	size_t i;

	for (i = 0; i < run->count; i++) {
		const struct farm_member *node = &run->nodes[i];

		if (!has_offer(node))
			continue;
		if (!any)
			fputs("\nTo act on it (nothing was done; each line is for an operator to "
			      "decide):\n",
				to);
		any = true;
		offer(node, is_accepted(node), mark, to);
	}
}

static bool goes_on(const struct farm_member *node)
{
	return !node->settled && node->facts.job.id[0];
}

static void print_left(const struct farm_run *all, FILE *to)
{
	const struct farm_run *run = all->frame && all->frame->left ? all->frame : all;
	size_t i;

	if (!run->left)
		return;
	fputs("\nLeft before its end; these jobs go on:", to);
	for (i = 0; i < run->count; i++)
		if (goes_on(&run->nodes[i]))
			fprintf(to, " %s (%s)", run->nodes[i].facts.job.id, run->nodes[i].name);
	fprintf(to, "\nTo go on:   oamqual farm --resume %s\nTo cancel:  scancel", all->folder);
	for (i = 0; i < run->count; i++)
		if (goes_on(&run->nodes[i]))
			fprintf(to, " %s", run->nodes[i].facts.job.id);
	fputc('\n', to);
	if (run->silent_why[0])
		fprintf(to, "Slurm did not answer: %s\n", run->silent_why);
}

void farm_text_print(const struct farm_run *run, const json_t *farm, FILE *to)
{
	const json_t *nodes = json_object_get(farm, "nodes");
	struct farm_sums sums;
	size_t i;

	for (i = 0; i < run->count; i++) {
		print_row(&run->nodes[i], json_array_get(nodes, i), to);
		print_findings(json_array_get(nodes, i), to);
	}
	farm_sum(run->nodes, run->count, &sums);
	print_sums(run, &sums, to);
	print_distributed(json_object_get(farm, "distributed"), to);
	print_offers(run, &sums, to);
	print_left(run, to);
}

int farm_status(const struct farm_run *run, const json_t *farm)
{
	struct farm_sums sums;
	int frame = farm_frame_status(json_is_object(json_object_get(farm, "distributed"))
					      ? json_object_get(farm, "distributed")
					      : NULL);

	farm_sum(run->nodes, run->count, &sums);
	if (run->unwritten || sums.by_outcome[FARM_QUALIFIED] != sums.nodes || !sums.gcds)
		return STATUS_CANNOT_JUDGE;
	return sums.accepted_nodes == sums.nodes ? frame : STATUS_NOT_ACCEPTED;
}
