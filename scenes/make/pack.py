# SPDX-License-Identifier: Apache-2.0
"""From a built scene to its archive and scene.json."""
import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zipfile

import bpy

FIXED_TIME = 1577836800  # 2020-01-01, in every archive entry
FIXED_ZIP_TIME = (2020, 1, 1, 0, 0, 0)
KEYS = ("schema", "name", "purpose", "features", "suite", "archive", "blend", "width", "height", "samples", "seed",
        "frame", "denoising", "parameters", "guards", "tree_sha256")


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
    scene.frame_set(entry.get("frame", 1))
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


def describe(name, entry, folder):
    whole = {"schema": "oamqual-scene/1", "name": name, "blend": name + ".blend", "frame": 1, "denoising": False,
             **entry, "tree_sha256": tree_digest(folder)}
    return {key: whole[key] for key in KEYS if key in whole}


def make(name, scene, out):
    """`scene` has ENTRY and build(folder); out/ gets the archive and scene.json."""
    entry = scene.ENTRY
    work = pathlib.Path(tempfile.mkdtemp(prefix="oamqual-scene-"))
    folder = work / name
    folder.mkdir()
    out.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings(entry)
    scene.build(folder)
    save(folder, name, "compressed-blend" in entry["features"])
    archive = out / entry["archive"]
    (pack_zip if archive.suffix == ".zip" else pack_tar_zst)(folder, archive)
    described = describe(name, entry, folder)
    (out / "scene.json").write_text(json.dumps(described, indent=2) + "\n")
    shutil.rmtree(work)
    print("%s: %d bytes, tree %s" % (archive, archive.stat().st_size, described["tree_sha256"]))
