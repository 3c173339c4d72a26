/* SPDX-License-Identifier: Apache-2.0 */
/* Worker capabilities of Open Job Description (2023-09 template schemas, 3.3 host requirements):
 * amount.worker.gpu and amount.worker.gpu.memory (MiB, of the GPU that has least) are its own
 * names; others may not begin with "worker", "job", "step" or "task". An attribute's value is
 * [A-Za-z_][A-Za-z0-9_-]*, at most 100. The specification has no file for a worker; this is the
 * form that the worker agent of Deadline Cloud reads, one table of TOML a node. */
#include <stdlib.h>
#include <string.h>

#include "report/export_parts.h"

enum { VALUE_MAX = 100 };

static void add_quoted(struct str *to, const char *text)
{
	str_add(to, "\"");
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			str_addf(to, "\\%c", *text);
		else
			str_add_bytes(to, text, 1);
	str_add(to, "\"");
}

/* Its values must not begin with a digit. */
static void add_value(struct str *to, const char *head, const char *text)
{
	struct str value = STR_INIT;

	str_add(&value, head);
	export_add_word(&value, text, '_');
	if (value.len > VALUE_MAX)
		str_truncate(&value, VALUE_MAX);
	add_quoted(to, value.data);
	str_release(&value);
}

static void add_table(struct str *to, const struct farm_node *node, const char *name)
{
	str_add(to, "[nodes.");
	add_quoted(to, node->name);
	str_addf(to, ".capabilities.%s]\n", name);
}

static void add_amounts(struct str *to, const struct farm_node *node)
{
	unsigned long long mib = export_least_memory(node) >> 20;
	size_t count = export_count_offers(node);

	add_table(to, node, "amounts");
	if (node->played) {
		str_addf(to, "\"amount.oamqual_simulated.gpu\" = %zu\n", count);
		if (mib)
			str_addf(to, "\"amount.oamqual_simulated.gpu.memory\" = %llu\n", mib);
		return;
	}
	str_addf(to, "\"amount.worker.gpu\" = %zu\n", count);
	if (mib)
		str_addf(to, "\"amount.worker.gpu.memory\" = %llu\n", mib);
}

static void add_attributes(struct str *to, const struct farm_node *node)
{
	const char *scope = node->played ? "oamqual_simulated" : "oamqual", *target;
	size_t i;

	add_table(to, node, "attributes");
	str_addf(to, "\"attr.%s.renderer\" = [\"cycles_hip\"]\n", scope);
	str_addf(to, "\"attr.%s.gfx_target\" = [", scope);
	for (i = 0; (target = export_target(node, i)); i++) {
		str_add(to, i ? ", " : "");
		add_value(to, target[0] ? "" : "unknown", target);
	}
	str_addf(to, "]\n\"attr.%s.blender\" = [", scope);
	add_value(to, "v", node->blender);
	str_add(to, "]\n");
}

int export_openjd_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	size_t i;

	(void)options;
	(void)err;
	for (i = 0; i < farm->count; i++) {
		const struct farm_node *node = &farm->nodes[i];

		str_add(to, i ? "\n" : "");
		if (node->played)
			str_addf(to, "# SIMULATED: no hardware was seen on %s\n", node->name);
		if (!export_count_offers(node)) {
			str_addf(to, "# %s: no GCD is accepted (%s)\n", node->name,
				export_refusal(node));
			continue;
		}
		add_amounts(to, node);
		add_attributes(to, node);
	}
	return 0;
}
