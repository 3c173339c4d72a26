/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at p (RFC 3629), or 0. */
static size_t sequence_length(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t need, i;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	need = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (need > left)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (i = 2; i < need; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return need;
}

bool text_is_utf8(const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t at = 0;

	while (at < len) {
		size_t step = sequence_length(p + at, len - at);

		if (!step || !p[at])
			return false;
		at += step;
	}
	return true;
}

/* C1 controls (U+0080-U+009F) and U+FFFE, U+FFFF are no characters in XML and no use on a terminal.
 */
static bool is_control(const unsigned char *p, size_t step)
{
	if (step == 1)
		return p[0] < 0x20 || p[0] == 0x7f;
	if (step == 2)
		return p[0] == 0xc2 && p[1] < 0xa0;
	return step == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe;
}

void text_add_printable(struct str *to, const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t at = 0;

	while (at < len) {
		size_t step = sequence_length(p + at, len - at);
		size_t i;

		if (step && !is_control(p + at, step)) {
			str_add_bytes(to, p + at, step);
		} else {
			step = step ? step : 1;
			for (i = 0; i < step; i++)
				str_addf(to, "\\x%02x", p[at + i]);
		}
		at += step;
	}
}

char *text_printable(const char *bytes, size_t len)
{
	struct str s = STR_INIT;

	text_add_printable(&s, bytes, len);
	return str_detach(&s);
}

void text_hex(const unsigned char *bytes, size_t len, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * len] = '\0';
}

void text_bytes(char out[24], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, 24, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

bool text_u64(const char *text, int base, unsigned long long *value)
{
	unsigned long long read;
	char *end;

	if (!isxdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	read = strtoull(text, &end, base);
	if (errno || end == text || *end)
		return false;
	*value = read;
	return true;
}

bool text_double(const char *text, double *value)
{
	double read;
	char *end;

	if (text[strspn(text, "+-.0123456789Ee")] || text[0] == '+') /* nor hexadecimal */
		return false;
	errno = 0;
	read = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(read))
		return false;
	*value = read;
	return true;
}
