# SPDX-License-Identifier: Apache-2.0
"""Light bent by glass and thrown by metal onto a floor; half of it by Cycles' own shadow caustics (MNEE)."""
import bpy

from make.parts import ball, camera, diffuse, light, material, mesh, room

ENTRY = {
    "purpose": "Caustics: refracted and reflected light on a floor, and a glass ball whose caustic Cycles searches "
               "for by manifold exploration.",
    "features": ["caustics", "shadow-caustics", "glass", "glossy"],
    "suite": "full", "archive": "caustics.tar.zst", "width": 128, "height": 96, "samples": 32, "seed": 21,
    "guards": ["blender/blender#160089", "blender/blender#123763", "blender/cycles@4015bad8b"],
}
SIDES = 96


def ring(made_of):
    """A standing band of metal: its inside throws the well-known heart of light."""
    from math import cos, pi, sin
    corners = [(.75 * cos(2 * pi * i / SIDES) + .95, .75 * sin(2 * pi * i / SIDES) + .1, z)
               for z in (0, .45) for i in range(SIDES)]
    faces = [(i, (i + 1) % SIDES, SIDES + (i + 1) % SIDES, SIDES + i) for i in range(SIDES)]
    thing = mesh("ring", corners, faces, made_of)
    for face in thing.data.polygons:
        face.use_smooth = True


def build(folder):
    scene = bpy.context.scene
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = True
    room(diffuse("floor", .7, .68, .64))
    scene.objects["floor"].cycles.is_caustics_receiver = True
    glass = material("glass", "ShaderNodeBsdfGlass", Color=(.75, 1, .85, 1), Roughness=0, IOR=1.45)
    ring(material("brass", "ShaderNodeBsdfGlossy", Color=(.95, .75, .4, 1), Roughness=.05))
    searched = ball("searched", (-1.15, -.35, .62), .5, glass)
    searched.cycles.is_caustics_caster = True
    ball("traced", (-.3, .95, .45), .42, glass)
    lamp = light("AREA", (-2.6, 1.6, 3.2), (0, 0, 0), 230, size=.7)
    lamp.data.cycles.is_caustics_light = True
    camera((.2, -4.3, 3.0), (0, .1, .25), 45)
