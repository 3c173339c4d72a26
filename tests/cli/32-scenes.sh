#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scenes, references and Blender belong together: a render on the CPU is accepted, a render of something else is not.
. "$SOURCE/tests/cli/lib.sh"

for tool in blender zstd unzip oiiotool idiff; do
    have $tool || {
        skip "scenes and references" "$tool is not installed"
        finish
    }
done

# render OUTPUT SEED [PYTHON]: the scene in folder/, as its scene.json says but for the seed.
render() {
    job=$(field "$SOURCE/scenes/$scene/scene.json" 'json.dumps({**{k: d[k] for k in ("width", "height", "samples", "frame")},
        "output": "'"$PWD/$1"'", "report": "'"$PWD"'/report.json", "seed": '"$2"'})')
    blender -b --factory-startup --disable-autoexec "folder/$scene.blend" --python-exit-code 5 \
        --python-expr "${3:-pass}" --python "$SOURCE/scenes/render.py" -- "$job" >blender.log 2>&1
}

unpack() { # ARCHIVE FOLDER
    mkdir -p "$2"
    case $1 in
    *.zip) unzip -q "$1" -d "$2" ;;
    *) zstd -dqc "$1" | tar -xf - -C "$2" ;;
    esac
}

judged() { # IMAGE STATUS TITLE
    run compare "$1" "$expected/reference.exr" --limits "$expected/limits.json"
    exits "$2" "$scene: $3: $(head -1 out)"
}

for scene in cornell glass; do
    expected=$SOURCE/expected/$scene
    description=$SOURCE/scenes/$scene/scene.json
    archive=$SOURCE/scenes/$scene/$(field "$description" 'd["archive"]')
    unpack "$archive" folder
    run fingerprint "$archive"
    says "^tree $(field "$description" 'd["tree_sha256"]')" "$scene: scene.json has the tree digest of the archive"
    run fingerprint folder
    says "^tree $(field "$description" 'd["tree_sha256"]')" "$scene: and of the unpacked folder"
    is "$(field "$expected/provenance.json" '(d["tree_sha256"], d["archive_sha256"], d["reference_sha256"])')" \
        "('$(field "$description" 'd["tree_sha256"]')', '$(sha256sum <"$archive" | cut -c1-64)', '$(sha256sum <"$expected/reference.exr" | cut -c1-64)')" \
        "$scene: provenance names this tree, this archive and this reference"
    for key in width height samples seed frame denoising; do
        is "$(field "$expected/provenance.json" "d['$key']")" "$(field "$description" "d['$key']")" \
            "$scene: the reference was made with the scene's $key"
    done
    is "$([ "$(wc -c <"$archive")" -le 307200 ] && echo small)" small "$scene: the archive is under 300 KB"
    # -f: what is not compressed is passed on as it is.
    zstd -dcf "folder/$scene.blend" >inside
    is "$(grep -aEc 'BLENDER-v304' inside)" 1 "$scene: the file inside is of Blender 3.4"
    is "$(grep -aEc '/home/|/root/|oamqual-scene-' inside)" 0 "$scene: no path of its maker is inside"
    seed=$(field "$description" 'd["seed"]')
    render same.exr "$seed"
    judged same.exr 0 "a render by this Blender is accepted"
    render other.exr $((seed + 100))
    judged other.exr 1 "another seed is not"
    [ "$scene" = cornell ] && rm -r folder
done

render opaque.exr "$seed" 'import bpy
nodes = bpy.data.materials["glass"].node_tree.nodes
links = bpy.data.materials["glass"].node_tree.links
links.new(nodes.new("ShaderNodeBsdfDiffuse").outputs[0], nodes["Material Output"].inputs[0])'
judged opaque.exr 1 "no glass"
mv folder/textures elsewhere
render pink.exr "$seed"
judged pink.exr 1 "A29: missing textures"

# --- every scene of the suite ---
cat >scene.py <<'END'
"""scene.json of one scene: what oamqual and make_references.py read of it, and what docs/scenes.md shows."""
import json
import pathlib
import re
import sys

source, name = pathlib.Path(sys.argv[1]), sys.argv[2]
folder = source / "scenes" / name
scene = json.loads((folder / "scene.json").read_text())
page = (source / "docs/scenes.md").read_text()
picture = source / "docs/images/scenes" / (name + ".png")
wrong = []


def need(fact, what):
    if not fact:
        wrong.append(what)


need(scene["schema"] == "oamqual-scene/1" and scene["name"] == name, "schema and name")
need(scene["suite"] == ("basic" if name in ("cornell", "glass") else "full"), "suite")
need(len(scene["purpose"]) > 30 and scene["features"], "purpose and features")
need((folder / scene["archive"]).stat().st_size <= 2000000, "an archive under 2 MB")
need({p.name for p in folder.iterdir()} == {scene["archive"], "scene.json"}, "nothing else beside the archive")
need(all(re.fullmatch(r"[\w.-]+/[\w.-]+(#T?\d+|@[0-9a-f]{9})", g) for g in scene["guards"]) and scene["guards"], "guards")
need((source / "scenes/make" / (name + ".py")).is_file(), "the script that made it")
need("| [%s](../scenes/make/%s.py) |" % (name, name) in page, "its row in docs/scenes.md")
need("images/scenes/%s.png" % name in page, "its picture in docs/scenes.md")
need(picture.is_file() and picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size < 100000,
     "a small PNG")
print("; ".join(wrong) or "right")
END

