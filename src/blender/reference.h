/* SPDX-License-Identifier: Apache-2.0 */
/* What a scene's picture should be: expected/<scene>/reference.exr with limits.json and
 * provenance.json. It counts only when its provenance names this very scene (tree digest), these
 * settings and this very file. */
#ifndef BLENDER_REFERENCE_H
#define BLENDER_REFERENCE_H

#include <jansson.h>

#include "image/compare.h"
#include "scene/spec.h"

struct reference {
	bool present;
	char why[400]; /* when it is not */
	char *path; /* of the picture, when present */
	char sha256[65];
	struct image image;
	struct compare_limits limits;
	json_t *provenance; /* as read */
};

/* Never fails: what is missing or does not fit is said in `why`. `folder` is expected/<scene>. */
void reference_read(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, struct reference *out);

void reference_release(struct reference *reference);

/* A new reference: {"present": true, "path", "sha256", "limits", "provenance"} or {"present":
 * false, "why"}. */
json_t *reference_json(const struct reference *reference);

#endif
