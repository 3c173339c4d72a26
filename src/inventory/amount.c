/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory/amount.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/text.h"

#define GIB ((uint64_t)1 << 30)

/* Bits of the unit that the letters name, -1 when they name none. */
static int unit_bits(const char *letters)
{
	static const struct {
		const char *name;
		int bits;
	} units[] = {
		{ "b", 0 },
		{ "bytes", 0 },
		{ "k", 10 },
		{ "kb", 10 },
		{ "ki", 10 },
		{ "kib", 10 },
		{ "m", 20 },
		{ "mb", 20 },
		{ "mi", 20 },
		{ "mib", 20 },
		{ "g", 30 },
		{ "gb", 30 },
		{ "gi", 30 },
		{ "gib", 30 },
		{ "t", 40 },
		{ "tb", 40 },
		{ "ti", 40 },
		{ "tib", 40 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcasecmp(letters, units[i].name) == 0)
			return units[i].bits;
	return -1;
}

/* The unit with which a bare number is a GPU's memory: the units are 1024 apart and so is the
 * range, so one fits at most. */
static uint64_t fitting_unit(double number)
{
	int bits;

	for (bits = 0; bits <= 30; bits += 10) {
		double bytes = number * (double)((uint64_t)1 << bits);

		if (bytes >= 4.0 * (double)GIB && bytes < 4096.0 * (double)GIB)
			return (uint64_t)1 << bits;
	}
	return 0;
}

struct amount {
	double number;
	uint64_t unit; /* bytes */
	int letters; /* where they begin; 0: none are written */
};

static bool take_apart(const char *text, uint64_t unit, struct amount *out)
{
	char number[32], letters[12];
	size_t digits = strspn(text, "0123456789."), blanks = strspn(text + digits, " ");
	size_t len = strcspn(text + digits + blanks, " ");
	int bits;

	if (!digits || digits >= sizeof(number) || len >= sizeof(letters) ||
		text[digits + blanks + len + strspn(text + digits + blanks + len, " ")])
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	memcpy(letters, text + digits + blanks, len);
	letters[len] = '\0';
	if (!text_double(number, &out->number) || out->number < 0)
		return false;
	out->letters = len ? (int)digits : 0;
	bits = len ? unit_bits(letters) : -1;
	if (len && bits < 0)
		return false;
	out->unit = len ? (uint64_t)1 << bits : unit ? unit : fitting_unit(out->number);
	return out->unit != 0;
}

struct known_u64 amount_read(const char *text, uint64_t unit)
{
	struct known_u64 unknown = { false, 0 };
	struct amount amount;
	double bytes;

	text += strspn(text, " ");
	if (!take_apart(text, unit, &amount))
		return unknown;
	bytes = amount.number * (double)amount.unit;
	if (!(bytes >= 1 && bytes < 9e18))
		return unknown;
	return known_u64((uint64_t)bytes);
}

bool amount_agrees(uint64_t declared, uint64_t observed)
{
	double low = (double)observed * 0.92, high = (double)observed * 1.08;

	return (double)declared >= low && (double)declared <= high;
}

void amount_write(char out[40], uint64_t bytes, const char *like, uint64_t unit)
{
	struct amount amount;

	like += strspn(like, " ");
	if (!take_apart(like, unit, &amount)) {
		snprintf(out, 40, "%llu GiB", (unsigned long long)((bytes + GIB / 2) / GIB));
		return;
	}
	/* Bytes and KiB are written as observed; coarser units as the nominal size: 64, not 63.98.
	 */
	if (amount.unit >= (uint64_t)1 << 20)
		bytes = (bytes + GIB / 2) / GIB * GIB;
	snprintf(out, 40, "%llu%s", (unsigned long long)(bytes / amount.unit),
		amount.letters ? like + amount.letters : "");
}
