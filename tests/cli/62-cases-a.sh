#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Public cases of the verdict's causes, from Blender's command line to the record and its pages: the chain, the remedy and
# the prediction. The chains themselves are in tests/unit/test_cause.c.
. "$SOURCE/tests/cli/lib.sh"

FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER FAKE_SAY FAKE_WORKER

node() { # more arguments of make_nodes.py
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_nodes.py" --out node "$@" >/dev/null || exit 1
    read_fake_ids
}

# judge PROBE ARG...: $chain, $candidates, $remedy, $verdict and $evidence of the root, of the attempt by this probe
judge() {
    probe=$1
    shift
    rm -rf run
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --probe "$probe" --no-baseline --quiet --sandbox none --deadline 60 "$@"
    of() {
        field run/record.json "[$1 for a in d['attempts'] if a['probe'] == '$probe'][0]" 2>&1
    }
    chain=$(of "' > '.join(c['what'] for c in a['causes']['chain'])")
    candidates=$(of "' '.join(c['what'] for c in a['causes']['candidates'])")
    remedy=$(of "a['remedy']['class']")
    verdict=$(of "a['verdict']")
    evidence=$(of "a['causes']['chain'][0]['evidence']")
}

node --variant one-gcd

# probe|what Blender says (semicolons between)|the worker's members|chain|remedy|title
while IFS='|' read -r probe FAKE_SAY FAKE_WORKER want cure title; do
    FAKE_BLENDER=say judge "$probe"
    is "$chain" "$want" "$title"
    is "$remedy" "$cure" "$title: $cure"
done <<'TABLE'
strict|HIP hipInit: Invalid device|{"devices": {"available": []}}|hip-init-failed > device-not-listed|check-driver|A10 the runtime does not come up
strict|Device found: CUDA;Neither precompiled kernels nor HIPCC was found;Error: Found no Cycles device of the specified type;Blender quit|{"devices": {"available": []}}|neither-kernels-nor-compiler > device-not-listed|add-compiler|A06 the hard error over the optimistic line, 3.6
strict|Device found: CUDA;00:01.100  cycles           \ Neither precompiled kernels nor HIPCC was found;00:01.687  reports          \ ERROR Found no Cycles device of the specified type|{"devices": {"available": []}}|neither-kernels-nor-compiler > device-not-listed|add-compiler|A06 the same as 5.x prints it
as-farm|Path tracing on: CPU (CPU) [CPU]|{"devices": {"compute_device_type": "NONE", "preferences": [], "available": [{"type": "HIP", "id": "HIP_Fake_0000:c1:00"}]}}|preferences-reset > rendered-on-cpu|fix-device-choice|A03 factory settings choose no device
as-farm|Path tracing on: CPU (CPU) [CPU]|{"devices": {"compute_device_type": "HIP", "preferences": [{"type": "HIP", "use": true, "id": "HIP_Fake_0000:d1:00"}], "available": [{"type": "HIP", "id": "HIP_Fake_0000:c1:00"}]}}|stored-device-id-absent > rendered-on-cpu|fix-device-choice|A09 preferences copied from another node
as-farm|HIP is enabled;Path tracing on: CPU (CPU) [CPU]|{"devices": {"compute_device_type": "HIP", "preferences": [{"type": "HIP", "use": true, "id": "HIP_Fake_0000:c1:00"}], "available": [{"type": "HIP", "id": "HIP_Fake_0000:c1:00"}]}}|rendered-on-cpu|fix-device-choice|A04 HIP is ticked and the CPU rendered
strict|Unable to open a display|{"devices": {"available": [{"type": "HIP", "id": "HIP_Fake_0000:c1:00"}]}}|display-needed > blender-reported-failure|fix-scene|A32 a display was wanted: the engine is not Cycles
strict|HIPEW initialization failed: Error opening HIP dynamic library|{"devices": {"available": []}}|library-not-loadable-by-blender|install-hip-runtime|A11 the library is not under a name that this Blender tries
TABLE

# What is not there is said beside what would be tried.
case $evidence in
*"present: "*libamdhip64.so.5*"prediction.libraries_tried"*) pass "A11 the libraries that are present are named" ;;
*) fail "A11 the libraries that are present are named" "$evidence" ;;
esac
is "$(field run/record.json "[a['prediction']['libraries_tried']['class'] for a in d['attempts'] if a['probe'] == 'strict'][0]")" \
    predicted "A11 and those that are tried are a prediction"
