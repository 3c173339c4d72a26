#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What may be compared, on files written byte by byte from the formats' specifications (tests/image/cases.py).
. "$SOURCE/tests/cli/lib.sh"

/usr/bin/python3 "$SOURCE/tests/image/cases.py" .
cat >limits.json <<'END'
{"schema": "oamqual-limits/2", "pixel_limit": 0.001, "share_over": 0, "mean_error": 0.0001, "rms_error": 0.0001,
 "tile_error": 0.0001, "calibration": "chosen for this test"}
END
compare() { run compare --fast --limits limits.json "$@"; }

# --- our reader, another writer, the library's reader
compare plain.exr zip.exr
exits 0 "plain and ZIP hold the same"
compare half.exr plain.exr
exits 0 "D16: half against float: its rounding is inside the tolerance"
says 'the picture is half, the reference float' "D16: and is noted"
if have oiiotool; then
    for way in piz rle none zips pxr24 b44; do
        oiiotool plain.exr --compression $way -d float -o "$way.exr"
        compare "$way.exr" plain.exr
        exits 0 "$way, written by the library"
    done
    oiiotool plain.exr --tile 16 16 -d float -o tiled.exr
    compare tiled.exr zip.exr
    exits 0 "tiles"
else
    skip "files of the library" "oiiotool (openimageio-tools) is not installed"
fi

# --- which picture
compare nan.exr plain.exr --json
exits 1 "D01: a picture of NaN"
is "$(field out '(d["verdict"], d["comparison"]["rms_error"], d["check"]["non_finite"])')" \
    "('image-invalid', None, 3960)" "D01: is invalid, has no metric, and its samples are counted"
compare plain.exr nan.exr --json
exits 3 "D01: a reference of NaN judges nothing"
is "$(field out 'd["reference_check"]["non_finite"]')" 3960 "D01: counted on that side too"
compare window.exr full.exr
exits 0 "D04: a data window smaller than the display window: the same picture saved both ways"
compare full.exr window.exr
exits 0 "D04: either way round"
compare parts.exr plain.exr
exits 0 "D05: the first part is normals, the beauty is taken by its channels"
compare parts-rgb.exr plain.exr --json
exits 0 "D05: of two parts with colours, the one called rgba"
is "$(field out 'd["read"]["part"]')" rgba "D05: and it is said"
compare two.exr plain.exr
exits 3 "D05: left and right: no beauty"
says 'ambiguous part: which of "left", "right" is meant' "D05: ambiguous, with the names"
compare two.exr plain.exr --part right
exits 0 "D05: --part"
compare two.exr plain.exr --part middle
exits 3 "D05: a part that is not there"
says 'no part "middle".*only "left", "right"' "D05: is named with those that are"
compare parts-rgb.exr plain.exr --part N
exits 1 "D05: another part is another picture"
compare layers.exr plain.exr --json
exits 0 "D05: Combined of a multilayer file"
is "$(field out '(d["read"]["layer"], d["read"]["channels"])')" "('ViewLayer.Combined', ['R', 'G', 'B', 'A'])" \
    "D05: and it is said"
compare layers-two.exr plain.exr
exits 3 "D05: two view layers"
says 'ambiguous part.*"Other.Combined".*"ViewLayer.Combined"' "D05: are ambiguous"
compare layers-two.exr plain.exr --layer Other.Combined
exits 0 "D05: --layer"
compare layers.exr plain.exr --layer ViewLayer.Depth
exits 1 "D12: a depth of 1e10 is no infinity: other channels, not Inf"
says 'channels differ|no colour channel' "D12: and the reason is not a number"

