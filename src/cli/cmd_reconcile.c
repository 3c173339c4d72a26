/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/node_open.h"
#include "inventory/correct.h"
#include "inventory/inventory.h"
#include "inventory/judge.h"
#include "inventory/site.h"
#include "node/counts.h"

enum { MOST_FILES_GIVEN = 64 };

struct reconcile {
	const struct options *options;
	struct open_node open;
	struct site site;
	struct inventory inventories[MOST_FILES_GIVEN];
	struct judged judged[MOST_FILES_GIVEN];
	struct correction corrections[MOST_FILES_GIVEN];
	char *written[MOST_FILES_GIVEN]; /* NULL: to stdout */
	size_t count;
	struct finding_list findings;
	struct error correction_error; /* "" none */
};

/* --- reading and judging
 * ------------------------------------------------------------------------------ */

static int read_inventories(struct reconcile *all, struct error *err)
{
	const char *kind_name = options_text(all->options, "kind");
	enum inventory_kind kind =
		kind_name ? inventory_kind_find(kind_name) : INVENTORY_KIND_COUNT;
	size_t i, count = options_operand_count(all->options);

	for (i = 0; i < count; i++) {
		if (inventory_read(
			    options_operand(all->options, i), kind, &all->inventories[i], err) != 0)
			return -1;
		all->count++;
	}
	return 0;
}

/* A correction that cannot be made does not hide the findings. */
static void correct_all(struct reconcile *all)
{
	const char *given = options_text(all->options, "type");
	char *type = given ? xstrdup(given) : correct_type(&all->site, all->judged, all->count);
	size_t i;

	for (i = 0; i < all->count && !all->correction_error.text[0]; i++)
		correct(&all->site, &all->judged[i], type, &all->corrections[i], &all->findings,
			&all->correction_error);
	free(type);
}

static int reconcile(struct reconcile *all, const char *work, struct error *err)
{
	const struct options *options = all->options;

	if (read_inventories(all, err) != 0 ||
		node_open(options_text(options, "node"), work, options_text(options, "hip-library"),
			!options_flag(options, "no-hip"), &all->open, err) != 0)
		return -1;
	if (site_make(&all->open.node, options_text(options, "host"), options_text(options, "type"),
		    options_text(options, "device-folder"), &all->site, err) != 0)
		return -1;
	if (judge(&all->site, all->inventories, all->count, all->judged, &all->findings, err) != 0)
		return -1;
	correct_all(all);
	return 0;
}

static void reconcile_release(struct reconcile *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		correction_release(&all->corrections[i]);
		judged_release(&all->judged[i]);
		inventory_release(&all->inventories[i]);
		free(all->written[i]);
	}
	finding_list_release(&all->findings);
	if (all->site.node)
		site_release(&all->site);
	if (all->open.node.name)
		node_close(&all->open);
}

/* --- writing
 * -------------------------------------------------------------------------------------------- */

/* The original is never written over, by whatever name. */
static int refuse_input(const struct reconcile *all, const char *path, struct error *err)
{
	struct stat target, input;
	size_t i;

	if (stat(path, &target) != 0)
		return 0;
	for (i = 0; i < all->count; i++)
		if (stat(all->inventories[i].path, &input) == 0 && input.st_dev == target.st_dev &&
			input.st_ino == target.st_ino)
			return error_set(err,
				"%s is an inventory that was given: it is not written over", path);
	return 0;
}

static int choose_path(struct reconcile *all, size_t index, struct error *err)
{
	const char *folder = options_text(all->options, "write");
	const char *out = options_text(all->options, "out");
	const char *name = path_base(all->inventories[index].path);
	size_t i;

	if (out) {
		all->written[index] = xstrdup(out);
	} else if (folder) {
		char *whole = xasprintf("%s%s", name, all->corrections[index].ending);

		all->written[index] = path_join(folder, whole);
		free(whole);
	}
	if (!all->written[index])
		return 0;
	for (i = 0; i < index; i++)
		if (strcmp(all->written[i], all->written[index]) == 0)
			return error_set(
				err, "two inventories are called %s: write them one by one", name);
	return refuse_input(all, all->written[index], err);
}

static int write_all(struct reconcile *all, struct error *err)
{
	const char *folder = options_text(all->options, "write");
	size_t i;

	for (i = 0; i < all->count; i++)
		if (choose_path(all, i, err) != 0)
			return -1;
	if (folder && folder_make(folder, err) != 0)
		return -1;
	for (i = 0; i < all->count; i++)
		if (all->written[i] && file_write(all->written[i], all->corrections[i].text,
					       all->corrections[i].len, err) != 0)
			return -1;
	return 0;
}

/* --- showing
 * -------------------------------------------------------------------------------------------- */

static void say(const char *text)
{
	char *shown = text_printable(text, strlen(text));

	fputs(shown, stderr);
	free(shown);
}

