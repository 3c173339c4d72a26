#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shares of a frame by real Blender on the CPU: merged by oamqual, by Blender and by oiiotool, they are the whole frame. Then
# real Blender as ranks on the stand-in runtime, which plays these shares back.
. "$SOURCE/tests/cli/lib.sh"

if ! have blender; then
    skip "shares of a frame by real Blender" "blender is not installed"
    finish
fi
case $(blender --version | head -1) in "Blender 3.4"*) ;; *)
    skip "shares of a frame by real Blender" "this is not Debian 12's Blender 3.4"
    finish
    ;;
esac
mkdir scene parts
tar --zstd -xf "$SOURCE/scenes/cornell/cornell.tar.zst" -C scene

render() { # name, then nothing or "first count": one render of the worker's, on the CPU
    mkdir "parts/$1"
    python3 - "$SOURCE/scenes/cornell/scene.json" "$PWD/parts/$1" "${2:-}" "${3:-}" <<'END'
import json, sys
scene, folder, first, count = sys.argv[1:]
job = {k: json.load(open(scene))[k] for k in ("width", "height", "samples", "seed", "frame", "denoising")}
job.update(probe="control", image=folder + "/image.exr", report=folder + "/worker.json", threads=1)
if count:
    job["range"] = {"first": int(first), "count": int(count)}
json.dump(job, open(folder + "/job.json", "w"))
END
    OAMQUAL_JOB=$PWD/parts/$1/job.json HOME=$PWD/parts/$1 blender --background -noaudio --factory-startup --disable-autoexec \
        --python-exit-code 64 scene/cornell.blend --debug-cycles --python "$SOURCE/src/blender/worker.py" >"parts/$1/log" 2>&1 ||
        { tail "parts/$1/log"; exit 1; }
}

render whole
render a 0 8
render b 8 8
is "$(for p in a b; do field "parts/$p/worker.json" "(d['range']['way'], d['range']['first'], d['range']['count'])"; done | tr '\n' ' ')" \
    "('offset', 0, 8) ('offset', 8, 8) " "what Blender holds that it rendered"
is "$(for p in a b; do grep -o '^Rendered [0-9]* samples in [0-9.]* seconds$' "parts/$p/log" | cut -d' ' -f2; done | tr '\n' ' ')" \
    "8 8 " "Cycles' own account, once in each log, counts the share's samples"

cd parts || exit 1
run merge --out ours.exr a/image.exr b/image.exr
exits 0 "merged by what the metadata names"
says "^ours.exr: 2 parts, 16 samples$" "which is 16 samples"

# Blender's own merge, and oiiotool with weights by hand.
cat >merge.py <<'END'
import bpy
bpy.ops.cycles.merge_images(input_filepath1="a/image.exr", input_filepath2="b/image.exr", output_filepath="blender.exr")
END
blender --background -noaudio --factory-startup --python-exit-code 64 --python merge.py >merge.log 2>&1 || { tail merge.log; exit 1; }
oiiotool a/image.exr --mulc 3 b/image.exr --mulc 13 --add --divc 16 -d float -o tool.exr
run merge --out uneven.exr --samples 3 --samples 13 a/image.exr b/image.exr
exits 0 "merged by what was said"

near() { # picture, other, relative bound as a number of units in the last place, title
    if python3 - "$SOURCE/tests/nodes" "$1" "$2" "$3" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from make_playback import read_floats
one, other = (read_floats(p)[2] for p in sys.argv[2:4])
worst = max(abs(a - b) / max(abs(a), abs(b)) for c in "RGBA" for a, b in zip(one[c], other[c]) if a != b) if any(
    one[c] != other[c] for c in "RGBA") else 0.0
print("# largest relative difference: %.3g, of %.3g allowed" % (worst, float(sys.argv[4]) * 2**-24))
sys.exit(not worst <= float(sys.argv[4]) * 2**-24)
END
    then pass "$4"; else fail "$4"; fi
}

# One rounding of ours; Blender adds products of floats: some five roundings each.
near ours.exr blender.exr 12 "ours is Blender's own merge, to the rounding of its float sums"
near uneven.exr tool.exr 12 "and with other weights oiiotool's weighted mean"
# 16 samples of at most 2 (6 + 8 + 2) additions, in another order: docs/distributed.md.
near ours.exr whole/image.exr 1031 "and the whole frame, to the order of summation"
run compare ours.exr whole/image.exr --limits "$SOURCE/expected/cornell/limits.json"
exits 0 "which compare calls the same"
run merge --out twice.exr a/image.exr a/image.exr
run compare twice.exr whole/image.exr --json
is "$(field out "d['comparison']['max_error'] > 0.01")" True "a share twice and one missing is another picture, a thousand times farther off"
run merge --out ours.exr a/image.exr b/image.exr
exits 3 "a picture is never written over"
cd .. || exit 1

# --- real Blender as ranks ---

for p in "a 0 8" "b 8 8"; do
    # shellcheck disable=SC2086
    set -- $p
    python3 "$SOURCE/tests/nodes/make_playback.py" "parts/$1/image.exr" "$3" playback --first "$2" >/dev/null || exit 1
done
python3 "$SOURCE/tests/nodes/make_playback.py" "$SOURCE/expected/cornell/reference.exr" 16 playback >/dev/null || exit 1
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant playback --devices 2 --playback playback --out node >/dev/null || exit 1
run qualify --node node --out run -s "$SOURCE/scenes/cornell" --probe strict --no-baseline -q --deadline 120 --distributed
of() { field run/record.json "(lambda c: ($1))(d['distributed']['cases'][0])"; }
is "$(of "c['outcome'], c['why']")" "('accepted', None)" "two ranks of real Blender on the stand-in are accepted"
is "$(of "[(r['seen']['first'], r['seen']['count'], r['seen']['count_by_log'], r['seen']['count_by_file']) for r in c['ranks']]")" \
    "[(0, 8, 8, 8), (8, 8, 8, 8)]" "Blender, Cycles' log and the pictures' metadata agree on the shares"
is "$(of "[(r['seen']['first_by_runtime'], r['seen']['count_by_runtime']) for r in c['ranks']]")" "[(0, 8), (8, 8)]" \
    "and so does what the device was told to render"
is "$(of "[r['seen']['traced_on'][-10:] for r in c['ranks']]")" "['0000:c1:00', '0000:c6:00']" "each on a GCD of its own"
is "$(of "all(r['attempt']['worker']['pid'] == r['seen']['pid'] and r['pid'] for r in c['ranks'])")" True "by its process"
is "$(of "c['merged']['match']['basis']")" same-noise "the merged picture is the reference's"
is "$(of "c['merged']['whole']['comparison']['within'], c['merged']['whole']['same_noise']")" "(True, True)" "and that of one GCD"
finish
