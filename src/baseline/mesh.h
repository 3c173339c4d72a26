/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh file set on a stage, as a scene of the baseline. */
#ifndef BASELINE_MESH_H
#define BASELINE_MESH_H

#include "base/error.h"
#include "baseline/scene.h"

/* Adds the triangles of a PLY file (ply.h) in grey, then camera, lamp and sky. All are set by the
 * ball about the mesh: its centre is the middle of the bounds of all corners, its radius r half
 * their diagonal. z is up. The camera looks down on the centre from the front and right, from so
 * far that the ball touches the edges of a square picture. A square lamp of side r hangs 2 r above
 * the centre, half of r to the right and to the front, out of the picture, and shines down; the sky
 * is a pale blue. A triangle without area is never met. -1 when the file cannot be used or all its
 * corners are one point, with the file and the reason; *scene can then only be released. */
int baseline_mesh_add(struct baseline_scene *scene, const char *path, struct error *err);

#endif
