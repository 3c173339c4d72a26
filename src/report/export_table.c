/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for other programs: CSV (RFC 4180) and the text format of Prometheus (its "Exposition
 * formats", version 0.0.4). Every node has a row, so that none is lost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/export_parts.h"

/* --- CSV --- */

/* A table program takes what begins so for a formula; the quote makes it text. */
static bool looks_like_formula(const char *text)
{
	return text[0] && strchr("=+-@\t\r", text[0]);
}

static void add_cell(struct str *to, const char *text, bool last)
{
	str_add(to, looks_like_formula(text) ? "\"'" : "\"");
	for (; *text; text++)
		str_add_bytes(to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	str_add(to, last ? "\"\r\n" : "\",");
}

static void add_number(struct str *to, bool known, double number)
{
	char text[40] = "";

	if (known)
		snprintf(text, sizeof(text), "%.15g", number);
	add_cell(to, text, false);
}

static const char *source_of(const struct farm_node *node)
{
	return !node->has_record ? "" : node->played ? "simulated" : "observed";
}

static void add_row(struct str *to, const struct farm_node *node, const struct farm_gcd *gcd)
{
	static char empty[] = "";
	static const struct farm_gcd none = { .bdf = empty,
		.unique_id = empty,
		.target = empty,
		.verdict = empty,
		.evidence = empty,
		.module = -1,
		.render_minor = -1,
		.seconds = NAN };
	const struct farm_gcd *of = gcd ? gcd : &none;

	add_cell(to, node->name, false);
	add_cell(to, node->outcome, false);
	add_cell(to, source_of(node), false);
	add_cell(to, of->bdf, false);
	add_cell(to, of->unique_id, false);
	add_cell(to, of->target, false);
	add_number(to, of->module >= 0, of->module);
	add_number(to, of->memory_bytes > 0, (double)of->memory_bytes);
	add_cell(to, of->verdict, false);
	add_cell(to, !gcd ? "" : export_offers(node, gcd) ? "yes" : "no", false);
	add_number(to, isfinite(of->seconds), of->seconds);
	add_cell(to, node->blender, false);
	add_cell(to, node->driver, false);
	add_cell(to, node->ended, false);
	add_cell(to, gcd ? gcd->evidence : node->why, false);
	add_cell(to, node->sha256, true);
}

int export_csv_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	size_t i, j;

	(void)options;
	(void)err;
	str_add(to, "node,outcome,source,bdf,unique_id,gfx_target,module,memory_bytes,verdict,"
		    "render_worker,"
		    "render_seconds,blender,amdgpu_driver,ended,evidence,record_sha256\r\n");
	for (i = 0; i < farm->count; i++) {
		const struct farm_node *node = &farm->nodes[i];

		for (j = 0; j < node->gcd_count; j++)
			add_row(to, node, &node->gcds[j]);
		if (!node->gcd_count)
			add_row(to, node, NULL);
	}
	return 0;
}

/* --- Prometheus --- */

/* A label's value: backslash, quote and line feed are escaped. */
static void add_label(struct str *to, const char *name, const char *text, bool first)
{
	str_addf(to, "%s%s=\"", first ? "" : ",", name);
	for (; *text; text++)
		if (*text == '\\' || *text == '"')
			str_addf(to, "\\%c", *text);
		else if (*text == '\n')
			str_add(to, "\\n");
		else
			str_add_bytes(to, text, 1);
	str_add(to, "\"");
}

/* The value of one metric; false: there is none for this node or GCD. */
typedef bool metric_fn(const struct farm_node *node, const struct farm_gcd *gcd, double *value);

static bool is_worker(const struct farm_node *node, const struct farm_gcd *gcd, double *value)
{
	*value = export_offers(node, gcd);
	return true;
}

static bool seconds(const struct farm_node *node, const struct farm_gcd *gcd, double *value)
{
	(void)node;
	*value = gcd->seconds;
	return isfinite(gcd->seconds);
}

static bool memory(const struct farm_node *node, const struct farm_gcd *gcd, double *value)
{
	(void)node;
	*value = (double)gcd->memory_bytes;
	return gcd->memory_bytes > 0;
}

static const struct metric {
	const char *name, *help;
	metric_fn *value;
} metrics[] = {
	{ "gcd_render_worker", "1 when the GCD is an accepted Cycles render worker.", is_worker },
	{ "gcd_render_seconds", "Mean render time of its accepted frames, alone.", seconds },
	{ "gcd_memory_bytes", "Memory of the GCD as the runtime sees it.", memory },
};

static void add_gcd_sample(struct str *to, const char *prefix, const struct metric *metric,
	const struct farm_node *node, const struct farm_gcd *gcd)
{
	double value;

	if (!metric->value(node, gcd, &value))
		return;
	str_addf(to, "%s_%s{", prefix, metric->name);
	add_label(to, "node", node->name, true);
	add_label(to, "bdf", gcd->bdf, false);
	add_label(to, "gfx_target", gcd->target, false);
	if (metric->value == is_worker)
		add_label(to, "verdict", gcd->verdict, false);
	str_addf(to, "} %.15g\n", value);
}

/* Of the nodes that are simulated, or of the others: their names differ. */
static void add_metric(
	struct str *to, const struct farm_report *farm, const struct metric *metric, bool simulated)
{
	const char *prefix = simulated ? "oamqual_simulated" : "oamqual";
	size_t i, j;

	str_addf(to, "# HELP %s_%s %s%s\n# TYPE %s_%s gauge\n", prefix, metric->name,
		simulated ? "SIMULATED. " : "", metric->help, prefix, metric->name);
	for (i = 0; i < farm->count; i++)
		for (j = 0; j < farm->nodes[i].gcd_count; j++)
			if (farm->nodes[i].played == simulated)
				add_gcd_sample(to, prefix, metric, &farm->nodes[i],
					&farm->nodes[i].gcds[j]);
}

static void add_outcomes(struct str *to, const struct farm_report *farm, bool simulated)
{
	const char *prefix = simulated ? "oamqual_simulated" : "oamqual";
	size_t i;

	str_addf(to,
		"# HELP %s_node_outcome %sWhat became of the node, 1 for its outcome.\n"
		"# TYPE %s_node_outcome gauge\n",
		prefix, simulated ? "SIMULATED. " : "", prefix);
	for (i = 0; i < farm->count; i++) {
		const struct farm_node *node = &farm->nodes[i];

		if (node->played != simulated)
			continue;
		str_addf(to, "%s_node_outcome{", prefix);
		add_label(to, "node", node->name, true);
		add_label(to, "outcome", node->outcome, false);
		str_add(to, "} 1\n");
	}
}

int export_prometheus_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	size_t i;
	int simulated;

	(void)options;
	(void)err;
	for (simulated = 0; simulated <= (farm->simulated ? 1 : 0); simulated++) {
		add_outcomes(to, farm, simulated);
		for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
			add_metric(to, farm, &metrics[i], simulated);
	}
	return 0;
}
