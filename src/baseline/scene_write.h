/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as one file, for another renderer: PLY (Turk, 1994), binary, little-endian.
 *
 *   vertex    x y z                      three a triangle, in the order of the triangles
 *   face      vertex_indices, material   counter-clockwise seen from the front
 *   material  surface (0 diffuse, 1 mirror, 2 glass), red green blue (what it keeps), index (of
 *             refraction), emission_red emission_green emission_blue (radiance, from the front
 * only) camera    origin, forward, right, up, as struct kernel_camera sky       red green blue
 * radiance from all around
 *
 * Any program that reads PLY finds the mesh; the other elements are this project's own. */
#ifndef BASELINE_SCENE_WRITE_H
#define BASELINE_SCENE_WRITE_H

#include "baseline/scene.h"

/* `comments` are header lines without "comment ", each ended by a newline; "" none. The file is
 * whole or not there. The scene need not be finished. */
int baseline_scene_write(const struct baseline_scene *scene, const char *comments, const char *path,
	struct error *err);

#endif
