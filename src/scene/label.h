/* SPDX-License-Identifier: Apache-2.0 */
/* Names inside error texts: printable, and never so long that the reason falls off the end. */
#ifndef SCENE_LABEL_H
#define SCENE_LABEL_H

#include "base/error.h"

/* `name` made printable, a long one with its middle left out. The caller frees. */
char *label_new(const char *name);

/* Replaces the text with "ENTRY: ..." through the format. `entry` NULL leaves that part out. Always
 * -1. */
int label_error(struct error *err, const char *entry, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "NAME: " before what is there. Always -1. */
int label_prefix(struct error *err, const char *name);

#endif
