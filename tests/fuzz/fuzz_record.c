/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as record.json: refused with a reason, or shown by every report. The XML must then
 * parse; in the page no text may have become markup, so each '<' begins a tag and has its '>';
 * nothing in either may be a control byte. Against itself nothing changed; it is
 * compared with another both ways; a history of it twice has one record. */
#define _GNU_SOURCE /* memfd_create */
#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <libxml/parser.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "record/diff.h"
#include "record/history.h"
#include "record/parts.h"
#include "record/record.h"
#include "report/cost.h"
#include "report/export.h"
#include "report/farm.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/summary.h"
#include "tests/fuzz/fuzz.h"

static void check_visible(const struct str *text)
{
	size_t i;

	for (i = 0; i < text->len; i++)
		assert((unsigned char)text->data[i] >= 0x20 || text->data[i] == '\n');
}

/* Script and style are the program's own and no markup: where the tag that ends them begins, or
 * NULL when none of them begins here. */
static const char *own_end(const char *tag)
{
	if (str_starts(tag, "<script"))
		return strstr(tag, "</script");
	return str_starts(tag, "<style") ? strstr(tag, "</style") : NULL;
}

static void check_markup(const struct str *page)
{
	size_t i;
	int inside = 0;

	check_visible(page);
	for (i = 0; i < page->len; i++) {
		if (page->data[i] == '<') {
			const char *end = own_end(page->data + i);

			i = end ? (size_t)(end - page->data) : i;
			assert(!inside && (isalpha((unsigned char)page->data[i + 1]) ||
						  strchr("/!", page->data[i + 1])));
			inside = 1;
		} else if (page->data[i] == '>') {
			assert(inside);
			inside = 0;
		}
	}
	assert(!inside && str_ends(page->data, "</html>\n"));
}

static void check_page(const json_t *record)
{
	struct str page = STR_INIT;

	report_html_add(record, "/nonexistent", &page);
	check_markup(&page);
	str_release(&page);
}

/* The same file as a farm of one node: sound there exactly when it is a record that does not
 * contradict itself. */
static void check_farm(const char *path, const json_t *record)
{
	static const struct export_options how = { true, "/dev/dri" };
	struct farm_entry entry = { .name = "node", .record = path };
	struct farm_report *farm = farm_report_read(&entry, 1);
	const struct export_format *format;
	struct str text = STR_INIT;
	struct error err;

	assert(farm->nodes[0].has_record == (record && !record_contradiction(record)));
	farm_report_html_add(farm, &text);
	check_markup(&text);
	str_truncate(&text, 0);
	farm_report_text_add(farm, &text);
	farm_report_oneline_add(farm, &text);
	farm_report_json_add(farm, &text);
	check_visible(&text);
	str_truncate(&text, 0);
	for (format = export_formats; format->name; format++)
		export_add(farm, format, &how, &text, &err);
	str_release(&text);
	farm_report_free(farm);
}

static void check_cost(const json_t *record)
{
	const json_t *records[] = { record, record };
	const char *names[] = { "a", "b" };
	struct cost_prices prices;
	struct str text = STR_INIT;
	json_t *cost;

	cost_prices_init(&prices);
	prices.numbers[COST_NODE_HOUR] = 1;
	prices.numbers[COST_KWH] = 1;
	prices.numbers[COST_GCD_WATTS] = 1;
	cost = cost_json(records, names, 2, &prices);
	assert(cost);
	cost_text_add(cost, &text);
	check_visible(&text);
	str_release(&text);
	json_decref(cost);
	cost_prices_release(&prices);
}

static void check_junit(const json_t *record)
{
	struct str text = STR_INIT;
	struct error err;
	xmlDocPtr document;

	if (report_junit_add(record, &text, &err) != 0)
		abort();
	check_visible(&text);
	document = xmlReadMemory(
		text.data, (int)text.len, "junit", NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	assert(document);
	xmlFreeDoc(document);
	str_release(&text);
}

static void check_texts(const json_t *record)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct str text = STR_INIT;

	report_markdown_add(record, &text);
	check_visible(&text);
	str_release(&text);
	if (!nowhere)
		abort();
	report_summary_print(record, "folder", nowhere);
	report_oneline_print(record, nowhere);
	fclose(nowhere);
}

/* Worse is what a change says of itself. */
static void check_worse(const json_t *diff)
{
	const json_t *change;
	bool worse = false;
	size_t i;

	json_array_foreach (json_object_get(diff, "changes"), i, change) {
		assert(json_is_string(json_object_get(change, "weight")));
		worse = worse ||
			strcmp(json_string_value(json_object_get(change, "weight")), "worse") == 0;
	}
	assert(worse == json_is_true(json_object_get(diff, "worse")));
}

static void check_diff(const json_t *record)
{
	json_t *same = diff_records(record, record);
	json_t *other = json_pack("{s:{s:s, s:[{s:{s:s}}]}, s:[{s:s, s:s}], s:[{s:s}]}", "node",
		"name", "n", "gpus", "unique_id", "value", "0x074e71f78335a291", "gcds", "bdf",
		"0000:c1:00.0", "verdict", "accepted", "scenes", "name", "cornell");
	json_t *there = diff_records(other, record), *back = diff_records(record, other);

	assert(json_array_size(json_object_get(same, "changes")) == 0);
	check_worse(same);
	check_worse(there);
	check_worse(back);
	json_decref(same);
	json_decref(other);
	json_decref(there);
	json_decref(back);
}

/* Read in parts it is the same to a history, as it is to a farm. */
static void check_history_parts(const char *path, const json_t *part)
{
	struct str room = STR_INIT;
	struct error err;
	json_t *read = history_read(path, &room, &err), *changes;

	assert(!read == !part);
	if (read) {
		changes = diff_surroundings(part, read);
		assert(json_array_size(changes) == 0);
		assert(json_equal(json_object_get(part, "cases"), json_object_get(read, "cases")));
		assert(json_equal(json_object_get(part, "cards"), json_object_get(read, "cards")));
		assert(json_equal(json_object_get(part, "gcds"), json_object_get(read, "gcds")));
		json_decref(changes);
	}
	json_decref(read);
	str_release(&room);
}

static void check_history(const char *path, const json_t *record)
{
	struct error err = { "" };
	json_t *part = history_part(record, "input", &err), *parts, *history;

	check_history_parts(path, part);
	if (!part) {
		assert(err.text[0]);
		return;
	}
	parts = json_pack("[O, O]", part, part);
	history = history_of(parts);
	assert(json_array_size(json_object_get(history, "nodes")) == 1);
	assert(json_array_size(json_object_get(history, "same_twice")) == 1);
	json_decref(history);
	json_decref(parts);
	json_decref(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("record", MFD_CLOEXEC);
	struct error err = { "" };
	json_t *record;
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	record = record_read(path, &err);
	fuzz_count(record != NULL);
	check_farm(path, record);
	if (record) {
		check_cost(record);
		check_page(record);
		check_junit(record);
		check_texts(record);
		check_diff(record);
		check_history(path, record);
	} else {
		assert(err.text[0]);
	}
	json_decref(record);
	close(fd);
	return 0;
}
