/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "report/cost.h"

static const size_t prices_bytes_max = 1 << 20;
const double cost_price_max = 1e9;

static const char *const names[COST_PRICES] = {
	[COST_NODE_HOUR] = "node_per_hour",
	[COST_KWH] = "per_kwh",
	[COST_GCD_WATTS] = "gcd_watts",
	[COST_NODE_WATTS] = "node_watts",
	[COST_CPU_WATTS] = "cpu_watts",
	[COST_PUE] = "pue",
};

const char *cost_price_name(enum cost_price price)
{
	return names[price];
}

void cost_prices_init(struct cost_prices *prices)
{
	size_t i;

	prices->currency = xstrdup("");
	prices->claims = json_array();
	for (i = 0; i < COST_PRICES; i++)
		prices->numbers[i] = NAN;
}

void cost_prices_release(struct cost_prices *prices)
{
	free(prices->currency);
	json_decref(prices->claims);
}

static int check_claims(const json_t *claims, struct error *err)
{
	const json_t *claim;
	size_t i;

	if (!json_is_array(claims))
		return error_set(err, "claims: not an array");
	json_array_foreach (claims, i, claim)
		if (!json_text(claim, "text", NULL) || !json_text(claim, "source", NULL) ||
			json_object_size(claim) != 2)
			return error_set(err,
				"claims: each needs \"text\" and \"source\", and nothing else");
	return 0;
}

/* The price of that name; COST_PRICES when there is none. */
static size_t price_of(const char *name)
{
	size_t i;

	for (i = 0; i < COST_PRICES && strcmp(names[i], name) != 0; i++)
		;
	return i;
}

static int check_member(const char *name, const json_t *value, struct error *err)
{
	double number = json_number_value(value);

	if (strcmp(name, "schema") == 0)
		return 0;
	if (strcmp(name, "claims") == 0)
		return check_claims(value, err);
	if (strcmp(name, "currency") == 0)
		return json_is_string(value) ? 0 : error_set(err, "currency: not a text");
	if (price_of(name) == COST_PRICES)
		return error_set(err, "%s: not a price", name);
	if (!json_is_number(value) || !(number >= 0 && number <= cost_price_max))
		return error_set(err, "%s: not a number from 0 to %.0g", name, cost_price_max);
	if (strcmp(name, names[COST_PUE]) == 0 && number < 1)
		return error_set(err, "%s: below 1", name);
	return 0;
}

static int check_prices(json_t *file, struct error *err)
{
	const char *name;
	json_t *value;

	if (strcmp(json_text(file, "schema", ""), "oamqual-prices/1") != 0)
		return error_set(err, "not a price file: \"schema\" is not \"oamqual-prices/1\"");
	json_object_foreach (file, name, value)
		if (check_member(name, value, err) != 0)
			return -1;
	return 0;
}

static void take_prices(struct cost_prices *prices, const json_t *file)
{
	const json_t *claims = json_object_get(file, "claims");
	const char *currency = json_text(file, "currency", NULL);
	size_t i;

	if (currency) {
		free(prices->currency);
		prices->currency = xstrdup(currency);
	}
	if (claims)
		json_array_extend(prices->claims, (json_t *)claims);
	for (i = 0; i < COST_PRICES; i++) {
		const json_t *value = json_object_get(file, names[i]);

		if (value)
			prices->numbers[i] = json_number_value(value);
	}
}

int cost_prices_read(struct cost_prices *prices, const char *path, struct error *err)
{
	json_t *file = json_read(path, prices_bytes_max, err);
	int rc;

	if (!file)
		return -1;
	rc = check_prices(file, err);
	if (rc == 0)
		take_prices(prices, file);
	else
		error_prefix(err, "%s", path);
	json_decref(file);
	return rc;
}
