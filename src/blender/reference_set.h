/* SPDX-License-Identifier: Apache-2.0 */
/* All references of a scene: expected/<scene>/ holds one, and each folder in it one more, named
 * after what it is for ("5.2"). All are valid: noise and shading differ from one series of Blender
 * to the next. */
#ifndef BLENDER_REFERENCE_SET_H
#define BLENDER_REFERENCE_SET_H

#include <jansson.h>

#include "blender/reference.h"

enum { REFERENCES_MAX = 16 };

struct reference_set {
	struct reference items[REFERENCES_MAX]; /* of this Blender's series first */
	size_t count;
	size_t own_count; /* that many are of this Blender's series */
	char why[400]; /* why one does not count, "" when all do: the first in the order of names */
};

/* What a picture is beside the references. */
struct reference_match {
	const struct reference *reference; /* that it is, or else the nearest; NULL no references */
	const char *basis; /* "same-noise", "noise-model"; NULL: it is none of them */
	struct comparison comparison; /* with `reference` */
	struct noise_result noise; /* the same; not tested without a model or a need */
	char why[400]; /* when it is none of them */
};

/* All that count, for a Blender of that series. `folder` is expected/<scene>. What does not count
 * is left out and named in `why`. */
void reference_set_read(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, int major, int minor, struct reference_set *out);
void reference_set_release(struct reference_set *set);

/* The first that it is by the limits, else the first that it is by the noise model. Else the
 * nearest among those of this Blender's series, or of all when there are none of it. SSIM and FLIP
 * are measured when the picture is not within the limits. */
void reference_match(
	const struct reference_set *set, const struct image *image, struct reference_match *out);

/* The limits to hold two pictures of one device against each other; NULL without references. */
const struct compare_limits *reference_set_limits(const struct reference_set *set);

/* A new reference to JSON: {"name", "basis", "noise"}; of a match with some reference. */
json_t *reference_match_json(const struct reference_match *match);

#endif
