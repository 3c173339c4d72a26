/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inventory/cores.h"
#include "inventory/correct_parts.h"
#include "inventory/slurm_line.h"
#include "node/module.h"

/* Reads the settings of an item's line again. */
static void read_line(
	const struct work *work, const struct inventory_item *item, struct slurm_line *line)
{
	struct slurm_cursor cursor = { item->span.from, item->line - 1 };

	slurm_line_next(&work->inventory->text, &cursor, line);
}

static const struct inventory_item *first_item(const struct work *work)
{
	size_t i;

	for (i = 0; i < work->inventory->count; i++)
		if (work->judged->is_of[i])
			return &work->inventory->items[i];
	return NULL;
}

/* --- slurm.conf
 * --------------------------------------------------------------------------------------- */

/* "gpu:mi250x:8,nic:2": the other resources of the line stay. */
static char *new_gres(const struct work *work, const char *old)
{
	char *gpus = correct_gres_value(work->site, work->type);
	char *others = slurm_gres_others(strcasecmp(old, "(null)") == 0 ? "" : old);
	char *value = xasprintf("%s%s%s", gpus, others[0] ? "," : "", others);

	free(gpus);
	free(others);
	return value;
}

static bool node_is_right(const struct work *work, const struct inventory_item *item)
{
	return item->is_gpu && item->count.value == work->site->count &&
	       strcmp(item->type, work->type) == 0;
}

static void edit_node(struct work *work, const struct inventory_item *item)
{
	struct slurm_line line;
	const struct slurm_pair *gres, *name;

	if (node_is_right(work, item))
		return;
	read_line(work, item, &line);
	gres = slurm_line_find(&line, "Gres");
	name = slurm_line_find(&line, "NodeName");
	if (gres) {
		edit_add(
			&work->edits, gres->span.from, gres->span.len, new_gres(work, gres->value));
	} else if (name) {
		char *value = new_gres(work, "");

		edit_add(&work->edits, name->span.from + name->span.len, 0,
			xasprintf(" Gres=%s", value));
		free(value);
	}
	slurm_line_release(&line);
}

static void edit_types(struct work *work)
{
	const struct inventory *inventory = work->inventory;
	const char *old = inventory->text.data + inventory->gres_types.from;
	size_t len = inventory->gres_types.len;
	bool quoted = len >= 2 && old[0] == '"';

	if (!inventory->gres_types_line)
		edit_add(
			&work->edits, inventory->items[0].span.from, 0, xstrdup("GresTypes=gpu\n"));
	else
		edit_add(&work->edits, inventory->gres_types.from, len,
			xasprintf("%.*s%sgpu", (int)(len - (quoted ? 2 : 0)), old + quoted,
				len > (quoted ? 2u : 0u) ? "," : ""));
}

/* GresTypes= may stand after the nodes. */
int correct_slurm_conf(struct work *work, struct error *err)
{
	const struct inventory *inventory = work->inventory;
	bool types_due = !inventory->gres_types_gpu;
	size_t types_at = inventory->gres_types_line ? inventory->gres_types.from : 0, i;

	if (!first_item(work))
		return error_set(err, "%s: no NodeName line of %s to correct", inventory->path,
			work->site->host);
	for (i = 0; i < inventory->count; i++) {
		if (types_due && types_at <= inventory->items[i].span.from) {
			edit_types(work);
			types_due = false;
		}
		if (work->judged->is_of[i])
			edit_node(work, &inventory->items[i]);
	}
	if (types_due)
		edit_types(work);
	return 0;
}

/* --- gres.conf
 * ------------------------------------------------------------------------------------------ */

static void add_head(const struct site *site, struct str *to)
{
	char domain[32], module[32];
	const char *units = site->mode[0] ? "cards" : "modules";

	site_memory_text(site->domain_bytes, domain);
	site_memory_text(site->module_bytes, module);
	if (site->node->simulated)
		str_add(to, "# SIMULATED: from a replayed node, not from this machine.\n");
	str_addf(to, "# %zu GPU domains", site->count);
	if (site->undetermined)
		str_add(to, ", which of them share a module is undetermined");
	else
		str_addf(to, " in %zu %s%s%s", site->modules.count, units,
			site->mode[0] ? ", mode " : "", site->mode);
	str_addf(to, "; one device can allocate at most its domain's memory, %s",
		site->domain_bytes.known ? domain : "which is unknown");
	if (site->module_bytes.known)
		str_addf(to, ", never the %s of a %s", module, site->mode[0] ? "card" : "module");
	str_add(to, ".\n# File= follows KFD's drm_render_minor, in KFD's order.\n");
}

