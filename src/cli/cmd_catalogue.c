/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/commands.h"
#include "node/catalogue.h"

static const struct option_row rows[] = {
	{ "json", 0, NULL,
		"print every value with its class and source, or why it is unknown, as JSON" },
	{ NULL, 0, NULL, NULL },
};

static void print_value(const struct catalogue_value *value)
{
	if (value->value)
		printf("  %-18s%s  [%s: %s]\n", value->key, value->value, value->class,
			value->source);
	else
		printf("  %-18sunknown  (%s)\n", value->key, value->why);
}

static void print_entry(const struct catalogue_entry *entry)
{
	const struct catalogue_value *value;
	const char *const *rule;

	printf("%s (%s)\n", entry->name, entry->kind);
	for (value = entry->values; value->key; value++)
		print_value(value);
	for (rule = catalogue_rules(entry->kind); *rule; rule++)
		printf("  rule: %s\n", *rule);
}

/* The value of one key for the overview. */
static const char *cell(const struct catalogue_entry *entry, const char *key)
{
	const struct catalogue_value *value;

	for (value = entry->values; value->key; value++)
		if (strcmp(value->key, key) == 0)
			return value->value ? value->value : "unknown";
	return "unknown";
}

static void print_overview(void)
{
	static const struct {
		const char *kind, *title, *first, *second;
	} sections[] = {
		{ "part", "part", "target", "domain-memory" },
		{ "system", "system", "parts", "fact" },
		{ "rocm", "release", "hip-runtime", "tested-drivers" },
	};
	const struct catalogue_entry *entry;
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const char *const *rule;

		printf("%s%-14s%-16s%s\n", i ? "\n" : "", sections[i].title, sections[i].first,
			sections[i].second);
		for (entry = catalogue; entry->name; entry++)
			if (strcmp(entry->kind, sections[i].kind) == 0)
				printf("%-14s%-14s  %s\n", entry->name,
					cell(entry, sections[i].first),
					cell(entry, sections[i].second));
		for (rule = catalogue_rules(sections[i].kind); *rule; rule++)
			printf("rule: %s\n", *rule);
	}
	puts("\nPublished, launched, claimed, planned, ranked or reported: never observed. "
	     "'oamqual catalogue NAME' shows each value's class and source.");
}

/* Does the name begin so, up to the end of a word or of a number's part? "6.2" finds all of
 * ROCm 6.2. */
static bool begins_with(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	if (strncmp(name, "ROCm ", 5) == 0 && strncasecmp(wanted, "ROCm ", 5) != 0)
		name += 5;
	return len && strncasecmp(name, wanted, len) == 0 && strchr(" .", name[len]);
}

static json_t *collect(const char *wanted)
{
	const struct catalogue_entry *entry;
	json_t *array = json_array();

	for (entry = catalogue; entry->name; entry++)
		if (!wanted || begins_with(entry->name, wanted))
			json_array_append_new(array, catalogue_entry_json(entry));
	return array;
}

static void print_json(json_t *json_stolen)
{
	json_print(json_stolen, stdout);
	json_decref(json_stolen);
}

/* Prints what begins with the words; false when nothing does. */
static bool print_group(const char *wanted, bool as_json)
{
	const struct catalogue_entry *entry;
	json_t *array = collect(wanted);
	bool any = json_array_size(array) > 0;

	if (any && as_json) {
		print_json(array);
		return true;
	}
	json_decref(array);
	for (entry = catalogue; any && entry->name; entry++)
		if (begins_with(entry->name, wanted))
			print_entry(entry);
	return any;
}

static int run_catalogue(const struct options *options)
{
	bool as_json = options_flag(options, "json");
	const char *wanted = options_operand(options, 0);
	const struct catalogue_entry *entry = wanted ? catalogue_find(wanted) : NULL;
	struct error err;

	if (!wanted && as_json)
		print_json(collect(NULL));
	else if (!wanted)
		print_overview();
	else if (entry && as_json)
		print_json(catalogue_entry_json(entry));
	else if (entry)
		print_entry(entry);
	else if (!print_group(wanted, as_json)) {
		error_set(&err, "the catalogue has no entry '%s'; 'oamqual catalogue' lists them",
			wanted);
		return cli_usage(options, &err);
	}
	return STATUS_ACCEPTED;
}

const struct command command_catalogue = {
	.name = "catalogue",
	.operands = "[PART]",
	.operands_max = 1,
	.summary = "what is published about Instinct parts, systems and ROCm releases",
	.about = "PART is a part (MI250X), a system (Frontier) or a ROCm release (6.3.0; 6.2 shows "
		 "all of 6.2).\n"
		 "Each value stands with its class and source: spec (vendor hardware "
		 "specification), launch\n"
		 "(announcement of a shipped product), claim (the vendor's own, not independently "
		 "measured), plan\n"
		 "(roadmap), ranked (independent ranking), reported (published paper or dump). "
		 "Nothing here is\n"
		 "observed. What is unknown says why, and is never borrowed from a sibling "
		 "product.\n",
	.rows = rows,
	.run = run_catalogue,
};
