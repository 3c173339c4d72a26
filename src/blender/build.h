/* SPDX-License-Identifier: Apache-2.0 */
/* Which Blender this is: never by its version alone, a distribution may change what a version
 * holds. */
#ifndef BLENDER_BUILD_H
#define BLENDER_BUILD_H

#include <jansson.h>

#include "base/error.h"
#include "run/child.h"
#include "run/sandbox.h"

struct blender_build {
	char *root; /* the root file system it lies in (an unpacked container image), absolute; NULL
		       ours */
	char *path; /* absolute, links resolved; as seen inside `root` */
	char sha256[65]; /* of the executable; "" before blender_build_hash() */
	char version[64]; /* "3.4.1" or "4.5.3 LTS"; first line of --version */
	int major, minor;
	char *about; /* all that --version printed, printable */
};

/* One that was asked for its version and has not answered yet: starting it takes longer than all
 * else that comes before a first render. */
struct blender_asking {
	struct blender_build build;
	struct child child;
	char **words;
	char *output;
};

/* Finds `name` (a path, a name to look for in PATH, or the folder of a root file system, which
 * needs the sandbox; NULL: "blender") and runs `--version` with its output in `folder`. -1 with a
 * message that says what to install or to pass. */
int blender_build_read(const char *name, const char *folder, const struct sandbox *sandbox,
	struct blender_build *out, struct error *err);

/* The same in two steps; between them the caller may do other work. Each releases `asking` when it
 * fails, and the answer always. */
int blender_build_ask(const char *name, const char *folder, const struct sandbox *sandbox,
	struct blender_asking *out, struct error *err);
int blender_build_answer(
	struct blender_asking *asking, struct blender_build *out, struct error *err);

/* Ends it without an answer. Of a zeroed one: nothing. */
void blender_asking_release(struct blender_asking *asking);

/* Reads the executable, some 100 MB, for its digest. */
int blender_build_hash(struct blender_build *build, struct error *err);

void blender_build_release(struct blender_build *build);

/* A new reference. */
json_t *blender_build_json(const struct blender_build *build);

#endif
