/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels, kept between runs: one file each, named by the digest of all that it depends
 * on. A file is the line "oamqual-kernel/1 <SHA-256 of the rest> <bytes of the rest>" and the code
 * object, so that one cut short or changed is seen. */
#ifndef BASELINE_GCD_CACHE_H
#define BASELINE_GCD_CACHE_H

#include "base/error.h"
#include "base/str.h"

/* oamqual/kernels below XDG_CACHE_HOME, else below ~/.cache; made when it is not there, for this
 * user alone. The caller frees. NULL when there is no such place or others may write to it. */
char *gcd_cache_folder(struct error *err);

/* Appends the code object to *code. -1 when the file is missing (errno ENOENT) or damaged. */
int gcd_cache_read(const char *path, struct str *code, struct error *err);

/* Whole or not at all. */
int gcd_cache_write(const char *path, const void *code, size_t len, struct error *err);

#endif
