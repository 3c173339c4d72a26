/* SPDX-License-Identifier: Apache-2.0 */
/* Where things lie in the folder of a farm run:
 *
 *   manifest.json       what every node must have, and the nodes
 *   job.sh              the batch script
 *   farm.json           what came of it
 *   report.html         the same as a page
 *   jobs/NODE.json      the job that was submitted for a node
 *   words/NODE.json     what the node says of itself: artifacts, masks, how its qualify ended
 *   nodes/NODE/         the node's record with all its evidence: whole or not there
 *   partial/NODE-JOB/   evidence of a run that was ended before its record
 *   logs/NODE-JOB.txt   what qualify said there
 *   earlier/            what jobs/ and words/ held before a node was tried again
 *   frame/              of a frame over several nodes: plan.json, job.sh, SCENE.merged.exr, and the
 *                       same parts once more; frame/nodes/NODE/ has ranks.json and its evidence
 *   lock                held by the `oamqual farm` that works on it */
#ifndef FARM_LAYOUT_H
#define FARM_LAYOUT_H

#include "base/error.h"

/* May it be a file's name: [A-Za-z0-9._-], not beginning with '.' or '-', at most 200 bytes. */
int layout_check_name(const char *what, const char *name, struct error *err);

/* "<folder>/<part>/<name><ending>"; the caller frees. */
char *layout_path(const char *folder, const char *part, const char *name, const char *ending);

/* "<local>/<name>-<16 digits of the manifest's digest>/<node>": a node's own folder of a run. Two
 * runs of one name on different shares do not meet there. The caller frees. */
char *layout_local(const char *local, const char *name, const char *sha256, const char *node);

/* Makes the parts' folders. */
int layout_make(const char *folder, struct error *err);

/* A descriptor that holds the run's lock until it is closed; -1 when another one holds it or the
 * folder cannot be written to. */
int layout_lock(const char *folder, struct error *err);

/* Moves what an earlier job of the node left in jobs/ and words/ to earlier/. */
int layout_retire(const char *folder, const char *node, const char *job, struct error *err);

#endif
