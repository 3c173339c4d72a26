/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the node and of the circumstances, each fact by its class; files, notes, and how
 * to repeat it. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/html_parts.h"
#include "report/view.h"
#include "verdict/verdict.h"

static void add_legend(struct markup *m)
{
	static const struct {
		const char *class, *meaning;
	} rows[] = {
		{ "published", "a vendor says so" },
		{ "declared", "an operator or a scheduler says so" },
		{ "observed", "read from this machine by this run" },
		{ "simulated", "played by the stand-in runtime" },
		{ "unknown", "not known, with the reason" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *classes = xasprintf("fact %s", rows[i].class);

		markup_open(m, "div", "class", classes, NULL);
		markup_textf(m, "%s: %s", rows[i].class, rows[i].meaning);
		markup_close(m);
		free(classes);
	}
}

static void add_gpu(struct markup *m, const json_t *record, const json_t *gpu)
{
	const char *bdf = json_fact_text(gpu, "bdf"), *target = json_fact_text(gpu, "gfx_target");

	markup_open(m, "details", "class", "more", NULL);
	markup_open(m, "summary", NULL);
	html_mark(m, record);
	markup_textf(m, "%s, %s", bdf ? bdf : "(no address)", target ? target : "target unknown");
	markup_close(m);
	html_members(m, gpu);
	markup_close(m);
}

/* The node without its GPUs, which have a part each. */
static void add_node_itself(struct markup *m, const json_t *node)
{
	json_t *rest = json_copy((json_t *)node);

	json_object_del(rest, "gpus");
	html_members(m, rest);
	json_decref(rest);
}

void html_node(struct markup *m, const json_t *record)
{
	const json_t *node = json_object_get(record, "node"), *gpu;
	size_t i;

	html_section(m, record, "facts", "Facts about the node");
	add_legend(m);
	add_node_itself(m, node);
	json_array_foreach (json_object_get(node, "gpus"), i, gpu)
		add_gpu(m, record, gpu);
}

void html_circumstances(struct markup *m, const json_t *record)
{
	static const struct {
		const char *key, *title;
		bool of_node;
	} rows[] = {
		{ "blender", "Blender", false },
		{ "kernel_cache", "Kernel files that were given to it", false },
		{ "system", "System of the node", true },
		{ "host", "Machine that ran the tool", false },
		{ "baseline", "Path-tracing baseline", false },
		{ "modules", "Modules", true },
		{ "counts", "GPUs by source", true },
		{ "findings", "Findings about the node", true },
		{ "inference_artifact", "Inference artifact", false },
		{ "peer_and_collective_transport", "Peer and collective transport", true },
		{ "isolation", "Isolation of the attempts", false },
		{ "tool", "Tool", false },
		{ "run", "Run", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].of_node)
			html_heading(m, record, rows[i].title);
		else
			markup_element(m, "h2", NULL, rows[i].title);
		html_members(m, json_object_get(record, rows[i].key));
	}
}

static void add_file(struct markup *m, const json_t *file)
{
	char *bytes = view_value(json_object_get(file, "bytes"));

	markup_open(m, "tr", NULL);
	html_cell(m, "path", json_text(file, "path", "not in the record"));
	html_cell(m, "bytes", bytes);
	markup_open(m, "td", "data-label", "SHA-256", "class", "mono", NULL);
	markup_text(m, json_text(file, "sha256", "not in the record"));
	markup_close(m);
	markup_close(m);
	free(bytes);
}

void html_files(struct markup *m, const json_t *record)
{
	static const char *const labels[] = { "path", "bytes", "SHA-256" };
	const json_t *files = json_object_get(record, "files"), *file;
	size_t i;

	html_heading(m, record, "Files beside the record");
	markup_open(m, "details", "class", "more", NULL);
	markup_open(m, "summary", NULL);
	markup_textf(m, "%zu files; 'oamqual verify' checks them", json_array_size(files));
	markup_close(m);
	html_table_head(m, labels, sizeof(labels) / sizeof(labels[0]));
	json_array_foreach (files, i, file)
		add_file(m, file);
	markup_close(m);
	markup_close(m);
	markup_close(m);
}

void html_notes(struct markup *m, const json_t *record)
{
	const json_t *notes = json_object_get(record, "notes"), *note;
	size_t i;

	markup_element(m, "h2", NULL, "Notes");
	if (!json_array_size(notes))
		markup_element(m, "p", NULL, "None.");
	json_array_foreach (notes, i, note) {
		char *text = view_value(note);

		markup_element(m, "p", NULL, text);
		free(text);
	}
}

/* --- what it means, and how to repeat it --- */

static bool is_in(const json_t *list, const char *verdict)
{
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item)
		if (strcmp(json_text(item, "verdict", ""), verdict) == 0)
			return true;
	return false;
}

static void add_meaning(struct markup *m, enum verdict_id id)
{
	const struct verdict_help *help = verdict_help(id);

	markup_open(m, "h3", NULL);
	html_verdict(m, verdict_name(id));
	markup_close(m);
	markup_element(m, "p", NULL, help->meaning);
	markup_open(m, "p", NULL);
	markup_textf(m, "Usual causes: %s", help->causes);
	markup_close(m);
	markup_open(m, "p", NULL);
	markup_textf(m, "To try: %s", help->remedy);
	markup_close(m);
}

static void add_meanings(struct markup *m, const json_t *record)
{
	int id;

	markup_element(m, "h2", NULL, "What these verdicts mean");
	for (id = 0; id < VERDICT_COUNT; id++) {
		const char *name = verdict_name((enum verdict_id)id);

		if (is_in(json_object_get(record, "gcds"), name) ||
			is_in(json_object_get(record, "attempts"), name))
			add_meaning(m, (enum verdict_id)id);
	}
}

void html_repeat(struct markup *m, const json_t *record)
{
	char *command = view_command(record);

	add_meanings(m, record);
	html_section(m, NULL, "repeat", "How to repeat it");
	markup_element(m, "p", NULL,
		"With the same tool, Blender, scenes and references (their digests are above), "
		"from the "
		"folder the run was started in:");
	markup_element(m, "pre", NULL, command);
	markup_element(m, "p", NULL,
		"Each attempt has the command and environment of its own Blender. 'oamqual verify' "
		"on the "
		"record's folder checks that the evidence is what was recorded.");
	free(command);
}
