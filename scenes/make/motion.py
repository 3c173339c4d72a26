# SPDX-License-Identifier: Apache-2.0
"""What moves while the shutter is open: a bar that turns, a ball that falls, a body that changes its shape."""
import math

import bpy

from make.parts import ball, box, camera, diffuse, light, material, png, picture, quad

ENTRY = {
    "purpose": "Motion blur: a turning bar, a passing ball and a body whose vertices move, with the shutter open half "
               "a frame.",
    "features": ["motion-blur", "deformation-blur", "animation", "image-textures"],
    "suite": "full", "archive": "motion.tar.zst", "width": 128, "height": 96, "samples": 24, "seed": 27, "frame": 5,
    "guards": ["blender/blender#150055", "blender/cycles@63cfa0407", "blender/cycles@3c96a00a2",
               "blender/cycles@2460d0537", "blender/blender#130641", "GafferHQ/gaffer#5862"],
}


def key(thing, path, frame, value):
    setattr(thing, path, value)
    thing.keyframe_insert(path, frame=frame)


def straight(thing):
    for curve in thing.animation_data.action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def blinds(x, y):
    return (230, 225, 215) if (x // 8) % 2 else (60, 70, 110)


def build(folder):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 9
    png(folder / "tex/blinds.png", 64, 16, blinds)
    striped = material("striped", "ShaderNodeBsdfDiffuse", [("Color", picture("//tex/blinds.png"))])
    quad("floor", [(-3, -2, 0), (3, -2, 0), (3, 3, 0), (-3, 3, 0)], diffuse("floor", .5, .5, .5))
    quad("wall", [(-3, 2, 0), (3, 2, 0), (3, 2, 3), (-3, 2, 3)], striped)
    bar = box("bar", (-1.15, .2, 1), (1.7, .22, .3), 0, diffuse("bar", .75, .2, .12))
    for frame, turn in ((1, 0), (9, 8 * math.radians(95))):
        key(bar, "rotation_euler", frame, (0, turn, 0))
    passing = ball("ball", (0, 0, 0), .4, diffuse("ball", .15, .5, .7))
    for frame, x in ((1, -5), (9, 6.2)):
        key(passing, "location", frame, (x, -.7, .42))
    soft = ball("soft", (1.3, .5, 1), .65, diffuse("soft", .25, .6, .2))
    soft.shape_key_add(name="rest")
    flat = soft.shape_key_add(name="flat")
    for point in flat.data:
        point.co = (point.co[0] * 1.9, point.co[1], point.co[2] * .25)
    for frame, value in ((4, 0), (6, 1)):
        key(flat, "value", frame, value)
    for animated in (bar, passing, soft.data.shape_keys):
        straight(animated)
    soft.cycles.use_deform_motion = True
    soft.cycles.motion_steps = bar.cycles.motion_steps = 3
    scene.render.use_motion_blur = True
    scene.render.motion_blur_shutter = .5
    scene.cycles.motion_blur_position = "CENTER"
    light("AREA", (-1.5, -3, 3.6), (0, 0, .6), 260, size=1.2)
    camera((0, -4.4, 1.5), (0, .1, .95), 35)
