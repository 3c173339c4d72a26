/* SPDX-License-Identifier: Apache-2.0 */
/* slurm.conf, gres.conf and `scontrol show node`. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "inventory/hostlist.h"
#include "inventory/readers.h"
#include "inventory/slurm_line.h"

/* Slurm's lists of hosts may stand for many: the whole file has one budget, so that no text can
 * keep us busy. */
static int enter_hosts(struct inventory_item *item, const struct inventory *inventory,
	const char *list, size_t *budget, struct error *err)
{
	long hosts = hostlist_count(list);

	if (hosts < 0)
		return error_set(err, "%s:%zu: the list of hosts is malformed or too long",
			inventory->path, item->line);
	if ((size_t)hosts > *budget)
		return error_set(
			err, "%s:%zu: more than %d hosts", inventory->path, item->line, MOST_HOSTS);
	*budget -= (size_t)hosts;
	item->hosts = (size_t)hosts;
	item->is_list = true;
	item_text(&item->host, list);
	return 0;
}

static void enter_gres(struct inventory_item *item, const char *gres)
{
	uint64_t count;
	char *type;

	item->is_gpu = slurm_gres_gpus(gres, &count, &type);
	if (item->is_gpu) {
		item->count = known_u64(count);
		item_text(&item->type, type);
	}
	item->counts_as_null = !item->is_gpu;
	free(type);
}

/* --- slurm.conf ---------------------------------------------------------------------------------
 */

/* What NodeName=DEFAULT lines set for the lines after them. */
static const char *const inherited_keys[] = { "Gres", "Boards", "SocketsPerBoard", "Sockets",
	"CoresPerSocket", "ThreadsPerCore", "CPUs" };

enum { INHERITED = sizeof(inherited_keys) / sizeof(inherited_keys[0]) };
enum { GRES, BOARDS, SOCKETS_PER_BOARD, SOCKETS, CORES, THREADS, CPUS };

struct settings {
	char *value[INHERITED]; /* NULL: not set */
};

static void settings_release(struct settings *settings)
{
	size_t i;

	for (i = 0; i < INHERITED; i++)
		free(settings->value[i]);
}

static void settings_take(struct settings *settings, const struct slurm_line *line)
{
	size_t i;

	for (i = 0; i < INHERITED; i++) {
		const struct slurm_pair *pair = slurm_line_find(line, inherited_keys[i]);

		if (!pair)
			continue;
		free(settings->value[i]);
		settings->value[i] = xstrdup(pair->value);
	}
}

static const char *setting(const struct settings *settings, const struct slurm_line *line, int key)
{
	const struct slurm_pair *pair = slurm_line_find(line, inherited_keys[key]);

	return pair ? pair->value : settings->value[key] ? settings->value[key] : "";
}

static struct known_u64 small_number(const char *text, uint64_t otherwise)
{
	struct known_u64 number = item_number(text);

	if (!text[0])
		return (struct known_u64){ otherwise != 0, otherwise };
	return number.known && number.value && number.value <= 65536
		       ? number
		       : (struct known_u64){ false, 0 };
}

/* Cores, not threads. With CPUs= alone Slurm does not know them either. */
static struct known_u64 core_count(const struct settings *settings, const struct slurm_line *line)
{
	struct known_u64 unknown = { false, 0 };
	struct known_u64 cores = small_number(setting(settings, line, CORES), 0);
	struct known_u64 sockets = small_number(setting(settings, line, SOCKETS), 0);
	struct known_u64 boards = small_number(setting(settings, line, BOARDS), 1);
	struct known_u64 per_board = small_number(setting(settings, line, SOCKETS_PER_BOARD), 0);
	struct known_u64 threads = small_number(setting(settings, line, THREADS), 0);
	struct known_u64 cpus = small_number(setting(settings, line, CPUS), 0);

	if (!sockets.known && per_board.known && boards.known)
		sockets = known_u64(boards.value * per_board.value);
	if (cores.known && sockets.known)
		return known_u64(cores.value * sockets.value);
	if (cpus.known && threads.known && cpus.value % threads.value == 0)
		return known_u64(cpus.value / threads.value);
	return unknown;
}

