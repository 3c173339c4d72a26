/* SPDX-License-Identifier: Apache-2.0 */
/* What every node of a farm run must have, by digest: made where the run is begun, checked on each
 * node before anything is rendered, and held against what the record says was used. Whether the
 * right files arrived is so told apart from whether they can be rendered. */
#ifndef FARM_MANIFEST_H
#define FARM_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

enum { MANIFEST_BYTES = 16 << 20 };

extern const char farm_manifest_schema[]; /* "oamqual-farm-manifest/1" */

/* A new reference {kind, path, form, sha256, bytes, files} of what lies at `path` now; NULL with an
 * error. `kind` is one of the words of farm.schema.json: tool, picture-library, scene, scenes,
 * expected, blender, blender-files, kernel-cache. */
json_t *farm_artifact(const char *kind, const char *path, struct error *err);

/* A new reference: one {kind, path, same, why} for each of the array, as they are on this machine;
 * *all: every one is the same. */
json_t *farm_artifacts_check(const json_t *artifacts, bool *all);

/* The first that is not, as text that the caller frees; NULL: all are. */
char *farm_artifacts_wrong(const json_t *checks);

/* Reads manifest.json. With `sha256` its bytes must have that digest; without, its digest is
 * written to hex[65] unless that is NULL. */
json_t *farm_manifest_read(const char *path, const char *sha256, char *hex, struct error *err);

/* Does the record name other artifacts than the manifest, not say which it used, or have other
 * scenes? Text that the caller frees, or NULL. */
char *farm_record_differs(const json_t *manifest, const json_t *record);

#endif