is "$(field run/record.json "[a['prediction']['class'] for a in d['attempts'] if a['probe'] == 'control'][0]")" \
    unknown "nothing is predicted of the control"

# A prediction stands beside an observation that denies it, and decides nothing.
is "$(field run/record.json "[a['prediction']['verdict']['value'] for a in d['attempts'] if a['probe'] == 'strict'][0]")" \
    None "3.4 with kernels or without: the table leaves it open"
run verify run
exits 0 "a record with causes and predictions holds together"
run report --markdown run
says '^\| SIMULATED 0000:c1:00.0 \| library-not-loadable-by-blender \|  \| install-hip-runtime \| hip-missing \| unknown' \
    "the finding has causes, remedy, observation and prediction"
is "$(grep -c 'Predicted verdict, not observed' run/report.html)" 2 "the page too, for each attempt"
is "$(grep -c 'library-not-loadable-by-blender' run/report.html)" 1 "with its cause"

# The mirror of A04: the control renders on the CPU on purpose, so a GPU in its log is its failure.
FAKE_BLENDER=say FAKE_SAY='Path tracing on: Fake (HIP) [HIP_Fake_0000:c1:00]' FAKE_WORKER='{}' judge strict
is "$(field run/record.json "[(a['verdict'], [c['what'] for c in a['causes']['chain']]) for a in d['attempts'] if a['probe'] == 'control']")" \
    "[('wrong-device', ['rendered-elsewhere'])]" "A05 the control was rendered on a GPU"

# Masks of our own environment act on the node's view.
node --variant plain --devices 2
first=$(field node/node.json "d['hip']['devices'][0]['bdf']")
FAKE_BLENDER=say FAKE_SAY='' FAKE_WORKER='{}'
ROCR_VISIBLE_DEVICES=1 judge strict --gcd "$first"
is "$verdict: $chain" "hip-no-device: device-hidden-by-mask > device-not-enumerated" "a mask hides the device"
is "$remedy" fix-mask "the mask is to be corrected"
is "$(field run/record.json "[n.split(': ')[1] for n in d['notes'] if n.startswith('left out, since --gcd')]")" \
    "['$(field node/node.json "d['hip']['devices'][1]['bdf']")']" "a GCD that was not asked for is named as left out"
ROCR_VISIBLE_DEVICES=0,1 HIP_VISIBLE_DEVICES=1 judge strict --gcd "$first"
is "$chain" "masked-twice > device-not-enumerated" "two masks: the second counts in what the first left"
case $evidence in
*ROCR_VISIBLE_DEVICES=0,1*HIP_VISIBLE_DEVICES=1*) pass "both are named" ;;
*) fail "both are named" "$evidence" ;;
esac

# --- explain and its page ---
run explain architecture-below-floor
exits 0 "explain takes a cause"
says '^remedy: +change-blender: ' "with its remedy"
run explain change-blender
says 'architecture-below-floor' "and a remedy, with its causes"
run explain --all --markdown
exits 0 "explain makes the page"
if cmp -s out "$SOURCE/docs/verdicts.md"; then pass "docs/verdicts.md is what it makes"; else
    fail "docs/verdicts.md is what it makes" "$(diff out "$SOURCE/docs/verdicts.md" | head -5)" "make verdicts writes it"
fi
is "$(grep -c '^| [0-9]* | [a-z0-9-]* | [a-z-]* | ' out)" \
    "$(sed -n '/rules\[\] = {/,/^};/p' "$SOURCE/src/verdict/verdict.c" | grep -c VERDICT_)" "with every rule of precedence"
run explain --all --json
is "$(python3 - "$SOURCE" <<'END'
import json
import sys

schema = json.load(open(sys.argv[1] + "/docs/record.schema.json"))["definitions"]
names = json.load(open("out"))
print(schema["cause"]["properties"]["what"]["enum"] == [c["cause"] for c in names["causes"]],
      schema["remedy"]["properties"]["class"]["enum"] == [r["remedy"] for r in names["remedies"]])
END
)" "True True" "the schema has the program's causes and remedies"
run explain --markdown
exits 2 "--markdown alone is wrong"
run explain not-listed --all
exits 2 "a name and --all exclude each other"
finish