static void say_counts(const struct reconcile *all)
{
	struct counts counts;
	size_t i;

	counts_take(&all->open.node, &counts);
	fputs("node ", stderr);
	say(all->site.host);
	fprintf(stderr, "%s: %zu GPU domains", all->open.node.simulated ? " (SIMULATED)" : "",
		all->site.count);
	if (all->site.undetermined)
		fputs(", modules undetermined", stderr);
	else
		fprintf(stderr, " in %zu %s", all->site.modules.count,
			all->site.mode[0] ? "cards" : "modules");
	if (all->site.mode[0])
		fprintf(stderr, ", mode %s", all->site.mode);
	fputs("; KFD ", stderr);
	fprintf(stderr, counts.kfd.known ? "%llu" : "unknown",
		(unsigned long long)counts.kfd.value);
	fputs(", HIP ", stderr);
	fprintf(stderr, counts.hip.known ? "%llu" : "unknown",
		(unsigned long long)counts.hip.value);
	for (i = 0; i < all->count; i++) {
		fputs(", ", stderr);
		say(all->inventories[i].path);
		fprintf(stderr, all->judged[i].declared.count.known ? " %llu" : " unknown",
			(unsigned long long)all->judged[i].declared.count.value);
	}
	fputc('\n', stderr);
}

/* Those of the node are no verdict on the inventory. */
static void say_findings(const char *about, const struct finding_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct finding *item = &list->items[i];

		fprintf(stderr, "%s%-7s  %s%s%s: %s\n", about, finding_weight_name(item->weight),
			item->subject, item->subject[0] ? ": " : "", item->code, item->text);
		if (item->remedy)
			fprintf(stderr, "         %s\n", item->remedy);
	}
}

static void print_texts(const struct reconcile *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		if (all->written[i]) {
			printf("%s\n", all->written[i]);
			continue;
		}
		if (!all->corrections[i].text)
			continue;
		if (all->count > 1)
			printf("%s==> %s: %s <==\n", i ? "\n" : "", all->inventories[i].path,
				all->corrections[i].form);
		fwrite(all->corrections[i].text, 1, all->corrections[i].len, stdout);
	}
}

/* Text as it is when it is UTF-8: line ends are part of it. */
static json_t *text_json(const char *text, size_t len)
{
	return text_is_utf8(text, len) ? json_stringn(text, len) : json_printable(text, len);
}

static json_t *file_json(const struct reconcile *all, size_t i)
{
	const struct judged *judged = &all->judged[i];
	const struct correction *correction = &all->corrections[i];
	const char *kind = inventory_kind_name(all->inventories[i].kind);

	return json_pack("{s:o, s:s, s:o, s:o, s:b, s:s?, s:o?, s:o?}", "path",
		json_printable_text(all->inventories[i].path), "kind", kind, "count",
		fact_u64(judged->declared.count, "declared", kind, "the inventory does not say"),
		"memory_bytes",
		fact_u64(judged->declared.memory, "declared", kind, "the inventory does not say"),
		"wrong", judged->wrong > 0, "form", correction->form, "corrected",
		correction->text ? text_json(correction->text, correction->len) : NULL, "written",
		all->written[i] ? json_printable_text(all->written[i]) : NULL);
}

/* The scheduler's count stands beside those of the node. */
static json_t *all_counts(const struct reconcile *all)
{
	struct counts counts;
	json_t *json;
	size_t i;

	counts_take(&all->open.node, &counts);
	json = counts_json(&all->open.node, &counts);
	for (i = 0; i < all->count; i++)
		if (all->judged[i].declared.count.known) {
			json_object_set_new(json, "scheduler",
				fact_u64(all->judged[i].declared.count, "declared",
					inventory_kind_name(all->inventories[i].kind), ""));
			break;
		}
	return json;
}

static void print_json(const struct reconcile *all)
{
	const struct site *site = &all->site;
	json_t *files = json_array(), *json;
	size_t i;

	for (i = 0; i < all->count; i++)
		json_array_append_new(files, file_json(all, i));
	json = json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
		"oamqual-reconcile/1", "node", json_printable_text(all->open.node.name), "source",
		node_class(&all->open.node), "host", json_printable_text(site->host), "counts",
		all_counts(all), "domain_bytes",
		fact_u64(site->domain_bytes, node_class(site->node), "kfd",
			"no domain tells its memory"),
		"mode",
		site->mode[0] ? fact_text(site->mode, node_class(site->node), "kfd")
			      : fact_unknown("no card is partitioned"),
		"modules", module_list_json(&site->modules, site->node), "files", files, "findings",
		finding_list_json(&all->findings), "node_findings",
		finding_list_json(&site->findings));
	json_print(json, stdout);
	json_decref(json);
}

/* --- the command
 * ----------------------------------------------------------------------------------------- */

