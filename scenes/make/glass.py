# SPDX-License-Identifier: Apache-2.0
"""Textures from files beside the .blend, refraction, reflection and a lamp of emission."""
from make.parts import area_light, ball, box, camera, diffuse, material, picture, png, quad

ENTRY = {
    "purpose": "Image textures from separate files, refraction, glossy reflection and emission.",
    "features": ["image-textures", "glass", "glossy", "emission", "relative-paths", "compressed-blend"],
    "suite": "basic", "archive": "glass.zip", "width": 160, "height": 96, "samples": 16, "seed": 11,
    "guards": ["blender/blender#136138", "blender/blender#136449"],
}


def checker(x, y):
    return (225, 220, 205) if (x // 16 + y // 16) % 2 else (40, 62, 110)


def rings(x, y):
    """Uneven stripes; integers only, so that every machine draws the same."""
    wave = (x * 7 + (y * y) // 9 + (x * y) // 23) % 61
    return 90 + wave * 2, 48 + wave, 20 + wave // 3


def build(folder):
    png(folder / "textures/checker.png", 128, 128, checker)
    png(folder / "textures/wood/rings.png", 96, 64, rings)
    floor = material("checker", "ShaderNodeBsdfDiffuse", [("Color", picture("//textures/checker.png"))])
    wood = material("wood", "ShaderNodeBsdfDiffuse", [("Color", picture("//textures/wood/rings.png"))])
    glass = material("glass", "ShaderNodeBsdfGlass", Color=(.96, 1, .97, 1), Roughness=0, IOR=1.45)
    brass = material("brass", "ShaderNodeBsdfGlossy", Color=(.85, .62, .3, 1), Roughness=.25)
    lamp = material("lamp", "ShaderNodeEmission", Color=(1, .8, .55, 1), Strength=3)
    quad("floor", [(-3, -2, 0), (3, -2, 0), (3, 3, 0), (-3, 3, 0)], floor, repeat=3)
    quad("wall", [(-3, 2, 0), (3, 2, 0), (3, 2, 3), (-3, 2, 3)], diffuse("wall", .5, .55, .62))
    box("crate", (-1.25, .75, .45), (.9, .9, .9), 24, wood)
    ball("glass", (0, -.1, .55), .55, glass)
    ball("brass", (1.2, .55, .42), .42, brass)
    box("lamp", (1.9, 1.5, 1.3), (.25, .25, .9), 10, lamp)
    area_light((-1.5, -1.6, 3), (0, 0, .3), 1.2, 110)
    camera((0, -4.2, 1.5), (0, .2, .62), 45)
