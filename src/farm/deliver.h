/* SPDX-License-Identifier: Apache-2.0 */
/* From a node's own folder to the shared one: whole or not at all. */
#ifndef FARM_DELIVER_H
#define FARM_DELIVER_H

#include <stddef.h>

#include "base/error.h"

enum deliver_end { DELIVERED, DELIVER_NOT_WRITABLE, DELIVER_FULL };

/* Copies the files and folders below `from` beside `to` and renames the copy to `to`, which must
 * not be there. Links are not followed and not copied. After a failure nothing is left there and
 * `from` is as it was. */
enum deliver_end deliver_folder(const char *from, const char *to, struct error *err);

/* One file, as file_write() does. */
enum deliver_end deliver_text(const char *to, const void *bytes, size_t len, struct error *err);

#endif
