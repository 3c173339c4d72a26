/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <string.h>

const struct command *const command_table[] = {
	&command_qualify,
	&command_node,
	&command_reconcile,
	&command_fingerprint,
	&command_compare,
	&command_merge,
	&command_catalogue,
	&command_baseline,
	&command_report,
	&command_export,
	&command_cost,
	&command_verify,
	&command_farm,
	&command_keygen,
	&command_sign,
	&command_diff,
	&command_history,
	&command_explain,
	&command_predict,
	&command_hip_probe,
	&command_hip_memory,
	&command_farm_node,
	&command_farm_ranks,
	&command_hip_peers,
	&command_hip_collective,
	&command_hip_compile,
	&command_hip_render,
	&command_manual,
	&command_completion,
	NULL,
};

const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; command_table[i]; i++)
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	return NULL;
}
