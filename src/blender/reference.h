/* SPDX-License-Identifier: Apache-2.0 */
/* What a scene's picture should be: reference.exr, limits.json, provenance.json and, when its
 * limits have "noise", noise.exr, in a folder. It counts only when its provenance names this very
 * scene (tree digest), these settings and these very files. */
#ifndef BLENDER_REFERENCE_H
#define BLENDER_REFERENCE_H

#include <jansson.h>

#include "image/compare.h"
#include "image/noise.h"
#include "scene/spec.h"

enum { REFERENCE_NAME = 64 };

struct reference {
	char name[REFERENCE_NAME]; /* of its folder; "" lies in the scene's own */
	bool present;
	char why[400]; /* when it is not */
	int major, minor; /* of the Blender that rendered it; 0.0 unknown */
	char *path; /* of the picture, when present */
	char sha256[65];
	struct image image;
	struct compare_limits limits;
	char *noise_path; /* NULL: no noise model */
	char noise_sha256[65];
	struct noise_model noise;
	json_t *provenance; /* as read */
};

/* Never fails: what is missing or does not fit is said in `why`. */
void reference_read(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, struct reference *out);

void reference_release(struct reference *reference);

/* "same-noise": within the limits; "noise-model": other noise and nothing else; NULL: it is not the
 * reference. Sets `comparison`, and `noise` (not tested without a model or a need). */
const char *reference_basis(const struct reference *reference, const struct image *image,
	struct comparison *comparison, struct noise_result *noise);

/* A new reference to JSON: {"present": true, "name", "blender", "path", "sha256", "noise",
 * "limits", "provenance"} or {"present": false, "why"}. */
json_t *reference_json(const struct reference *reference);

#endif
