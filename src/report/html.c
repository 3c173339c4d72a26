/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "report/html_parts.h"
#include "report/html_assets.h"
#include "report/view.h"

static void add_head(struct markup *m, const json_t *record)
{
	char *decision = view_decision(record);
	char *title = xasprintf("%s%s - %s", view_mark(record), decision,
		json_text(json_object_get(record, "node"), "name", "node"));

	html_head(m, title, html_style(), html_script());
	free(title);
	free(decision);
}

static void add_body(struct markup *m, const json_t *record, const char *folder)
{
	markup_open(m, "body", "class", view_is_simulated(record) ? "is-simulated" : "is-observed",
		NULL);
	if (view_is_simulated(record))
		markup_element(m, "div", "watermark", "SIMULATED");
	html_decision(m, record);
	html_parts(m);
	html_drawing(m, record);
	html_gcds(m, record);
	html_controls(m, record);
	html_scenes(m, record, folder);
	html_attempts(m, record);
	html_distributed(m, record);
	html_charts(m, record);
	html_published(m, record);
	html_unknowns(m, record);
	html_node(m, record);
	html_circumstances(m, record);
	html_files(m, record);
	html_notes(m, record);
	html_repeat(m, record);
	markup_open(m, "script", NULL);
	markup_own(m, html_script());
	markup_close(m);
	markup_close(m);
}

void report_html_add(const json_t *record, const char *folder, struct str *to)
{
	struct markup m = { .text = STR_INIT };

	markup_own(&m, "<!DOCTYPE html>\n");
	markup_open(&m, "html", "lang", "en", NULL);
	add_head(&m, record);
	add_body(&m, record, folder);
	markup_close(&m);
	markup_own(&m, "\n");
	str_add_bytes(to, m.text.data, m.text.len);
	str_release(&m.text);
}

int report_html_write(const json_t *record, const char *folder, const char *path, struct error *err)
{
	struct str page = STR_INIT;
	int rc;

	report_html_add(record, folder, &page);
	rc = file_write(path, page.data, page.len, err);
	str_release(&page);
	return rc;
}
