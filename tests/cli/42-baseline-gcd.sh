#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The baseline on GCDs: the whole host path on the stand-in runtime, which runs the same kernel on the CPU, and the
# faults that it plays. No AMD GPU takes part.
. "$SOURCE/tests/cli/lib.sh"

BAD=0000:c9:00.0 # the third of eight

# faulty [FAULT [AFTER]]: the blade in node/, with that fault on one GCD.
faulty() {
    rm -rf node
    cp -r "$SOURCE/tests/nodes/mi250x-blade" node
    chmod -R u+w node
    [ $# = 0 ] || python3 - "$BAD" "$1" "${2:-0}" <<'PY'
import json, sys
d = json.load(open("node/node.json"))
d["faults"] = [{"device": sys.argv[1], "fault": sys.argv[2], "after": int(sys.argv[3])}]
json.dump(d, open("node/node.json", "w"))
PY
}
# Of the GCD that has the fault.
bad() {
    field out "[g for g in d['gcds'] if g['bdf'] == '$BAD'][0]$1"
}

# --- all eight are sound -----------------------------------------------------------------------------------------
faulty
run baseline --node node --size 40x30 --samples 6 --json
exits 0 "eight sound GCDs"
is "$(field out '[g["verdict"] for g in d["gcds"]]')" "['equal', 'equal', 'equal', 'equal', 'equal', 'equal', 'equal', 'equal']" \
    "each has the CPU's picture to the bit"
is "$(field out '{g["class"] for g in d["gcds"]} | {g["mrays_per_s"]["class"] for g in d["gcds"]}')" "{'simulated'}" \
    "every rate is marked simulated"
is "$(field out '{g["limit"] for g in d["gcds"]}')" "{'bits'}" "the limit is named"
is "$(field out '{(g["compared"]["pixels"], g["compared"]["differing"], g["compared"]["ulp_max"]) for g in d["gcds"]}')" \
    "{(1200, 0, 0)}" "all pixels were compared"
is "$(field out '{(g["rays_closest"]["value"] == d["cpu"]["rays_closest"]["value"], g["rays_shadow"]["value"] == d["cpu"]["rays_shadow"]["value"]) for g in d["gcds"]}')" \
    "{(True, True)}" "each traced the CPU's number of rays"
is "$(field out '{len(g["passes"]) for g in d["gcds"]}')" "{6}" "the samples went in six launches"
is "$(field out '{g["kernel"]["target"] for g in d["gcds"]}')" "{'gfx90a:sramecc+:xnack-'}" "one target"
is "$(field out 'd["gcd_spread"]["bad"] + d["gcd_spread"]["outliers"]')" "[]" "none stands out"
is "$(field out 'd["gcd_spread"]["min"] <= d["gcd_spread"]["median"] <= d["gcd_spread"]["max"]')" True "the spread is there"
is "$(find . -name '*.kernel' | wc -l)" "$(field out 'len({g["kernel"]["key"] for g in d["gcds"] if "key" in g["kernel"]})')" \
    "one compiled kernel is kept a target"

# --- one is chosen -----------------------------------------------------------------------------------------------
run baseline --node node --size 16x16 --samples 1 --device "$BAD" --device 0 --json
exits 0 "two by --device"
is "$(field out '[i for i, g in enumerate(d["gcds"]) if g["verdict"] == "equal"]')" "[0, 2]" "only they run"
is "$(field out '{g.get("why") for g in d["gcds"] if g["verdict"] == "not-run"}')" "{'left out by --device'}" "of the others it says why"
is "$(field out '{g["first_msamples_per_s"]["class"] for g in d["gcds"] if g["verdict"] == "equal"}')" "{'unknown'}" \
    "one launch has no first against sustained"
for twice in 'cpu all' 'cpu cpu' "all $BAD" '0 cpu' "0 1 0" "2 $BAD" "$BAD 2"; do
    # shellcheck disable=SC2046 # words
    run baseline --node node --size 16x16 --samples 1 $(printf -- '--device %s ' $twice)
    exits 2 "--device $twice"
    says '^oamqual: .*(stands alone|are the same GCD)' "  says why"
done
run baseline --node node --size 16x16 --samples 1 --device c9
exits 3 "a GCD that is not there"
one_line "is one line"
says '^oamqual: --device c9: neither' "that names it"
run baseline --node node --size 40x30 --samples 6 --device "$BAD"
says "^GCD      $BAD SIMULATED: equal, [0-9.]+ Mrays/s" "the text marks it simulated"
run baseline --node node --size 16x16 --samples 2 --device "$BAD" --gcd-seconds 1 --json
is "$(bad '["rounds"] > 1')" True "--gcd-seconds renders it again"
is "$(bad '["round_differs"]')" None "with the same bits"

# --- wrong pixels ------------------------------------------------------------------------------------------------
faulty flipped-bit 3
run baseline --node node --size 40x30 --samples 8 --json
exits 1 "one bad of eight"
is "$(field out 'd["gcd_spread"]["bad"]')" "['$BAD']" "stands out"
is "$(field out '[g["verdict"] for g in d["gcds"]].count("equal")')" 7 "the others are sound"
is "$(bad '["verdict"]')" differs "a flipped bit is found"
# Pixel (13, 10), bit 12 of a sum of eight samples.
is "$(bad '["compared"]["differing"], d["gcds"][2]["compared"]["first"]')" "(1, {'x': 13, 'y': 10})" "in one pixel, located"
is "$(bad '["compared"]["worst_tile"]')" "{'x': 0, 'y': 0, 'size': 16, 'differing': 1}" "and its tile"
is "$(bad '["compared"]["ulp_max"] <= 4096 and d["gcds"][2]["compared"]["ulp_max"] >= 2048')" True \
    "by about the bit's worth of units in the last place"

# After the last of three samples; with 40x40 pixels the means are then the same to the bit.
faulty last-bit 2
run baseline --node node --size 40x40 --samples 3 --device "$BAD" --json
exits 1 "the last bit of a sum of three samples"
is "$(bad '["verdict"], d["gcds"][2]["compared"]["differing"], d["gcds"][2]["compared"]["ulp_max"], d["gcds"][2]["compared"]["first"]')" \
    "('differs', 1, 1, {'x': 13, 'y': 13})" "is found, as one unit in the last place"

alone() { # fault, after, more options
    faulty "$1" "$2"
    shift 2
    run baseline --node node --size 48x48 --samples 8 --device "$BAD" --json "$@"
}
alone wrong-tile 0
exits 1 "a wrong tile"
is "$(bad '["compared"]["differing"]')" 256 "has 16 x 16 pixels"
is "$(bad '["compared"]["worst_tile"]')" "{'x': 16, 'y': 16, 'size': 16, 'differing': 256}" "and is located"
is "$(bad '["compared"]["tiles_differing"]')" 1 "nothing else differs"
alone lost-wavefront 0
is "$(bad '["verdict"], d["gcds"][2]["compared"]["lost"], d["gcds"][2]["compared"]["differing"]')" "('differs', 64, 64)" \
    "a lost wavefront is 64 pixels that were never written"
# 36 blocks, six a row: the middle one is at (0, 24).
is "$(bad '["compared"]["first"]')" "{'x': 0, 'y': 24}" "and is located"
alone lost-wavefront 4
is "$(bad '["compared"]["lost"], d["gcds"][2]["compared"]["short"]')" "(0, 64)" "lost later, they hold fewer samples"
alone bad-memory 0
is "$(bad '["verdict"], d["gcds"][2]["compared"]["differing"]')" "('differs', 1)" "a bit that memory does not keep is found"
alone flipped-bit 11 --gcd-seconds 2
is "$(bad '["verdict"], d["gcds"][2]["round_differs"]')" "('differs', 2)" "a bit that flips in the second picture is found"

# --- it does not run to the end ----------------------------------------------------------------------------------
fails() { # fault, after, pattern of the reason, title
    alone "$1" "$2" --deadline 20
    exits 1 "$4"
    is "$(bad '["verdict"], d["gcds"][2]["value"], d["gcds"][2]["class"]')" "('failed', None, 'unknown')" "$1: failed, without a rate"
    if bad '["verdict_why"]' | grep -Eq "$3"; then pass "$1: it says why"; else fail "$1: it says why" "$(bad '["verdict_why"]')"; fi
}
fails launch-error 2 '^hipModuleLaunchKernel returned 719 \(hipErrorLaunchFailure\)$' "a launch error"
fails load-error 0 '^hipModuleLoadData returned 209 \(hipErrorNoBinaryForGpu\)$' "a kernel that does not load"
fails device-lost 3 '^hipModuleLaunchKernel returned 100 \(hipErrorNoDevice\)$' "a lost device"
fails launch-crash 1 'signal 6 .*Memory access fault by GPU node-' "a memory fault"
alone launch-hang 2 --deadline 2
is "$(bad '["verdict"]')" failed "a launch that hangs"
is "$(bad '["verdict_why"]' | grep -c 'deadline')" 1 "is ended at the deadline"
faulty out-of-memory
run baseline --node node --size 1024x1024 --samples 1 --device "$BAD" --json
is "$(bad '["verdict_why"]')" "hipMalloc returned 2 (hipErrorOutOfMemory)" "out of memory names the call"
alone no-device 0
exits 3 "a GCD that HIP does not have was not judged"
is "$(bad '["verdict"], d["gcds"][2]["why"]')" "('not-run', 'HIP does not enumerate it')" "and is no pass"

# --- a target that this machine's hiprtc does not know -----------------------------------------------------------
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out other >/dev/null
sed -i 's/gfx90a:sramecc+:xnack-/gfx942:sramecc+:xnack-/' other/node.json
run baseline --node other --size 16x16 --samples 1 --json
if [ "$(field out 'd["gcds"][0]["kernel"]["state"]')" = compiled ]; then
    skip "a substitute for gfx942" "this hiprtc compiles for it"
else
    is "$(field out 'd["gcds"][0]["kernel"]["state"], d["gcds"][0]["verdict"], d["gcds"][0]["class"]')" \
        "('substitute', 'equal', 'simulated')" "on a replayed node the stand-in goes without, and says so"
    is "$(field out 'bool(d["gcds"][0]["kernel"]["why"])')" True "with the compiler's reason"
fi

# --- the children by themselves ----------------------------------------------------------------------------------
printf 'OAMGCD1' >job
run hip-render --job job --kernel other/node.json --pixels pixels
is "$(field out 'd["state"], d["why"]')" "('failed', 'job: not a job')" "a job cut short"
head -c 5000 /dev/zero >job
run hip-render --job job --kernel other/node.json --pixels pixels
is "$(field out 'd["why"]')" "job: not a job, or damaged" "a job of zeros"
run hip-render --job missing --kernel other/node.json --pixels pixels
is "$(field out 'd["why"]')" "missing: No such file or directory" "a job that is not there"
[ -e pixels ] && fail "nothing was written" || pass "nothing was written"
run hip-compile --target gfx90a
exits 2 "hip-compile without a folder"
finish
