/* SPDX-License-Identifier: Apache-2.0 */
/* Bars: render time, baseline rate, memory. A value that is not in the record has no bar, and its
 * row says why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/html_parts.h"
#include "report/svg.h"
#include "report/view.h"

enum { ROWS_MAX = 160, BARS_MAX = 3, CHARTS_MAX = 60 };
enum { LABEL_WIDTH = 92, BAR_WIDTH = 110, TEXT_WIDTH = 158, ROW_HEIGHT = 22, CHART_HEAD = 24 };

struct bar {
	double value; /* below 0 or not finite: none */
	const char *class;
	char text[48];
};

struct row {
	const char *label;
	struct bar bars[BARS_MAX];
	size_t bar_count;
	const char *why; /* stands where there is no bar */
};

struct chart {
	const char *title, *caption;
	bool simulated;
	struct row rows[ROWS_MAX];
	size_t row_count;
};

static struct row *add_row(struct chart *chart, const char *label)
{
	struct row *row = &chart->rows[chart->row_count];

	if (chart->row_count >= ROWS_MAX)
		return NULL;
	chart->row_count++;
	*row = (struct row){ .label = label };
	return row;
}

static struct bar *add_bar(struct row *row, double value, const char *class)
{
	struct bar *bar = &row->bars[row->bar_count++];

	*bar = (struct bar){ .value = value, .class = class };
	return bar;
}

static bool is_value(double value)
{
	return isfinite(value) && value >= 0;
}

static double largest(const struct chart *chart)
{
	double most = 0;
	size_t i, k;

	for (i = 0; i < chart->row_count; i++)
		for (k = 0; k < chart->rows[i].bar_count; k++)
			if (is_value(chart->rows[i].bars[k].value))
				most = fmax(most, chart->rows[i].bars[k].value);
	return most > 0 ? most : 1;
}

static double row_height(const struct row *row)
{
	return ROW_HEIGHT * (double)(row->bar_count ? row->bar_count : 1) + 4;
}

static void draw_bar(struct markup *m, const struct bar *bar, double most, double y)
{
	double width = BAR_WIDTH * bar->value / most;

	svg_rectangle(m, "track", LABEL_WIDTH, y + 3, BAR_WIDTH, ROW_HEIGHT - 6, 0);
	if (is_value(bar->value))
		svg_rectangle(m, bar->class, LABEL_WIDTH, y + 3, width > 1 ? width : 1,
			ROW_HEIGHT - 6, 0);
	svg_text(m, NULL, LABEL_WIDTH + BAR_WIDTH + 8, y + 15, bar->text, 25);
}

static void draw_row(struct markup *m, const struct row *row, double most, double y)
{
	size_t k;

	svg_text(m, NULL, 4, y + 15, row->label, 14);
	for (k = 0; k < row->bar_count; k++)
		draw_bar(m, &row->bars[k], most, y + (double)k * ROW_HEIGHT);
	if (!row->bar_count)
		svg_text(m, "small", LABEL_WIDTH, y + 15, row->why ? row->why : "not in the record",
			78);
}

static void draw(struct markup *m, const struct chart *chart)
{
	double most = largest(chart), y = CHART_HEAD, height = CHART_HEAD + 4;
	char *label = xasprintf("%s%s", chart->simulated ? "SIMULATED " : "", chart->title);
	size_t i;

	for (i = 0; i < chart->row_count; i++)
		height += row_height(&chart->rows[i]);
	markup_open(m, "figure", "class", "chart", NULL);
	svg_open(m, LABEL_WIDTH + BAR_WIDTH + TEXT_WIDTH, height, label);
	svg_text(m, "title", 4, 15, chart->title, 40);
	if (chart->simulated)
		svg_text(m, "simtext", LABEL_WIDTH + BAR_WIDTH + TEXT_WIDTH - 84, 15, "SIMULATED",
			9);
	for (i = 0; i < chart->row_count; i++) {
		draw_row(m, &chart->rows[i], most, y);
		y += row_height(&chart->rows[i]);
	}
	markup_close(m);
	markup_element(m, "figcaption", NULL, chart->caption);
	markup_close(m);
	free(label);
}

