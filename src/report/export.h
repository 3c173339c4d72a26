/* SPDX-License-Identifier: Apache-2.0 */
/* What records say, in the words of schedulers and monitors (docs/export.md). Only accepted GCDs of
 * whole runs become capabilities; a node of which nothing was decided has none. What is simulated
 * bears other names throughout, so that no rule for real nodes ever matches it. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "report/farm.h"

struct export_options {
	bool simulated; /* simulated records may be exported */
	const char *device_folder; /* of the render nodes, "/dev/dri" */
};

struct export_format {
	const char *name; /* "slurm" */
	const char *help; /* for people, one line */
	int (*add)(const struct farm_report *farm, const struct export_options *options,
		struct str *to, struct error *err);
};

/* In order; ends with a name of NULL. */
extern const struct export_format export_formats[];

/* NULL when there is none of that name. */
const struct export_format *export_find(const char *name);

/* Appends the whole document, or nothing and -1 with an error: a simulated record that was not
 * asked for, a node twice, a name that the format cannot hold. */
int export_add(const struct farm_report *farm, const struct export_format *format,
	const struct export_options *options, struct str *to, struct error *err);

#endif
