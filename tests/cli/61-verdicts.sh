#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A stand-in Blender plays each way in which a render can go wrong, up to a complete forgery of a good run.
. "$SOURCE/tests/cli/lib.sh"

python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1
FAKE_IDS=$(field node/node.json "' '.join('GPU-%s=%s' % (g['unique_id'][2:], g['bdf']) for g in d['hip']['devices'])")
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER

judge() { # more arguments
    rm -rf run
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --probe strict --no-baseline --quiet --sandbox none --deadline "${DEADLINE:-60}" "$@"
    verdict=$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'strict'][0]" 2>&1)
    control=$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'control'][0]" 2>&1)
    evidence=$(field run/record.json "[(a['decided_by'] or {}).get('evidence') for a in d['attempts'] if a['probe'] == 'strict'][0]" 2>&1)
}

# mode, verdict, pattern of the evidence, title
while IFS='|' read -r FAKE_BLENDER want pattern title; do
    case $FAKE_BLENDER in hang | oom-hang) DEADLINE=2 ;; *) DEADLINE=60 ;; esac
    judge
    is "$verdict" "$want" "$FAKE_BLENDER is $want: $title"
    if printf '%s\n' "$evidence" | grep -Eq -- "$pattern"; then pass "$FAKE_BLENDER: the evidence says why"; else
        fail "$FAKE_BLENDER: the evidence says why" "$evidence"
    fi
    [ "$status" -eq 1 ] || fail "$FAKE_BLENDER ends with exit status 1, not $status"
done <<'TABLE'
silent|no-output|no image.exr|A26 exit status 0 and nothing else
forged|inconclusive|stand-in runtime counted no kernel launch|a perfect log and the reference's own picture are no evidence
old-image|no-output|older than the start|a file from before is not written by this run
unannounced|no-output|did not say that it saved|a file that Blender did not announce
exit-1-with-image|blender-failed|exit status 1|an image and exit status 1
no-output|no-output|no image.exr|A26 all said, nothing written
wrong-device|wrong-device|0000:7f:00|the log names another device
mixed|cpu-fallback|\[CPU\]|A07 GPU and CPU together are not the GPU
crash|crashed|signal 11|A18 the signal is recorded
hang|timed-out|deadline|E23 a hang ends at its deadline
oom-hang|out-of-memory|20 such lines|A21 E22 the cause is memory, not the deadline
fault|device-error|Memory access fault|A19 the fault, not the abort after it
unreadable|bad-scene|not supported|A31 Blender could not read the file
library-lost|blender-failed|exit status 127|a broken installation
kernel-missing|kernel-missing|compute capability|A16 no kernel for the target
too-old|driver-too-old|too old|A12 the 5.x log format
without-hip|blender-without-hip|not among|a build without HIP
hostile|blender-failed|exit status 1|A33 bytes that are not text
leaves-child|no-output|no image.exr|E21 a child left behind
TABLE

is "$(field run/record.json "[a['ending']['left_processes_behind'] for a in d['attempts'] if a['probe'] == 'strict'][0]")" \
    True "E21: the process left behind is in the record"
if pgrep -x -f '/bin/sleep 593' >/dev/null; then fail "E21: and was ended"; else pass "E21: and was ended"; fi

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
