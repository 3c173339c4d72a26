/* SPDX-License-Identifier: Apache-2.0 */
#include "report/farm_data.h"

#include <jansson.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/show.h"

enum { NAME_MAX_SHOWN = 80, TEXT_MAX_SHOWN = 160, RECORD_MAX_SHOWN = 160 };

enum column {
	COLUMN_RECORD = 1,
	COLUMN_UID = 2,
	COLUMN_SHA = 4,
	COLUMN_EVIDENCE = 8,
	COLUMN_ALL = 15
};

/* Texts that stand once, by their place. */
struct list {
	struct str text; /* their JSON, with commas */
	json_t *places;
	size_t count;
};

static void list_open(struct list *list)
{
	memset(list, 0, sizeof(*list));
	list->places = json_object();
}

static void list_close(struct list *list)
{
	str_release(&list->text);
	json_decref(list->places);
}

/* The place of what has the name `key` and is `json` there; put there when it is new. */
static size_t list_place(struct list *list, const char *key, const char *json)
{
	json_t *known = json_object_get(list->places, key);

	if (known)
		return (size_t)json_integer_value(known);
	json_object_set_new_nocheck(list->places, key, json_integer((json_int_t)list->count));
	str_add(&list->text, list->count ? "," : "");
	str_add(&list->text, json);
	return list->count++;
}

/* `text` as a JSON string in which no tag can begin or end. */
static void add_string(struct str *to, const char *text, size_t max)
{
	struct str shown = STR_INIT;
	size_t i;

	show_add(&shown, text, max);
	str_add(to, "\"");
	for (i = 0; i < shown.len; i++) {
		char c = shown.data[i];

		if (strchr("<>&\"\\", c) || (unsigned char)c < 0x20)
			str_addf(to, "\\u%04x", (unsigned char)c);
		else
			str_add_bytes(to, &c, 1);
	}
	str_add(to, "\"");
	str_release(&shown);
}

static size_t text_place(struct list *texts, const char *text)
{
	struct str json = STR_INIT;
	size_t place;

	add_string(&json, text, TEXT_MAX_SHOWN);
	place = list_place(texts, json.data, json.data);
	str_release(&json);
	return place;
}

/* --- what is the same for many --- */

struct data {
	int columns; /* that are there */
	struct list texts, words, results, shapes, abouts;
	struct str name, outcome, why, shape, source, about, ended, record, sha; /* of nodes */
	struct str result, seconds, uid; /* of GCDs */
};

static void add_number(struct str *column, size_t number)
{
	str_addf(column, column->len ? ",%zu" : "%zu", number);
}

static void add_text(struct str *column, const char *text, size_t max)
{
	str_add(column, column->len ? "," : "");
	add_string(column, text, max);
}

/* `len` bytes given as hex digits in base64url; '!' throughout when they are not that. */
static void add_base64(struct str *column, const char *hex, size_t len, size_t width)
{
	unsigned char bytes[32], text[64];
	size_t i;

	memset(text, '!', sizeof(text));
	if (strlen(hex) == 2 * len && strspn(hex, "0123456789abcdefABCDEF") == 2 * len) {
		for (i = 0; i < len; i++) {
			char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

			bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
		}
		EVP_EncodeBlock(text, bytes, (int)len);
	}
	for (i = 0; i < width; i++)
		text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
	str_add_bytes(column, text, width);
}

static size_t result_place(struct data *data, const struct farm_gcd *gcd)
{
	const char *evidence = data->columns & COLUMN_EVIDENCE ? gcd->evidence : "in the record";
	char text[80];

	snprintf(text, sizeof(text), "[%zu,%d,%zu,%d]", text_place(&data->words, gcd->verdict),
		gcd->rung, text_place(&data->texts, evidence), gcd->worker);
	return list_place(&data->results, text, text);
}

static size_t shape_place(struct data *data, const struct farm_node *node)
{
	struct str text = STR_INIT;
	size_t i, place;

	str_add(&text, "[");
	for (i = 0; i < node->gcd_count; i++) {
		str_add(&text, i ? ",[" : "[");
		add_string(&text, node->gcds[i].bdf, NAME_MAX_SHOWN);
		str_add(&text, ",");
		add_string(&text, node->gcds[i].target, NAME_MAX_SHOWN);
		str_addf(&text, ",%d]", node->gcds[i].module);
	}
	str_add(&text, "]");
	place = list_place(&data->shapes, text.data, text.data);
	str_release(&text);
	return place;
}

static size_t about_place(struct data *data, const struct farm_node *node)
{
	char text[120];

	snprintf(text, sizeof(text), "[%zu,%zu,%zu,%zu]", text_place(&data->texts, node->blender),
		text_place(&data->texts, node->tool), text_place(&data->texts, node->driver),
		text_place(&data->texts, node->rocm));
	return list_place(&data->abouts, text, text);
}

/* To the minute, so that a farm's times are few. */
static size_t ended_place(struct data *data, const struct farm_node *node)
{
	char minute[24];

	if (strlen(node->ended) != 20)
		return text_place(&data->texts, node->ended);
	snprintf(minute, sizeof(minute), "%.16sZ", node->ended);
	return text_place(&data->texts, minute);
}

