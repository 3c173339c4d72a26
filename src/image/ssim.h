/* SPDX-License-Identifier: Apache-2.0 */
/* Structural similarity: Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image Quality
 * Assessment: From Error Visibility to Structural Similarity", IEEE Transactions on Image
 * Processing 13(4), 2004. Windows of 11x11 pixels weighted with a Gaussian of 1.5 pixels,
 * K1 = 0.01, K2 = 0.03, only windows that are whole inside the picture; their mean. */
#ifndef IMAGE_SSIM_H
#define IMAGE_SSIM_H

#include "image/image.h"

/* Of two finite pictures of one size: on luma (Rec. 709 weights of the sRGB-encoded R, G, B clamped
 * to 0..1, or Y encoded alike), with a dynamic range of 1. From -1 to 1; NaN when a side is shorter
 * than 11 pixels or a picture has no colours. */
double image_ssim(const struct image *image, const struct image *reference);

#endif
