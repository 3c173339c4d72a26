# SPDX-License-Identifier: Apache-2.0
"""The baseline's scene in Cycles: the file of `oamqual baseline --write-scene FILE` with its geometry, camera, lamps, sky
and materials, and every setting made equal that the baseline does not have. Runs inside Blender.

    scene = cycles_scene.load("million.ply", width, height)
    cycles_scene.render(scene, samples, seed, "picture.exr")        # and returns the seconds it took
    red, green, blue = cycles_scene.pixels("picture.exr")           # each row by row, top row first
"""
import array
import os
import struct
import time

import bpy
from mathutils import Matrix

TYPES = {"float": "f", "uint": "I", "uchar": "B"}


def read_ply(path):
    """The elements by name, each (names of the values of a row, rows); a list is one of three, as faces are. And the
    bounces."""
    elements, bounces = [], None
    with open(path, "rb") as file:
        for line in iter(file.readline, b"end_header\n"):
            words = line.decode().split()
            if words[:2] == ["comment", "bounces"]:
                bounces = int(words[2])
            elif words[0] == "element":
                elements.append([words[1], int(words[2]), [], "<"])
            elif words[:2] == ["property", "list"]:
                elements[-1][2] += ["count", "v0", "v1", "v2"]
                elements[-1][3] += TYPES[words[2]] + 3 * TYPES[words[3]]
            elif words[0] == "property":
                elements[-1][2].append(words[2])
                elements[-1][3] += TYPES[words[1]]
        return {name: (names, struct.iter_unpack(kinds, file.read(count * struct.calcsize(kinds))))
                for name, count, names, kinds in elements}, bounces


def rows(element):
    names, values = element
    return [dict(zip(names, row)) for row in values]


def flat(values, kind):
    return array.array(kind, (x for row in values for x in row))


def cut(a, b, c, pieces):
    """The corners of the pieces * pieces triangles that a triangle is cut into."""
    def at(i, j):
        return [x + (y - x) * i / pieces + (z - x) * j / pieces for x, y, z in zip(a, b, c)]
    for i in range(pieces):
        for j in range(pieces - i):
            yield at(i, j), at(i + 1, j), at(i, j + 1)
            if i + j + 1 < pieces:
                yield at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)


