# SPDX-License-Identifier: Apache-2.0
"""A hundred small lamps of every kind and a wall of shining triangles: which one is asked matters."""
import bpy

from make.parts import ball, camera, diffuse, light, material, mesh, numbers, room

ENTRY = {
    "purpose": "Many lights: a hundred point, spot and area lamps and two hundred emitting triangles, each with a "
               "small share of the picture.",
    "features": ["many-lights", "point-light", "spot-light", "area-light", "emission"],
    "suite": "full", "archive": "lights.tar.zst", "width": 128, "height": 96, "samples": 48, "seed": 28,
    "parameters": {"light_tree": 1},
    "guards": ["blender/cycles@732a03f8e", "blender/blender#154892", "FreeCAD/FreeCAD-render#299",
               "LuxCoreRender/BlendLuxCore#542"],
}
KINDS = (("POINT", 9, {"shadow_soft_size": .08}), ("SPOT", 26, {"spot_size": .9, "shadow_soft_size": .03}),
         ("AREA", 7, {"size": .12}))


def lamps(chance):
    for index in range(99):
        kind, watts, more = KINDS[index % 3]
        column, row = index % 11, index // 11
        place = (column * .5 - 2.5 + .1 * next(chance), row * .4 - 1.5, .5 + .5 * next(chance))
        colour = (1, .35 + .6 * next(chance), .2 + .7 * next(chance))
        colour = colour if index % 2 else colour[::-1]
        light(kind, place, (place[0], place[1] + .05, 0), watts * .16, colour, **more)


def sparks(made_of):
    corners, faces = [], []
    for index in range(200):
        x, z = (index % 20) * .29 - 2.76, .5 + (index // 20) * .25
        faces.append(tuple(range(len(corners), len(corners) + 3)))
        corners += [(x, 2.95, z), (x + .07, 2.95, z), (x + .035, 2.95, z + .07)]
    mesh("sparks", corners, faces, made_of)


def build(folder):
    room(diffuse("grey", .6, .6, .6))
    lamps(numbers(17))
    sparks(material("sparks", "ShaderNodeEmission", Color=(.5, .8, 1, 1), Strength=2.5))
    for index in range(5):
        ball("ball", (index * 1.05 - 2.1, -.5 + .5 * (index % 2), .3), .3, diffuse("ball", .8, .75, .7))
    bpy.context.scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (.005, .005, .006, 1)
    camera((0, -4.6, 2.6), (0, .2, .5), 40)