static int enter_node(struct inventory *inventory, const struct slurm_line *line,
	const struct settings *settings, size_t *budget, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, line->line, err);

	if (!item ||
		enter_hosts(item, inventory, slurm_line_value(line, "NodeName"), budget, err) != 0)
		return -1;
	item->span = line->span;
	item->inherited = !slurm_line_find(line, "Gres");
	item->core_count = core_count(settings, line);
	enter_gres(item, setting(settings, line, GRES));
	return 0;
}

static void enter_types(struct inventory *inventory, const struct slurm_line *line)
{
	const struct slurm_pair *pair = slurm_line_find(line, "GresTypes");
	const char *at = pair ? pair->value : "";

	if (!pair)
		return;
	inventory->gres_types = pair->span;
	inventory->gres_types_line = line->line;
	inventory->gres_types_gpu = false;
	while (*at) {
		size_t len = strcspn(at, ",");

		if (len == 3 && strncasecmp(at, "gpu", 3) == 0)
			inventory->gres_types_gpu = true;
		at += len + (at[len] == ',');
	}
}

int slurm_conf_read(struct inventory *inventory, struct error *err)
{
	struct slurm_cursor cursor = { 0, 0 };
	struct settings settings = { { NULL } };
	struct slurm_line line;
	size_t budget = MOST_HOSTS;
	int rc = 0;

	while (rc == 0 && slurm_line_next(&inventory->text, &cursor, &line)) {
		const char *name = slurm_line_value(&line, "NodeName");

		enter_types(inventory, &line);
		if (strcasecmp(name, "DEFAULT") == 0)
			settings_take(&settings, &line);
		else if (name[0])
			rc = enter_node(inventory, &line, &settings, &budget, err);
		slurm_line_release(&line);
	}
	settings_release(&settings);
	return rc;
}

/* --- gres.conf
 * ------------------------------------------------------------------------------------ */

static int enter_files(struct inventory_item *item, const struct inventory *inventory,
	const char *files, size_t *budget, struct error *err)
{
	char **names = NULL;
	long count = hostlist_expand(files, MOST_FILES, &names);
	size_t i;

	if (count < 0)
		return error_set(err, "%s:%zu: File= is malformed or names more than %d files",
			inventory->path, item->line, MOST_FILES);
	item->files = names;
	item->file_count = (size_t)count;
	if (item->file_count > *budget)
		return error_set(err, "%s:%zu: more than %d device files in all", inventory->path,
			item->line, MOST_ALL_FILES);
	*budget -= item->file_count;
	for (i = 0; i < item->file_count; i++) {
		char *shown = text_printable(names[i], strlen(names[i]));

		free(names[i]);
		names[i] = shown;
	}
	return 0;
}

struct budgets {
	size_t hosts, files;
};

static int enter_gres_line(struct inventory *inventory, const struct slurm_line *line,
	struct budgets *budgets, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, line->line, err);
	const char *count = slurm_line_value(line, "Count");

	if (!item || enter_hosts(item, inventory, slurm_line_value(line, "NodeName"),
			     &budgets->hosts, err) != 0)
		return -1;
	item->span = line->span;
	item_text(&item->autodetect, slurm_line_value(line, "AutoDetect"));
	item_text(&item->junk, line->junk ? line->junk : "");
	item->is_gpu = strcasecmp(slurm_line_value(line, "Name"), "gpu") == 0;
	if (!item->is_gpu)
		return 0;
	item_text(&item->type, slurm_line_value(line, "Type"));
	item_text(&item->cores, slurm_line_value(line, "Cores"));
	if (enter_files(item, inventory, slurm_line_value(line, "File"), &budgets->files, err) != 0)
		return -1;
	if (count[0])
		item->count = item_number(count);
	else
		item->count = known_u64(item->file_count ? item->file_count : 1);
	return 0;
}

