#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual catalogue: what is published keeps its class and source, what is unknown says why; and beside a node.
. "$SOURCE/tests/cli/lib.sh"

run catalogue
exits 0 "the catalogue is listed"
for name in MI210 MI250 MI250X MI300A MI300X MI308X MI325X MI350X MI355X MI430X MI455X 'MI500 series' 'MI600 series' \
    Frontier 'El Capitan' LUMI Helios 'ROCm 6.0.0' 'ROCm 6.2.4' 'ROCm 6.3.1' 'ROCm 7.0'; do
    grep -q "^$name  " out && pass "it has $name" || fail "it has $name" "$(cat out)"
done
says 'certifies compute on its targets, never Cycles' "the rule of ROCm rows stands with them"
says 'never observed' "and what the catalogue is not"

run catalogue --json
exits 0 "as JSON"
cp out all.json
is "$(field all.json 'sorted({v["class"] for e in d for v in e["values"].values()})')" \
    "['claim', 'launch', 'plan', 'ranked', 'reported', 'spec', 'unknown']" "the classes, and none observed"
is "$(field all.json '[(e["name"], k) for e in d for k, v in e["values"].items()
    if not (v.get("why") if v["value"] is None else v.get("source"))]')" "[]" "a value has a source, an unknown one has why"
is "$(field all.json '[e["name"] for e in d if e["kind"] == "part" and e["values"]["board-power"]["value"] is not None]')" "[]" \
    "board power is unknown for every part"
is "$(field all.json '{e["name"]: e["values"]["domain-bytes"]["value"] for e in d if e["kind"] == "part"}')" \
    "{'MI210': None, 'MI250': 64000000000, 'MI250X': 64000000000, 'MI300A': None, 'MI300X': 192000000000, 'MI308X': None, 'MI325X': 256000000000, 'MI350X': 288000000000, 'MI355X': 288000000000, 'MI430X': None, 'MI455X': None, 'MI500 series': None, 'MI600 series': None}" \
    "domains as published, and nothing borrowed from a sibling"
is "$(field all.json '{e["name"]: e["values"]["hip-runtime"]["value"] for e in d if e["kind"] == "rocm"}')" \
    "{'ROCm 6.0.0': '6.1.32830', 'ROCm 6.0.2': '6.1.32831', 'ROCm 6.1.0': '6.1.40091', 'ROCm 6.1.1': '6.1.40092', 'ROCm 6.1.2': '6.1.40093', 'ROCm 6.2.0': '6.2.41133', 'ROCm 6.2.1': '6.2.41134', 'ROCm 6.2.2': '6.2.41134', 'ROCm 6.2.3': '6.2.41134', 'ROCm 6.2.4': '6.2.41134', 'ROCm 6.3.0': '6.3.42131', 'ROCm 6.3.1': '6.3.42133', 'ROCm 7.0': None}" \
    "HIP versions of the matrix"
is "$(field all.json '[r for e in d if e["kind"] == "rocm" for r in e["rules"] if "never Cycles" in r].__len__()')" 13 \
    "each ROCm row says that it certifies no Cycles"
is "$(field all.json '[e["values"]["bandwidth"]["value"] for e in d if e["name"] in ("MI250", "MI250X", "MI355X")]')" \
    "[None, None, '8 TB/s published peak']" "bandwidth where it is published"
is "$(field all.json '{k: v["class"] for e in d if e["name"] == "MI455X" for k, v in e["values"].items() if v["value"]}')" \
    "{'module': 'launch', 'introduced': 'launch', 'chip-to-chip-link': 'claim', 'fp-performance': 'claim', 'power': 'claim'}" \
    "a claim is not a specification"
is "$(field all.json '{e["name"]: [e["values"][k]["class"] for k in e["values"] if k != "operational"] for e in d if e["kind"] == "system"}')" \
    "{'Frontier': ['ranked', 'ranked'], 'El Capitan': ['ranked', 'ranked'], 'LUMI': ['reported', 'reported'], 'Helios': ['launch', 'launch', 'claim', 'claim']}" \
    "systems keep their classes"
is "$(field all.json '[(e["values"]["planned"]["value"], e["values"]["planned"]["class"]) for e in d if "planned" in e["values"]]')" \
    "[('2027', 'plan'), ('2028', 'plan')]" "plans are plans"

run catalogue 'AMD Instinct mi250x' --json
is "$(field out 'd["name"], d["device_ids"]')" "('MI250X', ['0x7408', '0x740c'])" "one part by its marketing name"
run catalogue MI250
says '^MI250 \(part\)' "MI250 is not MI250X"
says 'not an addressable domain  \[spec: ' "and the module's total is no domain"
run catalogue 6.2 --json
is "$(field out '[e["name"] for e in d]')" "['ROCm 6.2.0', 'ROCm 6.2.1', 'ROCm 6.2.2', 'ROCm 6.2.3', 'ROCm 6.2.4']" \
    "the releases of a series"
