/* SPDX-License-Identifier: Apache-2.0 */
/* Many records as one report of a farm. It is made of the records alone, each read once; a node
 * without a record stands in it with what became of it, and a record that cannot be read or that
 * contradicts itself is named and decides nothing. */
#ifndef REPORT_FARM_H
#define REPORT_FARM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

/* What is known of a node before its record is read. All borrowed for the call. */
struct farm_entry {
	const char *name; /* NULL: the record's */
	const char *outcome; /* docs/farm-report.md; NULL: "qualified" when there is a record */
	const char *why; /* NULL: nothing to say */
	const char *record; /* record.json or its folder; NULL when there is none */
	const char *sha256; /* of record.json; another digest is a damaged record; NULL: any */
};

struct farm_gcd {
	char *bdf, *unique_id, *target, *verdict, *evidence; /* never NULL */
	int rung; /* the one that decided, 0 none */
	int module; /* place of its module in the node from 0, -1 unknown */
	bool worker;
	int render_minor; /* of /dev/dri/renderD<minor>, -1 unknown */
	unsigned long long memory_bytes; /* what HIP sees of it, else KFD; 0 unknown */
	double seconds; /* mean render time of its accepted frames alone, NAN when there is none */
};

struct farm_node {
	char *name, *outcome, *why; /* never NULL */
	char *record; /* where it lies; "" none */
	char sha256[65]; /* of record.json as it was read; "" none */
	bool has_record; /* and it is sound; what follows is empty otherwise */
	bool simulated, interrupted;
	bool played; /* simulated, or without a record in a farm of which some are: exports mark
			both */
	char *blender, *tool, *driver, *rocm, *ended; /* never NULL; "" unknown */
	struct farm_gcd *gcds;
	size_t gcd_count;
	size_t workers; /* render workers among them */
};

struct farm_report {
	struct farm_node *nodes; /* in the order of the entries */
	size_t count;
	bool simulated; /* one of the records is, or the list says so */
	char *origin; /* the list they come from; "" none */
	json_t *distributed; /* the list's word of a frame over several GCDs; NULL none */
	json_t *same_twice; /* paths of records that were named again, and stand in it once */
};

/* Reads the records with as many threads as there are processors, at most 16. Never fails: what
 * goes wrong with a record is its node's outcome, record-damaged or no-record. Free with
 * farm_report_free(). */
struct farm_report *farm_report_read(const struct farm_entry *entries, size_t count);

/* The same for a farm.json ("oamqual-farm/1"); its records lie below its folder. NULL with an error
 * when the list itself cannot be read. */
struct farm_report *farm_report_read_list(const char *path, struct error *err);

/* What a command line names: one such list or its folder, or records. Records of the same bytes are
 * one node; whoever shows the report says so, with farm_report_copies_print(). */
struct farm_report *farm_report_read_paths(
	const char *const *paths, size_t count, struct error *err);

/* Is this file such a list, or the folder of a farm.json? False also when it cannot be read. */
bool farm_report_is_list(const char *path);

/* Sets what follows from all nodes: `simulated` of the farm (also when its list says so) and
 * `played`. */
void farm_report_mark(struct farm_report *farm, bool simulated);

void farm_report_free(struct farm_report *farm);

/* Its record decides nothing: the node is record-damaged, for this reason, and has no GCDs. */
void farm_node_refuse(struct farm_node *node, const char *why);

/* What it holds is freed, not the node. */
void farm_node_release(struct farm_node *node);

/* A line for each record that was named again. */
void farm_report_copies_print(const struct farm_report *farm, FILE *to);

/* 0 every node has a sound record of a whole run and each of its GCDs is a render worker; 1 some
 * are not; 3 when nothing is known of a node, or there is no GCD. */
int farm_report_decision(const struct farm_report *farm);

size_t farm_report_gcds(const struct farm_report *farm);
size_t farm_report_workers(const struct farm_report *farm);

/* What a node came to in one of these: how often each name occurs. New reference: {name: count},
 * in order of name. */
json_t *farm_report_outcomes(const struct farm_report *farm);
json_t *farm_report_verdicts(const struct farm_report *farm);

/* Appends a table of nodes and the counts; on simulated rows SIMULATED. */
void farm_report_text_add(const struct farm_report *farm, struct str *to);

/* Appends one line, the grammar of report_oneline_print() with nodes and outcomes before. */
void farm_report_oneline_add(const struct farm_report *farm, struct str *to);

/* Appends the document "oamqual-farm-report/1" (docs/farm-report.md). */
void farm_report_json_add(const struct farm_report *farm, struct str *to);

/* Appends one page that needs nothing else: rows that can be sorted, filtered and searched. */
void farm_report_html_add(const struct farm_report *farm, struct str *to);
int farm_report_html_write(const struct farm_report *farm, const char *path, struct error *err);

#endif
