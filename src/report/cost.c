/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/view.h"

/* What is known of one device on one scene. */
struct row {
	const char *device; /* "cpu", an address, or "all-gcds" */
	size_t frames, accepted;
	double wall; /* seconds of all its frames, one after another; of all-gcds the longest GCD's
		      */
	double rate; /* accepted frames an hour */
	double watts; /* as measured; NAN: see why */
	const char *power_why;
	char power_from[120];
	const char *refused; /* why no cost may be said of it; NULL */
};

/* What a record from elsewhere may say is bounded, so that no sum leaves the numbers. */
static const double wall_max = 1e9, wall_min = 1e-3, watts_max = 1e6;

/* --- facts of a record --- */

static bool is_of(const json_t *attempt, const char *scene, const char *bdf, bool together)
{
	const char *at = json_text(json_object_get(attempt, "device"), "bdf", "");

	if (strcmp(json_text(attempt, "scene", ""), scene) != 0 ||
		!json_is_true(json_object_get(attempt, "run")))
		return false;
	if (!bdf)
		return view_is_control(attempt);
	return !view_is_control(attempt) && strcmp(at, bdf) == 0 &&
	       json_is_true(json_object_get(attempt, "together")) == together;
}

/* A published figure, or a declared one, is no measurement. */
static bool is_measured(const json_t *fact)
{
	const char *class = json_text(fact, "class", "");

	return strcmp(class, "observed") == 0 || strcmp(class, "simulated") == 0;
}

/* Power is measured once a module: the meter's reading is of both dies (node/health.h). */
static void add_power(struct row *row, const json_t *attempt, double wall, double *joules)
{
	const json_t *power = json_object_get(attempt, "power_w");
	const json_t *value = json_object_get(power, "value");

	if (!(is_measured(power) && json_is_number(value) && json_number_value(value) >= 0 &&
		    json_number_value(value) <= watts_max)) {
		*joules = NAN;
		row->power_why = json_text(power, "why", "the record has no samples of power");
		return;
	}
	*joules += json_number_value(value) * wall;
	snprintf(row->power_from, sizeof(row->power_from), "%s", json_text(power, "from", "hwmon"));
}

/* Frames one after another: their whole time, of the failed ones too. */
static void add_frames(
	struct row *row, const json_t *record, const char *scene, const char *bdf, bool together)
{
	const json_t *attempt;
	double joules = 0;
	size_t i;

	json_array_foreach (json_object_get(record, "attempts"), i, attempt) {
		double wall = json_real_of(json_object_get(attempt, "ending"), "wall_seconds", 0);

		if (!is_of(attempt, scene, bdf, together))
			continue;
		if (!(wall >= 0 && wall <= wall_max))
			wall = NAN;
		row->frames++;
		row->accepted += strcmp(json_text(attempt, "verdict", ""), "accepted") == 0;
		row->wall += wall;
		if (bdf)
			add_power(row, attempt, wall, &joules);
	}
	row->rate = row->wall >= wall_min ? (double)row->accepted * 3600 / row->wall : NAN;
	row->watts = row->wall >= wall_min && bdf ? joules / row->wall : NAN;
}

static const char *refusal_of(const json_t *gcd)
{
	return view_is_worker(gcd) ? NULL : json_text(gcd, "verdict", "no verdict");
}

static struct row cpu_row(const json_t *record, const char *scene)
{
	struct row row = { .device = "cpu", .power_why = "no meter of the CPUs is read" };

	add_frames(&row, record, scene, NULL, false);
	if (row.accepted < row.frames)
		row.refused = "a control frame is not accepted";
	return row;
}

static struct row gcd_row(const json_t *record, const char *scene, const json_t *gcd)
{
	struct row row = { .device = view_gcd_name(gcd), .refused = refusal_of(gcd) };

	add_frames(&row, record, scene, row.device, false);
	return row;
}

