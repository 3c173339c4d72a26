/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be said of the files that a scene refers to, as Blender itself reported them. */
#ifndef BLENDER_SCENE_FILES_H
#define BLENDER_SCENE_FILES_H

#include <jansson.h>

/* A new array from the worker's "dependencies": for each file that Blender did not find, or whose
 * path leads elsewhere on another machine: kind, stored, resolved, found, issue ("missing" or one
 * of scene/need_place.h) and text. Empty without a worker's report or when there is nothing to say.
 * What is packed in the .blend needs no file. */
json_t *scene_files_findings(const json_t *worker);

#endif
