/* SPDX-License-Identifier: Apache-2.0 */
#include "report/export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/export_parts.h"

const struct export_format export_formats[] = {
	{ "slurm", "features, Gres= and gres.conf lines of Slurm", export_slurm_add },
	{ "kubernetes", "labels and taints of Kubernetes nodes, as a List", export_kubernetes_add },
	{ "opencue", "host tags of OpenCue, for Host.addTags() of pycue", export_opencue_add },
	{ "flamenco", "worker tags of Flamenco, as its API takes them", export_flamenco_add },
	{ "openjd", "worker capabilities of Open Job Description, as a worker agent's TOML",
		export_openjd_add },
	{ "prometheus", "metrics in Prometheus' text format", export_prometheus_add },
	{ "csv", "a row a GCD, for a table", export_csv_add },
	{ NULL, NULL, NULL },
};

const struct export_format *export_find(const char *name)
{
	const struct export_format *format;

	for (format = export_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

/* --- what a node offers --- */

bool export_offers(const struct farm_node *node, const struct farm_gcd *gcd)
{
	return node->has_record && !node->interrupted && strcmp(node->outcome, "qualified") == 0 &&
	       gcd->worker;
}

size_t export_count_offers(const struct farm_node *node)
{
	size_t i, count = 0;

	for (i = 0; i < node->gcd_count; i++)
		count += export_offers(node, &node->gcds[i]);
	return count;
}

const char *export_refusal(const struct farm_node *node)
{
	size_t i;

	if (!node->has_record || strcmp(node->outcome, "qualified") != 0)
		return node->outcome;
	if (node->interrupted)
		return "interrupted";
	for (i = 0; i < node->gcd_count; i++)
		if (!node->gcds[i].worker)
			return node->gcds[i].verdict;
	return "no-gcd";
}

static bool is_first_of_target(const struct farm_node *node, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (export_offers(node, &node->gcds[i]) &&
			strcmp(node->gcds[i].target, node->gcds[at].target) == 0)
			return false;
	return true;
}

const char *export_target(const struct farm_node *node, size_t i)
{
	size_t at;

	for (at = 0; at < node->gcd_count; at++)
		if (export_offers(node, &node->gcds[at]) && is_first_of_target(node, at) &&
			i-- == 0)
			return node->gcds[at].target;
	return NULL;
}

size_t export_count_target(const struct farm_node *node, const char *target)
{
	size_t i, count = 0;

	for (i = 0; i < node->gcd_count; i++)
		count += export_offers(node, &node->gcds[i]) &&
			 strcmp(node->gcds[i].target, target) == 0;
	return count;
}

unsigned long long export_least_memory(const struct farm_node *node)
{
	unsigned long long least = 0;
	bool first = true;
	size_t i;

	for (i = 0; i < node->gcd_count; i++) {
		if (!export_offers(node, &node->gcds[i]))
			continue;
		if (first || node->gcds[i].memory_bytes < least)
			least = node->gcds[i].memory_bytes;
		first = false;
	}
	return least;
}

/* --- words --- */

bool export_is_made_of(const char *text, const char *allowed, size_t most)
{
	size_t len = strlen(text);

	return len > 0 && len <= most && strspn(text, allowed) == len;
}

void export_add_word(struct str *to, const char *text, char other)
{
	for (; *text; text++) {
		char c = isalnum((unsigned char)*text) ? *text : other;

		str_add_bytes(to, &c, 1);
	}
}

/* --- the whole --- */

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int check_twice(const struct farm_report *farm, struct error *err)
{
	char **names = xcalloc(farm->count ? farm->count : 1, sizeof(*names));
	int rc = 0;
	size_t i;

	for (i = 0; i < farm->count; i++)
		names[i] = farm->nodes[i].name;
	qsort(names, farm->count, sizeof(*names), by_name);
	for (i = 1; i < farm->count && rc == 0; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			rc = error_set(err, "node %s stands twice: one record a node", names[i]);
	free(names);
	return rc;
}

static int check_source(
	const struct farm_report *farm, const struct export_options *options, struct error *err)
{
	size_t i;

	for (i = 0; i < farm->count; i++) {
		const struct farm_node *node = &farm->nodes[i];

		if (node->played && !options->simulated)
			return error_set(err,
				"node %s: its record (or, without one, its farm) is simulated and "
				"says nothing about hardware; "
				"--simulated exports it under names that say so",
				node->name);
		if (!node->name[0])
			return error_set(
				err, "%s: the record does not name its node", node->record);
	}
	return 0;
}

int export_add(const struct farm_report *farm, const struct export_format *format,
	const struct export_options *options, struct str *to, struct error *err)
{
	size_t start = to->len;

	if (check_source(farm, options, err) != 0 || check_twice(farm, err) != 0)
		return -1;
	if (format->add(farm, options, to, err) == 0)
		return 0;
	str_truncate(to, start);
	return -1;
}