static const json_t *module_of(const json_t *record, const char *bdf)
{
	const json_t *module, *member;
	size_t i, j;

	json_array_foreach (json_object_get(json_object_get(record, "modules"), "value"), i, module)
		json_array_foreach (json_object_get(module, "gcds"), j, member)
			if (json_is_string(member) && strcmp(json_string_value(member), bdf) == 0)
				return module;
	return NULL;
}

/* Does an earlier GCD stand for this one's module? */
static bool is_counted(const json_t *record, const json_t *gcds, size_t at)
{
	const json_t *module = module_of(record, view_gcd_name(json_array_get(gcds, at)));
	size_t i;

	for (i = 0; i < at && module; i++)
		if (module_of(record, view_gcd_name(json_array_get(gcds, i))) == module)
			return true;
	return false;
}

/* All at once: what each yields an hour, added; the power of each module once. */
static struct row all_row(const json_t *record, const char *scene)
{
	const json_t *gcds = json_object_get(record, "gcds"), *gcd;
	struct row all = { .device = "all-gcds" };
	size_t i;

	json_array_foreach (gcds, i, gcd) {
		struct row one = { .device = view_gcd_name(gcd) };

		add_frames(&one, record, scene, one.device, true);
		if (!one.frames)
			continue;
		all.frames += one.frames;
		all.accepted += one.accepted;
		all.rate += one.rate;
		all.wall = one.wall > all.wall ? one.wall : all.wall;
		if (!all.refused)
			all.refused = refusal_of(gcd);
		if (!is_counted(record, gcds, i)) {
			all.watts += one.watts;
			all.power_why = one.power_why ? one.power_why : all.power_why;
			memcpy(all.power_from, one.power_from, sizeof(all.power_from));
		}
	}
	if (!all.frames)
		all.watts = NAN;
	return all;
}

/* --- money --- */

static bool is_declared(const struct cost_prices *prices, enum cost_price price)
{
	return !isnan(prices->numbers[price]);
}

static double share_of(const struct row *row, size_t gcds)
{
	bool one_gcd = strcmp(row->device, "cpu") != 0 && strcmp(row->device, "all-gcds") != 0;

	return one_gcd && gcds ? 1.0 / (double)gcds : 1;
}

/* Measured before declared. */
static json_t *watts_fact(
	const struct row *row, const char *class, const struct cost_prices *prices)
{
	enum cost_price price = strcmp(row->device, "cpu") == 0	       ? COST_CPU_WATTS
				: strcmp(row->device, "all-gcds") == 0 ? COST_NODE_WATTS
								       : COST_GCD_WATTS;
	char *why;
	json_t *fact;

	if (isfinite(row->watts))
		return fact_json(json_real(row->watts), class, row->power_from);
	if (is_declared(prices, price))
		return fact_json(
			json_real(prices->numbers[price]), "declared", cost_price_name(price));
	why = xasprintf("%s, and %s is not declared",
		row->power_why ? row->power_why : "nothing was run", cost_price_name(price));
	fact = fact_unknown(why);
	free(why);
	return fact;
}

static bool fact_number(const json_t *fact, double *value)
{
	const json_t *number = json_object_get(fact, "value");

	*value = json_number_value(number);
	return json_is_number(number);
}

/* Energy that costs nothing needs no power. */
static json_t *hour_fact(const struct row *row, const char *class, const json_t *watts, size_t gcds,
	const struct cost_prices *prices)
{
	double power = 0, pue = is_declared(prices, COST_PUE) ? prices->numbers[COST_PUE] : 1;

	if (!is_declared(prices, COST_NODE_HOUR))
		return fact_unknown("node_per_hour is not declared");
	if (!is_declared(prices, COST_KWH))
		return fact_unknown("per_kwh is not declared");
	if (!fact_number(watts, &power) && prices->numbers[COST_KWH] > 0)
		return fact_unknown("its power is unknown");
	return fact_json(json_real(prices->numbers[COST_NODE_HOUR] * share_of(row, gcds) +
				   power / 1000 * pue * prices->numbers[COST_KWH]),
		class, "prices of the operator and the power of this row");
}