run catalogue MI900
exits 2 "a part that is not there"
one_line "in one line"
run catalogue MI250 MI250X
exits 2 "one at a time"
run catalogue "$(printf 'MI\033[31m')"
exits 2 "a hostile name"
if grep -q "$(printf '\033')" err; then fail "is not echoed raw"; else pass "is not echoed raw"; fi

# --- beside a node ---
blade="$SOURCE/tests/nodes/mi250x-blade"
run node --node "$blade"
is "$(grep -c '0000:.* MI250X  .*64 GB HBM2e per GCD  .*68702699520 B = 68.7 GB = 64.0 GiB (simulated)$' out)" 8 \
    "published and what the node says stand side by side for each GCD"
if grep -q 'memory-below-published\|memory-above-published' out; then
    fail "64 GiB less 16 MiB is no defect of 64 GB" "$(cat out)"
else
    pass "64 GiB less 16 MiB is no defect of 64 GB"
fi
run node --node "$blade" --json
is "$(field out '[(g["variant"]["value"], g["domain_bytes"]["class"], g["observed_bytes"]["class"]) for g in d["published"]["gcds"]][0]')" \
    "('MI250X', 'published', 'simulated')" "the same as JSON, each with its class"

# Only sysfs: KFD's device id and the driver's version. 29708 is 0x740c.
tree() {
    rm -rf node
    mkdir -p node/sys/class/kfd/kfd/topology/nodes/1/mem_banks/0
    printf 'simd_count 416\nsimd_per_cu 4\nvendor_id 4098\n%s\nlocation_id 10496\ndomain 0\nmem_banks_count 1\n' "$1" \
        >node/sys/class/kfd/kfd/topology/nodes/1/properties
    printf 'heap_type 1\nsize_in_bytes %s\n' "$2" >node/sys/class/kfd/kfd/topology/nodes/1/mem_banks/0/properties
}

found() {
    field out '[f["code"] for f in d["findings"] if f["code"] in ("variant-unknown", "driver-gap", "part-disagrees",
        "memory-below-published", "memory-above-published")]'
}

tree 'device_id 29708
gfx_target_version 90010' 68702699520
run node --node node --json
exits 0 "a tree without HIP"
is "$(found)" "['variant-unknown']" "0x740c does not tell MI250 from MI250X"
is "$(field out 'd["published"]["gcds"][0]["variants"], d["published"]["gcds"][0]["variant"]["class"], d["published"]["gcds"][0]["domain_bytes"]["value"]')" \
    "(['MI250', 'MI250X'], 'unknown', 64000000000)" "both names are kept, and what both publish"
run node --node node
says 'MI250 or MI250X +64 GB HBM2e per GCD' "in the text too"
says 'variant unknown: 1 GPU is MI250 or MI250X' "with a finding"

tree 'gfx_target_version 90010' 68702699520
run node --node node --json
is "$(field out 'd["published"]["gcds"][0]["variants"], d["published"]["gcds"][0]["domain_bytes"]["class"]')" \
    "(['MI210', 'MI250', 'MI250X'], 'unknown')" "gfx90a alone is not two dies, and has no published size"

tree 'device_id 29704
gfx_target_version 90010' 137405399040
run node --node node --json
is "$(found)" "['memory-above-published']" "a module's total on one domain is found"
tree 'device_id 29704
gfx_target_version 90402' 68702699520
run node --node node --json
is "$(found)" "['part-disagrees']" "an id and a target of two parts"

tree 'device_id 29857
gfx_target_version 90402
num_xcc 1' 25769803776
run node --node node --json
is "$(field out 'd["published"]["gcds"][0]["variant"]["value"], d["published"]["gcds"][0]["domain_bytes"]["class"]')" \
    "('MI300X', 'unknown')" "a partition of an MI300X does not get the whole GPU's memory"

# --- the driver beside user space: the stand-in says HIP 6.3.42131, ROCm 6.3.0 ---
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant r0600 --out node
mkdir -p node/sys/module/amdgpu
while read -r module release apart codes; do
    echo "$module" >node/sys/module/amdgpu/version
    run node --node node --json
    is "$(field out 'd["published"]["rocm"]["user_space"]["value"], str(d["published"]["rocm"]["driver"]["value"]), str(d["published"]["rocm"]["releases_apart"]["value"])')" \
        "('6.3.0', '$release', '$apart')" "amdgpu $module beside HIP 6.3.42131"
    is "$(found)" "$codes" "amdgpu $module: finding"
done <<'LIST'
6.10.5 6.3 0 []
6.7.0 6.1 2 []
6.3.6 6.0 3 ['driver-gap']
6.2.4 5.7 4 ['driver-gap']
6.77.1 None None []
LIST
rm node/sys/module/amdgpu/version
run node --node node --json
is "$(field out 'd["published"]["rocm"]["releases_apart"]["class"]')" unknown "a driver without a version is unknown"
finish
