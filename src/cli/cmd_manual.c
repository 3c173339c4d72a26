/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page, made from the same rows as --help, so that it cannot fall behind. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/version.h"

static const struct option_row rows[] = { { NULL, 0, NULL, NULL } };

/* roff takes a leading dot or quote as a request, and a plain hyphen as a typographic one. */
static void print_text(const char *text)
{
	bool at_start = true;

	for (; *text; text++) {
		if (at_start && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\' || *text == '-')
			putchar('\\');
		fputs(*text == '\\' ? "e" : (char[]){ *text, '\0' }, stdout);
		at_start = *text == '\n';
	}
}

static void print_option(const struct option_row *row)
{
	fputs(".TP\n\\fB", stdout);
	if (row->letter)
		printf("\\-%c\\fR, \\fB", row->letter);
	fputs("\\-\\-", stdout);
	print_text(row->name);
	printf("\\fR%s%s\n", row->arg ? " " : "", row->arg ? row->arg : "");
	print_text(row->help);
	putchar('\n');
}

static void print_command(const struct command *command)
{
	const struct option_row *row;

	printf(".SS oamqual %s %s\n", command->name, command->operands);
	print_text(command->summary);
	fputs(".\n.PP\n.nf\n", stdout);
	print_text(command->about);
	fputs(".fi\n", stdout);
	for (row = command->rows; row->name; row++)
		print_option(row);
}

static int run_manual(const struct options *options)
{
	size_t i;

	(void)options;
	printf(".TH OAMQUAL 1 \"\" \"oamqual %s\" \"User Commands\"\n", version_number);
	fputs(".SH NAME\noamqual \\- decide with evidence whether GPU domains can be Blender "
	      "Cycles render workers\n"
	      ".SH SYNOPSIS\n\\fBoamqual\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
	      ".SH DESCRIPTION\nFor each GPU domain (GCD) of a node, oamqual runs real renders "
	      "through Cycles HIP and judges "
	      "them by twelve rungs of evidence. Published, declared, observed and unknown never "
	      "mix; nothing passes without "
	      "evidence. What a replayed node says is marked SIMULATED.\n.SH COMMANDS\n",
		stdout);
	for (i = 0; command_table[i]; i++)
		if (!command_table[i]->hidden)
			print_command(command_table[i]);
	fputs(".SH EXIT STATUS\n.TP\n0\naccepted, or the query succeeded\n.TP\n1\njudged and not "
	      "accepted\n.TP\n2\n"
	      "usage error\n.TP\n3\ncould not judge: input unreadable, environment broken, "
	      "interrupted\n",
		stdout);
	return STATUS_ACCEPTED;
}

const struct command command_manual = {
	.name = "manual",
	.operands = "",
	.summary = "print the manual page (roff)",
	.about = "For the build: make install puts it in its place.\n",
	.rows = rows,
	.run = run_manual,
	.hidden = true,
};
