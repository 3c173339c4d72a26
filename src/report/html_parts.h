/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page, in the order in which they stand on it. Each is complete in itself and
 * leaves no element open. `record` may have any members of any type. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "report/markup.h"

/* The page's head: its policy allows this style sheet and this script alone (html_assets.h). */
void html_head(struct markup *m, const char *title, const char *style, const char *script);

/* Small pieces. */
void html_mark(struct markup *m, const json_t *record_or_attempt); /* SIMULATED, or nothing */
void html_verdict(struct markup *m, const char *verdict); /* a sign, the word, a colour */
void html_answer(
	struct markup *m, const char *answer); /* yes, no, unknown, or what else stands there */
void html_heading(struct markup *m, const json_t *record, const char *text); /* h2 */
void html_section(struct markup *m, const json_t *record, const char *id,
	const char *text); /* h2 that the list of parts leads to; record NULL: no mark */
void html_table_head(struct markup *m, const char *const *labels,
	size_t count); /* opens table and tbody: close twice */
void html_cell(struct markup *m, const char *label, const char *text);

/* A fact by its class, or any other value. */
void html_fact(struct markup *m, const char *key, const json_t *value);

/* A table of what `value` holds: members within members as a.b, each fact by its class. */
void html_members(struct markup *m, const json_t *value);

/* Sections. */
void html_decision(struct markup *m, const json_t *record);
void html_parts(struct markup *m); /* the list of parts */
void html_drawing(struct markup *m, const json_t *record);
void html_gcds(struct markup *m, const json_t *record);
void html_controls(struct markup *m, const json_t *record);
void html_scenes(struct markup *m, const json_t *record, const char *folder);
void html_attempts(struct markup *m, const json_t *record);
void html_attempt(struct markup *m, const json_t *attempt); /* one, with its ladder */
void html_distributed(struct markup *m, const json_t *record);

/* Of a frame over several GCDs: the rank map (`node`: of several nodes), and what was found. */
void html_ranks(struct markup *m, const json_t *ranks, bool node);
void html_findings(struct markup *m, const json_t *findings);
void html_charts(struct markup *m, const json_t *record);
void html_published(struct markup *m, const json_t *record);
void html_unknowns(struct markup *m, const json_t *record);
void html_node(struct markup *m, const json_t *record);
void html_circumstances(struct markup *m,
	const json_t *record); /* Blender, system, host, baseline, what was not tested */
void html_files(struct markup *m, const json_t *record);
void html_notes(struct markup *m, const json_t *record);
void html_repeat(struct markup *m, const json_t *record);

#endif
