# SPDX-License-Identifier: Apache-2.0
"""Smoke of uneven density, a fog that absorbs, and a glowing one, each in its own body."""
import bpy

from make.parts import ball, box, camera, diffuse, light, node, room, shader

ENTRY = {
    "purpose": "Volumes: uneven scattering smoke, an even absorbing body and a glowing one, each in the light of the others.",
    "features": ["volume", "volume-scatter", "volume-absorption", "volume-emission", "heterogeneous-volume"],
    "suite": "full", "archive": "volume.tar.zst", "width": 128, "height": 96, "samples": 8, "seed": 24,
    "guards": ["blender/cycles@7f7f2fd62", "blender/blender#152126", "blender/cycles@dc1303119",
               "blender/blender#T92984", "blender/blender#T93045"],
}


def volume(name, build):
    made = shader(name, lambda nodes, link: None)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    output = next(n for n in nodes if n.bl_idname == "ShaderNodeOutputMaterial")
    links.new(build(nodes, links.new), output.inputs["Volume"])
    return made


def smoke(nodes, link):
    place = nodes.new("ShaderNodeTexCoord")
    noise = node(nodes, "ShaderNodeTexNoise", Scale=1.6, Detail=0)
    sharper = nodes.new("ShaderNodeMapRange")
    for index, value in enumerate((.42, .6, 0, 6)):
        sharper.inputs[index + 1].default_value = value
    scatter = node(nodes, "ShaderNodeVolumeScatter", Color=(.85, .8, .75, 1), Anisotropy=.3)
    link(place.outputs["Object"], noise.inputs["Vector"])
    link(noise.outputs[0], sharper.inputs[0])
    link(sharper.outputs[0], scatter.inputs["Density"])
    return scatter.outputs[0]


def build(folder):
    scene = bpy.context.scene
    scene.cycles.volume_bounces = 1
    scene.cycles.max_bounces = 3
    scene.cycles.volume_step_rate = 1
    scene.cycles.volume_max_steps = 128
    room(diffuse("grey", .55, .55, .58))
    box("smoke", (-1.05, .1, .85), (1.7, 1.5, 1.6), 15, volume("smoke", smoke))
    ball("amber", (.75, -.35, .55), .52, volume("amber", lambda nodes, link: node(
        nodes, "ShaderNodeVolumeAbsorption", Color=(.95, .45, .08, 1), Density=2.2).outputs[0]))
    ball("glow", (1.6, .75, .75), .6, volume("glow", lambda nodes, link: node(
        nodes, "ShaderNodeEmission", Color=(.2, .55, 1, 1), Strength=.7).outputs[0]))
    light("SPOT", (-3, -2.2, 3.2), (-.9, .1, .7), 900, spot_size=.8, shadow_soft_size=.2)
    light("AREA", (2.5, -2.5, 3), (.5, 0, .5), 120, size=1)
    camera((0, -4.8, 1.6), (.05, .1, .8), 38)
