/* SPDX-License-Identifier: Apache-2.0 */
#include "image/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/str.h"
#include "image/bands.h"

enum { SMALL = 8, LARGE = 16 };

/* --- one picture --- */

struct colours {
	int r, g, b; /* -1: not there */
};

static struct colours colours_of(const struct image *image)
{
	return (struct colours){ image_channel(image, "R"), image_channel(image, "G"),
		image_channel(image, "B") };
}

/* Blender shades a texture that it cannot find with 1, 0, 1. Light changes how bright it is and a
 * little of its hue; next to no green is left. */
static inline bool is_magenta(float r, float g, float b)
{
	float less = r < b ? r : b, more = r < b ? b : r;

	return less > 0.02f && g <= 0.15f * less && less >= 0.6f * more;
}

static void side_begin(struct measure_side *side)
{
	int c;

	side->magenta = 0;
	for (c = 0; c < IMAGE_CHANNELS_MAX; c++)
		side->channels[c] = (struct measure_range){ INFINITY, -INFINITY, 0, 0 };
}

static void range_add(struct measure_range *range, double value)
{
	if (!isfinite(value))
		return;
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
	range->sum += value;
	range->finite++;
}

static void side_row(
	const struct image *image, struct colours colours, int y, struct measure_side *side)
{
	size_t channels = (size_t)image->channels;
	const float *p = image->pixels + (size_t)y * (size_t)image->width * channels;
	bool has_colours = colours.r >= 0 && colours.g >= 0 && colours.b >= 0;
	int x;
	size_t c;

	for (x = 0; x < image->width; x++, p += channels) {
		for (c = 0; c < channels; c++)
			range_add(&side->channels[c], (double)p[c]);
		if (has_colours && is_magenta(p[colours.r], p[colours.g], p[colours.b]))
			side->magenta++;
	}
}

static void side_join(struct measure_side *to, const struct measure_side *from)
{
	int c;

	to->magenta += from->magenta;
	for (c = 0; c < IMAGE_CHANNELS_MAX; c++) {
		struct measure_range *a = &to->channels[c];
		const struct measure_range *b = &from->channels[c];

		a->low = b->low < a->low ? b->low : a->low;
		a->high = b->high > a->high ? b->high : a->high;
		a->sum += b->sum;
		a->finite += b->finite;
	}
}

struct one_pass {
	const struct image *image;
	struct measure_side sides[BANDS_THREADS_MAX];
};

static void one_band(int band, int from, int to, void *data)
{
	struct one_pass *pass = data;
	struct colours colours = colours_of(pass->image);
	struct measure_side side;
	int y;

	side_begin(&side);
	for (y = from; y < to; y++)
		side_row(pass->image, colours, y, &side);
	pass->sides[band] = side;
}

void measure_one(const struct image *image, struct measure_side *out)
{
	struct one_pass pass = { .image = image };
	int count = bands_count(image->height, LARGE), i;

	bands_run(image->height, LARGE, one_band, &pass);
	side_begin(out);
	for (i = 0; i < count; i++)
		side_join(out, &pass.sides[i]);
}

/* --- two pictures --- */

struct pass {
	const struct image *image, *reference;
	const int *at;
	double pixel_limit;
	bool beyond_steps;
	bool four_alike; /* both have the same four channels in the same order */
	struct colours image_colours, reference_colours;
	struct measure_pair found[BANDS_THREADS_MAX];
};

static double srgb_slope(double linear)
{
	double encoded;

	if (linear <= 0.0031308)
		return 1 / 12.92;
	encoded = 1.055 * pow(linear < 1 ? linear : 1, 1 / 2.4) - 0.055;
	return 2.4 / 1.055 * pow((encoded + 0.055) / 1.055, 1.4);
}

double measure_half_step(const struct image *image, bool is_alpha, double value)
{
	const char *format = image->format;
	bool linear = strcasecmp(image->colorspace, "linear") == 0;
	double half = strcmp(format, "uint8") == 0    ? 0.5 / 255
		      : strcmp(format, "uint16") == 0 ? 0.5 / 65535
						      : 0;
	double v = fabs(value);

	if (strcmp(format, "half") == 0)
		return v * 0x1p-11 + 0x1p-25;
	if (half == 0 || is_alpha)
		return half;
	/* 1 %: the slope at the end of the step is larger than in its middle. */
	return 1.01 * half * ((linear ? 1 : srgb_slope(v)) + (v < 1 ? v : 1)) + half * half;
}

