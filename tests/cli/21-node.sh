#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node: replayed nodes, what each fault of the runtime turns into, and bad input.
. "$SOURCE/tests/cli/lib.sh"

PATH="/usr/bin:$PATH"

variant() {
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant "$1" --out node
}

# The hang lasts as long as the probe's deadline: it goes on beside the other tests.
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant hip-hang --out hanging
mkdir temporary
TMPDIR="$PWD/temporary" "$OAMQUAL" node --node hanging --json >hang.json 2>hang.err &
hang=$!

blade="$SOURCE/tests/nodes/mi250x-blade"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --out fresh
if diff -r fresh/sys "$blade/sys" >differs; then pass "the committed blade is what the script makes"; else
    fail "the committed blade is what the script makes" "$(head -5 differs)"
fi

run node --node "$blade"
exits 0 "the blade is shown"
says 'SIMULATED: replayed from' "and marked"
is "$(grep -c 'SIMULATED$' out)" 8 "on the line of each of its eight GCDs"
says '^0 +0000:c1:00.0 +0x074e71f78335a291 +gfx90a +110 +64.0 GiB +64.0 GiB +yes +yes, 0 +AMD Instinct MI250X' "with what it is"

run node --node "$blade" --json
exits 0 "as JSON"
cp out blade.json
is "$(field blade.json 'd["source"]')" simulated "source"
is "$(field blade.json '[g["unique_id"]["value"] for g in d["gcds"]][1]')" 0xb0541a725918221e "64-bit identities are exact"
is "$(field blade.json 'sorted({v["class"] for g in d["gcds"] for v in g.values()})')" "['simulated', 'unknown']" \
    "every value is simulated or unknown, none observed"
is "$(field blade.json '[g["hip_total"]["value"] for g in d["gcds"]]')" \
    "[68702699520, 68702699520, 68702699520, 68702699520, 68702699520, 68702699520, 68702699520, 68702699520]" "memory a GCD"
is "$(field blade.json 'd["kfd"]["openable"]["class"]')" unknown "access to a device that is not here is unknown"

run node --node "$blade" --no-hip --json
is "$(field out '[g["in_hip"]["value"] for g in d["gcds"]]')" "[None, None, None, None, None, None, None, None]" \
    "HIP that was not asked is unknown"

ROCR_VISIBLE_DEVICES=2,0 run node --node "$blade" --json
is "$(field out '[(g["hip_index"]["value"], g["in_hip"]["value"]) for g in d["gcds"]][:4]')" \
    "[(1, True), (None, False), (0, True), (None, False)]" "devices are joined by identity, not by order"

while read -r name state why; do
    variant "$name"
    run node --node node --json
    exits 0 "$name is an answer, not a failure"
    is "$(field out 'd["hip"]["state"]["value"], '"'$why'"' in str(d["hip"]["why"])')" "('$state', True)" "$name: state and why"
done <<'LIST'
hip-missing missing no libamdhip64 could be loaded
hip-no-device no-device hipInit returned 101
hip-error unusable hipInit returned 999
hip-crash crashed signal 11
no-gpu no-device hipInit returned 101
r0600 answered None
LIST
is "$(field out '[g["hip_gcn_arch"]["value"] for g in d["gcds"]]')" \
    "['gfx90a:sramecc+:xnack-', 'gfx90a:sramecc+:xnack-']" "the layout of ROCm 6 is read"
is "$(field out 'd["hip"]["driver_version"]["value"]')" 60342131 "and its driver version"

for abi in 5 6 7; do
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 1 --soname $abi --out node
    run node --node node --json
    is "$(field out 'd["hip"]["library"]["value"].rsplit("/", 1)[1], d["gcds"][0]["hip_gcn_arch"]["value"]')" \
        "('libamdhip64.so.$abi', 'gfx90a:sramecc+:xnack-')" "soname $abi is loaded and read"
done


# --- bad input ---
run node --node /nonexistent
exits 3 "a node that is not there"
one_line "is one line"
says '^oamqual: .*/nonexistent: No such file or directory' "that names it"

mkdir -p bad
printf '{"schema": "oamqual-node/1", "name": "n", "fautls": []}' >bad/node.json
run node --node bad
exits 3 "a misspelt key"
says '^oamqual: .*bad/node.json: fautls: no such key' "is named"

printf '{"schema": "oamqual-node/1", "name"' >bad/node.json
run node --node bad
exits 3 "a broken node.json"
says 'bad/node.json:1: not valid JSON' "is named with its line"

run node --no-hip --hip-library x
exits 2 "options that exclude each other are a usage error"
run node --bogus
exits 2 "so is an unknown one"

run node --hip-library "$PWD/absent.so"
exits 0 "a library that is not there is an answer too"
says 'HIP +missing \(no libamdhip64 could be loaded: .*absent.so' "naming it"

# --- the hang ---
wait "$hang" && pass "a runtime that hangs is an answer" || fail "a runtime that hangs is an answer" "$(cat hang.err)"
is "$(field hang.json 'd["hip"]["state"]["value"], "did not answer" in d["hip"]["why"], len(d["gcds"])')" "('hung', True, 2)" \
    "hung, and the devices of KFD are shown all the same"
is "$(ls temporary)" "" "no folder is left behind"

finish
