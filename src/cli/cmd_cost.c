/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "record/record.h"
#include "report/cost.h"

static const struct option_row rows[] = {
	{ "prices", 0, "FILE", "what the operator declares, as JSON (docs/cost.md)" },
	{ "currency", 0, "TEXT", "the money of all prices" },
	{ "node-per-hour", 0, "PRICE", "the node's price an hour, whatever it does" },
	{ "per-kwh", 0, "PRICE", "the price of a kilowatt hour" },
	{ "gcd-watts", 0, "W", "power of a GCD that renders, where it was not measured" },
	{ "node-watts", 0, "W",
		"power of all GCDs that render at once, where it was not measured" },
	{ "cpu-watts", 0, "W", "power of the node while its CPUs render" },
	{ "pue", 0, "FACTOR", "energy of the site over that of its machines (default 1)" },
	{ "json", 0, NULL, "print JSON" },
	{ NULL, 0, NULL, NULL },
};

/* Options by the place of their price. */
static const char *const price_options[COST_PRICES] = {
	[COST_NODE_HOUR] = "node-per-hour",
	[COST_KWH] = "per-kwh",
	[COST_GCD_WATTS] = "gcd-watts",
	[COST_NODE_WATTS] = "node-watts",
	[COST_CPU_WATTS] = "cpu-watts",
	[COST_PUE] = "pue",
};

static int take_option(const struct options *options, enum cost_price price,
	struct cost_prices *prices, struct error *err)
{
	const char *name = price_options[price], *text = options_text(options, name);
	double number, least = price == COST_PUE ? 1 : 0;

	if (!text)
		return 0;
	if (!text_double(text, &number) || !(number >= least && number <= cost_price_max))
		return error_set(err, "--%s %s: not a number from %.0f to %.0g", name, text, least,
			cost_price_max);
	prices->numbers[price] = number;
	return 0;
}

/* Options over the file. */
static int take_options(
	const struct options *options, struct cost_prices *prices, struct error *err)
{
	const char *currency = options_text(options, "currency");
	size_t i;

	for (i = 0; i < COST_PRICES; i++)
		if (take_option(options, (enum cost_price)i, prices, err) != 0)
			return -1;
	if (currency) {
		free(prices->currency);
		prices->currency = xstrdup(currency);
	}
	return 0;
}

/* A record that contradicts itself says nothing about costs. */
static json_t *read_sound(const char *path, struct error *err)
{
	json_t *record = record_read(path, err);
	const char *contradiction = record ? record_contradiction(record) : NULL;

	if (!contradiction)
		return record;
	error_set(err, "%s: contradicts itself: %s", path, contradiction);
	json_decref(record);
	return NULL;
}

static void print_cost(const json_t *cost, bool as_json)
{
	struct str text = STR_INIT;

	if (as_json) {
		json_print(cost, stdout);
		return;
	}
	cost_text_add(cost, &text);
	fwrite(text.data, 1, text.len, stdout);
	str_release(&text);
}

static int run_records(const struct options *options, const struct cost_prices *prices)
{
	size_t count = options_operand_count(options), i;
	json_t *records[2] = { NULL, NULL }, *cost;
	struct error err;

	for (i = 0; i < count; i++) {
		records[i] = read_sound(options_operand(options, i), &err);
		if (!records[i])
			break;
	}
	if (i == count) {
		cost = cost_json(
			(const json_t *const *)records, options_operands(options), count, prices);
		print_cost(cost, options_flag(options, "json"));
		json_decref(cost);
	}
	json_decref(records[0]);
	json_decref(records[1]);
	return i == count ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run_cost(const struct options *options)
{
	const char *file = options_text(options, "prices");
	struct cost_prices prices;
	struct error err;
	int status;

	cost_prices_init(&prices);
	if (file && cost_prices_read(&prices, file, &err) != 0)
		status = cli_fail(&err);
	else if (take_options(options, &prices, &err) != 0)
		status = cli_usage(options, &err);
	else
		status = run_records(options, &prices);
	cost_prices_release(&prices);
	return status;
}

const struct command command_cost = {
	.name = "cost",
	.operands = "RECORD [RECORD2]",
	.operands_min = 1,
	.operands_max = 2,
	.summary = "accepted frames an hour, and what one costs",
	.about = "For each scene of a record: frames accepted an hour by the CPUs, each GCD alone "
		 "and all "
		 "at once,\n"
		 "with failed frames counted, and by the prices that you declare the cost of an "
		 "accepted "
		 "frame. Power\n"
		 "is what was measured while the frames rendered, else what you declare, else "
		 "unknown, "
		 "and then the\n"
		 "cost is unknown too. A GCD that is no render worker has no cost. A second record "
		 "stands beside the\n"
		 "first where scene, settings and limits are the same. Nothing comes from a data "
		 "sheet.\n",
	.rows = rows,
	.run = run_cost,
};
