/* SPDX-License-Identifier: Apache-2.0 */
/* One file a command: cmd_<name>.c defines its row. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

/* All of them, in the order of the overview; ends with NULL. */
extern const struct command *const command_table[];

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);

extern const struct command command_baseline;
extern const struct command command_catalogue;
extern const struct command command_compare;
extern const struct command command_completion;
extern const struct command command_diff;
extern const struct command command_explain;
extern const struct command command_cost;
extern const struct command command_export;
extern const struct command command_farm;
extern const struct command command_farm_node;
extern const struct command command_farm_ranks;
extern const struct command command_fingerprint;
extern const struct command command_hip_collective;
extern const struct command command_hip_compile;
extern const struct command command_hip_memory;
extern const struct command command_hip_peers;
extern const struct command command_hip_render;
extern const struct command command_hip_probe;
extern const struct command command_history;
extern const struct command command_keygen;
extern const struct command command_manual;
extern const struct command command_merge;
extern const struct command command_node;
extern const struct command command_predict;
extern const struct command command_qualify;
extern const struct command command_reconcile;
extern const struct command command_report;
extern const struct command command_sign;
extern const struct command command_verify;

#endif
