/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/verdicts.md, from the tables that the program itself works with. */
#ifndef CLI_EXPLAIN_MARKDOWN_H
#define CLI_EXPLAIN_MARKDOWN_H

#include <stdio.h>

void explain_markdown(FILE *to);

#endif
