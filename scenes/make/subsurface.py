# SPDX-License-Identifier: Apache-2.0
"""Light through wax and skin: three bodies, each scattering under the surface in its own way."""
import bpy

from make.parts import ball, box, camera, diffuse, light, node, room, shader

ENTRY = {
    "purpose": "Subsurface scattering: random walk, the older diffusion profile, and a thin plate lit from behind.",
    "features": ["subsurface", "random-walk", "burley", "translucency"],
    "suite": "full", "archive": "subsurface.tar.zst", "width": 128, "height": 96, "samples": 24, "seed": 25,
    "guards": ["blender/blender#150055", "blender/cycles@09c62f0fd", "blender/cycles@4e336619c",
               "blender/cycles@dc1303119", "blender/blender#149904"],
}


def skin(name, falloff, colour, reach):
    def build(nodes, link):
        made = node(nodes, "ShaderNodeSubsurfaceScattering", Color=(*colour, 1), Scale=reach, Radius=(1, .6, .4))
        made.falloff = falloff
        return made.outputs[0]
    return shader(name, build)


def build(folder):
    bpy.context.scene.cycles.max_bounces = 8
    room(diffuse("dark", .18, .18, .2))
    ball("walk", (-1.3, .1, .62), .62, skin("walk", "RANDOM_WALK", (.9, .55, .4), .35))
    ball("profile", (.1, -.25, .55), .55, skin("profile", "BURLEY", (.55, .8, .45), .3))
    box("plate", (1.5, .3, .7), (1.2, .14, 1.4), 12, skin("plate", "RANDOM_WALK", (.8, .75, .6), .2))
    light("AREA", (1.7, 1.7, .9), (1.5, .3, .7), 110, (1, .85, .7), size=.7)
    light("AREA", (-3, .8, 2.2), (-1, .1, .5), 260, size=.5)
    light("AREA", (1, -3.5, 3), (0, 0, .5), 90, size=1.5)
    camera((0, -4.4, 1.5), (.15, .1, .65), 37)
