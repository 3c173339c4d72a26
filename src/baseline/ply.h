/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh in a PLY file (Greg Turk, "The PLY Polygon File Format", 1994; ASCII and both binary
 * forms). Only x, y and z of `vertex` and vertex_indices (or vertex_index) of `face` are used, all
 * else is read over. A face of more than three corners becomes a fan about its first one. */
#ifndef BASELINE_PLY_H
#define BASELINE_PLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PLY_TRIANGLES_MAX = 1 << 26 };

struct ply {
	float *places; /* x y z a vertex, all finite; owned */
	uint32_t *corners; /* three vertex numbers a triangle, each below vertex_count; owned */
	size_t vertex_count, triangle_count; /* at least one triangle */
};

/* Parses the whole file. -1 with the element and row in question when it is not PLY, is cut short,
 * has anything after its last row, says that it holds more rows than its bytes have room for, a
 * coordinate is not finite, a corner is no vertex, a face has fewer than three corners or there is
 * no face; *out is then untouched. */
int ply_parse(const char *bytes, size_t len, struct ply *out, struct error *err);

void ply_release(struct ply *ply);

#endif