def cut_lamps(places, faces, lamps, pieces):
    """Adds the pieces of the faces whose material shines, and drops those faces."""
    for face in [f for f in faces if f[4] in lamps]:
        corners = [places[3 * v:3 * v + 3] for v in face[1:4]]
        for piece in cut(*corners, pieces):
            faces.append((3, *range(len(places) // 3, len(places) // 3 + 3), face[4]))
            places.extend(x for corner in piece for x in corner)
        faces.remove(face)


def add_mesh(places, faces, materials):
    count = len(faces)
    mesh = bpy.data.meshes.new("scene")
    mesh.vertices.add(len(places) // 3)
    mesh.vertices.foreach_set("co", places)
    mesh.loops.add(3 * count)
    mesh.loops.foreach_set("vertex_index", flat((face[1:4] for face in faces), "i"))
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", array.array("i", range(0, 3 * count, 3)))
    mesh.polygons.foreach_set("loop_total", array.array("i", [3]) * count)
    for made in materials:
        mesh.materials.append(made)
    mesh.polygons.foreach_set("material_index", array.array("i", (face[4] for face in faces)))
    mesh.update(calc_edges=True)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("scene", mesh))


def add_node(nodes, kind, colour, **inputs):
    node = nodes.new(kind)
    node.inputs["Color"].default_value = [*colour, 1]
    for name, value in inputs.items():
        node.inputs[name].default_value = value
    return node


def add_closure(nodes, row):
    keeps = [float(row[k]) for k in ("red", "green", "blue")]
    if row["surface"] == 0:
        return add_node(nodes, "ShaderNodeBsdfDiffuse", keeps, Roughness=0).outputs[0]
    if row["surface"] == 1:
        node = add_node(nodes, "ShaderNodeBsdfGlossy", keeps, Roughness=0)
    else:
        node = add_node(nodes, "ShaderNodeBsdfGlass", keeps, Roughness=0, IOR=float(row["index"]))
    if "SHARP" in node.bl_rna.properties["distribution"].enum_items:
        node.distribution = "SHARP"
    return node.outputs[0]


def emission(row):
    return [float(row["emission_" + k]) for k in ("red", "green", "blue")]


def add_material(row, number):
    made = bpy.data.materials.new("material%d" % number)
    made.use_nodes = True
    nodes, link = made.node_tree.nodes, made.node_tree.links.new
    nodes.clear()
    closure = add_closure(nodes, row)
    if any(emission(row)):
        # It shines from the front only, and what it keeps of light it keeps on both sides.
        side, both, back = nodes.new("ShaderNodeNewGeometry"), nodes.new("ShaderNodeAddShader"), nodes.new("ShaderNodeMixShader")
        link(closure, both.inputs[0])
        link(add_node(nodes, "ShaderNodeEmission", emission(row), Strength=1).outputs[0], both.inputs[1])
        for number, output in enumerate((side.outputs["Backfacing"], both.outputs[0], closure)):
            link(output, back.inputs[number])
        closure = back.outputs[0]
    link(closure, nodes.new("ShaderNodeOutputMaterial").inputs["Surface"])
    return made


def add_camera(row):
    origin, forward, right, up = ([float(row["%s_%s" % (name, axis)]) for axis in "xyz"]
                                  for name in ("origin", "forward", "right", "up"))
    half = sum(x * x for x in up) ** .5
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.sensor_height, data.lens = "VERTICAL", 24, 12 / half
    data.clip_start, data.clip_end = 1e-6, 1e6
    thing = bpy.data.objects.new("camera", data)
    thing.matrix_world = Matrix([[right[i] / half, up[i] / half, -forward[i], origin[i]] for i in range(3)] + [[0, 0, 0, 1]])
    bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = thing


def add_sky(row):
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = [float(row[k]) for k in ("red", "green", "blue")] + [1]
    bpy.context.scene.world = world


def set_all(thing, values):
    """What this Blender has of the settings."""
    for name, value in values.items():
        if hasattr(thing, name):
            setattr(thing, name, value)


def settle(scene, width, height, bounces):
    """The estimator made the baseline's: bounded bounces without roulette, one box a pixel, nothing clamped or left out."""
    scene.render.engine = "CYCLES"
    set_all(scene.cycles, {
        "device": "CPU", "use_adaptive_sampling": False, "use_denoising": False, "max_bounces": bounces,
        "diffuse_bounces": bounces, "glossy_bounces": bounces, "transmission_bounces": bounces, "volume_bounces": 0,
        "transparent_max_bounces": bounces, "min_light_bounces": bounces + 2, "min_transparent_bounces": bounces + 2,
        "sample_clamp_direct": 0, "sample_clamp_indirect": 0, "light_sampling_threshold": 0, "blur_glossy": 0,
        "caustics_reflective": True, "caustics_refractive": True, "pixel_filter_type": "BOX", "filter_width": 1,
        "film_exposure": 1, "use_light_tree": False, "use_guiding": False, "use_fast_gi": False, "use_auto_tile": False,
        "time_limit": 0, "sample_offset": 0, "film_transparent": False,
    })
    set_all(scene.render, {
        "resolution_x": width, "resolution_y": height, "resolution_percentage": 100, "pixel_aspect_x": 1,
        "pixel_aspect_y": 1, "use_border": False, "use_motion_blur": False, "use_compositing": False,
        "use_sequencer": False, "dither_intensity": 0, "use_persistent_data": True, "use_simplify": False,
    })
    set_all(scene.view_settings, {"view_transform": "Raw", "look": "None", "exposure": 0, "gamma": 1})
    set_all(scene.render.image_settings, {"file_format": "OPEN_EXR", "color_depth": "32", "color_mode": "RGB"})


def load(path, width, height, lamp_pieces=1):
    """Each triangle of a lamp is cut into lamp_pieces squared of the same plane. Blender 3.4 measures the solid angle of a
    triangle that is large for its distance too coarsely: a wall that a lamp grazes gets up to 2 % too little of it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    elements, bounces = read_ply(path)
    materials = rows(elements["material"])
    places, faces = flat(elements["vertex"][1], "f"), list(elements["face"][1])
    if lamp_pieces > 1:
        cut_lamps(places, faces, {i for i, row in enumerate(materials) if any(emission(row))}, lamp_pieces)
    add_mesh(places, faces, [add_material(row, i) for i, row in enumerate(materials)])
    add_camera(rows(elements["camera"])[0])
    add_sky(rows(elements["sky"])[0])
    settle(bpy.context.scene, width, height, bounces)
    return bpy.context.scene


def render(scene, samples, seed, path):
    scene.cycles.samples, scene.cycles.seed = samples, seed
    scene.render.filepath = os.path.abspath(path)
    start = time.monotonic()
    bpy.ops.render.render(write_still=True)
    return time.monotonic() - start


def pixels(path):
    image = bpy.data.images.load(os.path.abspath(path))
    names = image.colorspace_settings.bl_rna.properties["name"].enum_items.keys()
    image.colorspace_settings.name = "Linear" if "Linear" in names else "Linear Rec.709"
    values = array.array("f", [0]) * len(image.pixels)
    image.pixels.foreach_get(values)
    (width, height), channels = image.size, image.channels
    bpy.data.images.remove(image)
    return [[values[(y * width + x) * channels + c] for y in range(height - 1, -1, -1) for x in range(width)]
            for c in range(3)]
