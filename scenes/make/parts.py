# SPDX-License-Identifier: Apache-2.0
"""What the scenes are built from: materials, meshes, lights, a camera, picture files."""
import math
import struct
import zlib

import bpy
from mathutils import Vector


def material(name, shader, links=(), **inputs):
    """A material of one shader node; `links` are (input name, image file) pairs."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, tree = made.node_tree.nodes, made.node_tree.links
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    node = nodes.new(shader)
    for key, value in inputs.items():
        node.inputs[key.replace("_", " ")].default_value = value
    for key, image in links:
        texture = nodes.new("ShaderNodeTexImage")
        texture.image = image
        tree.new(texture.outputs["Color"], node.inputs[key])
    tree.new(node.outputs[0], output.inputs["Surface"])
    return made


def diffuse(name, red, green, blue):
    return material(name, "ShaderNodeBsdfDiffuse", Color=(red, green, blue, 1))


def mesh(name, corners, faces, made_of, uvs=None):
    data = bpy.data.meshes.new(name)
    data.from_pydata(corners, [], faces)
    data.materials.append(made_of)
    if uvs:
        layer = data.uv_layers.new(name="UVMap")
        for index, uv in enumerate(uvs):
            layer.data[index].uv = uv
    data.update()
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def quad(name, corners, made_of, repeat=1):
    return mesh(name, corners, [(0, 1, 2, 3)], made_of, [(0, 0), (repeat, 0), (repeat, repeat), (0, repeat)])


def box(name, centre, size, turn, made_of):
    half = [s / 2 for s in size]
    corners = [(x * half[0], y * half[1], z * half[2]) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    thing = mesh(name, corners, faces, made_of, [(0, 0), (1, 0), (1, 1), (0, 1)] * 6)
    thing.location = centre
    thing.rotation_euler = (0, 0, math.radians(turn))
    return thing


def ball(name, centre, radius, made_of):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=radius, location=centre)
    thing = bpy.context.object
    thing.name = name
    thing.data.materials.append(made_of)
    bpy.ops.object.shade_smooth()
    return thing


def camera(place, target, lens):
    data = bpy.data.cameras.new("camera")
    data.lens = lens
    thing = bpy.data.objects.new("camera", data)
    thing.location = place
    thing.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = thing


def area_light(place, target, size, watts):
    data = bpy.data.lights.new("area", "AREA")
    data.size = size
    data.energy = watts
    thing = bpy.data.objects.new("area", data)
    thing.location = place
    thing.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(thing)


def png(path, width, height, colour):
    """An 8-bit RGB PNG of colour(x, y): written here so that its bytes never change."""
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in colour(x, y)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def picture(relative):
    """An image by its relative path. Loading it would leave the absolute one in the .blend."""
    made = bpy.data.images.new(relative.rsplit("/", 1)[-1], 1, 1)
    made.source = "FILE"
    made.filepath = relative
    return made


def shader(name, build):
    """A material whose surface is build(nodes, link): it returns the socket of a closure, or that and a socket of
    displacement. link(from, to) joins two sockets."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    built = build(nodes, links.new)
    surface, displacement = built if isinstance(built, tuple) else (built, None)
    if surface:
        links.new(surface, output.inputs["Surface"])
    if displacement:
        links.new(displacement, output.inputs["Displacement"])
    return made


def node(nodes, kind, **inputs):
    """A node with some of its inputs set."""
    made = nodes.new(kind)
    for key, value in inputs.items():
        made.inputs[key.replace("_", " ")].default_value = value
    return made


def link_object(name, data):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def light(kind, place, target, watts, colour=(1, 1, 1), **more):
    """A lamp of bpy's kind: POINT, SPOT, AREA or SUN."""
    data = bpy.data.lights.new(kind.lower(), kind)
    data.energy = watts
    data.color = colour
    for key, value in more.items():
        setattr(data, key, value)
    thing = link_object(kind.lower(), data)
    thing.location = place
    thing.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    return thing


def room(made_of, width=6, depth=5, height=3):
    """A floor and the wall behind it."""
    half = width / 2
    quad("floor", [(-half, -2, 0), (half, -2, 0), (half, depth - 2, 0), (-half, depth - 2, 0)], made_of)
    quad("wall", [(-half, depth - 2, 0), (half, depth - 2, 0), (half, depth - 2, height), (-half, depth - 2, height)],
         made_of)


def numbers(seed):
    """An endless row of numbers in [0, 1) that is the same everywhere (a linear congruence, as in POSIX's rand)."""
    state = seed
    while True:
        state = (state * 1103515245 + 12345) & 0x7fffffff
        yield (state >> 8) / float(1 << 23)
