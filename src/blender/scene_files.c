/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/scene_files.h"

#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "scene/need_place.h"

static const char *issue_of(const json_t *file, bool found)
{
	const char *issue = need_path_issue(json_text(file, "stored", ""), found);

	/* Backslashes that Blender resolved are said; those that it did not are a missing file. */
	if (!found && (!issue || strcmp(issue, "backslashes") == 0))
		return "missing";
	return issue;
}

static json_t *finding(const json_t *file, bool found, const char *issue)
{
	return json_pack("{s:o, s:o, s:o, s:b, s:s, s:s}", "kind",
		json_printable_text(json_text(file, "kind", "?")), "stored",
		json_printable_text(json_text(file, "stored", "?")), "resolved",
		json_printable_text(json_text(file, "resolved", "?")), "found", found, "issue",
		issue, "text",
		strcmp(issue, "missing") == 0 ? "Blender does not find this file"
					      : need_issue_text(issue));
}

json_t *scene_files_findings(const json_t *worker)
{
	json_t *findings = json_array();
	const json_t *file;
	size_t i;

	json_array_foreach (json_object_get(worker, "dependencies"), i, file) {
		bool found = json_is_true(json_object_get(file, "exists"));
		const char *issue = issue_of(file, found);

		if (issue && !json_is_true(json_object_get(file, "packed")))
			json_array_append_new(findings, finding(file, found, issue));
	}
	return findings;
}
