# SPDX-License-Identifier: Apache-2.0
"""Makes the scene archives: blender -b --factory-startup --python scenes/make_scenes.py -- OUTDIR

Each scene goes to OUTDIR/<name>/ as one archive and a scene.json. A .blend holds addresses of the process
that wrote it, so two runs give the same picture but not the same digest: making scenes anew means making
references anew (scenes/make_references.py).
"""
import hashlib
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

import bpy
from mathutils import Vector

FIXED_TIME = 1577836800  # 2020-01-01, in every archive entry
FIXED_ZIP_TIME = (2020, 1, 1, 0, 0, 0)

SCENES = {
    "cornell": {
        "purpose": "Diffuse light transport alone: what fails here fails everywhere.",
        "features": ["diffuse", "area-light", "indirect-light"],
        "archive": "cornell.tar.zst", "width": 128, "height": 128, "samples": 16, "seed": 7,
    },
    "glass": {
        "purpose": "Image textures from separate files, refraction, glossy reflection and emission.",
        "features": ["image-textures", "glass", "glossy", "emission", "relative-paths", "compressed-blend"],
        "archive": "glass.zip", "width": 160, "height": 96, "samples": 16, "seed": 11,
    },
}


# --- parts of a scene -----------------------------------------------------------------------------

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


# --- the two scenes -------------------------------------------------------------------------------

def build_cornell(folder):
    white, red, green = diffuse("white", .73, .73, .73), diffuse("red", .65, .05, .05), diffuse("green", .12, .45, .15)
    quad("floor", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], white)
    quad("ceiling", [(-1, -1, 2), (-1, 1, 2), (1, 1, 2), (1, -1, 2)], white)
    quad("back", [(-1, 1, 0), (1, 1, 0), (1, 1, 2), (-1, 1, 2)], white)
    quad("left", [(-1, -1, 0), (-1, 1, 0), (-1, 1, 2), (-1, -1, 2)], red)
    quad("right", [(1, -1, 0), (1, -1, 2), (1, 1, 2), (1, 1, 0)], green)
    box("tall", (-.35, .3, .6), (.58, .58, 1.2), 18, white)
    box("short", (.38, -.25, .3), (.6, .6, .6), -17, white)
    area_light((0, 0, 1.98), (0, 0, 0), .6, 22)
    camera((0, -3.7, 1), (0, 0, 1), 49)