/* --- render time --- */

static double render_seconds(const json_t *attempt)
{
	return json_real_of(json_object_get(attempt, "timing"), "render_seconds", -1);
}

static void add_time_row(struct chart *chart, const json_t *attempt)
{
	const char *verdict = json_text(attempt, "verdict", "no verdict");
	bool accepted = strcmp(verdict, "accepted") == 0;
	bool together = json_is_true(json_object_get(attempt, "together"));
	double seconds = render_seconds(attempt);
	struct row *row = add_row(chart, view_attempt_device(attempt));
	struct bar *bar;

	if (!row)
		return;
	row->why = "no render time in the record: it did not come so far, or was not run";
	if (!is_value(seconds))
		return;
	bar = add_bar(row, seconds, !accepted ? "bar refused" : together ? "bar second" : "bar");
	snprintf(bar->text, sizeof(bar->text), "%.2f s%s%s%s", seconds,
		together		   ? " together"
		: view_is_control(attempt) ? " observed"
					   : "",
		accepted ? "" : " ", accepted ? "" : verdict);
}

static bool is_charted(const json_t *attempt, const char *scene)
{
	const char *probe = json_text(attempt, "probe", "");

	return strcmp(json_text(attempt, "scene", ""), scene) == 0 &&
	       (strcmp(probe, "strict") == 0 || strcmp(probe, "control") == 0);
}

static void add_times(struct markup *m, const json_t *record, const char *scene)
{
	struct chart *chart = xcalloc(1, sizeof(*chart));
	char *title = xasprintf("Render time, scene %s", scene);
	const json_t *attempt;
	size_t i;

	chart->title = title;
	chart->simulated = view_is_simulated(record);
	chart->caption =
		"Seconds inside Blender's render call: the strict probe, alone and together with "
		"the other "
		"GCDs, and the control, observed on the CPU of the machine that ran the tool. A "
		"dashed bar is an attempt that was not accepted. Measured once, not a benchmark.";
	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (is_charted(attempt, scene))
			add_time_row(chart, attempt);
	if (chart->row_count)
		draw(m, chart);
	free(title);
	free(chart);
}

/* --- baseline --- */

/* The rate of a fact: a number, or an object with one. */
static double rate_of(const json_t *fact)
{
	const json_t *value = json_object_get(fact, "value");

	if (json_is_object(value))
		value = json_object_get(value, "msamples_per_s");
	if (json_is_object(value))
		value = json_object_get(value, "value");
	return json_is_number(value) ? json_number_value(value) : -1;
}

static void add_rate(struct chart *chart, const char *label, const json_t *fact)
{
	struct row *row = add_row(chart, label);
	double rate = rate_of(fact);

	if (!row)
		return;
	row->why = json_text(fact, "why", NULL);
	if (!is_value(rate))
		return;
	snprintf(add_bar(row, rate, "bar")->text, sizeof(row->bars[0].text), "%.4g %s", rate,
		json_text(fact, "class", "no class"));
}

static void add_baseline(struct markup *m, const json_t *record)
{
	const json_t *baseline = json_object_get(record, "baseline"), *gcd;
	struct chart *chart = xcalloc(1, sizeof(*chart));
	size_t i;

	chart->title = "Baseline, million samples a second";
	chart->simulated = view_is_simulated(record);
	chart->caption = "The project's own path tracer, not Blender: how fast a "
			 "device traces paths with it says nothing about Cycles. The CPU is that "
			 "of the machine that ran the tool.";
	if (json_object_get(baseline, "cpu"))
		add_rate(chart, "CPU",
			json_object_get(json_object_get(baseline, "cpu"), "msamples_per_s"));
	else
		add_rate(chart, "CPU", baseline);
	json_array_foreach (json_object_get(baseline, "gcds"), i, gcd)
		add_rate(chart, view_gcd_name(gcd), gcd);
	draw(m, chart);
	free(chart);
}

