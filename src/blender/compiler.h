/* SPDX-License-Identifier: Apache-2.0 */
/* The hipcc that a Blender of this run would find: whether there is one, and its release, which
 * decides whether Cycles' kernels compile. */
#ifndef BLENDER_COMPILER_H
#define BLENDER_COMPILER_H

#include <jansson.h>

#include "blender/build.h"
#include "node/node.h"
#include "run/sandbox.h"

struct compiler {
	bool present;
	char path[512]; /* as Blender would call it */
	char release[24]; /* "5.2": of its HIP version, whose third part is a build number; ""
			     unknown */
	char why[200]; /* why the release is unknown, or what says that there is none */
};

/* Looks where this Blender would: in PATH, in its root, or where a replayed node says. Runs it with
 * --version once; its output goes to `folder`. Never fails. */
void compiler_find(const struct node *node, const struct blender_build *build,
	const struct sandbox *sandbox, const char *folder, struct compiler *out);

/* As prediction_input has it: the release, "present" or "none". Borrowed. */
const char *compiler_word(const struct compiler *compiler);

/* A new reference: {"path": fact or "none" with what says so, "release": fact}. `class` is the
 * node's. */
json_t *compiler_json(const struct compiler *compiler, const char *class);

#endif
