/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures to look at. Nothing here judges. */
#include "image/compare.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

enum { GAP = 4, PANELS = 3, COLOURS = 3 };

/* The absolute difference of one channel, scaled. Alpha stays opaque, or the picture would vanish.
 */
static void fill_channel(const struct image *image, const struct image *reference, int channel,
	double scale, struct image *out)
{
	int from = image_channel(image, reference->names[channel]);
	bool alpha = strcmp(reference->names[channel], "A") == 0;
	size_t count = (size_t)reference->width * (size_t)reference->height, i;
	size_t step = (size_t)reference->channels;
	const float *a = image->pixels + from, *b = reference->pixels + channel;
	float *to = out->pixels + channel;

	for (i = 0; i < count; i++)
		to[i * step] =
			alpha ? 1
			      : (float)(scale * fabs((double)a[i * step] - (double)b[i * step]));
}

void image_difference(const struct image *image, const struct image *reference,
	const struct compare_limits *limits, struct image *out)
{
	double scale = limits && limits->pixel_limit > 0 ? 0.5 / limits->pixel_limit : 1;
	int c;

	image_new(out, reference->width, reference->height, reference);
	for (c = 0; c < reference->channels; c++)
		fill_channel(image, reference, c, scale, out);
}

/* Grey pictures show their only colour in all three. */
static int shown_channel(const struct image *image, const char *name)
{
	int at = image_channel(image, name);

	return at >= 0 ? at : 0;
}

static void place(const struct image *panel, int index, struct image *out)
{
	int left = index * (panel->width + GAP), x, y, c;

	for (c = 0; c < COLOURS; c++) {
		int from = shown_channel(panel, out->names[c]);

		for (y = 0; y < panel->height; y++) {
			const float *a = panel->pixels +
					 (size_t)y * (size_t)panel->width * (size_t)panel->channels;
			float *to = out->pixels +
				    ((size_t)y * (size_t)out->width + (size_t)left) * COLOURS;

			for (x = 0; x < panel->width; x++)
				to[x * COLOURS + c] = a[x * panel->channels + from];
		}
	}
}

void image_side_by_side(const struct image *image, const struct image *reference,
	const struct image *difference, struct image *out)
{
	static const struct image colours = {
		.channels = COLOURS,
		.names = { "R", "G", "B" },
		.colorspace = "Linear",
	};
	size_t i, count;

	image_new(out, PANELS * reference->width + (PANELS - 1) * GAP, reference->height, &colours);
	count = (size_t)out->width * (size_t)out->height * COLOURS;
	for (i = 0; i < count; i++)
		out->pixels[i] = 1;
	place(image, 0, out);
	place(reference, 1, out);
	place(difference, 2, out);
}
