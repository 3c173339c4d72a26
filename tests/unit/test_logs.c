/* SPDX-License-Identifier: Apache-2.0 */
/* Every log of tests/logs against tests/logs/expected.txt, which was written by reading them. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "blender/log.h"
#include "tap.h"

enum { ROWS_MAX = 200, NAME = 80, GIGABYTE_SECONDS = 60, GIGABYTE_KIB = 64 * 1024 };

static char names[ROWS_MAX][NAME];
static size_t name_count;
static struct log heard;

static void folder_path(char *path, size_t size, const char *name, const char *end)
{
	const char *source = getenv("SOURCE");

	snprintf(path, size, "%s/tests/logs/%s%s", source ? source : ".", name, end);
}

/* Both streams of a run, in the order in which an attempt reads them. */
static bool hear(const char *name)
{
	static const char *const ends[] = { ".err.txt", ".txt" };
	char path[4096];
	bool any = false;
	size_t i;

	log_init(&heard);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		folder_path(path, sizeof(path), name, ends[i]);
		if (access(path, F_OK) == 0)
			any = log_read(&heard, path, NULL) == 0 || any;
	}
	return any;
}

static void add_traced(struct str *text)
{
	size_t i;

	for (i = 0; i < heard.traced_count && i < LOG_TRACED_MAX; i++) {
		const char *id = heard.traced[i].id;

		str_addf(text, " %s%s", heard.traced[i].kind,
			log_id_is_at(id, "0000:c1:00.0") ? "@c1" : "");
	}
	if (!heard.traced_count)
		str_add(text, " nobody");
}

/* "EVENT[*COUNT]...; traced KIND...; first EVENT" with the counts that `want` gives. */
static char *told(const char *want)
{
	enum log_event first = log_first_failure(&heard);
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < LOG_EVENT_COUNT; i++) {
		const char *name = log_event_name((enum log_event)i);
		char *counted = xasprintf("%s*%zu ", name, heard.event[i].count);
		char *any = xasprintf("%s ", name);

		if (heard.event[i].count)
			str_add(&text, strstr(want, any) ? any : counted);
		free(counted);
		free(any);
	}
	str_add(&text, "; traced");
	add_traced(&text);
	str_addf(&text, "; first %s", first == LOG_EVENT_COUNT ? "none" : log_event_name(first));
	return str_detach(&text);
}

/* The events of a row in the order of the program's list, which is no claim of the row. */
static char *in_order(const char *row)
{
	const char *semicolon = strchr(row, ';');
	struct str text = STR_INIT;
	size_t i, words = 0, placed = 0;
	const char *at;

	for (at = row; semicolon && at < semicolon; at++)
		words += *at != ' ' && (at[1] == ' ' || at[1] == ';');
	for (i = 0; semicolon && i < LOG_EVENT_COUNT; i++) {
		const char *name = log_event_name((enum log_event)i);
		size_t len = strlen(name);

		for (at = row; at < semicolon; at += strcspn(at, " ;")) {
			at += strspn(at, " ");
			if (at >= semicolon)
				break;
			if (strncmp(at, name, len) == 0 && strchr(" *;", at[len])) {
				str_addf(&text, "%.*s ", (int)strcspn(at, " ;"), at);
				placed++;
			}
		}
	}
	if (placed != words)
		str_add(&text, "(a word of this row is no event) ");
	str_add(&text, semicolon ? semicolon : "(no semicolon)");
	return str_detach(&text);
}

static void test_row(char *line)
{
	char *colon = strchr(line, ':');
	char *want, *got;

	if (!colon || name_count == ROWS_MAX) {
		tap_ok(false, "a row of expected.txt: %s", line);
		return;
	}
	*colon = '\0';
	snprintf(names[name_count++], NAME, "%s", line);
	if (!hear(line)) {
		tap_ok(false, "%s: there is no such log", line);
		return;
	}
	want = in_order(colon + 1);
	got = told(want);
	tap_text(got, want, line);
	free(want);
	free(got);
}

static void test_table(void)
{
	char path[4096];
	struct str text = STR_INIT;
	struct error err;
	char *line, *rest;

	folder_path(path, sizeof(path), "expected", ".txt");
	if (file_read(path, 1 << 20, &text, &err) != 0) {
		tap_ok(false, "%s", err.text);
		return;
	}
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (line[0] != '#')
			test_row(line);
	str_release(&text);
}

static bool has_row(const char *file)
{
	size_t i, len;

	for (i = 0; i < name_count; i++) {
		len = strlen(names[i]);
		if (strncmp(file, names[i], len) == 0 &&
			(strcmp(file + len, ".txt") == 0 || strcmp(file + len, ".err.txt") == 0))
			return true;
	}
	return false;
}

static void test_complete(void)
{
	char path[4096];
	struct dirent *entry;
	size_t without = 0;
	DIR *dir;

	folder_path(path, sizeof(path), "", "");
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!str_ends(entry->d_name, ".txt") || strcmp(entry->d_name, "expected.txt") == 0)
			continue;
		if (!has_row(entry->d_name)) {
			printf("# without a row: %s\n", entry->d_name);
			without++;
		}
	}
	if (dir)
		closedir(dir);
	tap_number((long long)without, 0, "every log has a row of expected.txt");
}

/* One line of a gigabyte: zeroes that take no room on the disk, between two lines that say
 * something. */
static void test_gigabyte(void)
{
	static const char before[] = "Error: before\nError: Launch", after[] = "\nError: after\n";
	const off_t length = (off_t)1 << 30;
	struct timespec begin, end;
	struct rusage usage_before, usage_after;
	struct error err;
	FILE *file = fopen("gigabyte", "wb");

	fwrite(before, 1, sizeof(before) - 1, file);
	fseeko(file, length, SEEK_SET);
	fwrite(after, 1, sizeof(after) - 1, file);
	fclose(file);
	log_init(&heard);
	getrusage(RUSAGE_SELF, &usage_before);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	tap_number(log_read(&heard, "gigabyte", &err), 0, "a line of a gigabyte is read");
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_SELF, &usage_after);
	unlink("gigabyte");
	tap_number((long long)heard.lines, 3, "as one line");
	tap_number((long long)heard.event[LOG_ERROR].count, 3, "what follows it is heard");
	tap_ok(end.tv_sec - begin.tv_sec < GIGABYTE_SECONDS, "in bounded time");
	tap_ok(usage_after.ru_maxrss - usage_before.ru_maxrss < GIGABYTE_KIB, "and memory");
}

int main(void)
{
	test_table();
	test_complete();
	test_gigabyte();
	return tap_done();
}
