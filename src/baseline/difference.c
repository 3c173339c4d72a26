/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/difference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/gcd_run.h"

static const uint64_t bins[DIFFERENCE_BINS] = { 1, 3, 15, 255, 4095, 65535, 1u << 24, UINT64_MAX };

/* Floats in their order as integers. */
static int64_t place_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits & 0x80000000u ? -(int64_t)(bits & 0x7fffffffu) - 1 : (int64_t)bits;
}

static bool is_poison(kernel_u32 word)
{
	return word == GCD_POISON_DEVICE * 0x01010101u || word == GCD_POISON_HOST * 0x01010101u;
}

static bool compare_float(struct difference *d, float theirs, float ours)
{
	int64_t apart = place_of(theirs) - place_of(ours);
	uint64_t ulp = (uint64_t)(apart < 0 ? -apart : apart);
	size_t bin = 0;

	if (!ulp)
		return false;
	if (!isfinite(theirs)) {
		d->not_numbers++;
		return true;
	}
	while (ulp > bins[bin])
		bin++;
	d->ulp[bin]++;
	if (ulp > d->ulp_max)
		d->ulp_max = ulp;
	return true;
}

/* True when the pixel differs. Both are sums over the samples. */
static bool compare_pixel(
	struct difference *d, const struct gcd_pixel *theirs, const float *ours, kernel_u32 samples)
{
	bool differs;

	if (is_poison(theirs->samples)) {
		d->lost++;
		return true;
	}
	d->closest += theirs->closest;
	d->shadow += theirs->shadow;
	d->short_of += theirs->samples != samples;
	differs = compare_float(d, theirs->sum.x, ours[0]);
	differs |= compare_float(d, theirs->sum.y, ours[1]);
	differs |= compare_float(d, theirs->sum.z, ours[2]);
	return differs || theirs->samples != samples;
}

static void find_tile(
	struct difference *d, const kernel_u32 *tiles, kernel_u32 across, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		d->tiles_differing += tiles[i] != 0;
		if (tiles[i] <= d->tile_differing)
			continue;
		d->tile_differing = tiles[i];
		d->tile_x = (kernel_u32)(i % across) * DIFFERENCE_TILE;
		d->tile_y = (kernel_u32)(i / across) * DIFFERENCE_TILE;
	}
}

struct difference difference_of(const struct gcd_pixel *theirs, const float *ours, kernel_u32 width,
	kernel_u32 height, kernel_u32 samples)
{
	kernel_u32 across = (width + DIFFERENCE_TILE - 1) / DIFFERENCE_TILE;
	size_t count = (size_t)across * ((height + DIFFERENCE_TILE - 1) / DIFFERENCE_TILE);
	kernel_u32 *tiles = xcalloc(count, sizeof(*tiles)), x, y;
	struct difference d = { .width = width, .height = height };

	for (y = 0; y < height; y++) {
		for (x = 0; x < width; x++) {
			size_t i = (size_t)y * width + x;

			if (!compare_pixel(&d, &theirs[i], ours + 3 * i, samples))
				continue;
			if (!d.differing++) {
				d.first_x = x;
				d.first_y = y;
			}
			tiles[(size_t)(y / DIFFERENCE_TILE) * across + x / DIFFERENCE_TILE]++;
		}
	}
	find_tile(&d, tiles, across, count);
	free(tiles);
	return d;
}

char *difference_text(const struct difference *d)
{
	struct str text = STR_INIT;

	if (!d->differing)
		return NULL;
	str_addf(&text, "%llu of %llu pixels differ, the first at (%u, %u)",
		(unsigned long long)d->differing, (unsigned long long)d->width * d->height,
		d->first_x, d->first_y);
	if (d->lost)
		str_addf(&text, "; %llu were never written", (unsigned long long)d->lost);
	if (d->short_of)
		str_addf(&text, "; %llu hold another number of samples",
			(unsigned long long)d->short_of);
	if (d->not_numbers)
		str_addf(&text, "; %llu floats are no numbers", (unsigned long long)d->not_numbers);
	if (d->ulp_max)
		str_addf(&text, "; up to %llu units in the last place",
			(unsigned long long)d->ulp_max);
	str_addf(&text, "; worst tile at (%u, %u) with %llu", d->tile_x, d->tile_y,
		(unsigned long long)d->tile_differing);
	if (d->tiles_differing > 1)
		str_addf(&text, ", %llu tiles in all", (unsigned long long)d->tiles_differing);
	return str_detach(&text);
}

json_t *difference_json(const struct difference *d)
{
	json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "pixels",
		(json_int_t)((uint64_t)d->width * d->height), "differing", (json_int_t)d->differing,
		"lost", (json_int_t)d->lost, "short", (json_int_t)d->short_of, "not_numbers",
		(json_int_t)d->not_numbers, "tiles_differing", (json_int_t)d->tiles_differing);
	json_t *ulp = json_array();
	size_t i;

	for (i = 0; i < DIFFERENCE_BINS; i++)
		if (d->ulp[i])
			json_array_append_new(ulp,
				json_pack("{s:o, s:I}", "up_to",
					bins[i] == UINT64_MAX ? json_null()
							      : json_integer((json_int_t)bins[i]),
					"floats", (json_int_t)d->ulp[i]));
	json_object_set_new(json, "ulp_max", json_integer((json_int_t)d->ulp_max));
	json_object_set_new(json, "ulp", ulp);
	json_object_set_new(json, "first",
		d->differing ? json_pack("{s:I, s:I}", "x", (json_int_t)d->first_x, "y",
				       (json_int_t)d->first_y)
			     : json_null());
	json_object_set_new(json, "worst_tile",
		d->differing ? json_pack("{s:I, s:I, s:i, s:I}", "x", (json_int_t)d->tile_x, "y",
				       (json_int_t)d->tile_y, "size", DIFFERENCE_TILE, "differing",
				       (json_int_t)d->tile_differing)
			     : json_null());
	return json;
}
