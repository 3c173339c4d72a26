#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# qualify runs the baseline on the GCDs it qualifies: what is wrong there is in the record, a finding, and in the report.
. "$SOURCE/tests/cli/lib.sh"

fake_node
python3 - <<'PY'
import json
d = json.load(open("node/node.json"))
d["faults"] = [{"device": d["hip"]["devices"][0]["bdf"], "fault": "lost-wavefront"}]
json.dump(d, open("node/node.json", "w"))
PY
FAKE_BLENDER=silent
export FAKE_BLENDER
run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --probe strict -q --sandbox none --deadline 60
exits 1 "the fake Blender is not accepted"
record=run/record.json
is "$(field $record 'd["baseline"]["gcds"][0]["verdict"], d["baseline"]["gcds"][0]["compared"]["lost"]')" "('differs', 64)" \
    "the record says what the baseline found"
is "$(field $record 'd["baseline"]["gcds"][0]["class"], d["baseline"]["cpu"]["seconds"]["class"]')" "('simulated', 'observed')" \
    "the GCD's is simulated, the CPU's observed"
is "$(field $record 'd["baseline"]["gcd_settings"]["width"], d["baseline"]["settings"]["width"]')" "(64, 256)" \
    "a stand-in renders a small picture"
is "$(field $record '[(f["weight"], f["subject"]) for f in d["findings"] if f["code"] == "baseline-differs"]')" \
    "[('fault', '0000:c1:00.0')]" "it is a finding"
is "$(field $record 'd["gcds"][0]["verdict"]')" no-output "which changes no verdict"
is "$(grep -c baseline-differs run/report.html)" 1 "the report has it"
[ -e run/baseline ] && fail "the work folder is gone" || pass "the work folder is gone"
if python3 -c 'import jsonschema' 2>/dev/null; then
    if python3 -c 'import json,jsonschema
jsonschema.validate(json.load(open("run/record.json")), json.load(open("'"$SOURCE"'/docs/record.schema.json")))' 2>log; then
        pass "the record follows its schema"
    else
        fail "the record follows its schema" "$(tail -n 5 log)"
    fi
else
    skip "the record follows its schema" "python3-jsonschema is not installed"
fi
run verify $record
exits 0 "the record is whole"

run report --oneline run
is "$(cat out)" "$(field $record '"SIMULATED not-accepted 0/1 GCDs are render workers: 1 no-output; baseline Msamples/s: CPU %.2f, GCDs %.2f to %.2f" % (
    d["baseline"]["cpu"]["msamples_per_s"]["value"], d["baseline"]["gcd_spread"]["min"], d["baseline"]["gcd_spread"]["max"])')" \
    "the one line has the rates"

# --- beside Cycles ---
is "$(field $record 'd["baseline"]["cycles"]["class"], d["baseline"]["cycles"]["why"]')" \
    "('unknown', 'the control of scene cornell on the CPU was not accepted')" "without a good control nothing stands beside Cycles"
FAKE_BLENDER=faithful FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IMAGE
run qualify --node node --out beside -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --probe strict -q --sandbox none --deadline 60
is "$(field beside/record.json '(lambda c: [c["scene"], c["cycles_seconds"]["value"], round(c["cycles_msamples_per_s"]["value"] * 0.5e6) == c["width"] * c["height"] * c["samples"]])(d["baseline"]["cycles"])')" \
    "['cornell', 0.5, True]" "Cycles' seconds are the control's, and its rate that of the control's samples"
for word in 'four diffuse bounces' 'clamps indirect light at 10' 'roulette' 'Blackman-Harris' 'before the first sample'; do
    is "$(field beside/record.json "'$word' in d['baseline']['cycles']['not_said']")/$(grep -q "$word" beside/report.html && echo shown)" True/shown \
        "what is not the same work is named there and in the report: $word"
done
finish
