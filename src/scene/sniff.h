/* SPDX-License-Identifier: Apache-2.0 */
/* Says what bytes are when they are not what was expected of them. */
#ifndef SCENE_SNIFF_H
#define SCENE_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

enum { SNIFF_TEXT_BYTES = 160, SNIFF_NEED_BYTES = 512 };

/* A git-lfs pointer; an HTML or XML page as it is saved. */
bool sniff_is_lfs_pointer(const unsigned char *bytes, size_t len);
bool sniff_is_html(const unsigned char *bytes, size_t len);

/* "an HTML page", "a git-lfs pointer ...", "empty", else "bytes 00 01 ... of no known kind".
 * `len` may be less than SNIFF_NEED_BYTES. */
void sniff_describe(const unsigned char *bytes, size_t len, char text[SNIFF_TEXT_BYTES]);

#endif