/* The line that gave this domain its Cores=, when one did and its numbers are or can be made cores.
 */
static char *cores_of(const struct work *work, size_t domain)
{
	const char *file = work->site->domains[domain].file;
	size_t i, j;

	for (i = 0; i < work->inventory->count; i++) {
		const struct inventory_item *item = &work->inventory->items[i];

		if (!work->judged->is_of[i] || !item->cores[0])
			continue;
		for (j = 0; j < item->file_count; j++)
			if (strcmp(item->files[j], file) == 0)
				return work->judged->cores_wrong[i]
					       ? cores_from_threads(item->cores,
							 work->judged->cores.value,
							 work->site->threads_adjacent)
					       : xstrdup(item->cores);
	}
	return NULL;
}

/* Settings that stay: Flags= and whatever else the line says that does not name devices. */
static char *kept_settings(const struct work *work, const struct inventory_item *item)
{
	static const char *const replaced[] = { "NodeName", "Name", "Type", "File", "MultipleFiles",
		"Count", "Cores", "CPUs", "Links", "AutoDetect" };
	struct str kept = STR_INIT;
	struct slurm_line line;
	size_t i, j;

	read_line(work, item, &line);
	for (i = 0; i < line.count; i++) {
		const struct slurm_pair *pair = &line.pairs[i];
		bool stays = true;

		for (j = 0; j < sizeof(replaced) / sizeof(replaced[0]); j++)
			stays = stays && strcasecmp(pair->key, replaced[j]) != 0;
		if (stays)
			str_addf(&kept, " %s=%.*s", pair->key, (int)pair->span.len,
				work->inventory->text.data + pair->span.from);
	}
	slurm_line_release(&line);
	return str_detach(&kept);
}

struct block {
	const char *host; /* "" none */
	const char *settings; /* " Flags=amd_gpu_env" */
	bool detect_off; /* a line for all hosts would detect other GPUs */
};

static void add_host(const char *host, struct str *to)
{
	const char *quote = strpbrk(host, " \t#") ? "\"" : "";

	if (host[0])
		str_addf(to, "NodeName=%s%s%s ", quote, host, quote);
}

static void add_domain(
	const struct work *work, size_t index, const struct block *block, struct str *to)
{
	const struct site_domain *domain = &work->site->domains[index];
	char *module = site_module_name(work->site, domain->module);
	char *cores = cores_of(work, index), memory[32], label[NODE_GFX];
	bool alone = work->site->modules.items[domain->module].gpu_count == 1;
	enum module_basis basis = work->site->modules.items[domain->module].basis;

	site_memory_text(domain->gpu->vram_total, memory);
	add_host(block->host, to);
	str_addf(to, "Name=gpu%s%s File=%s", work->type[0] ? " Type=" : "", work->type,
		domain->file);
	if (cores)
		str_addf(to, " Cores=%s", cores);
	gpu_label(domain->gpu, label);
	str_addf(to, "%s # %s, %s", block->settings, label, memory);
	if (!alone)
		str_addf(to, ", of %s %s", work->site->mode[0] ? "card" : "module", module);
	str_addf(to, " (%s)\n", module_basis_name(basis));
	free(module);
	free(cores);
}

/* Without the last line end. -1 when a minor is unknown: an index is no minor. */
static int make_block(
	const struct work *work, const struct block *block, char **out, struct error *err)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < work->site->count; i++)
		if (!work->site->domains[i].file)
			return error_set(err,
				"%s cannot be corrected: KFD does not tell the render minor of %s",
				work->inventory->path, work->site->domains[i].gpu->bdf);
	add_head(work->site, &text);
	if (block->detect_off) {
		add_host(block->host, &text);
		str_add(&text, "AutoDetect=off\n");
	}
	for (i = 0; i < work->site->count; i++)
		add_domain(work, i, block, &text);
	if (text.len)
		text.data[--text.len] = '\0';
	*out = str_detach(&text);
	return 0;
}

