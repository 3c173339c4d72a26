# SPDX-License-Identifier: Apache-2.0
"""One relief twice: as moved vertices and as bent normals, and both at once on a ball."""
import bpy

from make.parts import ball, camera, diffuse, light, mesh, node, picture, png, room, shader

ENTRY = {
    "purpose": "Displacement and bump: true displacement of a mesh that subdivides when it is rendered, bump alone, "
               "and both together.",
    "features": ["displacement", "bump", "subdivision", "image-textures"],
    "suite": "full", "archive": "displacement.tar.zst", "width": 128, "height": 96, "samples": 16, "seed": 26,
    "guards": ["blender/cycles@1b1afb9a7", "blender/blender#141388", "boberfly/GafferCycles#44"],
}


def dents(x, y):
    """Round dents in rows, each row shifted: from a picture, as procedural patterns are not alike in all Blenders."""
    x = (x + 8 * (y // 16 % 2)) % 16
    away = (x - 8) ** 2 + (y % 16 - 8) ** 2
    return (min(255, 20 + 4 * away),) * 3


def relief(name, method, colour, depth, height):
    def build(nodes, link):
        wave = nodes.new("ShaderNodeTexImage")
        wave.image = height
        moved = node(nodes, "ShaderNodeDisplacement", Midlevel=.4, Scale=depth)
        link(wave.outputs["Color"], moved.inputs["Height"])
        return node(nodes, "ShaderNodeBsdfDiffuse", Color=(*colour, 1)).outputs[0], moved.outputs[0]
    made = shader(name, build)
    made.cycles.displacement_method = method
    return made


def bumped(name, colour):
    """The bump node itself: it needs the texture at three places."""
    def build(nodes, link):
        place = nodes.new("ShaderNodeTexCoord")
        wave = node(nodes, "ShaderNodeTexWave", Scale=3, Distortion=2)
        bump = node(nodes, "ShaderNodeBump", Strength=1, Distance=.12)
        gloss = node(nodes, "ShaderNodeBsdfGlossy", Color=(*colour, 1), Roughness=.35)
        link(place.outputs["Object"], wave.inputs["Vector"])
        link(wave.outputs["Fac"], bump.inputs["Height"])
        link(bump.outputs[0], gloss.inputs["Normal"])
        return gloss.outputs[0]
    return shader(name, build)


def subdivided(thing, levels, simple):
    modifier = thing.modifiers.new("subdivide", "SUBSURF")
    modifier.subdivision_type = "SIMPLE" if simple else "CATMULL_CLARK"
    modifier.levels, modifier.render_levels = 0, levels


def build(folder):
    png(folder / "tex/dents.png", 64, 64, dents)
    height = picture("//tex/dents.png")
    height.colorspace_settings.name = "Non-Color"
    room(diffuse("grey", .5, .5, .52))
    bpy.context.scene.objects["floor"].location.z = -.3
    ground = mesh("ground", [(-2.9, -2.4, 0), (2.9, -2.4, 0), (2.9, 1.6, 0), (-2.9, 1.6, 0)], [(0, 1, 2, 3)],
                  relief("ground", "DISPLACEMENT", (.6, .42, .25), .3, height), [(0, 0), (2, 0), (2, 1.4), (0, 1.4)])
    subdivided(ground, 7, True)
    both = ball("both", (-.95, .1, .85), .6, relief("both", "BOTH", (.35, .5, .7), .25, height))
    subdivided(both, 2, False)
    ball("bump", (1, -.1, .85), .62, bumped("bump", (.8, .75, .7)))
    light("AREA", (-3.2, -1.5, 2.4), (0, 0, .3), 260, size=.6)
    light("AREA", (2.5, -3, 2.6), (0, 0, .5), 60, size=1)
    camera((0, -4.4, 2.1), (0, .05, .5), 40)
