# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender: does one attempt exactly as its job file says and reports what Blender itself says.

The job (JSON, path in OAMQUAL_JOB) names image, report, probe, width, height, samples, seed, frame,
denoising and, where the scene has some, parameters; for one rank of a frame also range, its share of the samples. What this Blender cannot do at all is "skipped" in the report
with the reason, and the exit status is 77: another picture in its place would be of something else. The report is rewritten whole after each stage, so that a crash leaves the stages that were
reached: started, listed, rendering, rendered. It judges nothing.
"""
import glob
import json
import os
import re
import sys
import time

import bpy

JOB = json.load(open(os.environ["OAMQUAL_JOB"], encoding="utf-8"))
REPORT = {"schema": "oamqual-worker/1", "stage": "started"}


def save(stage):
    REPORT["stage"] = stage
    REPORT["seconds"] = round(time.monotonic() - STARTED, 3)
    temporary = JOB["report"] + ".tmp"
    with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
        json.dump(REPORT, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, JOB["report"])


def text(value):
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def describe_blender():
    return {
        "version": bpy.app.version_string,
        "version_numbers": list(bpy.app.version),
        "build_hash": text(bpy.app.build_hash),
        "build_date": text(bpy.app.build_date),
        "build_platform": text(bpy.app.build_platform),
        "denoiser": bool(getattr(import_cycles(), "with_openimagedenoise", False)),
        "addon_cycles": "cycles" in bpy.context.preferences.addons,
    }


def import_cycles():
    import _cycles

    return _cycles


def hip_is_built_in(preferences):
    """The build knows the device type HIP, whether or not a device is there."""
    return any(item[0] == "HIP" for item in preferences.get_device_types(bpy.context))


def list_devices(preferences):
    """What Cycles lists, from its own call, and what the preferences made of it."""
    kinds = import_cycles().available_devices("HIP" if hip_is_built_in(preferences) else "NONE")
    listed = [{"name": text(d[0]), "type": text(d[1]), "id": text(d[2])} for d in kinds]
    shown = [{"name": d.name, "type": d.type, "id": d.id, "use": bool(d.use)} for d in preferences.devices]
    return {"available": listed, "preferences": shown, "compute_device_type": preferences.compute_device_type}


def mapped_hip_libraries():
    """The HIP runtime this very process has loaded, by the kernel's account: not the one that oamqual found."""
    with open("/proc/self/maps", encoding="utf-8", errors="backslashreplace") as maps:
        paths = {line.split(None, 5)[5].rstrip("\n") for line in maps if "libamdhip64" in line}
    return sorted(paths)


def enable_hip(preferences):
    """What a farm's start-up script does: choose HIP and tick every device that is not the CPU."""
    try:
        preferences.compute_device_type = "HIP"
    except TypeError as reason:
        return "compute_device_type HIP refused: %s" % reason
    refresh = getattr(preferences, "refresh_devices", None) or preferences.get_devices
    refresh()
    for device in preferences.devices:
        device.use = device.type == "HIP"
    return "HIP chosen, %d devices ticked" % sum(d.use for d in preferences.devices)


SKIPPED_STATUS = 77


def has_subset(cycles):
    """Blender 4.4 and later render a part of a frame's samples as that; the ones before render fewer, from an offset on."""
    return hasattr(cycles, "use_sample_subset")


def set_range(cycles):
    """One rank's share of the frame's samples; without one the whole frame, whatever the scene says."""
    part = JOB.get("range")
    if has_subset(cycles):
        cycles.use_sample_subset = bool(part)
        if part:
            cycles.sample_subset_length = part["count"]
    elif part:
        cycles.samples = part["count"]
    if hasattr(cycles, "sample_offset"):
        cycles.sample_offset = part["first"] if part else 0


def describe_range(cycles):
    """Which samples this Blender holds that it renders, and what their pattern depends on: read back, not what was asked."""
    subset = has_subset(cycles)
    return {
        "way": "subset" if subset else "offset",
        "first": cycles.sample_offset,
        "count": min(cycles.sample_subset_length, cycles.samples) if subset else cycles.samples,
        "samples": cycles.samples,
        "sampling_pattern": cycles.sampling_pattern,
        "auto_scrambling": bool(getattr(cycles, "auto_scrambling_distance", False)),
        "adaptive_sampling": bool(cycles.use_adaptive_sampling),
        "seed": cycles.seed,
        "max_bounces": cycles.max_bounces,
        "transparent_max_bounces": cycles.transparent_max_bounces,
    }


def why_skipped():
    """What this build lacks, which no GPU is to blame for."""
    if JOB.get("range") and not hasattr(bpy.context.scene.cycles, "sample_offset"):
        return "this Blender cannot render a part of a frame's samples: 3.1 and later have a sample offset"
    if JOB["denoising"] and not REPORT["blender"]["denoiser"]:
        return "the scene asks for denoising, and this Blender was built without OpenImageDenoise"
    return None


def set_texture_pixels(scene, pixels):
    """Every picture that Blender makes itself is this many pixels wide and high."""
    made = [image for image in bpy.data.images if image.source == "GENERATED"]
    for image in made:
        image.generated_width = image.generated_height = pixels
    return pixels if made and pixels > 0 else None


def set_light_tree(scene, wanted):
    """Blender 3.5 and later have it; the file of an older one opens with it off."""
    if not hasattr(scene.cycles, "use_light_tree"):
        return 0
    scene.cycles.use_light_tree = bool(wanted)
    return int(scene.cycles.use_light_tree)


PARAMETERS = {"texture_pixels": set_texture_pixels, "light_tree": set_light_tree}


