/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* getopt_long */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

struct given {
	const struct option_row *row;
	const char *value; /* of argv; NULL for a flag */
};

struct options {
	const struct command *command;
	struct given *given;
	size_t given_count;
	char **operands;
	size_t operand_count;
	char *const *words;
};

enum { HELP_COLUMN = 28, LONG_BASE = 256 };

static void print_indented(const char *text)
{
	const char *line = text;

	while (*line) {
		size_t len = strcspn(line, "\n");

		printf("%s%.*s\n", len ? "  " : "", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void print_row(char letter, const char *name, const char *arg, const char *help)
{
	char left[80];
	int width;

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		letter ? ',' : ' ', name, arg ? " " : "", arg ? arg : "");
	width = (int)strlen(left);
	if (width < HELP_COLUMN)
		printf("  %-*s%s\n", HELP_COLUMN, left, help);
	else
		printf("  %s\n  %*s%s\n", left, HELP_COLUMN, "", help);
}

void command_help(const struct command *command)
{
	const struct option_row *row;

	printf("usage: oamqual %s [options]%s%s\n\n%s.\n\n", command->name,
		command->operands[0] ? " " : "", command->operands, command->summary);
	print_indented(command->about);
	printf("\noptions:\n");
	for (row = command->rows; row->name; row++)
		print_row(row->letter, row->name, row->arg, row->help);
	print_row('h', "help", NULL, "this text");
	printf("\nexit status: 0 accepted or done, 1 judged and not accepted, 2 usage error, "
	       "3 could not judge\n");
}

/* The rows in getopt's two forms. A long option's value is LONG_BASE plus its row number. */
static void build_getopt(const struct option_row *rows, struct option **longs, char **shorts)
{
	struct str letters = STR_INIT;
	size_t count = 0, i;

	while (rows[count].name)
		count++;
	*longs = xcalloc(count + 2, sizeof(**longs));
	str_add(&letters, "+:h");
	for (i = 0; i < count; i++) {
		(*longs)[i].name = rows[i].name;
		(*longs)[i].has_arg = rows[i].arg ? required_argument : no_argument;
		(*longs)[i].val = LONG_BASE + (int)i;
		if (rows[i].letter)
			str_addf(&letters, "%c%s", rows[i].letter, rows[i].arg ? ":" : "");
	}
	(*longs)[count].name = "help";
	(*longs)[count].val = 'h';
	*shorts = str_detach(&letters);
}

static const struct option_row *row_of(const struct option_row *rows, int got)
{
	size_t i;

	if (got >= LONG_BASE)
		return &rows[got - LONG_BASE];
	for (i = 0; rows[i].name; i++)
		if (rows[i].letter == got)
			return &rows[i];
	return NULL;
}

static int usage_of_word(struct options *options, char **argv, int got)
{
	struct error err;
	char *word = argv[optind - 1];

	if (got == ':')
		error_set(&err, "option %s needs a value", word);
	else
		error_set(&err, "unknown option %s", word);
	return cli_usage(options, &err);
}

/* -1 to go on and run; else the exit status. Operands may stand between options. */
static int parse(struct options *options, int argc, char **argv, const struct option *longs,
	const char *shorts)
{
	opterr = 0;
	optind = 1;
	while (optind < argc) {
		int got = getopt_long(argc, argv, shorts, longs, NULL);

		if (got == 'h') {
			command_help(options->command);
			return STATUS_ACCEPTED;
		}
		if (got == '?' || got == ':')
			return usage_of_word(options, argv, got);
		if (got != -1) {
			options->given[options->given_count].row =
				row_of(options->command->rows, got);
			options->given[options->given_count++].value = optarg;
			continue;
		}
		if (optind > 1 && strcmp(argv[optind - 1], "--") == 0)
			break;
		if (optind < argc)
			options->operands[options->operand_count++] = argv[optind++];
	}
	while (optind < argc)
		options->operands[options->operand_count++] = argv[optind++];
	return -1;
}

static int check_operands(const struct options *options)
{
	const struct command *command = options->command;
	struct error err;

	if (options->operand_count < command->operands_min)
		error_set(&err, "%s is missing", command->operands);
	else if (options->operand_count > command->operands_max)
		error_set(&err, "unexpected argument %s", options->operands[command->operands_max]);
	else
		return -1;
	return cli_usage(options, &err);
}

static int run_own(const struct options *options, void *data)
{
	(void)data;
	return options->command->run(options);
}

static int parse_and_run(
	const struct command *command, int argc, char **argv, options_run_fn *run, void *data)
{
	struct options options = { .command = command, .words = argv };
	struct option *longs;
	char *shorts;
	int status;

	options.given = xcalloc((size_t)argc, sizeof(*options.given));
	options.operands = xcalloc((size_t)argc, sizeof(*options.operands));
	build_getopt(command->rows, &longs, &shorts);
	status = parse(&options, argc, argv, longs, shorts);
	if (status < 0)
		status = check_operands(&options);
	if (status < 0)
		status = run(&options, data);
	free(longs);
	free(shorts);
	free(options.given);
	free(options.operands);
	return status;
}

int command_run(const struct command *command, int argc, char **argv)
{
	return parse_and_run(command, argc, argv, run_own, NULL);
}

int command_repeat(const struct command *command, char **words, options_run_fn *run, void *data)
{
	int count = 0;

	while (words[count])
		count++;
	return parse_and_run(command, count, words, run, data);
}

static bool is_among(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

char **options_words_without(const struct options *options, const char *const *without, size_t more)
{
	char **words =
		xcalloc(options->given_count + options->operand_count + more + 2, sizeof(*words));
	size_t count = 0, i;

	words[count++] = xstrdup(options->command->name);
	for (i = 0; i < options->given_count; i++) {
		const struct given *given = &options->given[i];

		if (!is_among(given->row->name, without))
			words[count++] = xasprintf("--%s%s%s", given->row->name,
				given->value ? "=" : "", given->value ? given->value : "");
	}
	for (i = 0; i < options->operand_count; i++)
		words[count++] = xstrdup(options->operands[i]);
	return words;
}

const char *options_other(const struct options *options, const char *const *allowed)
{
	size_t i;

	for (i = 0; i < options->given_count; i++)
		if (!is_among(options->given[i].row->name, allowed))
			return options->given[i].row->name;
	return NULL;
}

const char *options_nth(const struct options *options, const char *name, size_t i)
{
	size_t at;

	for (at = 0; at < options->given_count; at++)
		if (strcmp(options->given[at].row->name, name) == 0 && i-- == 0)
			return options->given[at].value ? options->given[at].value : "";
	return NULL;
}

bool options_flag(const struct options *options, const char *name)
{
	return options_nth(options, name, 0) != NULL;
}

const char *options_text(const struct options *options, const char *name)
{
	const char *value = NULL, *next;
	size_t i = 0;

	while ((next = options_nth(options, name, i++)))
		value = next;
	return value;
}

int options_number(const struct options *options, const char *name, unsigned long long min,
	unsigned long long max, unsigned long long *value, struct error *err)
{
	const char *text = options_text(options, name);
	unsigned long long read;

	if (!text)
		return 0;
	if (!text_u64(text, 10, &read) || read < min || read > max)
		return error_set(err, "--%s takes a whole number from %llu to %llu, not '%s'", name,
			min, max, text);
	*value = read;
	return 0;
}

char *const *options_words(const struct options *options)
{
	return options->words;
}

size_t options_operand_count(const struct options *options)
{
	return options->operand_count;
}

const char *options_operand(const struct options *options, size_t i)
{
	return options->operands[i];
}

const char *const *options_operands(const struct options *options)
{
	return (const char *const *)options->operands;
}

static void print_error(const char *text)
{
	char *shown = text_printable(text, strlen(text));

	fprintf(stderr, "oamqual: %s\n", shown);
	free(shown);
}

int cli_fail(const struct error *err)
{
	print_error(err->text);
	return STATUS_CANNOT_JUDGE;
}

int cli_usage(const struct options *options, const struct error *err)
{
	struct error whole;

	error_set(&whole, "%s: %s; see 'oamqual %s --help'", options->command->name, err->text,
		options->command->name);
	print_error(whole.text);
	return STATUS_USAGE;
}
