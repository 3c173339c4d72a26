/* SPDX-License-Identifier: Apache-2.0 */
/* Text out of a record made fit to be shown. A record may come from anywhere, so every report
 * passes what it shows through here before it escapes it for its own form. */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include <stddef.h>

#include "base/str.h"

enum { SHOW_MAX = 4000 };

/* Appends `text` without anything that cannot be seen: control bytes and bytes that are not UTF-8
 * as `\xHH`, marks that turn, join or hide text (bidirectional controls, zero-width characters,
 * line separators) as `\u202e`. What is longer than `max` bytes is cut at a character and says how
 * much is missing; `max` 0 cuts nothing. */
void show_add(struct str *to, const char *text, size_t max);

/* The same as a new string, cut at SHOW_MAX. The caller frees. */
char *show_text(const char *text);

/* Appends a word of a command line so that a POSIX shell reads it back as it was. */
void show_add_shell_word(struct str *to, const char *word);

#endif
