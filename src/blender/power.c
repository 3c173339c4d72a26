/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/power.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "node/health.h"
#include "node/module.h"

enum { PERIOD_MS = 500 };

static const struct module *module_with(const struct module_list *modules, size_t gpu)
{
	size_t i, j;

	for (i = 0; i < modules->count; i++)
		for (j = 0; j < modules->items[i].gpu_count; j++)
			if (modules->items[i].gpus[j] == gpu)
				return &modules->items[i];
	return NULL;
}

static void add_mates(struct power *power, const struct node *node, size_t own)
{
	struct finding_list findings = { 0 };
	struct module_list modules;
	const struct module *module;
	size_t i;

	module_group(node, &modules, &findings);
	module = module_with(&modules, own);
	for (i = 0; module && i < module->gpu_count && power->die_count < POWER_DIES; i++)
		if (module->gpus[i] != own)
			power->dies[power->die_count++] = &node->gpus[module->gpus[i]];
	module_list_release(&modules);
	finding_list_release(&findings);
}

void power_begin(struct power *power, const struct node *node, const struct gpu *gpu)
{
	memset(power, 0, sizeof(*power));
	str_copy(power->why, sizeof(power->why), "it ended before its power was read");
	power->dies[power->die_count++] = gpu;
	add_mates(power, node, (size_t)(gpu - node->gpus));
}

/* The reading of the one die with a meter. Two that have one cannot be told apart from one that is
 * shown twice. */
static struct health_value read_meter(
	const struct power *power, const struct node *node, const struct gpu **meter)
{
	struct health_value first = { { false, 0 }, "" }, value;
	size_t i, known = 0;

	for (i = 0; i < power->die_count; i++) {
		health_read_power(node, power->dies[i], &value);
		known += value.number.known;
		if (known == 1 && value.number.known) {
			first = value;
			*meter = power->dies[i];
		} else if (!known && i == 0) {
			first = value;
		}
	}
	if (known > 1) {
		first.number.known = false;
		str_copy(first.why, sizeof(first.why), "several dies of the module have a meter");
	}
	return first;
}

void power_sample(struct power *power, const struct node *node)
{
	const struct gpu *meter = NULL;
	int64_t now = clock_monotonic_ms();
	struct health_value value;

	if (now < power->next_ms || !power->die_count)
		return;
	power->next_ms = now + PERIOD_MS;
	value = read_meter(power, node, &meter);
	if (!value.number.known) {
		str_copy(power->why, sizeof(power->why), value.why);
		return;
	}
	power->watts += (double)value.number.value * 1e-6;
	power->samples++;
	str_copy(power->meter, sizeof(power->meter), meter->bdf);
}

json_t *power_json(const struct power *power, const char *class)
{
	json_t *fact;
	char *from;

	if (!power->samples)
		return fact_unknown(power->why[0] ? power->why : "not run");
	from = xasprintf("hwmon of %s, for its whole module: mean of %zu %s", power->meter,
		power->samples, power->samples == 1 ? "sample" : "samples");
	fact = fact_json(json_real(power->watts / (double)power->samples), class, from);
	free(from);
	return fact;
}
