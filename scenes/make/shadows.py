# SPDX-License-Identifier: Apache-2.0
"""Light through leaves and coloured glass: shadows that let part of it pass, many deep."""
import bpy

from make.parts import camera, diffuse, light, node, numbers, picture, png, quad, room, shader
from make.textures import write_png

ENTRY = {
    "purpose": "Transparent shadows: a stack of leaves cut out by alpha, coloured sheets one behind another, and a "
               "gradient that lets part of the light pass.",
    "features": ["transparent-shadows", "alpha", "image-textures", "transparent-bounces"],
    "suite": "full", "archive": "shadows.zip", "width": 128, "height": 96, "samples": 16, "seed": 29,
    "guards": ["blender/cycles@4ae37e8f8", "blender/blender#148145", "blender/cycles@d58a46ee2",
               "blender/blender#125093", "blender/blender#135572", "Moo-Ack-Productions/MCprep#230"],
}


def leaf_row(y):
    """Opaque inside a leaf-like outline with a soft rim, all else clear."""
    row = bytearray()
    for x in range(48):
        away = abs(x - 24) * 3 + (y - 24) * (y - 24) // 9
        row += bytes((60 + y, 140, 40, max(0, min(255, (62 - away) * 16))))
    return bytes(row)


def see_through(name, solid, clear, amount):
    """`amount` is an image whose alpha is how solid it is, or a number."""
    def build(nodes, link):
        mixed = nodes.new("ShaderNodeMixShader")
        link(node(nodes, "ShaderNodeBsdfTransparent", Color=(*clear, 1)).outputs[0], mixed.inputs[1])
        link(node(nodes, "ShaderNodeBsdfDiffuse", Color=(*solid, 1)).outputs[0], mixed.inputs[2])
        if isinstance(amount, (int, float)):
            mixed.inputs[0].default_value = amount
        else:
            texture = nodes.new("ShaderNodeTexImage")
            texture.image = amount
            link(texture.outputs["Alpha"], mixed.inputs[0])
        return mixed.outputs[0]
    return shader(name, build)


def build(folder):
    bpy.context.scene.cycles.transparent_max_bounces = 32
    (folder / "tex").mkdir()
    write_png(folder / "tex/leaf.png", 48, 48, 8, 6, leaf_row)
    room(diffuse("white", .75, .75, .75))
    leaf, chance = see_through("leaf", (.15, .45, .08), (1, 1, 1), picture("//tex/leaf.png")), numbers(3)
    for index in range(34):
        x, y, z = next(chance) * 2.2 - 2.7, next(chance) * 2.6 - 1.5, .5 + next(chance)
        quad("leaf", [(x, y, z), (x + .6, y + .1, z + .15), (x + .5, y + .5, z + .45), (x - .1, y + .4, z + .3)], leaf)
    for index, colour in enumerate(((1, .35, .3), (.35, 1, .4), (.4, .5, 1), (1, .9, .3))):
        x, z = .35 + index * .33, .55 + index * .22
        quad("sheet", [(x, -.9 + index * .2, z), (x + 1.1, -.9 + index * .2, z), (x + 1.1, .5 + index * .2, z),
                       (x, .5 + index * .2, z)], see_through("sheet%d" % index, colour, colour, .12))
    light("SUN", (0, 0, 5), (.7, .5, 0), 2.2, angle=.03)
    light("AREA", (2.5, -3, 3), (0, 0, .5), 50, size=1)
    camera((0, -4.5, 2.8), (0, .1, .5), 44)
