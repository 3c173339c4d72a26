# SPDX-License-Identifier: Apache-2.0
"""A patch of strands, each of its own bend, with the hair shader and a transparent one."""
import math

import bpy

from make.parts import camera, diffuse, light, link_object, mesh, node, numbers, room, shader

ENTRY = {
    "purpose": "Hair: thousands of curve segments with the principled hair shader, and strands that are half "
               "transparent.",
    "features": ["hair", "curves", "hair-bsdf", "transparent-hair"],
    "suite": "full", "archive": "hair.tar.zst", "width": 128, "height": 96, "samples": 24, "seed": 23,
    "guards": ["blender/blender#137039", "blender/cycles@d58a46ee2", "blender/blender#124811",
               "blender/blender#123634"],
}
STRANDS, POINTS = 380, 6


def hair_material(name, see_through):
    def build(nodes, link):
        hair = nodes.new("ShaderNodeBsdfHairPrincipled")
        hair.parametrization = "COLOR"
        hair.inputs["Color"].default_value = (.35, .12, .04, 1) if not see_through else (.5, .4, .08, 1)
        hair.inputs["Roughness"].default_value = .35
        if not see_through:
            return hair.outputs[0]
        mixed = node(nodes, "ShaderNodeMixShader")
        mixed.inputs[0].default_value = .5
        link(nodes.new("ShaderNodeBsdfTransparent").outputs[0], mixed.inputs[1])
        link(hair.outputs[0], mixed.inputs[2])
        return mixed.outputs[0]
    return shader(name, build)


def patch(name, made_of, centre, seed):
    """Curves are made by conversion from particles, the one way 3.4 has in Python; then every point is set here."""
    ground = mesh(name + "-ground", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)],
                  diffuse(name + "-ground", .3, .27, .25), [(0, 0), (1, 0), (1, 1), (0, 1)])
    bpy.context.view_layer.objects.active = ground
    ground.select_set(True)
    bpy.ops.object.particle_system_add()
    system = ground.particle_systems[0]
    system.settings.type = "HAIR"
    system.settings.count, system.settings.hair_step = STRANDS, POINTS - 1
    system.settings.display_step = 3
    bpy.context.view_layer.update()
    bpy.ops.curves.convert_from_particle_system()
    curves = bpy.context.object
    ground.modifiers.clear()
    shape(curves.data, numbers(seed))
    curves.name = name
    curves.data.materials.clear()
    curves.data.materials.append(made_of)
    ground.location = (centre[0], centre[1], .02)  # in the floor's plane it would shadow itself
    curves.location = centre
    return curves


def shape(data, chance):
    for strand in data.curves:
        x, y = next(chance) * 1.7 - .85, next(chance) * 1.7 - .85
        turn, bend, height = next(chance) * 2 * math.pi, .3 + .5 * next(chance), .7 + .6 * next(chance)
        points = strand.points
        for index, point in enumerate(points):
            along = index / (len(points) - 1)
            away = bend * along * along
            point.position = (x + away * math.cos(turn), y + away * math.sin(turn), height * along)
            point.radius = .055 * (1 - .75 * along)


def build(folder):
    scene = bpy.context.scene
    scene.cycles_curves.shape = "THICK"
    scene.cycles.transparent_max_bounces = 16
    scene.cycles.max_bounces = 4
    room(diffuse("grey", .5, .52, .55))
    patch("solid", hair_material("solid", False), (-1, .2, 0), 5)
    patch("glassy", hair_material("glassy", True), (1.05, .2, 0), 6)
    light("AREA", (-2.5, -3, 4), (0, 0, .5), 260, size=1)
    light("AREA", (3, 2, 3), (0, 0, .5), 120, (.8, .9, 1), size=.5)
    camera((0, -4, 2.6), (0, .1, .4), 42)
