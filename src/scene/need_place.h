/* SPDX-License-Identifier: Apache-2.0 */
/* Where a path that stands in a .blend leads, by Blender's rules on Linux: "//" is the folder of
 * the .blend, and backslashes behind it are slashes. Nothing is looked for outside the archive. */
#ifndef SCENE_NEED_PLACE_H
#define SCENE_NEED_PLACE_H

#include "base/known.h"
#include "scene/manifest.h"

struct need_place {
	enum known in_archive; /* unknown when the path does not tell */
	char *path; /* the entry that it leads to, found or not; NULL when it leads elsewhere */
	const char *issue; /* "absolute", "windows-drive", "network", "maybe-network",
			    * "working-folder", "outside", "backslashes", "case"; NULL when there is
			    * nothing to say. Static. */
};

/* What an issue means, in words. Static. */
const char *need_issue_text(const char *issue);

/* What is to be said of a stored path of which it is known whether its file was found, by the form
 * of the path alone: one of the issues above but "outside" and "case", or NULL. */
const char *need_path_issue(const char *stored, bool found);

/* Looks for what the .blend `from` needs among the entries. */
void need_place_find(const struct manifest *manifest, const struct manifest_entry *from,
	const struct blend_need *need, struct need_place *out);

void need_place_release(struct need_place *place);

#endif
