/* SPDX-License-Identifier: Apache-2.0 */
/* The shell completion, made from the command table. */
#include <stdio.h>

#include "cli/commands.h"

static const struct option_row rows[] = { { NULL, 0, NULL, NULL } };

static void print_command(const struct command *command)
{
	const struct option_row *row;

	printf("    %s) words=\"--help", command->name);
	for (row = command->rows; row->name; row++)
		printf(" --%s", row->name);
	fputs("\" ;;\n", stdout);
}

static int run_completion(const struct options *options)
{
	size_t i;

	(void)options;
	fputs("# bash completion for oamqual\n_oamqual() {\n  local words=\"\" "
	      "word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
	      "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"--help --version",
		stdout);
	for (i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			printf(" %s", command_table[i]->name);
	fputs("\"\n  else case \"${COMP_WORDS[1]}\" in\n", stdout);
	for (i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			print_command(command_table[i]);
	fputs("  esac; fi\n  case \"$word\" in\n"
	      "    -*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
	      "    *) [ \"$COMP_CWORD\" -eq 1 ] && mapfile -t COMPREPLY < <(compgen -W \"$words\" "
	      "-- \"$word\") ;;\n"
	      "  esac\n}\ncomplete -o default -F _oamqual oamqual\n",
		stdout);
	return STATUS_ACCEPTED;
}

const struct command command_completion = {
	.name = "completion",
	.operands = "",
	.summary = "print the completion for bash",
	.about = "  source <(oamqual completion)\n",
	.rows = rows,
	.run = run_completion,
	.hidden = true,
};
