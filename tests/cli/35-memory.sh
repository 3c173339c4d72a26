#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node --memory-check: what a domain holds, what it refuses, memory that forgets, and a domain in use.
. "$SOURCE/tests/cli/lib.sh"
PATH="/usr/bin:$PATH"

# node NAME ARG...: a synthetic node in the folder NAME
node() {
    name=$1
    shift
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 2 --out "$name" "$@"
}

node good
run node --node good --memory-check --json
exits 0 "two sound domains hold"
cp out good.json
is "$(field good.json 'd["source"], [g["gcd"] for g in d["gcds"]]')" "('simulated', ['0000:c1:00.0', '0000:c6:00.0'])" \
    "each by itself"
is "$(field good.json '[g["total"]["value"] for g in d["gcds"]]')" "[68702699520, 68702699520]" "the domain, not the module"
is "$(field good.json '[g["published"]["class"] for g in d["gcds"]]')" "['published', 'published']" "published beside it"
is "$(field good.json '{(g["wanted"], g["allocated"]) for g in d["gcds"]}')" "{(67108864, 67108864)}" \
    "a replayed node is filled to 64 MiB"
is "$(field good.json '{g["free_before"]["value"] - g["free_held"]["value"] for g in d["gcds"]}')" "{67108864}" \
    "which the runtime's account shows"
is "$(field good.json '{g["free_before"]["value"] - g["free_after"]["value"] for g in d["gcds"]}')" "{0}" "and gets back"
is "$(field good.json '{(g["boundary"]["asked"] > g["total"]["value"], g["boundary"]["code"]) for g in d["gcds"]}')" \
    "{(True, 2)}" "more than the domain is out of memory"
is "$(field good.json '{g["verdict"] for g in d["gcds"]}')" "{'held'}" "held"
is "$(field good.json '{g["checked"] < g["allocated"] for g in d["gcds"]}')" "{True}" "blocks of it are checked"
is "$(field good.json 'd["gcds"][0]["sysfs_total"]["class"]')" unknown "sysfs that does not say is unknown"

run node --node good --memory-check --gcd 0000:c6:00.0 --limit 3MiB --whole --json
exits 0 "one domain, a limit, every byte"
is "$(field out '[(g["gcd"], g["allocated"], g["checked"]) for g in d["gcds"]]')" "[('0000:c6:00.0', 3145728, 3145728)]" \
    "is that domain and that limit"

# Beside HIP's word stands sysfs's.
mkdir -p "good/sys/bus/pci/devices/0000:c1:00.0"
echo 68702699520 >"good/sys/bus/pci/devices/0000:c1:00.0/mem_info_vram_total"
run node --node good --memory-check --gcd 0 --json
is "$(field out 'd["gcds"][0]["sysfs_total"]["value"]')" 68702699520 "sysfs's total stands beside HIP's"

run node --node good --memory-check
says '^SIMULATED' "the table is marked"
says '^0000:c1:00.0 .*64\.0 GiB .*64\.0 MiB .*held, 65\.0 GiB refused \(hipErrorOutOfMemory\)' "and shows the boundary"

# --- memory that forgets ---
node bad --fault bad-memory@0000:c6:00.0
want=$(python3 -c '
m = (1 << 64) - 1
w = 8192 // 8 + 0x9e3779b97f4a7c15 & m
w = (w ^ w >> 30) * 0xbf58476d1ce4e5b9 & m
w = (w ^ w >> 27) * 0x94d049bb133111eb & m
w ^= w >> 31
print("0x%016x 0x%016x" % (w, w ^ 0x10 << 8 * (8195 - 8192)))')
for how in "" --whole; do
    # shellcheck disable=SC2086
    run node --node bad --memory-check --limit 2MiB --json $how
    exits 1 "a cell that forgets fails its domain ${how:-by blocks}"
    is "$(field out '[g["verdict"] for g in d["gcds"]]')" "['held', 'failed']" "and only that"
    is "$(field out '"%(offset)d %(wrote)s %(read)s %(words)d" % d["gcds"][1]["bad"]')" "8192 $want 1" "it is found where it is"
done

# --- a domain without room ---
node full --fault out-of-memory@0000:c1:00.0
run node --node full --memory-check --json
exits 3 "less free than the margin is not checked"
is "$(field out '[g["verdict"] for g in d["gcds"]]')" "['not checked', 'held']" "the other one is"
says 'nothing was checked' "and says why"
run node --node full --memory-check --gcd 0 --margin 0 --limit 1GiB --json
is "$(field out 'd["gcds"][0]["allocated"], d["gcds"][0]["verdict"]')" "(67108864, 'held')" "without a margin its 64 MiB are"

# --- in use ---
node used
proc=used/sys/class/kfd/kfd/proc/4711
gpu_id=$(cat used/sys/class/kfd/kfd/topology/nodes/4/gpu_id)
mkdir -p "$proc"
echo 3221225472 >"$proc/vram_$gpu_id"
run node --node used --memory-check --json
exits 3 "a domain in use is left alone"
is "$(field out '[g["verdict"] for g in d["gcds"]]')" "['not checked', 'held']" "only that one"
says 'process 4711 holds 3.0 GiB of it; --force' "naming the process"
is "$(field out 'd["gcds"][0].get("allocated")')" None "nothing was allocated on it"
run node --node used --memory-check --force
exits 0 "--force checks it"
echo 0 >"$proc/vram_$gpu_id"
run node --node used --memory-check
exits 0 "an open device without memory is not in use"

# --- a runtime that fails ---
node crash --fault init-crash
run node --node crash --memory-check --json
exits 3 "a runtime that crashes is not judged"
says 'killed by signal 11' "and named"
node lost --fault no-device@0000:c1:00.0
run node --node lost --memory-check --json
is "$(field out '[g["verdict"] for g in d["gcds"]]')" "['not checked', 'held']" "a device that HIP does not know is not another's"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant hip-missing --out missing
run node --node missing --memory-check
exits 3 "nor without a library"
says 'no libamdhip64 could be loaded' "which is said"

# --- wrong use ---
while read -r words; do
    # shellcheck disable=SC2086
    run node --node good $words
    exits 2 "usage error: $words"
    one_line "in one line"
done <<'LIST'
--margin 1GiB
--force
--whole
--gcd 0
--memory-check --margin 1GB
--memory-check --limit -1
--memory-check --limit 99999999999TiB
--memory-check --preflight
LIST
run node --node good --memory-check --gcd 0000:ff:00.0
exits 3 "an unknown GCD"
says 'no such GCD' "is named"

finish
