/* SPDX-License-Identifier: Apache-2.0 */
/* One way to report an error: text in a buffer that the caller owns.
 *
 * A function that can fail takes `struct error *` last and returns 0 or -1 (or
 * a pointer or NULL). On failure the text is one complete sentence fragment
 * that names the file or thing and the reason, fit to be shown as it is. On
 * success the text is untouched. Every setter accepts NULL and returns -1, so
 * that `return error_set(err, ...)` is the usual form. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
	char text[600];
};

#define ERROR_PRINTF __attribute__((format(printf, 2, 3)))

/* Replaces the text. Always -1. */
int error_set(struct error *err, const char *format, ...) ERROR_PRINTF;

/* Replaces the text and appends ": " and the message of errno. Always -1. */
int error_errno(struct error *err, const char *format, ...) ERROR_PRINTF;

/* Puts the formatted text and ": " before what is there. Always -1. */
int error_prefix(struct error *err, const char *format, ...) ERROR_PRINTF;

#endif
