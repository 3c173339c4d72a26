/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/version.h"

static void print_overview(FILE *to)
{
	size_t i;

	fputs("usage: oamqual COMMAND [options]\n\n"
	      "Decides, with evidence, whether each GPU domain (GCD) of this node can be a Blender "
	      "Cycles\n"
	      "render worker. Published, declared, observed and unknown never mix; nothing passes\n"
	      "without evidence.\n\ncommands:\n",
		to);
	for (i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			fprintf(to, "  %-14s%s\n", command_table[i]->name,
				command_table[i]->summary);
	fputs("\nBegin with:  oamqual node      then  oamqual qualify --out DIR\n"
	      "More:        oamqual COMMAND --help\n"
	      "Exit status: 0 accepted or done, 1 judged and not accepted, 2 usage error, "
	      "3 could not judge\n",
		to);
}

static bool is_word(const char *word, const char *long_form, const char *short_form)
{
	return strcmp(word, long_form) == 0 || strcmp(word, short_form) == 0;
}

/* An answer that did not get out is none. */
static int finish_output(int status)
{
	struct error err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	error_errno(&err, "standard output cannot be written");
	return cli_fail(&err);
}

int main(int argc, char **argv)
{
	char name_of_help[] = "--help", *help[] = { argv[0], name_of_help, NULL };
	const struct command *command;
	bool asks_help;

	/* Bytes stay bytes and numbers keep their point, whatever the user's locale. */
	setlocale(LC_ALL, "C");
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_overview(stderr);
		return STATUS_USAGE;
	}
	if (is_word(argv[1], "--version", "-V")) {
		printf("oamqual %s (%s)\n", version_number, version_commit);
		return STATUS_ACCEPTED;
	}
	asks_help = argc == 3 && strcmp(argv[1], "help") == 0;
	if (is_word(argv[1], "--help", "-h") || (strcmp(argv[1], "help") == 0 && !asks_help)) {
		print_overview(stdout);
		return STATUS_ACCEPTED;
	}
	command = command_find(asks_help ? argv[2] : argv[1]);
	if (!command) {
		struct error err;

		error_set(&err, "unknown command '%s'; see 'oamqual --help'",
			asks_help ? argv[2] : argv[1]);
		cli_fail(&err);
		return STATUS_USAGE;
	}
	if (asks_help) /* `help farm` is `farm --help` */
		return finish_output(command_run(command, 2, help));
	return finish_output(command_run(command, argc - 1, argv + 1));
}