static bool is_bad_detector(const char *value)
{
	return value[0] && !judge_autodetect_finds_amd(value) && strcasecmp(value, "off") != 0;
}

/* The item that the block takes the place of: the first gpu line, else the first one with a fault.
 */
static const struct inventory_item *block_item(const struct work *work)
{
	const struct inventory_item *other = NULL;
	size_t i;

	for (i = 0; i < work->inventory->count; i++) {
		const struct inventory_item *item = &work->inventory->items[i];

		if (!work->judged->is_of[i])
			continue;
		if (item->is_gpu)
			return item;
		if (!other && item->junk[0])
			other = item;
	}
	return other;
}

static bool other_hosts_named(const struct work *work)
{
	size_t i;

	for (i = 0; i < work->inventory->count; i++)
		if (work->inventory->items[i].host[0])
			return true;
	return false;
}

/* The line and its end are taken out. */
static void edit_remove(struct work *work, const struct inventory_item *item)
{
	size_t end = item->span.from + item->span.len;

	edit_add(&work->edits, item->span.from,
		item->span.len + (end < work->inventory->text.len ? 1 : 0), xstrdup(""));
}

static void edit_detector(struct work *work, const struct inventory_item *item)
{
	struct slurm_line line;
	const struct slurm_pair *pair;

	read_line(work, item, &line);
	pair = slurm_line_find(&line, "AutoDetect");
	if (pair)
		edit_add(&work->edits, pair->span.from, pair->span.len, xstrdup("off"));
	slurm_line_release(&line);
}

/* A vendor's detector for all hosts stays for the others: it is switched off for this one. */
static bool detector_is_others(const struct inventory_item *item, const struct block *block)
{
	static const char *const known[] = { "nvml", "nvidia", "oneapi", "nrt" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcasecmp(item->autodetect, known[i]) == 0)
			return !item->host[0] && block->host[0];
	return false;
}

static void edit_items(struct work *work, const struct inventory_item *place,
	const struct block *block, const char *text)
{
	size_t i;

	for (i = 0; i < work->inventory->count; i++) {
		const struct inventory_item *item = &work->inventory->items[i];

		if (!work->judged->is_of[i])
			continue;
		if (item == place)
			edit_add(&work->edits, item->span.from, item->span.len, xstrdup(text));
		else if (item->is_gpu || item->junk[0])
			edit_remove(work, item);
		else if (is_bad_detector(item->autodetect) && !detector_is_others(item, block))
			edit_detector(work, item);
	}
	if (!place) {
		bool open = work->inventory->text.len &&
			    work->inventory->text.data[work->inventory->text.len - 1] != '\n';

		edit_add(&work->edits, work->inventory->text.len, 0,
			xasprintf("%s%s\n", open ? "\n" : "", text));
	}
}

static bool needs_off(const struct work *work, const struct block *block)
{
	size_t i;

	for (i = 0; i < work->inventory->count; i++)
		if (work->judged->is_of[i] && detector_is_others(&work->inventory->items[i], block))
			return true;
	return false;
}

int correct_gres_conf(struct work *work, struct error *err)
{
	const struct inventory_item *place = block_item(work);
	char *settings = place && place->is_gpu ? kept_settings(work, place) : xstrdup("");
	struct block block = { .settings = settings };
	char *text;
	int rc;

	block.host = place ? place->host : other_hosts_named(work) ? work->site->host : "";
	block.detect_off = needs_off(work, &block);
	rc = make_block(work, &block, &text, err);
	if (rc == 0) {
		edit_items(work, place, &block, text);
		free(text);
	}
	free(settings);
	return rc;
}

/* --- scontrol show node
 * ------------------------------------------------------------------------------------ */

char *correct_scontrol(struct work *work, struct error *err)
{
	const struct inventory_item *item = first_item(work);
	struct block block = { .host = item ? item->host : work->site->host, .settings = "" };
	char *lines, *gres, *text;

	if (make_block(work, &block, &lines, err) != 0)
		return NULL;
	gres = correct_gres_value(work->site, work->type);
	text = xasprintf(
		"# slurm.conf\nGresTypes=gpu\n# in the line of NodeName=%s:\n#   Gres=%s\n\n"
		"# gres.conf\n%s\n",
		block.host, gres, lines);
	free(gres);
	free(lines);
	return text;
}