int gres_conf_read(struct inventory *inventory, struct error *err)
{
	struct slurm_cursor cursor = { 0, 0 };
	struct budgets budgets = { MOST_HOSTS, MOST_ALL_FILES };
	struct slurm_line line;
	int rc = 0;

	while (rc == 0 && slurm_line_next(&inventory->text, &cursor, &line)) {
		bool other = slurm_line_find(&line, "Name") &&
			     strcasecmp(slurm_line_value(&line, "Name"), "gpu") != 0;

		if ((line.count || line.junk) && (!other || slurm_line_find(&line, "AutoDetect")))
			rc = enter_gres_line(inventory, &line, &budgets, err);
		slurm_line_release(&line);
	}
	return rc;
}

/* --- scontrol show node
 * ----------------------------------------------------------------------------- */

/* Where the value of `key` stands within [from, end): the first word that begins with it. */
static bool find_word(
	const struct str *text, size_t from, size_t end, const char *key, char **value)
{
	size_t len = strlen(key), at = from;

	while (at < end) {
		size_t word = at;

		while (at < end && text->data[at] > ' ')
			at++;
		if (at - word > len && strncmp(text->data + word, key, len) == 0) {
			*value = xstrndup(text->data + word + len, at - word - len);
			return true;
		}
		while (at < end && text->data[at] <= ' ')
			at++;
	}
	*value = xstrdup("");
	return false;
}

/* Reason= runs to the end of its line. */
static void enter_reason(struct inventory_item *item, const char *record, size_t len)
{
	static const char key[] = "Reason=";
	size_t at;

	for (at = 0; at + sizeof(key) - 1 < len; at++)
		if (memcmp(record + at, key, sizeof(key) - 1) == 0) {
			const char *from = record + at + sizeof(key) - 1;
			const char *end = memchr(from, '\n', len - at - sizeof(key) + 1);
			size_t most = end ? (size_t)(end - from) : len - at - sizeof(key) + 1;
			char *value = xstrndup(from, most < 300 ? most : 300);

			item_text(&item->reason, value);
			free(value);
			return;
		}
}

static int enter_record(struct inventory *inventory, size_t from, size_t end, size_t line,
	size_t *budget, struct error *err)
{
	struct inventory_item *item = inventory_add(inventory, line, err);
	char *name, *gres, *sockets, *cores;
	int rc = -1;

	if (!item)
		return -1;
	item->span = (struct inventory_span){ from, end - from };
	find_word(&inventory->text, from, end, "NodeName=", &name);
	find_word(&inventory->text, from, end, "Gres=", &gres);
	find_word(&inventory->text, from, end, "Sockets=", &sockets);
	find_word(&inventory->text, from, end, "CoresPerSocket=", &cores);
	if (enter_hosts(item, inventory, name, budget, err) == 0) {
		struct known_u64 s = small_number(sockets, 0), c = small_number(cores, 0);

		enter_gres(item, gres);
		enter_reason(item, inventory->text.data + from, end - from);
		if (s.known && c.known)
			item->core_count = known_u64(s.value * c.value);
		rc = 0;
	}
	free(name);
	free(gres);
	free(sockets);
	free(cores);
	return rc;
}

/* A record begins with NodeName= at the start of a line. */
int scontrol_read(struct inventory *inventory, struct error *err)
{
	static const char key[] = "NodeName=";
	const char *text = inventory->text.data;
	size_t len = inventory->text.len, at = 0, from = SIZE_MAX, line = 0, from_line = 0;
	size_t budget = MOST_HOSTS;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		bool begins =
			len - at >= sizeof(key) && memcmp(text + at, key, sizeof(key) - 1) == 0;

		line++;
		if (begins && from != SIZE_MAX &&
			enter_record(inventory, from, at, from_line, &budget, err) != 0)
			return -1;
		if (begins) {
			from = at;
			from_line = line;
		}
		at = end ? (size_t)(end - text) + 1 : len;
	}
	if (from == SIZE_MAX)
		return error_set(err, "%s: no record that begins with NodeName=", inventory->path);
	return enter_record(inventory, from, len, from_line, &budget, err);
}
