# SPDX-License-Identifier: Apache-2.0
"""Four pictures that Blender makes itself, as large as the parameter says: the archive stays small."""
import bpy

from make.parts import box, camera, diffuse, light, node, quad, room, shader

ENTRY = {
    "purpose": "The boundary of memory: four float textures of texture_pixels squared, 16 bytes a pixel, so that one "
               "number fills a GPU of any size.",
    "features": ["large-textures", "generated-images", "float-texture", "parameter"],
    "suite": "full", "archive": "memory.tar.zst", "width": 128, "height": 96, "samples": 8, "seed": 30,
    "parameters": {"texture_pixels": 1024},
    "guards": ["princeton-vl/infinigen#30", "princeton-vl/infinigen#68", "blender/blender#105442",
               "blender/cycles@72b1a9784", "blender/blender#137966"],
}


def grid(name, kind):
    image = bpy.data.images.new(name, 1024, 1024, float_buffer=True)
    image.generated_type = kind
    return image


def papered(name, image, part):
    """A part of the picture this many times as large as the whole, so that the pattern can be seen."""
    def build(nodes, link):
        place, mapping = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeMapping")
        mapping.inputs["Scale"].default_value = (part, part, 1)
        texture, surface = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeBsdfDiffuse")
        texture.image = image
        link(place.outputs["UV"], mapping.inputs["Vector"])
        link(mapping.outputs[0], texture.inputs["Vector"])
        link(texture.outputs["Color"], surface.inputs["Color"])
        return surface.outputs[0]
    return shader(name, build)


def build(folder):
    room(papered("floor", grid("floor", "COLOR_GRID"), .5))
    box("left", (-1.5, .3, .7), (1.1, 1.1, 1.4), 20, papered("left", grid("left", "UV_GRID"), .25))
    box("middle", (0, -.1, .5), (1, 1, 1), -15, papered("middle", grid("middle", "COLOR_GRID"), .25))
    box("right", (1.5, .3, .8), (1.1, 1.1, 1.6), 30, papered("right", grid("right", "UV_GRID"), .5))
    light("AREA", (-1.5, -3.5, 3.8), (0, 0, .5), 620, size=1.4)
    camera((0, -4.6, 2.1), (0, .1, .7), 42)
