# SPDX-License-Identifier: Apache-2.0
"""Renders the open scene on the CPU with every setting said: blender -b SCENE --python scenes/render.py -- JSON

JSON: {"output", "width", "height", "samples", "seed", "frame", "report"}. Samples, seed, size and format are set as
src/blender/worker.py sets them; a reference rendered otherwise would be a reference of something else.
"""
import json
import sys

import bpy


def main():
    job = json.loads(sys.argv[sys.argv.index("--") + 1])
    scene = bpy.context.scene
    cycles, render = scene.cycles, scene.render
    render.engine = "CYCLES"
    cycles.device = "CPU"
    cycles.samples = job["samples"]
    cycles.seed = job["seed"]
    cycles.use_animated_seed = False
    cycles.use_adaptive_sampling = False
    cycles.use_denoising = False
    cycles.time_limit = 0
    render.resolution_x, render.resolution_y = job["width"], job["height"]
    render.resolution_percentage = 100
    render.use_border = render.use_persistent_data = False
    render.use_compositing = render.use_sequencer = False
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_mode = "RGBA"
    render.image_settings.color_depth = "32"
    render.filepath = job["output"]
    scene.frame_set(job["frame"])
    bpy.ops.render.render(write_still=True)

    def text(value):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    with open(job["report"], "w") as out:
        json.dump({"version": bpy.app.version_string, "hash": text(bpy.app.build_hash),
                   "date": text(bpy.app.build_date), "time": text(bpy.app.build_time),
                   "branch": text(bpy.app.build_branch), "platform": text(bpy.app.build_platform)}, out)


main()