static json_t *frame_fact(const struct row *row, const char *class, const json_t *hour)
{
	double cost;
	char *why;
	json_t *fact;

	if (row->refused) {
		why = xasprintf("not accepted: %s", row->refused);
		fact = fact_unknown(why);
		free(why);
		return fact;
	}
	if (!isfinite(row->rate))
		return fact_unknown("its frames an hour are unknown");
	if (!(row->rate > 0))
		return fact_unknown("no frame was accepted");
	if (!fact_number(hour, &cost))
		return fact_unknown(json_text(hour, "why", "its cost an hour is unknown"));
	return fact_json(json_real(cost / row->rate), class,
		"its cost an hour over its accepted frames an hour");
}

static json_t *rate_fact(const struct row *row, const char *class)
{
	if (!row->frames)
		return fact_unknown("nothing was run");
	if (!isfinite(row->rate))
		return fact_unknown("the record has no wall time of a frame that can be true");
	return fact_json(json_real(row->rate), class, "wall time of its attempts, failed ones too");
}

static json_t *row_json(
	const json_t *record, const struct row *row, const struct cost_prices *prices)
{
	/* The control runs on the machine of the tool, whatever played the GCDs. */
	const char *class = view_is_simulated(record) && strcmp(row->device, "cpu") != 0
				    ? "simulated"
				    : "observed";
	size_t gcds = view_count_gcds(record);
	/* What rests on a declared price is declared, and simulated when its times are. */
	const char *priced = strcmp(class, "simulated") == 0 ? class : "declared";
	json_t *watts = watts_fact(row, class, prices);
	json_t *hour = hour_fact(row, priced, watts, gcds, prices);
	json_t *json = json_pack("{s:s, s:I, s:I, s:o, s:o}", "device", row->device, "frames",
		(json_int_t)row->frames, "accepted", (json_int_t)row->accepted, "wall_seconds",
		isfinite(row->wall) ? json_real(row->wall) : json_null(),
		"accepted_frames_per_hour", rate_fact(row, class));

	json_object_set_new(json, "watts", watts);
	json_object_set_new(json, "cost_per_hour", hour);
	json_object_set_new(json, "cost_per_accepted_frame", frame_fact(row, priced, hour));
	return json;
}

/* --- records side by side --- */

static json_t *scene_json(
	const json_t *record, const json_t *scene, const struct cost_prices *prices)
{
	const char *name = json_text(scene, "name", "");
	const json_t *reference = json_object_get(scene, "reference"), *gcd;
	json_t *rows = json_array(), *json = json_pack("{s:s}", "scene", name);
	struct row row = cpu_row(record, name);
	size_t i;

	json_array_append_new(rows, row_json(record, &row, prices));
	json_array_foreach (json_object_get(record, "gcds"), i, gcd) {
		row = gcd_row(record, name, gcd);
		json_array_append_new(rows, row_json(record, &row, prices));
	}
	row = all_row(record, name);
	json_array_append_new(rows, row_json(record, &row, prices));
	json_object_set(json, "tree_sha256", json_object_get(scene, "tree_sha256"));
	json_object_set(json, "settings", json_object_get(scene, "settings"));
	json_object_set(json, "limits", json_object_get(reference, "limits"));
	json_object_set_new(json, "rows", rows);
	return json;
}

static json_t *record_json(const json_t *record, const char *name, const struct cost_prices *prices)
{
	json_t *scenes = json_array();
	const json_t *scene;
	size_t i;

	json_array_foreach (json_object_get(record, "scenes"), i, scene)
		if (!json_is_string(json_object_get(scene, "skipped")))
			json_array_append_new(scenes, scene_json(record, scene, prices));
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "record", name, "node",
		json_text(json_object_get(record, "node"), "name", ""), "source",
		view_is_simulated(record) ? "simulated" : "observed", "blender",
		json_text(json_object_get(record, "blender"), "version", ""), "scenes", scenes);
}