/* Two bars of the same work; without the figures, the row that says why. */
static void add_beside(struct markup *m, const json_t *record)
{
	const json_t *cycles = json_object_get(json_object_get(record, "baseline"), "cycles");
	struct chart *chart;
	char *caption;

	if (!cycles)
		return;
	chart = xcalloc(1, sizeof(*chart));
	caption = xasprintf("The same scene, size, samples a pixel and threads on the CPU of the "
			    "machine that ran the tool, in million samples a second. %s",
		json_text(cycles, "not_said", ""));
	chart->title = "Baseline beside Cycles, on the CPU";
	chart->caption = caption;
	if (view_is_fact(cycles)) {
		add_rate(chart, "Cycles", cycles);
	} else {
		add_rate(chart, "Cycles", json_object_get(cycles, "cycles_msamples_per_s"));
		add_rate(chart, "baseline", json_object_get(cycles, "baseline_msamples_per_s"));
	}
	draw(m, chart);
	free(caption);
	free(chart);
}

/* --- memory --- */

static double fact_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(json_object_get(object, key), "value");

	return json_is_number(value) ? json_number_value(value) : -1;
}

static double used_before(const json_t *gpu)
{
	double total = fact_number(gpu, "hip_total"), free_bytes = fact_number(gpu, "hip_free");

	return total >= 0 && free_bytes >= 0 && free_bytes <= total ? total - free_bytes : -1;
}

static double used_after(const json_t *record, const char *bdf)
{
	const json_t *health = json_object_get(json_object_get(record, "system"), "health"), *item;
	size_t i;

	json_array_foreach (health, i, item) {
		const char *named = json_fact_text(item, "bdf");

		if (named && strcmp(named, bdf) == 0)
			return fact_number(item, "vram_used");
	}
	return -1;
}

/* The most that any attempt on this GCD held. */
static double peak_of(const json_t *record, const char *bdf)
{
	const json_t *attempt;
	double peak = -1;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt)
		if (!view_is_control(attempt) && strcmp(view_attempt_device(attempt), bdf) == 0)
			peak = fmax(peak, fact_number(attempt, "vram_peak_bytes"));
	return peak;
}

static void add_memory_bar(struct row *row, const char *what, double bytes, const char *class)
{
	struct bar *bar = add_bar(row, bytes, class);
	char size[24];

	text_bytes(size, bytes);
	snprintf(bar->text, sizeof(bar->text), "%s: %s", what, is_value(bytes) ? size : "unknown");
}

static void add_memory_row(struct chart *chart, const json_t *record, const json_t *gpu)
{
	const char *bdf = json_fact_text(gpu, "bdf");
	struct row *row = add_row(chart, bdf ? bdf : "(no address)");

	if (!row)
		return;
	add_memory_bar(row, "before", used_before(gpu), "bar");
	add_memory_bar(row, "peak", bdf ? peak_of(record, bdf) : -1, "bar second");
	add_memory_bar(row, "after", bdf ? used_after(record, bdf) : -1, "bar third");
}

static void add_memory(struct markup *m, const json_t *record)
{
	const json_t *gpus = json_object_get(json_object_get(record, "node"), "gpus"), *gpu;
	struct chart *chart = xcalloc(1, sizeof(*chart));
	size_t i;

	chart->title = "Device memory in use";
	chart->simulated = view_is_simulated(record);
	chart->caption =
		"Before: total less free of HIP, read before the first attempt. Peak: the most "
		"that "
		"the process of an attempt held, by KFD. After: the driver's own count "
		"(mem_info_vram_used) "
		"when the record was written. Three sources, so small differences mean nothing.";
	json_array_foreach (gpus, i, gpu)
		add_memory_row(chart, record, gpu);
	if (chart->row_count)
		draw(m, chart);
	free(chart);
}

void html_charts(struct markup *m, const json_t *record)
{
	const json_t *scene;
	size_t i;

	html_section(m, record, "charts", "Charts");
	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		if (i < CHARTS_MAX)
			add_times(m, record, json_text(scene, "name", ""));
	add_baseline(m, record);
	add_beside(m, record);
	add_memory(m, record);
}
