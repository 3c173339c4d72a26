/* SPDX-License-Identifier: Apache-2.0 */
/* A command is a row: its name, its options as rows, and a function. Parsing and help both come
 * from the rows. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The exit status of every command. */
enum exit_status {
	STATUS_ACCEPTED = 0, /* accepted, or the query succeeded */
	STATUS_NOT_ACCEPTED = 1, /* judged and not accepted */
	STATUS_USAGE = 2, /* the command line is wrong */
	STATUS_CANNOT_JUDGE = 3 /* input unreadable, environment broken, interrupted */
};

struct option_row {
	const char *name; /* "kernel-cache" for --kernel-cache; NULL ends the rows */
	char letter; /* 'j' for -j, or 0 */
	const char *arg; /* "DIR" when it takes a value, else NULL */
	const char *help;
};

struct options; /* a parsed command line */

struct command {
	const char *name;
	const char *operands; /* "ARCHIVE..." for the usage line, or "" */
	size_t operands_min, operands_max;
	const char *summary; /* one line, no full stop */
	const char *about; /* paragraphs for --help */
	const struct option_row *rows;
	int (*run)(const struct options *options); /* returns enum exit_status */
	bool hidden; /* not in the overview: the program calls it itself */
};

/* Parses argv[1..] for `command` and runs it. -h and --help print help. Returns the exit status. */
int command_run(const struct command *command, int argc, char **argv);

/* Parses `words` for `command` as command_run() does and hands them to `run` instead of the
 * command's own function: for a command that repeats an earlier one. */
typedef int options_run_fn(const struct options *options, void *data);
int command_repeat(const struct command *command, char **words, options_run_fn *run, void *data);

/* The words of this command line but for the options named (NULL-terminated), each option as
 * --name=value: a new NULL-terminated array with room for `more` words after them; the words and
 * the array are the caller's to free. */
char **options_words_without(
	const struct options *options, const char *const *without, size_t more);

/* The first option given that is none of `allowed` (NULL-terminated), or NULL. */
const char *options_other(const struct options *options, const char *const *allowed);

/* Prints usage, about and options of a command to stdout. */
void command_help(const struct command *command);

/* Given or not; the last value given, or NULL; the i-th value given (from 0), or NULL at the end.
 */
bool options_flag(const struct options *options, const char *name);
const char *options_text(const struct options *options, const char *name);
const char *options_nth(const struct options *options, const char *name, size_t i);

/* A whole number from min to max: *value is left as it is when the option is absent. -1 with a
 * message when it is given and is anything else; the command then returns STATUS_USAGE through
 * cli_usage(). */
int options_number(const struct options *options, const char *name, unsigned long long min,
	unsigned long long max, unsigned long long *value, struct error *err);

/* The command line as it was, from the command's name on; NULL-terminated, borrowed from main's
 * argv. */
char *const *options_words(const struct options *options);

/* What remained: the operands. */
size_t options_operand_count(const struct options *options);
const char *options_operand(const struct options *options, size_t i);
const char *const *options_operands(const struct options *options);

/* Prints "oamqual: <text>" to stderr, hostile bytes shown as \xHH, and returns STATUS_CANNOT_JUDGE.
 */
int cli_fail(const struct error *err);

/* The same for a wrong command line, with a pointer to --help; returns STATUS_USAGE. */
int cli_usage(const struct options *options, const struct error *err);

#endif
