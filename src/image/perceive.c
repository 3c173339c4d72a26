/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "image/compare.h"
#include "image/flip.h"
#include "image/ssim.h"

void image_perceive(
	const struct image *image, const struct image *reference, struct comparison *comparison)
{
	bool wide =
		strcmp(reference->format, "half") == 0 || strcmp(reference->format, "float") == 0;

	if (!comparison->compared)
		return;
	comparison->ssim = image_ssim(image, reference);
	comparison->flip = image_flip(image, reference);
	if (wide)
		comparison->hdr_flip = image_hdr_flip(image, reference, comparison->exposures);
}