# small NAME [PYTHON-DICT]: a quick render of the unpacked scene in suite/NAME, half the size and few samples.
small() {
    job=$(field "$SOURCE/scenes/$1/scene.json" '(lambda job: json.dumps({**job, **'"${2:-{\}}"'}))({
        "width": d["width"] // 2, "height": d["height"] // 2, "samples": 4, "seed": 1, "frame": d["frame"],
        "parameters": d.get("parameters", {}), "output": "'"$PWD/$1"'.exr", "report": "'"$PWD/$1"'.json"})')
    status=0
    blender -b --factory-startup --disable-autoexec "suite/$1/$1.blend" --python-exit-code 5 \
        --python "$SOURCE/scenes/render.py" -- "$job" >"$1.log" 2>&1 || status=$?
}

unpack "$SOURCE/scenes/cornell/cornell.tar.zst" beside
cat >beside.py <<'END'
import bpy
c = bpy.context.scene.cycles
print("BESIDE", c.diffuse_bounces, c.max_bounces, c.sample_clamp_direct, c.sample_clamp_indirect, c.min_light_bounces,
      round(c.light_sampling_threshold, 4), c.pixel_filter_type, c.filter_width, c.use_adaptive_sampling,
      [o.type for o in bpy.data.objects if o.type not in ("MESH", "CAMERA")],
      max(bpy.context.scene.world.node_tree.nodes["Background"].inputs[0].default_value[:3]) < .1)
END
is "$(blender -b --factory-startup --disable-autoexec beside/cornell.blend --python beside.py 2>&1 | grep BESIDE)" \
    "BESIDE 4 6 0.0 10.0 0 0.01 BLACKMAN_HARRIS 1.5 False ['LIGHT'] True" \
    "cornell: what the record says of Cycles' work beside the baseline's (src/cli/qualify_beside.c, docs/baseline.md)"

for scene in "$SOURCE"/scenes/*/scene.json; do
    name=$(basename "$(dirname "$scene")")
    archive=$(dirname "$scene")/$(field "$scene" 'd["archive"]')
    is "$(python3 scene.py "$SOURCE" "$name" 2>&1)" right "$name: scene.json, its size, its row and picture in docs/scenes.md"
    unpack "$archive" "suite/$name"
    run fingerprint "$archive"
    says "^tree $(field "$scene" 'd["tree_sha256"]')" "$name: scene.json has the tree digest of the archive"
    is "$(cd "suite/$name" && for f in *.blend; do zstd -dcf "$f"; done | grep -aEc '/home/|/root/|oamqual-scene-')" 0 \
        "$name: no path of its maker is inside"
    small "$name"
    # Not black, not constant, all finite: by oiiotool, not by the program under test.
    is "$status $(oiiotool --stats "$name.exr" 2>&1 | awk '
        /Stats Avg/ { bright = $3 + $4 + $5 > .15 }
        /Stats StdDev/ { varied = $3 + $4 + $5 > .06 }
        /Stats Max/ { sane = $3 + $4 + $5 < 500 }
        /Stats NanCount/ { finite = $3 + $4 + $5 + $6 == 0 }
        /Stats InfCount/ { bounded = $3 + $4 + $5 + $6 == 0 }
        END { print bright, varied, sane, finite, bounded }')" "0 1 1 1 1 1" "$name: renders, and there is something to see"
done
is "$(find "$SOURCE"/scenes/*/scene.json | wc -l)" 14 "there are fourteen scenes"

# --- parameters ---
mv memory.exr before.exr
small memory '{"parameters": {"texture_pixels": 32}}'
is "$status $(field memory.json.worker 'd["parameters"]')" "0 {'texture_pixels': 32}" "a parameter sizes the textures"
is "$(idiff -fail 0.05 -failpercent 5 before.exr memory.exr >/dev/null 2>&1; echo $?)" 2 "and another size is another picture"
small cornell '{"parameters": {"texture_pixels": 32}}'
is "$status" 5 "a parameter that the scene has no use for is an error"
is "$(field cornell.json.worker 'd["error"]')" \
    "ValueError: the parameter texture_pixels=32 means nothing in this scene" "which names it"
run qualify --node "$SOURCE/tests/nodes/mi250x-blade" --gcd 0 --scene "$SOURCE/scenes/cornell" \
    --parameter texture_pixels=32 --out none
exits 3 "a parameter that no scene of the run has is refused"
one_line "in one line"
run qualify --node "$SOURCE/tests/nodes/mi250x-blade" --gcd 0 --scene "$SOURCE/scenes/memory" --probe strict \
    --no-baseline --parameter texture_pixels=32 --quiet --out sized
is "$(field sized/record.json 'd["scenes"][0]["settings"]["parameters"]')" "{'texture_pixels': 32}" \
    "the record has the value that was rendered"
is "$(cat sized/attempts/*/job.json | grep -c '"texture_pixels": 32')" \
    "$(find sized/attempts -name job.json | wc -l)" "and so has every job"

# --- denoising ---
rm -f denoise.exr
small denoise '{"denoising": True}'
if [ "$(field denoise.json.worker 'd["blender"]["denoiser"]')" = True ]; then
    is "$status $(field denoise.json.worker 'd["skipped"]')" "0 None" "denoising: done"
else
    is "$status $(field denoise.json.worker 'd["skipped"]')" \
        "77 the scene asks for denoising, and this Blender was built without OpenImageDenoise" "denoising: skipped, with the reason"
    is "$([ -e denoise.exr ] && echo image)" "" "denoising: and nothing else is rendered in its place"
fi
finish