static int show(struct reconcile *all, struct error *err)
{
	bool json = options_flag(all->options, "json");

	if (!all->correction_error.text[0] && write_all(all, err) != 0)
		return cli_fail(err);
	if (json) {
		print_json(all);
	} else {
		say_counts(all);
		say_findings("", &all->findings);
		say_findings("node ", &all->site.findings);
		print_texts(all);
	}
	if (all->correction_error.text[0])
		return cli_fail(&all->correction_error);
	return finding_worst(&all->findings) == FINDING_NOTE ? STATUS_ACCEPTED
							     : STATUS_NOT_ACCEPTED;
}

/* Words that go into configuration files. */
static int check_word(const struct options *options, const char *name, struct error *err)
{
	const char *word = options_text(options, name);
	size_t i;

	if (!word)
		return 0;
	for (i = 0; word[i]; i++)
		if (word[i] <= ' ' || word[i] > '~' || strchr("#\"',=[]\\", word[i]))
			break;
	if (!i || word[i])
		return error_set(err, "--%s takes one word of letters, digits and . _ - /", name);
	return 0;
}

static int check_options(const struct options *options, struct error *err)
{
	const char *kind = options_text(options, "kind"), *folder;

	if (check_word(options, "host", err) != 0 || check_word(options, "type", err) != 0 ||
		check_word(options, "device-folder", err) != 0)
		return -1;
	folder = options_text(options, "device-folder");
	if (folder && folder[0] != '/')
		return error_set(err, "--device-folder takes an absolute path");
	if (options_text(options, "out") && options_text(options, "write"))
		return error_set(err, "--out and --write exclude each other");
	if (options_text(options, "out") && options_operand_count(options) > 1)
		return error_set(err, "--out takes one FILE; use --write for more");
	if (options_flag(options, "no-hip") && options_text(options, "hip-library"))
		return error_set(err, "--no-hip and --hip-library exclude each other");
	if (kind && inventory_kind_find(kind) == INVENTORY_KIND_COUNT)
		return error_set(err,
			"--kind takes slurm.conf, gres.conf, scontrol, kubernetes, opencue, "
			"csv or json");
	return 0;
}

static char *make_work(struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	char *work = path_join(
		temporary && temporary[0] == '/' ? temporary : "/tmp", "oamqual-reconcile-XXXXXX");

	if (mkdtemp(work))
		return work;
	error_errno(err, "cannot make a folder like %s", work);
	free(work);
	return NULL;
}

static int run(const struct options *options)
{
	struct reconcile *all;
	struct error err;
	char *work;
	int status;

	if (check_options(options, &err) != 0)
		return cli_usage(options, &err);
	work = make_work(&err);
	if (!work)
		return cli_fail(&err);
	all = xcalloc(1, sizeof(*all));
	all->options = options;
	status = reconcile(all, work, &err) == 0 ? show(all, &err) : cli_fail(&err);
	reconcile_release(all);
	free(all);
	folder_remove(work, NULL);
	free(work);
	return status;
}

static const struct option_row rows[] = {
	{ "node", 0, "DIR", "read the recorded or synthetic node in DIR instead of this machine" },
	{ "host", 0, "NAME", "the node's name in the inventory (default: the node's own name)" },
	{ "kind", 0, "KIND",
		"slurm.conf, gres.conf, scontrol, kubernetes, opencue, csv or json (default: told "
		"from "
		"the content)" },
	{ "type", 0, "NAME", "call the GPUs so in the corrected Slurm files" },
	{ "device-folder", 0, "DIR", "where the render nodes are (default: /dev/dri)" },
	{ "out", 'o', "FILE", "write the corrected text to FILE; never over an input" },
	{ "write", 0, "DIR", "write the corrected text of each FILE under its name into DIR" },
	{ "json", 0, NULL, "print counts, findings and the corrected texts as JSON" },
	{ "hip-library", 0, "FILE", "ask this libamdhip64 instead of the usual names" },
	{ "no-hip", 0, NULL, "do not ask the HIP runtime" },
	{ 0 },
};

const struct command command_reconcile = {
	.name = "reconcile",
	.operands = "FILE...",
	.operands_min = 1,
	.operands_max = MOST_FILES_GIVEN,
	.summary =
		"a scheduler's inventory against the node: what is wrong, and the corrected text",
	.about = "FILE is what a scheduler or a list says about the node: Slurm's slurm.conf, "
		 "gres.conf or\n"
		 "`scontrol show node`, a Kubernetes node or an OpenCue host as JSON, a CSV or "
		 "JSON list. "
		 "Findings go\n"
		 "to stderr, the corrected text to stdout; lines that are not wrong stay as they "
		 "are. A "
		 "module's memory\n"
		 "is never a device's, and device files follow KFD's render minors. Give "
		 "slurm.conf and "
		 "gres.conf\n"
		 "together: they have to agree.\n",
	.rows = rows,
	.run = run,
};
