#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual baseline: options, JSON, the picture, and what is said of GCDs.
. "$SOURCE/tests/cli/lib.sh"

run baseline --size 24x16 --samples 4 --threads 1 --json
exits 0 "a small run"
cp out one.json
is "$(field out 'd["schema"]')" oamqual-baseline/1 "the schema is named"
is "$(field out 'd["cpu"]["about"]')" "the machine that ran the tool" "the CPU is this machine's"
is "$(field out 'd["cpu"]["msamples_per_s"]["class"]')" observed "its rate is observed"
is "$(field out 'd["cpu"]["seconds"]["value"] > 0')" True "time passed"
# 384 pixels, 4 samples, 1 to 7 hits a path.
is "$(field out '1536 <= d["cpu"]["rays_closest"]["value"] <= 7 * 1536')" True "rays within the path's bounds"
is "$(field out 'abs(d["cpu"]["msamples_per_s"]["value"] * d["cpu"]["seconds"]["value"] - 1.536e-3) < 1e-9')" \
    True "the rate is samples over seconds"

run baseline --size 24x16 --samples 4 --threads 7 --json --image picture.png
is "$(field out 'd["cpu"]["image_sha256"]["value"]')" "$(field one.json 'd["cpu"]["image_sha256"]["value"]')" \
    "7 threads give the picture of 1"
if have oiiotool; then
    is "$(oiiotool --info picture.png | sed 's/.*: *//;s/ *png$//')" "24 x   16, 3 channel, uint8" "the picture is 24x16 RGB"
else
    skip "the picture is 24x16 RGB" "oiiotool (openimageio-tools) is not installed"
fi
if have oiiotool; then
    run baseline --size 24x16 --samples 4 --threads 1 --image picture.exr
    is "$(oiiotool --info picture.exr | sed 's/.*: *//;s/ *openexr$//')" "24 x   16, 3 channel, float" "an EXR holds floats"
else
    skip "an EXR holds floats" "oiiotool (openimageio-tools) is not installed"
fi
run baseline --size 24x16 --samples 5 --threads 2
exits 0 "text form"
says '^CPU .*the machine that ran the tool' "the text says whose CPU it is"
is "$(grep -c "$(field one.json 'd["cpu"]["image_sha256"]["value"]')" out)" 0 "5 samples give another picture than 4"

for scene in cornell terrain glass; do
    run baseline --scene $scene --size 24x16 --samples 4 --json
    cp out $scene.json
    is "$(field out 'd["scene"]["name"]')" $scene "$scene is named"
    for path in single portable avx2 avx512; do
        run baseline --scene $scene --path $path --size 24x16 --samples 4 --threads 3 --json
        if [ "$status" = 3 ] && grep -q "this CPU lacks the instructions of $path" err; then
            skip "$scene by $path" "this CPU lacks the instructions"
            continue
        fi
        is "$(field out 'd["cpu"]["image_sha256"]["value"]')" "$(field $scene.json 'd["cpu"]["image_sha256"]["value"]')" \
            "$scene by $path: the same picture"
        is "$(field out 'd["cpu"]["path"]["value"]')" $path "$path is named"
    done
done
run baseline --scene terrain --seed 1 --size 24x16 --samples 4 --json
is "$(field out 'd["cpu"]["image_sha256"]["value"] == json.load(open("terrain.json"))["cpu"]["image_sha256"]["value"]')" False \
    "another seed is another picture"

run baseline --node "$SOURCE/tests/nodes/mi250x-blade" --device cpu --size 8x8 --samples 1 --json
exits 0 "a replayed node"
is "$(field out 'len(d["gcds"])')" 8 "each of its GCDs is named"
is "$(field out '{(g["value"], g["class"], g["verdict"]) for g in d["gcds"]}')" "{(None, 'unknown', 'not-run')}" \
    "and with --device cpu none has a figure"
is "$(field out 'd["node"]["source"]')" simulated "the node is marked simulated"
is "$(field out 'd["cpu"]["seconds"]["class"]')" observed "the CPU stays observed"
is "$(field out 'd["cpu"]["about"]')" "the machine that ran the tool" "and this machine's"

refused() {
    run baseline "$@"
    exits 2 "usage error: $*"
    one_line "one line: $*"
}
refused --size 0x5
refused --size 5
refused --size 5x
refused --size 8193x1
refused --size 5x5x5
refused --size -1x5
refused --samples 0
refused --samples 65537
refused --samples 1e3
refused --threads 0
refused --threads two
refused --scene kitchen
refused --path fast
refused --seed -1
refused --deadline 0
refused --gcd-seconds 3601
refused surplus

run baseline --size 8x8 --samples 1 --image missing/picture.png
exits 3 "a picture that cannot be written"
one_line "is one line"
says 'missing/picture.png' "that names it"
is "$(wc -c <out)" 0 "and nothing on stdout"
run baseline --node missing --size 8x8 --samples 1 --image missing/picture.png
says 'image missing/picture.png' "it is looked at before anything is opened or rendered"
run baseline --size 8x8 --samples 1 --image .
exits 3 "nor a folder"
says 'image .: is a folder' "which is named"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant no-gpu --out no-gpu >/dev/null || exit 1
run baseline --node no-gpu --size 8x8 --samples 1 --device 3
exits 3 "a GCD of a node without one"
says 'device 3: .* of the node, which has none: ' "and the reason is said"
run baseline --node missing --size 8x8 --samples 1
exits 3 "a node that is not there"
one_line "is one line too"
finish
