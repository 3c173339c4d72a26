/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of any brightness made fit for a screen, reference and output alike. */
#ifndef REPORT_TONE_H
#define REPORT_TONE_H

#include "image/image.h"

/* Reinhard, Stark, Shirley, Ferwerda, "Photographic Tone Reproduction for Digital Images", 2002,
 * equation 4, on luminance (ITU-R BT.709): L (1 + L/white^2) / (1 + L). It darkens what is bright
 * and keeps the colours' ratios; `white` is the luminance that becomes 1. */
struct tone {
	double white;
	double stops; /* exposure before it: each doubles */
};

extern const char tone_name[]; /* for people */

/* The largest finite luminance of a picture, at least 1. */
double tone_white(const struct image *image);

/* A new picture R, G, B, from 0 to 1 and still linear. What is not finite becomes magenta. A
 * picture without R, G and B is shown as the grey of its first channel. */
void tone_map(const struct image *image, const struct tone *tone, struct image *out);

#endif
