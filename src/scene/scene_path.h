/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and link targets as archives give them: made comparable, and refused when they could reach
 * outside the folder that the scene is unpacked into. */
#ifndef SCENE_SCENE_PATH_H
#define SCENE_SCENE_PATH_H

#include "base/error.h"

enum { SCENE_PATH_BYTES = 4095, SCENE_NAME_BYTES = 255 };

/* Without "." parts, doubled and trailing slashes; "" for the top folder itself. A new string, or
 * NULL: empty, absolute (also "\x" and "C:\x"), a part "..", also between backslashes, or longer
 * than a file system takes. The error has no name in it. */
char *scene_path_normalise(const char *raw, struct error *err);

/* The target of a symbolic link at the normalised `path`: -1 when it is empty, absolute, or climbs
 * above the top folder. Lexical: links on the way are for scene_links_check(). */
int scene_path_check_target(const char *path, const char *target, struct error *err);

#endif
