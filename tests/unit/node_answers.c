/* SPDX-License-Identifier: Apache-2.0 */
/* For check_machines.py: each line of stdin names a folder, and is answered by what `oamqual node
 * --no-hip --json --node FOLDER` says, in one line; by {"error": ...} when the folder cannot be
 * read. Hundreds of trees in one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/node_view.h"

static json_t *answer(const char *folder)
{
	struct survey survey;
	struct error err;
	struct node node;
	json_t *json;

	if (node_read(folder, &node, &err) != 0)
		return json_pack("{s:s}", "error", err.text);
	survey_take(&node, &survey);
	json = node_view_json(&node, &survey);
	survey_release(&survey);
	node_release(&node);
	return json;
}

int main(void)
{
	char folder[4096];

	while (fgets(folder, sizeof(folder), stdin)) {
		json_t *json;

		folder[strcspn(folder, "\n")] = '\0';
		json = answer(folder);
		json_dumpf(json, stdout, JSON_COMPACT);
		putchar('\n');
		fflush(stdout);
		json_decref(json);
	}
	return 0;
}
