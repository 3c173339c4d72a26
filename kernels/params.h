/* SPDX-License-Identifier: Apache-2.0 */
/* What the host tells a kernel for one launch. The same bytes on every device. */
#ifndef KERNELS_PARAMS_H
#define KERNELS_PARAMS_H

#include "kernels/vec.h"

/* A pinhole: `right` and `up` reach from the middle of the picture to its edge, at distance 1 along
 * `forward`; both for a square picture, a wide one sees more to the sides. */
struct kernel_camera {
	struct vec3 origin, forward, right, up;
};

struct kernel_params {
	struct kernel_camera camera;
	kernel_u32 width, height; /* pixels, at most KERNEL_SIZE_MAX each */
	kernel_u32 first_sample, sample_count; /* this launch adds these to the picture's sums */
	kernel_u32 bounces; /* after the camera's hit */
	kernel_u32 seed;
	kernel_u32 light_count;
	float offset; /* how far a new ray starts off its surface, scene units */
	struct vec3 sky; /* radiance of what leaves the scene */
	kernel_u32 is_bright; /* light comes from elsewhere than lamps: the sky, or surfaces */
};

enum { KERNEL_SIZE_MAX = 8192 };

KERNEL_SIZE(struct kernel_camera, 48);
KERNEL_SIZE(struct kernel_params, 96);

#endif
