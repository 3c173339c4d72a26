/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tone.h"

#include <math.h>
#include <stdbool.h>

const char tone_name[] =
	"Reinhard's operator of 2002 on luminance, white at the reference's largest, then sRGB";

struct colour {
	double r, g, b;
};

/* Where R, G, B are; all three the first channel when one of them is missing. */
struct places {
	int r, g, b;
};

static struct places find_places(const struct image *image)
{
	struct places p = { image_channel(image, "R"), image_channel(image, "G"),
		image_channel(image, "B") };

	return p.r < 0 || p.g < 0 || p.b < 0 ? (struct places){ 0, 0, 0 } : p;
}

static size_t pixel_count(const struct image *image)
{
	return (size_t)image->width * (size_t)image->height;
}

static struct colour pixel(const struct image *image, struct places p, size_t at)
{
	const float *samples = image->pixels + at * (size_t)image->channels;

	return (struct colour){ samples[p.r], samples[p.g], samples[p.b] };
}

static double luminance(struct colour c)
{
	return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static bool is_finite(struct colour c)
{
	return isfinite(c.r) && isfinite(c.g) && isfinite(c.b);
}

double tone_white(const struct image *image)
{
	struct places p = find_places(image);
	double white = 1;
	size_t i;

	for (i = 0; i < pixel_count(image); i++) {
		double l = luminance(pixel(image, p, i));

		if (isfinite(l) && l > white)
			white = l;
	}
	return white;
}

static float clamped(double value)
{
	return (float)(value < 0 ? 0 : value > 1 ? 1 : value);
}

static void store(float *to, struct colour c, double scale)
{
	to[0] = clamped(c.r * scale);
	to[1] = clamped(c.g * scale);
	to[2] = clamped(c.b * scale);
}

void tone_map(const struct image *image, const struct tone *tone, struct image *out)
{
	static const struct image rgb = { .channels = 3, .names = { "R", "G", "B" } };
	static const struct colour magenta = { 1, 0, 1 };
	struct places p = find_places(image);
	double exposure = exp2(tone->stops), white2 = tone->white * tone->white;
	size_t i;

	image_new(out, image->width, image->height, &rgb);
	for (i = 0; i < pixel_count(image); i++) {
		struct colour c = pixel(image, p, i);
		double l = exposure * luminance(c);
		double scale = l > 0 ? exposure * (1 + l / white2) / (1 + l) : exposure;

		if (is_finite(c))
			store(out->pixels + 3 * i, c, scale);
		else
			store(out->pixels + 3 * i, magenta, 1);
	}
}
