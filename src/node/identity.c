/* SPDX-License-Identifier: Apache-2.0 */
#include "node/identity.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/text.h"

enum { HEX_DIGITS = 16, DECIMAL_LEAST = 10, UUID_LEN = 36 };

static int hex(const char *digits, uint64_t *id)
{
	unsigned long long value;

	if (!digits[0] || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits) ||
		strlen(digits) > HEX_DIGITS || !text_u64(digits, 16, &value))
		return -1;
	*id = value;
	return 0;
}

/* TTffDDDD-0000-1000-80SS-LLLLLLLLLLLL: T, S and L are the id from its top byte on. */
static int of_uuid(const char *text, uint64_t *id)
{
	static const char fixed[] = "..ff....-0000-1000-80..-............";
	char digits[HEX_DIGITS + 1];
	size_t i;

	for (i = 0; i < UUID_LEN; i++)
		if (fixed[i] != '.' && (fixed[i] | 32) != (text[i] | 32))
			return -1;
	snprintf(digits, sizeof(digits), "%.2s%.2s%.12s", text, text + 21, text + 24);
	return strspn(text + 4, "0123456789abcdefABCDEF") == 4 && strlen(digits) == HEX_DIGITS
		       ? hex(digits, id)
		       : -1;
}

int identity_parse(const char *text, uint64_t *id)
{
	size_t len = strlen(text);
	unsigned long long value;

	if (str_starts(text, "0x"))
		return hex(text + 2, id);
	if (len == 4 + HEX_DIGITS && strncasecmp(text, "GPU-", 4) == 0)
		return hex(text + 4, id);
	if (len == UUID_LEN)
		return of_uuid(text, id);
	if (len == HEX_DIGITS)
		return hex(text, id);
	if (len < DECIMAL_LEAST || strspn(text, "0123456789") != len || !text_u64(text, 10, &value))
		return -1;
	*id = value;
	return 0;
}