def apply_parameters(scene):
    """What each came to in this Blender; one that would change nothing is an error and no wish."""
    applied = {}
    for name, value in JOB.get("parameters", {}).items():
        applied[name] = PARAMETERS[name](scene, value) if name in PARAMETERS else None
        if applied[name] is None:
            raise ValueError("the parameter %s=%d means nothing in this scene" % (name, value))
    return applied


def forbid_scripts(scene):
    """Autoexec is off, and Freestyle would still run the scripts that a scene's style modules name."""
    scene.render.use_freestyle = False
    for layer in scene.view_layers:
        layer.use_freestyle = False


def prepare(scene):
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU" if JOB["probe"] == "control" else "GPU"
    scene.cycles.samples = JOB["samples"]
    scene.cycles.seed = JOB["seed"]
    scene.cycles.use_animated_seed = False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = JOB["denoising"]
    if JOB["denoising"]:
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    set_range(scene.cycles)
    scene.cycles.time_limit = 0
    scene.cycles.shading_system = False
    forbid_scripts(scene)
    scene.render.resolution_x = JOB["width"]
    scene.render.resolution_y = JOB["height"]
    scene.render.resolution_percentage = 100
    scene.render.use_border = False
    scene.render.use_persistent_data = False
    scene.render.use_compositing = False
    scene.render.use_sequencer = False
    scene.render.use_file_extension = False
    scene.render.use_overwrite = True
    scene.render.use_placeholder = False
    scene.render.threads_mode = "FIXED"
    scene.render.threads = JOB["threads"]
    settings = scene.render.image_settings
    settings.file_format = "OPEN_EXR"
    settings.color_mode = "RGBA"
    settings.color_depth = "32"
    settings.exr_codec = "ZIP"
    REPORT["parameters"] = apply_parameters(scene)
    scene.frame_set(JOB["frame"])


def external_files():
    """Every file outside the .blend that it refers to, with Blender's own resolution."""
    stored = bpy.utils.blend_paths(absolute=False, packed=False, local=False)
    resolved = bpy.utils.blend_paths(absolute=True, packed=False, local=False)
    return [{"stored": s, "resolved": r, "exists": os.path.exists(r)} for s, r in zip(stored, resolved)]


def is_found(path):
    """Tiles of a picture stand as one name with <UDIM> in it; any of them will do."""
    if "<" in os.path.basename(path):
        return bool(glob.glob(re.sub("<[A-Za-z]+>", "*", glob.escape(path))))
    return os.path.exists(path)


def dependencies():
    """Every datablock that keeps its data in a file, linked ones too, with Blender's own resolution of the path."""
    paths = [bpy.utils.blend_paths(absolute=a, packed=True, local=False) for a in (False, True)]
    resolved = dict(zip(*paths))
    found = []
    for kind, blocks in (("image", bpy.data.images), ("library", bpy.data.libraries), ("font", bpy.data.fonts),
                         ("sound", bpy.data.sounds), ("cache", bpy.data.cache_files), ("volume", bpy.data.volumes),
                         ("movie clip", bpy.data.movieclips)):
        for block in blocks:
            stored = block.filepath
            if not stored or stored.startswith("<") or getattr(block, "source", "") in ("GENERATED", "VIEWER"):
                continue
            path = resolved.get(stored[:2] + stored[2:].replace("\\", "/")) or bpy.path.abspath(stored, library=block.library)
            packed = getattr(block, "packed_files", None) or getattr(block, "packed_file", None)
            found.append({"kind": kind, "name": block.name, "stored": stored, "resolved": path, "exists": is_found(path),
                          "packed": bool(packed), "library": block.library.filepath if block.library else None})
    return found


def describe_scene(scene):
    return {
        "engine": scene.render.engine,
        "device": scene.cycles.device,
        "samples": scene.cycles.samples,
        "seed": scene.cycles.seed,
        "width": scene.render.resolution_x,
        "height": scene.render.resolution_y,
        "frame": scene.frame_current,
        "denoising": scene.cycles.use_denoising,
        "has_camera": scene.camera is not None,
        "external_files": external_files(),
    }


def main():
    scene = bpy.context.scene
    REPORT["pid"] = os.getpid()
    REPORT["blender"] = describe_blender()
    save("started")
    preferences = bpy.context.preferences.addons["cycles"].preferences
    REPORT["hip_built_in"] = hip_is_built_in(preferences)
    if JOB["probe"] != "control":
        REPORT["enabling"] = enable_hip(preferences) if JOB["probe"] == "as-farm" else "left to --cycles-device"
        REPORT["devices"] = list_devices(preferences)
    REPORT["hip_libraries"] = mapped_hip_libraries()
    REPORT["skipped"] = why_skipped()
    if REPORT["skipped"]:
        save("listed")
        return SKIPPED_STATUS
    prepare(scene)
    REPORT["scene"] = describe_scene(scene)
    REPORT["dependencies"] = dependencies()
    save("listed")
    scene.render.filepath = JOB["image"]
    begin = time.monotonic()
    save("rendering")
    bpy.ops.render.render(write_still=True)
    REPORT["render_seconds"] = round(time.monotonic() - begin, 3)
    if JOB.get("range"):
        REPORT["range"] = describe_range(scene.cycles)
    REPORT["hip_libraries"] = mapped_hip_libraries()
    REPORT["devices_after"] = None if JOB["probe"] == "control" else list_devices(preferences)
    save("rendered")
    return 0


STARTED = time.monotonic()
try:
    STATUS = main()
except BaseException as reason:
    REPORT["error"] = "%s: %s" % (type(reason).__name__, reason)
    save(REPORT["stage"])
    raise
sys.stdout.flush()
if STATUS:
    sys.exit(STATUS)
