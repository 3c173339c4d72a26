#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cycles on the CPU as judge of the baseline's Cornell box: the scene of scenes/make/cornell.py, its lamp as a black plate
# that shines to one side, filter and clamping made equal. Two pictures of each with other random numbers give the
# standard errors.
. "$SOURCE/tests/cli/lib.sh"

if ! have blender; then
    skip "the picture is that of Cycles" "blender is not installed"
    finish
fi
cat >judge.py <<'P'
import os
import sys
import bpy
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[-1] + "/scenes")
bpy.ops.wm.read_factory_settings(use_empty=True)
from make import cornell, parts
cornell.build(None)
scene = bpy.context.scene
for lamp in [o for o in scene.objects if o.type == "LIGHT"]:
    bpy.data.objects.remove(lamp)


def surface(nodes, link):
    mix, side = nodes.new("ShaderNodeMixShader"), nodes.new("ShaderNodeNewGeometry")
    shine = parts.node(nodes, "ShaderNodeEmission", Color=(1, 1, 1, 1), Strength=22 / (4 * .36))
    back = parts.node(nodes, "ShaderNodeBsdfDiffuse", Color=(0, 0, 0, 1))
    for number, output in enumerate((side.outputs["Backfacing"], shine.outputs[0], back.outputs[0])):
        link(output, mix.inputs[number])
    return mix.outputs[0]


parts.quad("lamp", [(-.3, -.3, 1.98), (-.3, .3, 1.98), (.3, .3, 1.98), (.3, -.3, 1.98)], parts.shader("lamp", surface))
scene.world = bpy.data.worlds.new("black")
scene.world.color = (0, 0, 0)
render, cycles = scene.render, scene.cycles
render.engine, cycles.device, cycles.samples = "CYCLES", "CPU", 400
for name, value in {"use_adaptive_sampling": False, "use_denoising": False, "max_bounces": 6, "diffuse_bounces": 6,
                    "sample_clamp_direct": 0, "sample_clamp_indirect": 0, "light_sampling_threshold": 0,
                    "min_light_bounces": 8, "pixel_filter_type": "BOX", "filter_width": 1}.items():
    setattr(cycles, name, value)
render.resolution_x = render.resolution_y = 64
render.resolution_percentage = 100
render.image_settings.file_format = "OPEN_EXR"
render.image_settings.color_depth = "32"
render.image_settings.color_mode = "RGB"
for seed in 1, 2:
    cycles.seed = seed
    render.filepath = "cycles%d.exr" % seed
    bpy.ops.render.render(write_still=True)


def pixels(name):
    image = bpy.data.images.load(os.path.abspath(name))
    image.colorspace_settings.name = "Linear"
    return list(image.pixels), image.channels


def load(name):
    values, channels = pixels(name)
    return [[values[channels * i + c] for c in range(3)] for i in range(64 * 64)]


ours, theirs = [load("ours%d.exr" % n) for n in (1, 2)], [load("cycles%d.exr" % n) for n in (1, 2)]


def compare(places, c):
    """The mean of theirs, the difference of both, and its standard error by how the pictures of a pair differ."""
    n = len(places)
    mean = [sum(pair[k][i][c] for i in places for k in (0, 1)) / (2 * n) for pair in (ours, theirs)]
    square = sum((pair[0][i][c] - pair[1][i][c]) ** 2 / 4 for i in places for pair in (ours, theirs))
    return mean[1], mean[0] - mean[1], square ** .5 / n


worst = 0
for c in range(3):
    mean, off, error = compare(range(64 * 64), c)
    print("MEAN %d %.6f %.7f %.7f %.6f" % (c, mean, off, error, abs(off) / mean))
    for y in range(0, 64, 16):
        for x in range(0, 64, 16):
            mean, off, error = compare([(y + j) * 64 + x + i for j in range(16) for i in range(16)], c)
            worst = max(worst, abs(off) / error)
print("WORST %.3f" % worst)
P
for seed in 1 2; do
    run baseline --size 64x64 --samples 1024 --seed $seed --image ours$seed.exr
    exits 0 "seed $seed renders"
done
if PYTHONDONTWRITEBYTECODE=1 blender -b --factory-startup --python-exit-code 5 --python judge.py -- "$SOURCE" >log 2>&1; then
    pass "Cycles renders"
else
    fail "Cycles renders" "$(tail -c 2000 log)"
fi
grep -E "^(MEAN|WORST)" log | sed 's/^/# /'
is "$(awk '/^MEAN/ { n++; if ($6 > .001) bad++ } END { print n + 0, bad + 0 }' log)" "3 0" \
    "the mean colour is that of Cycles within 0.1 %"
is "$(awk '/^WORST/ { n++; if ($2 > 4.5) bad++ } END { print n + 0, bad + 0 }' log)" "1 0" \
    "no 16x16 tile is off by more than 4.5 of its standard errors"
finish
