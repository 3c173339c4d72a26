/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/commands.h"
#include "report/export.h"

static const struct option_row rows[] = {
	{ "format", 'f', "NAME",
		"slurm, kubernetes, opencue, flamenco, openjd, prometheus or csv" },
	{ "simulated", 0, NULL, "export simulated records too, under names that say so" },
	{ "device-folder", 0, "DIR",
		"where a node has its render nodes, for slurm (default /dev/dri)" },
	{ NULL, 0, NULL, NULL },
};

/* A record that somebody names must be read; one of a farm's list is a node without capabilities.
 */
static int check_damaged(const struct farm_report *farm, struct error *err)
{
	size_t i;

	for (i = 0; i < farm->count && !farm->origin[0]; i++)
		if (!farm->nodes[i].has_record)
			return error_set(err, "%s", farm->nodes[i].why);
	return 0;
}

static int export_records(const struct options *options, const struct export_format *format)
{
	struct export_options how = { options_flag(options, "simulated"),
		options_text(options, "device-folder") };
	struct str text = STR_INIT;
	struct farm_report *farm;
	struct error err;
	int rc = -1;

	if (!how.device_folder)
		how.device_folder = "/dev/dri";
	farm = farm_report_read_paths(
		options_operands(options), options_operand_count(options), &err);
	if (farm)
		farm_report_copies_print(farm, stderr);
	if (farm && check_damaged(farm, &err) == 0)
		rc = export_add(farm, format, &how, &text, &err);
	farm_report_free(farm);
	if (rc == 0 && text.len)
		fwrite(text.data, 1, text.len, stdout);
	str_release(&text);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static int run_export(const struct options *options)
{
	const char *name = options_text(options, "format");
	const struct export_format *format = name ? export_find(name) : NULL;
	struct error err;

	if (format)
		return export_records(options, format);
	if (name)
		error_set(&err, "--format %s: there is none of that name", name);
	else
		error_set(&err, "--format is missing");
	return cli_usage(options, &err);
}

const struct command command_export = {
	.name = "export",
	.operands = "RECORD...",
	.operands_min = 1,
	.operands_max = (size_t)-1,
	.summary = "labels, tags and metrics of records for schedulers and monitors",
	.about = "Prints what records say in the words of another program. RECORD is record.json, "
		 "the "
		 "folder it lies\n"
		 "in, or a farm.json or its folder. Only accepted GCDs of whole runs become "
		 "capabilities. A\n"
		 "simulated record is refused without --simulated, and then has other names. "
		 "Nothing is changed\n"
		 "anywhere: what is printed is for you to apply; docs/export.md.\n",
	.rows = rows,
	.run = run_export,
};
