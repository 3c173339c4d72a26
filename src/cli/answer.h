/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a hidden command that runs a driver in this process: JSON on the stdout we were
 * given, and nothing else there. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

/* Keeps stdout for the answer: what a driver prints there goes to stderr from now on. NULL with an
 * error that begins with `command`. */
FILE *answer_take_stdout(const char *command, struct error *err);

/* Prints the answer, drops the reference and closes the stream. The command's exit status; what
 * failed is printed. */
int answer_print(const char *command, json_t *answer_stolen, FILE *to);

#endif
