# SPDX-License-Identifier: Apache-2.0
"""Few samples and the denoiser: the box of light with bodies that the denoiser must not wash out."""
import bpy

from make.parts import ball, box, camera, diffuse, light, material, picture, png, room

ENTRY = {
    "purpose": "Denoising by OpenImageDenoise of a picture with few samples: texture, edges and a mirror must stay. "
               "Skipped where the build has no OpenImageDenoise.",
    "features": ["denoising", "openimagedenoise", "image-textures", "glossy"],
    "suite": "full", "archive": "denoise.zip", "width": 128, "height": 96, "samples": 4, "seed": 32,
    "denoising": True,
    "guards": ["blender/blender#118709", "blender/blender#116810", "blender/blender#137676",
               "blender/blender#129251"],
}


def tiles(x, y):
    return (215, 205, 190) if (x // 8 + y // 8) % 2 else (110, 45, 40)


def build(folder):
    scene = bpy.context.scene
    scene.cycles.use_denoising = True
    png(folder / "tex/tiles.png", 64, 64, tiles)
    room(material("tiles", "ShaderNodeBsdfDiffuse", [("Color", picture("//tex/tiles.png"))]))
    box("box", (-1.1, .4, .55), (.9, .9, 1.1), 25, diffuse("box", .2, .4, .65))
    ball("mirror", (.35, -.1, .55), .55, material("mirror", "ShaderNodeBsdfGlossy", Color=(.9, .9, .9, 1),
                                                   Roughness=.08))
    ball("matt", (1.55, .5, .5), .5, diffuse("matt", .8, .65, .2))
    light("AREA", (-2, -2.5, 3.4), (0, 0, .5), 220, size=1.6)
    camera((0, -4.4, 1.7), (.1, .1, .6), 44)
