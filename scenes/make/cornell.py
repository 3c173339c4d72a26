# SPDX-License-Identifier: Apache-2.0
"""Diffuse light transport alone."""
from make.parts import area_light, box, camera, diffuse, quad

ENTRY = {
    "purpose": "Diffuse light transport alone: what fails here fails everywhere.",
    "features": ["diffuse", "area-light", "indirect-light"],
    "suite": "basic", "archive": "cornell.tar.zst", "width": 128, "height": 128, "samples": 16, "seed": 7,
    "guards": ["blender/cycles@61c7432d1", "blender/cycles@1b1afb9a7"],
}


def build(folder):
    white, red, green = diffuse("white", .73, .73, .73), diffuse("red", .65, .05, .05), diffuse("green", .12, .45, .15)
    quad("floor", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], white)
    quad("ceiling", [(-1, -1, 2), (-1, 1, 2), (1, 1, 2), (1, -1, 2)], white)
    quad("back", [(-1, 1, 0), (1, 1, 0), (1, 1, 2), (-1, 1, 2)], white)
    quad("left", [(-1, -1, 0), (-1, 1, 0), (-1, 1, 2), (-1, -1, 2)], red)
    quad("right", [(1, -1, 0), (1, -1, 2), (1, 1, 2), (1, 1, 0)], green)
    box("tall", (-.35, .3, .6), (.58, .58, 1.2), 18, white)
    box("short", (.38, -.25, .3), (.6, .6, .6), -17, white)
    area_light((0, 0, 1.98), (0, 0, 0), .6, 22)
    camera((0, -3.7, 1), (0, 0, 1), 49)