static double error_of(const struct pass *pass, size_t c, float a, float b)
{
	double d = fabs((double)a - (double)b), steps;
	bool alpha;

	if (!pass->beyond_steps)
		return d;
	alpha = strcmp(pass->reference->names[c], "A") == 0;
	steps = measure_half_step(pass->image, alpha, (double)b) +
		measure_half_step(pass->reference, alpha, (double)b);
	return d > steps ? d - steps : 0;
}

static const float *row_of(const struct image *image, int y)
{
	return image->pixels + (size_t)y * (size_t)image->width * (size_t)image->channels;
}

static void note_largest(struct measure_pair *found, double error, int x, int y)
{
	if (error > found->largest) {
		found->largest = error;
		found->max_x = x;
		found->max_y = y;
	}
}

/* The errors of a row alone: `columns` gets the sum of each pixel's added. */
static void add_columns(const struct pass *pass, int y, double *columns)
{
	size_t channels = (size_t)pass->reference->channels, c;
	const float *a = row_of(pass->image, y), *b = row_of(pass->reference, y);
	int x;

	for (x = 0; x < pass->reference->width; x++, a += channels, b += channels)
		for (c = 0; c < channels; c++)
			columns[x] += error_of(pass, c, a[pass->at[c]], b[c]);
}

static void any_row(const struct pass *pass, int y, struct measure_pair *found, double *columns)
{
	size_t channels = (size_t)pass->reference->channels, c;
	const float *a = row_of(pass->image, y), *b = row_of(pass->reference, y);
	double absolute = 0, squared = 0;
	int x;

	side_row(pass->image, pass->image_colours, y, &found->image);
	side_row(pass->reference, pass->reference_colours, y, &found->reference);
	for (x = 0; x < pass->reference->width; x++, a += channels, b += channels) {
		double pixel = 0, largest = 0;

		for (c = 0; c < channels; c++) {
			double d = error_of(pass, c, a[pass->at[c]], b[c]);

			pixel += d;
			squared += d * d;
			largest = d > largest ? d : largest;
		}
		absolute += pixel;
		columns[x] += pixel;
		found->off += largest > pass->pixel_limit;
		note_largest(found, largest, x, y);
	}
	found->absolute += absolute;
	found->squared += squared;
}

#ifdef __SSE2__

/* The sums of one row of four channels: lanes 0, 1 and 2, 3 apart, for doubles go by two. */
struct lanes {
	__m128 low, high;
	__m128d sum[2];
};

static inline void lanes_begin(struct lanes *lanes)
{
	lanes->low = _mm_set1_ps(INFINITY);
	lanes->high = _mm_set1_ps(-INFINITY);
	lanes->sum[0] = lanes->sum[1] = _mm_setzero_pd();
}

static inline void lanes_add(struct lanes *lanes, __m128 v, __m128d first, __m128d second)
{
	lanes->low = _mm_min_ps(lanes->low, v);
	lanes->high = _mm_max_ps(lanes->high, v);
	lanes->sum[0] = _mm_add_pd(lanes->sum[0], first);
	lanes->sum[1] = _mm_add_pd(lanes->sum[1], second);
}

static void lanes_end(const struct lanes *lanes, size_t finite, struct measure_side *side)
{
	float low[4], high[4];
	double sum[4];
	int c;

	_mm_storeu_ps(low, lanes->low);
	_mm_storeu_ps(high, lanes->high);
	_mm_storeu_pd(sum, lanes->sum[0]);
	_mm_storeu_pd(sum + 2, lanes->sum[1]);
	for (c = 0; c < 4; c++) {
		struct measure_range *range = &side->channels[c];

		range->low = low[c] < range->low ? (double)low[c] : range->low;
		range->high = high[c] > range->high ? (double)high[c] : range->high;
		range->sum += sum[c];
		range->finite += finite;
	}
}

