# SPDX-License-Identifier: Apache-2.0
"""A field of one body, more than a thousand times: over a million triangles from one small mesh."""
import bpy
from mathutils import Vector

from make.parts import camera, diffuse, light, mesh, node, numbers, shader

ENTRY = {
    "purpose": "Instances: 1,296 copies of one mesh of 1,280 triangles (1.66 million), each turned and coloured by its "
               "own number.",
    "features": ["instances", "million-triangles", "object-random", "smooth-shading"],
    "suite": "full", "archive": "instances.tar.zst", "width": 128, "height": 96, "samples": 16, "seed": 31,
    "guards": ["blender/blender#139791", "blender/blender#132782", "blender/cycles@48868d219"],
}
SIDE = 36


def coloured(name):
    def build(nodes, link):
        chance, ramp = nodes.new("ShaderNodeObjectInfo"), nodes.new("ShaderNodeValToRGB")
        surface = nodes.new("ShaderNodeBsdfDiffuse")
        ramp.color_ramp.elements[0].color = (.75, .2, .08, 1)
        ramp.color_ramp.elements[1].color = (.1, .35, .7, 1)
        ramp.color_ramp.elements.new(.5).color = (.8, .75, .4, 1)
        link(chance.outputs["Random"], ramp.inputs[0])
        link(ramp.outputs[0], surface.inputs["Color"])
        return surface.outputs[0]
    return shader(name, build)


def stone(made_of):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=.085)
    thing = bpy.context.object
    thing.data.materials.append(made_of)
    for face in thing.data.polygons:
        face.use_smooth = True
    for vertex in thing.data.vertices:
        x, y, z = vertex.co
        vertex.co = Vector((x * 1.3, y * .8, z)) * (1 + .25 * ((abs(x * 90) + abs(z * 60)) % 1.0))
    return thing


def build(folder):
    chance = numbers(9)
    places = [((i % SIDE) * .16 - 2.8 + .05 * next(chance), (i // SIDE) * .16 - 2 + .05 * next(chance),
               .08 + .3 * next(chance)) for i in range(SIDE * SIDE)]
    field = mesh("field", places, [], diffuse("field", .5, .5, .5))
    one = stone(coloured("stone"))
    one.parent = field
    field.instance_type = "VERTS"
    ground = mesh("ground", [(-4, -3, 0), (4, -3, 0), (4, 5, 0), (-4, 5, 0)], [(0, 1, 2, 3)],
                  diffuse("ground", .3, .32, .3))
    assert ground.name == "ground" and len(one.data.polygons) == 1280
    light("SUN", (0, 0, 5), (.9, .8, 3.4), 2.6, angle=.05)
    bpy.context.scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (.25, .3, .38, 1)
    camera((0, -4.2, 2.3), (0, .15, .1), 42)
