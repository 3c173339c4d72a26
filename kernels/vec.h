/* SPDX-License-Identifier: Apache-2.0 */
/* Three floats and the sine and cosine of the kernels. The order of every sum is part of the
 * result. */
#ifndef KERNELS_VEC_H
#define KERNELS_VEC_H

#include "kernels/compat.h"

struct vec3 {
	float x, y, z;
};

KERNEL_FN struct vec3 vec3_make(float x, float y, float z)
{
	struct vec3 r;

	r.x = x;
	r.y = y;
	r.z = z;
	return r;
}

KERNEL_FN struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
	return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

KERNEL_FN struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
	return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

KERNEL_FN struct vec3 vec3_mul(struct vec3 a, struct vec3 b)
{
	return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

KERNEL_FN struct vec3 vec3_scale(struct vec3 a, float s)
{
	return vec3_make(a.x * s, a.y * s, a.z * s);
}

/* a + b * s */
KERNEL_FN struct vec3 vec3_along(struct vec3 a, struct vec3 b, float s)
{
	return vec3_add(a, vec3_scale(b, s));
}

KERNEL_FN float vec3_dot(struct vec3 a, struct vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

KERNEL_FN struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
	return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

KERNEL_FN struct vec3 vec3_unit(struct vec3 a)
{
	return vec3_scale(a, 1.0f / kernel_sqrt(vec3_dot(a, a)));
}

/* Sine and cosine of `turn` full turns, 0 <= turn < 1, within 2^-22: Taylor polynomials on an
 * eighth of a turn either side of the nearest quarter. */
KERNEL_FN void kernel_sincos(float turn, float *sine, float *cosine)
{
	kernel_u32 quarter = (kernel_u32)(turn * 4.0f + 0.5f);
	float x = (turn * 4.0f - (float)quarter) * 1.57079632679f;
	float y = x * x;
	float s = x +
		  x * y * (-1.0f / 6 + y * (1.0f / 120 + y * (-1.0f / 5040 + y * (1.0f / 362880))));
	float c = 1.0f + y * (-0.5f + y * (1.0f / 24 + y * (-1.0f / 720 + y * (1.0f / 40320))));
	float swap = s;

	if (quarter & 1) {
		s = c;
		c = -swap;
	}
	*sine = quarter & 2 ? -s : s;
	*cosine = quarter & 2 ? -c : c;
}

#endif