static const json_t *member_named(const json_t *array, const char *key, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach (array, i, item)
		if (strcmp(json_text(item, key, ""), name) == 0)
			return item;
	return NULL;
}

/* Frames are the same only when scene, settings and limits are. */
static const char *difference_of(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "tree_sha256", "settings", "limits" };
	static const char *const texts[] = { "the scenes differ", "the settings differ",
		"the limits differ" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
			return texts[i];
	return NULL;
}

/* The second record's number over the first one's. */
static json_t *ratio_fact(const json_t *a, const json_t *b, const char *key)
{
	double one, two;

	if (!fact_number(json_object_get(a, key), &one) ||
		!fact_number(json_object_get(b, key), &two))
		return fact_unknown("one of the two is unknown");
	if (!(one > 0))
		return fact_unknown("the first is 0");
	return fact_json(json_real(two / one), "observed", "both records");
}

static json_t *compare_rows(
	const json_t *first, const json_t *second, const char *device, const char *why)
{
	const json_t *a = member_named(json_object_get(first, "rows"), "device", device);
	const json_t *b = member_named(json_object_get(second, "rows"), "device", device);

	return json_pack("{s:s, s:s, s:o, s:o}", "scene", json_text(first, "scene", ""), "device",
		device, "accepted_frames_per_hour",
		why ? fact_unknown(why) : ratio_fact(a, b, "accepted_frames_per_hour"),
		"cost_per_accepted_frame",
		why ? fact_unknown(why) : ratio_fact(a, b, "cost_per_accepted_frame"));
}

/* Only what both have: the CPUs, and all GCDs at once. */
static json_t *comparison_json(const json_t *first, const json_t *second)
{
	static const char simulated[] = "a simulated record has no speed";
	bool played = strcmp(json_text(first, "source", ""), "observed") != 0 ||
		      strcmp(json_text(second, "source", ""), "observed") != 0;
	json_t *all = json_array();
	const json_t *scene;
	size_t i;

	json_array_foreach (json_object_get(first, "scenes"), i, scene) {
		const json_t *other = member_named(
			json_object_get(second, "scenes"), "scene", json_text(scene, "scene", ""));
		const char *why =
			other ? difference_of(scene, other) : "the second record has no such scene";

		json_array_append_new(all, compare_rows(scene, other, "cpu", why));
		json_array_append_new(all, compare_rows(scene, other, "all-gcds",
						   why	    ? why
						   : played ? simulated
							    : NULL));
	}
	return all;
}

static json_t *prices_json(const struct cost_prices *prices)
{
	json_t *json = json_object();
	size_t i;

	json_object_set_new(json, "currency",
		prices->currency[0] ? fact_text(prices->currency, "declared", "operator")
				    : fact_unknown("not declared"));
	for (i = 0; i < COST_PRICES; i++)
		json_object_set_new(json, cost_price_name((enum cost_price)i),
			is_declared(prices, (enum cost_price)i)
				? fact_json(json_real(prices->numbers[i]), "declared", "operator")
				: fact_unknown(i == COST_PUE ? "not declared, taken as 1"
							     : "not declared"));
	return json;
}

json_t *cost_json(const json_t *const *records, const char *const *names, size_t count,
	const struct cost_prices *prices)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_array_append_new(all, record_json(records[i], names[i], prices));
	return json_pack("{s:s, s:o, s:O, s:o, s:o}", "schema", "oamqual-cost/1", "prices",
		prices_json(prices), "claims", prices->claims, "comparison",
		count == 2 ? comparison_json(json_array_get(all, 0), json_array_get(all, 1))
			   : json_array(),
		"records", all);
}