static double both(__m128d pair)
{
	double lanes[2];

	_mm_storeu_pd(lanes, pair);
	return lanes[0] + lanes[1];
}

/* The same as any_row() for four channels alike; false with nothing added when a value is not
 * finite. */
static bool four_row(const struct pass *pass, int y, struct measure_pair *found, double *columns)
{
	const __m128d positive = _mm_castsi128_pd(_mm_set1_epi64x(0x7fffffffffffffff));
	const __m128i exponent = _mm_set1_epi32(0x7f800000);
	const __m128d limit = _mm_set1_pd(pass->pixel_limit);
	const struct colours colours = pass->reference_colours;
	const bool coloured = colours.r >= 0 && colours.g >= 0 && colours.b >= 0;
	const float *a = row_of(pass->image, y), *b = row_of(pass->reference, y);
	__m128d absolute = _mm_setzero_pd(), squared = absolute;
	__m128d largest = _mm_set1_pd(found->largest);
	__m128i broken = _mm_setzero_si128();
	size_t off = 0, magenta[2] = { 0, 0 };
	struct lanes image, reference;
	int width = pass->reference->width, x;

	for (x = 0; x < width; x++) {
		__m128i va = _mm_loadu_si128((const __m128i *)(const void *)(a + 4 * (size_t)x));
		__m128i vb = _mm_loadu_si128((const __m128i *)(const void *)(b + 4 * (size_t)x));

		broken = _mm_or_si128(
			broken, _mm_cmpeq_epi32(_mm_and_si128(va, exponent), exponent));
		broken = _mm_or_si128(
			broken, _mm_cmpeq_epi32(_mm_and_si128(vb, exponent), exponent));
	}
	if (_mm_movemask_epi8(broken))
		return false;
	lanes_begin(&image);
	lanes_begin(&reference);
	for (x = 0; x < width; x++, a += 4, b += 4) {
		__m128 fa = _mm_loadu_ps(a), fb = _mm_loadu_ps(b);
		__m128d a0 = _mm_cvtps_pd(fa), a1 = _mm_cvtps_pd(_mm_movehl_ps(fa, fa));
		__m128d b0 = _mm_cvtps_pd(fb), b1 = _mm_cvtps_pd(_mm_movehl_ps(fb, fb));
		__m128d d0 = _mm_and_pd(_mm_sub_pd(a0, b0), positive);
		__m128d d1 = _mm_and_pd(_mm_sub_pd(a1, b1), positive);
		__m128d pixel = _mm_add_pd(d0, d1), worst = _mm_max_pd(d0, d1);

		lanes_add(&image, fa, a0, a1);
		lanes_add(&reference, fb, b0, b1);
		absolute = _mm_add_pd(absolute, pixel);
		squared = _mm_add_pd(squared, _mm_add_pd(_mm_mul_pd(d0, d0), _mm_mul_pd(d1, d1)));
		columns[x] += both(pixel);
		off += _mm_movemask_pd(_mm_cmpgt_pd(worst, limit)) != 0;
		if (_mm_movemask_pd(_mm_cmpgt_pd(worst, largest))) {
			double of[2];

			_mm_storeu_pd(of, worst);
			note_largest(found, fmax(of[0], of[1]), x, y);
			largest = _mm_set1_pd(found->largest);
		}
		if (coloured) {
			magenta[0] += is_magenta(a[colours.r], a[colours.g], a[colours.b]);
			magenta[1] += is_magenta(b[colours.r], b[colours.g], b[colours.b]);
		}
	}
	lanes_end(&image, (size_t)width, &found->image);
	lanes_end(&reference, (size_t)width, &found->reference);
	found->image.magenta += magenta[0];
	found->reference.magenta += magenta[1];
	found->absolute += both(absolute);
	found->squared += both(squared);
	found->off += off;
	return true;
}

#endif

static void add_row(const struct pass *pass, int y, struct measure_pair *found, double *columns)
{
#ifdef __SSE2__
	if (pass->four_alike && four_row(pass, y, found, columns))
		return;
#endif
	any_row(pass, y, found, columns);
}

/* --- tiles --- */

/* A tile at the right or bottom edge is moved inwards, so that each has the full size and a few
 * pixels at the edge do not weigh more than others. */
