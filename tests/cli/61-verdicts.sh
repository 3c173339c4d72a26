#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a verdict rests on beside the attempt itself: counts of before and after, references, the node, the driver.
# Each verdict by what an attempt does is in 64-fault-table.sh.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER

judge() { # more arguments
    rm -rf run
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --probe strict --no-baseline --quiet --sandbox none --deadline 60 "$@"
    verdict=$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'strict'][0]" 2>&1)
    control=$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'control'][0]" 2>&1)
    evidence=$(field run/record.json "[(a['decided_by'] or {}).get('evidence') for a in d['attempts'] if a['probe'] == 'strict'][0]" 2>&1)
}

# Memory errors while it rendered, by the driver's own count; errors of before accuse nobody.
FAKE_COUNTER=$PWD/node/sys/bus/pci/devices/$(field node/node.json "d['hip']['devices'][0]['bdf']")/ras/umc_err_count
export FAKE_COUNTER
mkdir -p "${FAKE_COUNTER%/*}"
printf 'ue: 5\nce: 9\n' >"$FAKE_COUNTER"
FAKE_BLENDER=forged judge
is "$verdict" inconclusive "E15 errors from before the run accuse nobody"
is "$(field run/record.json "[c['code'] for a in d['attempts'] if a['probe'] == 'strict' for c in a['counters']]")" \
    "['count-of-before', 'count-of-before', 'count-unknown']" "E15 and are told"
printf 'ue: 0\nce: 9\n' >"$FAKE_COUNTER"
FAKE_BLENDER=ecc judge
is "$verdict" device-error "E15 uncorrected errors during the run are a device error"
if printf '%s\n' "$evidence" | grep -q 'uncorrected memory errors grew by 2, from 0 to 2'; then pass "E15 with the count"; else
    fail "E15 with the count" "$evidence"
fi
rm -r "${FAKE_COUNTER%/*}"

# What a picture is worth without its reference, and with a wrong one.
FAKE_BLENDER=forged
mkdir -p none elsewhere/cornell
judge --expected none
is "$control" no-reference \
    "without a reference nothing is accepted, not even the control"
cp "$SOURCE"/expected/cornell/* elsewhere/cornell/
sed -i 's/"seed": *[0-9]*/"seed": 12345/' elsewhere/cornell/provenance.json
judge --expected elsewhere
is "$control" no-reference \
    "a reference made with another seed is none"
cp "$SOURCE"/expected/cornell/* elsewhere/cornell/
sed -i -E 's/("tree_sha256": *")[0-9a-f]{8}/\100000000/' elsewhere/cornell/provenance.json
judge --expected elsewhere
is "$(field run/record.json "'made from another scene' in d['scenes'][0]['reference'].get('why', '')")" True \
    "a reference of another scene is none"
cp "$SOURCE"/expected/cornell/* elsewhere/cornell/
sed -i 's/"type": *"CPU"/"type": "HIP"/' elsewhere/cornell/provenance.json
judge --expected elsewhere
is "$(field run/record.json "'not rendered on a CPU' in d['scenes'][0]['reference'].get('why', '')")" True \
    "a picture that a GPU made is no reference"
cp "$SOURCE"/expected/cornell/* elsewhere/cornell/
cp "$SOURCE/expected/glass/reference.exr" elsewhere/cornell/reference.exr
judge --expected elsewhere
is "$control" no-reference \
    "a reference that its provenance does not describe is none"
cp "$SOURCE"/expected/cornell/* elsewhere/cornell/
sed -i -E 's/("(pixel_limit|share_over|mean_error|rms_error|tile_error)": *)[0-9.e-]+/\11/' elsewhere/cornell/limits.json
judge --expected elsewhere
is "$(field run/record.json "d['scenes'][0]['reference'].get('why')")" \
    "the limits are so wide that a picture of half the brightness passes" "limits that pass anything are no limits"
FAKE_IMAGE=$SOURCE/expected/glass/reference.exr
judge
is "$control" image-invalid \
    "a picture of another shape is no picture of the scene"

# No GPU at all: nothing was judged, whatever the controls say.
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant no-gpu --out none-there >/dev/null || exit 1
run qualify --node none-there --out run0 -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --no-baseline -q
exits 3 "a node without a GCD could not be judged"

# A stand-in runtime in the loader's way of a live node has no devices: simulation never passes for the node.
stage=$PWD/run/node/sim
status=0
LD_LIBRARY_PATH=$stage/lib OAMQUAL_SIM=$stage/sim.conf "$OAMQUAL" node --json >out 2>err || status=$?
exits 0 "a live node with the stand-in in the loader's way is described"
is "$(field out "d['hip']['state']['value'] if isinstance(d['hip']['state'], dict) else d['hip']['state']")" unusable \
    "and the stand-in is known for what it is"
says "oamqual's own stand-in runtime" "and named"

# A driver that crashes or hangs inside hipInit is a fact about the node, not the end of the tool.
FAKE_BLENDER=silent
for variant in hip-crash hip-hang; do
    rm -rf bad
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant $variant --devices 1 --out bad >/dev/null || exit 1
    run node --node bad --json
    exits 0 "$variant: the node is still described"
    is "$(field out "d['hip']['state']['value'] if isinstance(d['hip']['state'], dict) else d['hip']['state']")" \
        "$([ $variant = hip-crash ] && echo crashed || echo hung)" "$variant: and HIP's state says so"
done
finish
