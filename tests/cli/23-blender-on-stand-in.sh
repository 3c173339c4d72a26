#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Blender on the stand-in runtime, without the program: what the ladder is built on.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/nodes/stage.sh"
PATH="/usr/bin:$PATH"

if ! have blender; then
    skip "Blender on the stand-in" "blender is not installed"
    finish
fi
blender=$(command -v blender)
export XDG_CACHE_HOME="$PWD/cache" HOME="$PWD"
unset HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL

# Only the stub compiler, and `which`, with which Blender looks for it.
mkdir nothing compiler
ln -s "$SOURCE/tests/fakes/hipcc" compiler/hipcc
for tool in which sh cat; do ln -s "$(command -v $tool)" compiler/$tool; done

cat >render.py <<'PY'
import bpy
import sys

device, samples, adaptive, path = sys.argv[sys.argv.index("--") + 1:][:4]
bpy.ops.wm.read_factory_settings()
preferences = bpy.context.preferences.addons["cycles"].preferences
if device == "GPU":
    preferences.compute_device_type = "HIP"
    preferences.get_devices()
    for one in preferences.devices:
        one.use = one.type == "HIP"
        print("DEVICE", one.type, one.id)
scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.cycles.device = device
scene.cycles.samples = int(samples)
scene.cycles.use_adaptive_sampling = adaptive == "1"
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 160, 120, 100
scene.render.image_settings.file_format = "OPEN_EXR"
scene.render.image_settings.color_mode = "RGBA"
scene.render.image_settings.color_depth = "32"
scene.render.filepath = path
bpy.ops.render.render(write_still=True)
PY

# render DEVICE SAMPLES ADAPTIVE FILE
render() {
    status=0
    rm -f "$4"
    on_stage timeout 60 env PATH="$path" ROCR_VISIBLE_DEVICES=GPU-f7c63ac3c3c637f9 "$blender" -b --factory-startup \
        --disable-autoexec --debug-cycles --python-exit-code 7 -P render.py -- "$1" "$2" "$3" "$PWD/$4" >out 2>err || status=$?
}

stage 5
path="$PWD/compiler"
render GPU 4 0 hip.exr
exits 0 "with a stub kernel Blender renders"
says 'DEVICE HIP HIP_AMD Instinct MI250X_0000:c6:00' "Cycles lists the one device that is left visible"
is "$(grep -c '^DEVICE HIP' out)" 1 "and no other"
says 'Path tracing on: AMD Instinct MI250X \(HIP\) \[HIP_AMD Instinct MI250X_0000:c6:00\]' "and path traces on it"
is "$(oiiotool --stats hip.exr | sed -n 's/.*Stats M[ai][xn]: \(.*\) (float)/\1/p' | sort -u)" \
    "0.000000 0.000000 0.000000 1.000000" "the picture is black"
is "$(ls cache/cycles/kernels | sed 's/_[0-9A-F]\{32\}$/_MD5/')" cycles_kernel_gfx90a_MD5 "where the kernel is cached"

render GPU 4 0 hip.exr
says 'Using locally compiled kernel' "a file of that name is taken as it is"

path="$PWD/nothing"
render GPU 4 0 hip.exr
exits 0 "without hipcc Blender ends well"
says 'Neither precompiled kernels nor HIPCC was found' "says why it uses no HIP"
is "$(grep -c '^DEVICE HIP' out)" 0 "and lists nothing, although the kernel is cached"

path="$PWD/compiler"
# fault NAME PATTERN TITLE
fault() {
    stage 5 "fault * $1"
    render GPU 4 0 hip.exr
    says "$2" "$3"
}
fault load-error 'Failed to load HIP kernel' "load-error"
fault launch-error 'Launch failed' "launch-error"
fault out-of-memory 'System is out of GPU and shared host memory' "out-of-memory"
fault launch-crash 'Memory access fault by GPU node-5' "launch-crash"
fault no-device 'HIPEW initialization succeeded' "no-device: the library is fine"
is "$(grep -c '^DEVICE HIP' out)" 0 "no-device: nothing is listed"

# --- playback ---
stage 5
render CPU 4 0 cpu.exr
exits 0 "the CPU renders the same scene"
for adaptive in 0 1; do
    rm -rf playback
    option=
    [ $adaptive = 1 ] && option=--adaptive
    # shellcheck disable=SC2086
    python3 "$SOURCE/tests/nodes/make_playback.py" cpu.exr 4 playback $option >out
    stage 5 "playback $PWD/playback"
    render GPU 4 $adaptive hip.exr
    exits 0 "adaptive $adaptive: Blender renders on the played-back buffer"
    if idiff -fail 0 -warn 0 -a cpu.exr hip.exr >differs; then pass "adaptive $adaptive: and writes the CPU's picture bit for bit"; else
        fail "adaptive $adaptive: and writes the CPU's picture bit for bit" "$(cat differs)"
    fi
done

stage 5 "playback $PWD/playback" "fault * wrong-tile"
render GPU 4 1 hip.exr
idiff -fail 0.01 -warn 0.01 -a cpu.exr hip.exr >differs
is "$(sed -n 's/^ *\([0-9]*\) pixels.*over 0.01/\1/p' differs | tail -n 1)" 256 "wrong-tile: 16 x 16 pixels are off"

stage 5 "playback $PWD/playback" "fault * nan-pixel"
render GPU 4 1 hip.exr
is "$(oiiotool --stats hip.exr | sed -n 's/.*NanCount: \([0-9]*\) .*/\1/p')" 1 "nan-pixel: one is not a number"

finish