static int tile_start(int at, int size, int tile)
{
	int last = size > tile ? size - tile : 0;

	return at < last ? at : last;
}

/* The tiles of `size` of one row of tiles whose first pixel row is `top`. */
static void finish_tiles(const struct pass *pass, const double *columns, int size, int top,
	struct measure_tile *worst)
{
	int width = pass->reference->width, height = pass->reference->height, at, x;
	int across = width < size ? width : size, down = height < size ? height : size;
	double values = (double)across * down * pass->reference->channels;

	for (at = 0; at < width; at += size) {
		int left = tile_start(at, width, size);
		double sum = 0;

		for (x = left; x < left + across; x++)
			sum += columns[x];
		if (sum / values > worst->error)
			*worst = (struct measure_tile){ sum / values, left, top };
	}
}

/* The last row of tiles where the picture's height is no multiple of their size. */
static void moved_tiles(
	const struct pass *pass, double *columns, int size, struct measure_tile *worst)
{
	int height = pass->reference->height, top = tile_start(height, height, size), y;

	if (height % size == 0)
		return;
	memset(columns, 0, (size_t)pass->reference->width * sizeof(*columns));
	for (y = top; y < height; y++)
		add_columns(pass, y, columns);
	finish_tiles(pass, columns, size, top, worst);
}

/* The errors of eight rows at a time; two of them make a large tile. */
static void pair_band(int band, int from, int to, void *data)
{
	struct pass *pass = data;
	size_t width = (size_t)pass->reference->width, x;
	double *small = xcalloc(width, sizeof(*small)), *large = xcalloc(width, sizeof(*large));
	struct measure_pair found;
	int y;

	memset(&found, 0, sizeof(found));
	side_begin(&found.image);
	side_begin(&found.reference);
	for (y = from; y < to; y++) {
		add_row(pass, y, &found, small);
		if (y % SMALL != SMALL - 1)
			continue;
		finish_tiles(pass, small, SMALL, y - SMALL + 1, &found.tile8);
		for (x = 0; x < width; x++)
			large[x] += small[x];
		memset(small, 0, width * sizeof(*small));
		if (y % LARGE != LARGE - 1)
			continue;
		finish_tiles(pass, large, LARGE, y - LARGE + 1, &found.tile16);
		memset(large, 0, width * sizeof(*large));
	}
	if (to == pass->reference->height) {
		moved_tiles(pass, small, SMALL, &found.tile8);
		moved_tiles(pass, large, LARGE, &found.tile16);
	}
	pass->found[band] = found;
	free(small);
	free(large);
}

static void worse_tile(struct measure_tile *to, const struct measure_tile *from)
{
	if (from->error > to->error)
		*to = *from;
}

static void pair_join(struct measure_pair *to, const struct measure_pair *from)
{
	side_join(&to->image, &from->image);
	side_join(&to->reference, &from->reference);
	to->absolute += from->absolute;
	to->squared += from->squared;
	to->off += from->off;
	note_largest(to, from->largest, from->max_x, from->max_y);
	worse_tile(&to->tile8, &from->tile8);
	worse_tile(&to->tile16, &from->tile16);
}

static bool are_four_alike(const struct image *reference, const int *at)
{
	return reference->channels == 4 && at[0] == 0 && at[1] == 1 && at[2] == 2 && at[3] == 3;
}

void measure_two(const struct image *image, const struct image *reference, const int *at,
	double pixel_limit, bool beyond_steps, struct measure_pair *out)
{
	struct pass *pass = xcalloc(1, sizeof(*pass));
	int count = bands_count(reference->height, LARGE), i;

	pass->image = image;
	pass->reference = reference;
	pass->at = at;
	pass->pixel_limit = pixel_limit;
	pass->beyond_steps = beyond_steps;
	pass->four_alike = !beyond_steps && are_four_alike(reference, at);
	pass->image_colours = colours_of(image);
	pass->reference_colours = colours_of(reference);
	bands_run(reference->height, LARGE, pair_band, pass);
	*out = pass->found[0];
	for (i = 1; i < count; i++)
		pair_join(out, &pass->found[i]);
	free(pass);
}