static void add_gcd(struct data *data, const struct farm_gcd *gcd)
{
	const char *id = str_starts(gcd->unique_id, "0x") ? gcd->unique_id + 2 : "";

	add_number(&data->result, result_place(data, gcd));
	str_add(&data->seconds, data->seconds.len ? "," : "");
	if (isfinite(gcd->seconds))
		str_addf(&data->seconds, "%.3g", gcd->seconds);
	else
		str_add(&data->seconds, "null");
	if (data->columns & COLUMN_UID)
		add_base64(&data->uid, id, 8, 11);
}

static void add_node(struct data *data, const struct farm_node *node)
{
	size_t i;

	add_text(&data->name, node->name, NAME_MAX_SHOWN);
	add_number(&data->outcome, text_place(&data->words, node->outcome));
	add_number(&data->why, text_place(&data->texts, node->why));
	add_number(&data->shape, shape_place(data, node));
	add_number(&data->source, !node->has_record ? 0 : node->simulated ? 1 : 2);
	add_number(&data->about, about_place(data, node));
	add_number(&data->ended, ended_place(data, node));
	add_text(
		&data->record, data->columns & COLUMN_RECORD ? node->record : "", RECORD_MAX_SHOWN);
	if (data->columns & COLUMN_SHA)
		add_base64(&data->sha, node->sha256, 32, 43);
	for (i = 0; i < node->gcd_count; i++)
		add_gcd(data, &node->gcds[i]);
}

/* --- the whole --- */

static void open_data(struct data *data, int columns)
{
	memset(data, 0, sizeof(*data));
	data->columns = columns;
	list_open(&data->texts);
	list_open(&data->words);
	list_open(&data->results);
	list_open(&data->shapes);
	list_open(&data->abouts);
}

static void close_data(struct data *data)
{
	struct str *const columns[] = { &data->name, &data->outcome, &data->why, &data->shape,
		&data->source, &data->about, &data->ended, &data->record, &data->sha, &data->result,
		&data->seconds, &data->uid };
	size_t i;

	list_close(&data->texts);
	list_close(&data->words);
	list_close(&data->results);
	list_close(&data->shapes);
	list_close(&data->abouts);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		str_release(columns[i]);
}

static void add_member(struct str *to, const char *name, const char *open, const struct str *text,
	const char *close)
{
	str_addf(to, "\"%s\":%s", name, open);
	if (text->len)
		str_add_bytes(to, text->data, text->len);
	str_add(to, close);
}

static void write_data(const struct data *data, bool simulated, struct str *to)
{
	str_addf(to, "{\"simulated\":%s,", simulated ? "true" : "false");
	add_member(to, "texts", "[", &data->texts.text, "],\n");
	add_member(to, "words", "[", &data->words.text, "],\n");
	add_member(to, "results", "[", &data->results.text, "],\n");
	add_member(to, "shapes", "[", &data->shapes.text, "],\n");
	add_member(to, "abouts", "[", &data->abouts.text, "],\n\"node\":{");
	add_member(to, "name", "[", &data->name, "],\n");
	add_member(to, "outcome", "[", &data->outcome, "],\n");
	add_member(to, "why", "[", &data->why, "],\n");
	add_member(to, "shape", "[", &data->shape, "],\n");
	add_member(to, "source", "[", &data->source, "],\n");
	add_member(to, "about", "[", &data->about, "],\n");
	add_member(to, "ended", "[", &data->ended, "],\n");
	add_member(to, "record", "[", &data->record, "],\n");
	add_member(to, "sha", "\"", &data->sha, "\"},\n\"gcd\":{");
	add_member(to, "result", "[", &data->result, "],\n");
	add_member(to, "seconds", "[", &data->seconds, "],\n");
	add_member(to, "uid", "\"", &data->uid, "\"}}\n");
}

static void try_columns(const struct farm_report *farm, int columns, struct str *to)
{
	struct data data;
	size_t i;

	open_data(&data, columns);
	for (i = 0; i < farm->count; i++)
		add_node(&data, &farm->nodes[i]);
	write_data(&data, farm->simulated, to);
	close_data(&data);
}

void farm_data_add(const struct farm_report *farm, struct str *to, struct str *left_out)
{
	static const struct {
		int column;
		const char *name;
	} steps[] = { { 0, NULL }, { COLUMN_RECORD, "paths of records" },
		{ COLUMN_UID, "unique ids" }, { COLUMN_SHA, "digests of records" },
		{ COLUMN_EVIDENCE, "evidence" } };
	size_t start = to->len, i;
	int columns = COLUMN_ALL;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		columns &= ~steps[i].column;
		if (steps[i].name)
			str_addf(left_out, "%s%s", left_out->len ? ", " : "", steps[i].name);
		str_truncate(to, start);
		try_columns(farm, columns, to);
		if (to->len - start <= FARM_DATA_BYTES)
			return;
	}
}