def checker(x, y):
    return (225, 220, 205) if (x // 16 + y // 16) % 2 else (40, 62, 110)


def rings(x, y):
    """Uneven stripes; integers only, so that every machine draws the same."""
    wave = (x * 7 + (y * y) // 9 + (x * y) // 23) % 61
    return 90 + wave * 2, 48 + wave, 20 + wave // 3


def build_glass(folder):
    png(folder / "textures/checker.png", 128, 128, checker)
    png(folder / "textures/wood/rings.png", 96, 64, rings)
    floor = material("checker", "ShaderNodeBsdfDiffuse", [("Color", picture("//textures/checker.png"))])
    wood = material("wood", "ShaderNodeBsdfDiffuse", [("Color", picture("//textures/wood/rings.png"))])
    glass = material("glass", "ShaderNodeBsdfGlass", Color=(.96, 1, .97, 1), Roughness=0, IOR=1.45)
    brass = material("brass", "ShaderNodeBsdfGlossy", Color=(.85, .62, .3, 1), Roughness=.25)
    lamp = material("lamp", "ShaderNodeEmission", Color=(1, .8, .55, 1), Strength=3)
    quad("floor", [(-3, -2, 0), (3, -2, 0), (3, 3, 0), (-3, 3, 0)], floor, repeat=3)
    quad("wall", [(-3, 2, 0), (3, 2, 0), (3, 2, 3), (-3, 2, 3)], diffuse("wall", .5, .55, .62))
    box("crate", (-1.25, .75, .45), (.9, .9, .9), 24, wood)
    ball("glass", (0, -.1, .55), .55, glass)
    ball("brass", (1.2, .55, .42), .42, brass)
    box("lamp", (1.9, 1.5, 1.3), (.25, .25, .9), 10, lamp)
    area_light((-1.5, -1.6, 3), (0, 0, .3), 1.2, 110)
    camera((0, -4.2, 1.5), (0, .2, .62), 45)


BUILDERS = {"cornell": build_cornell, "glass": build_glass}


# --- settings, saving, packing --------------------------------------------------------------------

def settings(entry):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "GPU"  # as a farm's scene asks; who renders it must see to a GPU
    scene.cycles.samples = entry["samples"]
    scene.cycles.seed = entry["seed"]
    scene.cycles.use_animated_seed = False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces = 6
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.render.resolution_x, scene.render.resolution_y = entry["width"], entry["height"]
    scene.render.resolution_percentage = 100
    scene.render.use_compositing = scene.render.use_sequencer = False
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_mode = "RGBA"
    scene.render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Standard"
    scene.frame_set(1)
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (.05, .06, .08, 1)
    scene.world = world


def files_of(folder):
    """Relative paths of all files, in the order of their bytes."""
    found = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return sorted(found, key=os.fsencode)


def tree_digest(folder):
    """oamqual-tree/1, as src/scene/manifest.h defines it; there are no links here."""
    whole = hashlib.sha256(b"oamqual-tree/1\n")
    for name in files_of(folder):
        content = (folder / name).read_bytes()
        path = os.fsencode(name)
        whole.update(b"f" + struct.pack(">Q", len(path)) + path + struct.pack(">Q", len(content)))
        whole.update(hashlib.sha256(content).digest())
    return whole.hexdigest()


def pack_tar_zst(folder, archive):
    plain = archive.with_suffix("")
    with tarfile.open(plain, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in files_of(folder):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = (folder / name).stat().st_size, FIXED_TIME, 0o644
            with open(folder / name, "rb") as content:
                tar.addfile(info, content)
    subprocess.run(["zstd", "-19", "-q", "-f", "--rm", str(plain), "-o", str(archive)], check=True)


def pack_zip(folder, archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in files_of(folder):
            info = zipfile.ZipInfo(name, FIXED_ZIP_TIME)
            info.create_system, info.external_attr = 3, 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, (folder / name).read_bytes())


def save(folder, name, compress):
    """Only the data: the user interface would carry the home folder of whoever made the scene."""
    path = folder / (name + ".blend")
    bpy.data.libraries.write(str(path), {bpy.context.scene}, path_remap="NONE", compress=compress)


def make(name, entry, out):
    work = pathlib.Path(tempfile.mkdtemp(prefix="oamqual-scene-"))
    folder = work / name
    folder.mkdir()
    out.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings(entry)
    BUILDERS[name](folder)
    compress = "compressed-blend" in entry["features"]
    save(folder, name, compress)
    archive = out / entry["archive"]
    (pack_zip if archive.suffix == ".zip" else pack_tar_zst)(folder, archive)
    described = {"schema": "oamqual-scene/1", "name": name, **entry, "blend": name + ".blend", "frame": 1,
                 "denoising": False, "tree_sha256": tree_digest(folder)}
    keys = ("schema", "name", "purpose", "features", "archive", "blend", "width", "height", "samples", "seed",
            "frame", "denoising", "tree_sha256")
    (out / "scene.json").write_text(json.dumps({k: described[k] for k in keys}, indent=2) + "\n")
    shutil.rmtree(work)
    print("%s: %d bytes, tree %s" % (archive, archive.stat().st_size, described["tree_sha256"]))


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if len(arguments) != 1:
        raise SystemExit("usage: blender -b --factory-startup --python make_scenes.py -- OUTDIR")
    for name, entry in SCENES.items():
        make(name, entry, pathlib.Path(arguments[0]).resolve() / name)


main()