# --- aspect, colour, alpha
compare aspect.exr plain.exr
exits 1 "pixels of another aspect"
says '^image-invalid: pixel aspects differ: picture 2, reference 1' "are named"
compare rec709.exr plain.exr
exits 0 "D18: primaries that are said are those that are meant unsaid"
compare aces.exr plain.exr
exits 1 "D18: other primaries"
says '^image-invalid: colour spaces differ' "D18: are another colour space"
compare untagged.png srgb.png
exits 0 "D18: PNG without sRGB is read like PNG with"
compare srgb.png rgb.exr
exits 0 "D18: sRGB against linear, but for 8 bits"
compare linear.png rgb.exr
exits 0 "D18: gAMA 1.0 is linear"
compare linear.png srgb.png
exits 0 "D18: and the same picture as in sRGB"
compare alpha.png alpha.exr --json
exits 0 "D07: PNG with alpha 127 against EXR with the colours multiplied"
is "$(field out '(d["read"]["alpha"], d["references"][0]["read"]["alpha"])')" "('unassociated', 'associated')" \
    "D07: which rule each file follows is said"
is "$(field out 'd["library"].startswith("OpenImageIO ")')" True "D07: with the library's version"
compare alpha.png alpha-twice.exr
exits 1 "D07: multiplied twice is found"

# --- what does not decide, and what does
compare stamped.exr plain.exr --json
exits 0 "D08: other metadata, same pixels"
is "$(field out 'sorted((m["name"], m["picture"], m["reference"]) for m in d["metadata"])')" \
    "[('Host', 'n17', None), ('RenderTime', '00:01.23', None)]" "D08: what differs is listed"
compare zip.exr aces.exr half.exr rec709.exr --json
exits 0 "D09: of several references one matches"
is "$(field out '(d["matched"], d["basis"], len(d["references"]))')" "('rec709.exr', 'same-noise', 3)" \
    "D09: it is named, the nearest of those that do"
compare pink.exr plain.exr stamped.exr --json
exits 1 "D09: none matches"
is "$(field out '(d["matched"], d["basis"])')" "(None, None)" "D09: and none is named"
sed 's/"share_over": 0/"share_over": 1/; s/0\.0*1/1/g' limits.json >loose.json
run compare --fast pink.exr plain.exr --limits loose.json
exits 1 "a quarter in the pink of missing textures is refused whatever the limits"
says '^image-differs: [0-9.]+ % of the pixels are the pink of a missing texture, 0 %' "and said"
run compare --fast pink.exr pink.exr --limits limits.json
exits 0 "but not when the reference is so too"
before=$(sha256sum plain.exr limits.json)
compare pink.exr plain.exr
is "$(sha256sum plain.exr limits.json)" "$before" "D11: a picture that differs changes neither reference nor limits"

# --- every truncation
whole=$(wc -c <zip.exr)
bad=0
for cut in $(seq 1 397 "$whole") $((whole - 1)); do
    head -c "$cut" zip.exr >cut.exr
    compare cut.exr plain.exr
    { [ "$status" = 3 ] && [ "$(wc -c <out)" -eq 0 ]; } || { bad=$((bad + 1)); echo "# $cut bytes: status $status"; }
done
is "$bad" 0 "D20: an EXR cut anywhere is an error, never a partial comparison"

# --- limits
sed 's/"calibration"/"noise": {"renders": 8, "tile_z": 6, "tile_chi": 3, "bias_z": 5}, "calibration"/' limits.json >noise.json
run compare --fast plain.exr plain.exr --limits noise.json --json
exits 0 "limits with a noise part"
is "$(field out 'd["comparison"]["limits"]["noise"]["renders"]')" 8 "are read"
sed 's/"bias_z": 5/"bias_z": 5, "outliers": 0.01/' noise.json >counted.json
run compare --fast plain.exr plain.exr --limits counted.json --json
is "$status $(field out 'd["comparison"]["limits"]["noise"]["outliers"]')" "0 0.01" "and with outliers"
for change in 's/"bias_z": 5/"bias_z": 5, "outliers": 2/' 's/"bias_z": 5/"bias_z": 5, "other": 1/' 's/"renders": 8/"renders": 1/' 's/"tile_z": 6/"tile_z": -1/' 's/"tile_chi": 3, //' 's,limits/2,limits/1,'; do
    sed "$change" noise.json >bad.json
    run compare --fast plain.exr plain.exr --limits bad.json
    exits 3 "refused: $change"
done
finish
