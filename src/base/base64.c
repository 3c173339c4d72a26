/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct str *to, const void *bytes, size_t len)
{
	const unsigned char *in = bytes;
	size_t i, j;

	for (i = 0; i < len; i += 3) {
		size_t have = len - i < 3 ? len - i : 3;
		uint32_t word = (uint32_t)in[i] << 16;
		char four[4] = { '=', '=', '=', '=' };

		word |= have > 1 ? (uint32_t)in[i + 1] << 8 : 0;
		word |= have > 2 ? in[i + 2] : 0;
		for (j = 0; j <= have; j++)
			four[j] = alphabet[word >> (18 - 6 * j) & 63];
		str_add_bytes(to, four, sizeof(four));
	}
}

/* 0 to 63, or -1. *url: 1 when the character is of the URL-safe alphabet only, 0 of the standard
 * one only, else as it was. */
static int value_of(char c, int *url)
{
	const char *at;

	if (c == '-' || c == '_') {
		*url = 1;
		return c == '-' ? 62 : 63;
	}
	at = c ? strchr(alphabet, c) : NULL;
	if (!at)
		return -1;
	if (c == '+' || c == '/')
		*url = 0;
	return (int)(at - alphabet);
}

static int read_values(const char *text, size_t len, struct str *to, struct error *err)
{
	uint32_t word = 0;
	int bits = 0, seen_url = -1;
	size_t i;

	for (i = 0; i < len; i++) {
		int url = -1, value = value_of(text[i], &url);
		char byte;

		if (value < 0)
			return error_set(err, "not base64: byte 0x%02x at %zu",
				(unsigned)(unsigned char)text[i], i);
		if (url >= 0 && seen_url >= 0 && url != seen_url)
			return error_set(err, "not base64: two alphabets in one text");
		seen_url = url >= 0 ? url : seen_url;
		word = word << 6 | (uint32_t)value;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		byte = (char)(word >> bits & 255);
		word &= (1u << bits) - 1;
		str_add_bytes(to, &byte, 1);
	}
	return word ? error_set(err, "not base64: it ends within a byte") : 0;
}

int base64_read(const char *text, size_t len, struct str *to, struct error *err)
{
	size_t start = to->len, digits = len;

	while (digits && len - digits < 2 && text[digits - 1] == '=')
		digits--;
	if (digits % 4 == 1 || (digits < len && len % 4 != 0))
		return error_set(err, "not base64: %zu characters are cut short", len);
	if (read_values(text, digits, to, err) == 0)
		return 0;
	str_truncate(to, start);
	return -1;
}
