#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gather-node.sh: what it records replays to the same node, and what it masks is in no file.
. "$SOURCE/tests/cli/lib.sh"
PATH="/usr/bin:$PATH"
unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL

gather="$SOURCE/src/node/gather-node.sh"
machines="$SOURCE/tests/nodes/make_machines.py"

# The parts that may differ: names of folder and node, where it came from, and the path of the stand-in.
cat >alike.py <<'END'
import json
import sys


def strip(document):
    for key in ("name", "folder", "provenance"):
        document.pop(key, None)
    document["hip"].pop("library", None)
    document["system"].pop("rocm_library", None)
    return document


def first_difference(a, b, path=""):
    if type(a) is not type(b):
        return "%s: %r and %r" % (path, a, b)
    if isinstance(a, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                return "%s.%s: only in one" % (path, key)
            found = first_difference(a[key], b[key], "%s.%s" % (path, key))
            if found:
                return found
        return None
    if isinstance(a, list):
        if len(a) != len(b):
            return "%s: %d and %d" % (path, len(a), len(b))
        return next((f for f in (first_difference(x, y, "%s[%d]" % (path, i)) for i, (x, y) in enumerate(zip(a, b))) if f), None)
    return None if a == b else "%s: %r and %r" % (path, a, b)


print(first_difference(*(strip(json.load(open(name))) for name in sys.argv[1:3])))
END

# same ORIGINAL COPY TITLE [OPTION...]
same() {
    original=$1
    copy=$2
    title=$3
    shift 3
    "$OAMQUAL" node --node "$original" --json "$@" >original.json 2>err || fail "$title: the original" "$(cat err)"
    "$OAMQUAL" node --node "$copy" --json "$@" >copy.json 2>err || fail "$title: the copy" "$(cat err)"
    is "$(python3 alike.py original.json copy.json)" None "$title"
}

# --- sysfs alone, on the shapes that differ ---
for machine in mi250-server mi300a-4 mi300x-one-partition old-kernel-twins not-in-kfd; do
    "$machines" $machine "$machine" || fail "make $machine"
    sh "$gather" --root "$machine" "copy-$machine" 2>err || fail "gather $machine" "$(cat err)"
    same "$machine" "copy-$machine" "$machine replays alike" --no-hip
done
is "$(python3 -c '
import json
a, b = (json.load(open(n)) for n in ("original.json", "copy.json"))
b["gcds"] = b["gcds"][1:]
json.dump(b, open("copy.json", "w"))'; python3 alike.py original.json copy.json | cut -c 1-5)" ".gcds" "a difference would be seen"

# --- with HIP's answers and surroundings ---
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 3 --out node
put() {
    mkdir -p "node/$(dirname "$1")"
    printf '%s\n' "$2" >"node/$1"
}
put sys/bus/pci/devices/0000:c1:00.0/hwmon/hwmon2/temp1_label edge
put sys/bus/pci/devices/0000:c1:00.0/hwmon/hwmon2/temp1_input 40000
put sys/bus/pci/devices/0000:c1:00.0/hwmon/hwmon2/power1_average 90000000
put sys/bus/pci/devices/0000:c1:00.0/ras/umc_err_count "ue: 0
ce: 3"
put sys/bus/pci/devices/0000:c1:00.0/serial_number SECRETSERIAL
put sys/class/dmi/id/product_name EX235A
put sys/class/dmi/id/product_serial SECRETSERIAL
put sys/class/dmi/id/chassis_type 28
put sys/module/amdgpu/version 6.3.6
put sys/devices/system/node/node0/cpulist 0-15
put proc/self/cgroup 0::/slurm/uid_1234/job_99
put proc/cpuinfo "processor	: 0
model name	: AMD EPYC 7A53 64-Core Processor

processor	: 1
model name	: AMD EPYC 7A53 64-Core Processor"
put proc/meminfo "MemTotal:       527000000 kB"
put proc/sys/kernel/osrelease 5.14.21
put proc/sys/kernel/hostname secrethost042

# The probe on the stand-in, as it runs on a real node.
python3 - "$PWD" >sim.conf <<'END'
import json
import sys

hip = json.load(open("node/node.json"))["hip"]
print("driver_version %d\nruntime_version %d\nstate %s/state" % (hip["driver_version"], hip["runtime_version"], sys.argv[1]))
for number, device in enumerate(hip["devices"]):
    print("device %s\nunique_id %s\ngpu_id %d\nkfd_node %d" % (device["bdf"], device["unique_id"][2:], number + 1, number))
    for key in ("gcn_arch", "name", "total_bytes", "free_bytes"):
        print(key, device[key])
END
mkdir -p lib state
ln -s "$OAMQUAL_SIMHIP/libamdhip64.so.5" lib/libamdhip64.so.5
LD_LIBRARY_PATH="$PWD/lib" OAMQUAL_SIM="$PWD/sim.conf" "$OAMQUAL" hip-probe >answers.json 2>err || fail "the probe" "$(cat err)"
is "$(field answers.json 'd["state"], len(d["devices"])')" "('answered', 3)" "the probe answers"

sh "$gather" --root node --hip-answers answers.json plain 2>err || fail "gather" "$(cat err)"
same node plain "sysfs, HIP and surroundings replay alike"
is "$(field copy.json '[g["in_hip"]["value"] for g in d["gcds"]]')" "[True, True, True]" "HIP's devices among them"
is "$(field plain/node.json 'd["name"], d["derived"]')" "('secrethost042', False)" "under the host's name"
is "$(grep -rl SECRETSERIAL plain)" "" "serial numbers are never recorded"

sh "$gather" --mask --root node --hip-answers answers.json masked 2>err || fail "gather --mask" "$(cat err)"
python3 - >originals <<'END'
import json
import pathlib

ids = {int(d["unique_id"], 16) for d in json.load(open("node/node.json"))["hip"]["devices"]}
for path in pathlib.Path("node/sys").rglob("properties"):
    for line in path.read_text().splitlines():
        if line.startswith(("unique_id ", "hive_id ")) and not line.endswith(" 0"):
            ids.add(int(line.split()[1]))
for one in ids:
    print("%d\n%x\n%016x\n%X" % (one, one, one, one))
END
is "$(wc -l <originals)" 16 "three GPUs and a hive have four spellings each"
is "$(grep -rliF -f originals masked)" "" "no original id is in any file, in no spelling"
is "$(grep -rli 'secrethost\|job_99\|SECRETSERIAL' masked)" "" "nor the host's name, job or serial number"
if grep -rqiF -f originals plain; then pass "without --mask they are there"; else fail "without --mask they are there"; fi

"$OAMQUAL" node --node plain --json >plain.json 2>err && "$OAMQUAL" node --node masked --json >masked.json 2>err ||
    fail "both replay" "$(cat err)"
is "$(field masked.json '[(g["in_kfd"]["value"], g["in_hip"]["value"]) for g in d["gcds"]]')" "[(True, True), (True, True), (True, True)]" \
    "sources still join by the masked id"
is "$(field masked.json 'len({g["unique_id"]["value"] for g in d["gcds"]})')" 3 "and different ids stay different"
is "$(field masked.json '[m["gcds"] for m in d["modules"]]')" "$(field plain.json '[m["gcds"] for m in d["modules"]]')" "modules are the same"
is "$(field masked.json 'd["findings"] == json.load(open("plain.json"))["findings"]')" True "and findings"

OAMQUAL_MASK_KEY=ours sh "$gather" --mask --root node --hip-answers answers.json keyed1 2>err
OAMQUAL_MASK_KEY=ours sh "$gather" --mask --root node --hip-answers answers.json keyed2 2>err
if diff -r keyed1 keyed2 >differs; then pass "a key of one's own masks alike every time"; else fail "a key of one's own masks alike every time" "$(head -5 differs)"; fi
if diff -r masked keyed1 >/dev/null; then fail "without one, not"; else pass "without one, not"; fi

# --- answers that do not make a description ---
for state in missing no-device; do
    case $state in
    missing) python3 "$SOURCE/tests/nodes/make_nodes.py" --variant hip-missing --out lame ;;
    *) python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 2 --out lame ;;
    esac
    python3 -c '
import json, sys
print(json.dumps({"schema": "oamqual-hip-probe/1", "state": sys.argv[1], "why": None,
    "library": None if sys.argv[1] == "missing" else "/opt/rocm/lib/libamdhip64.so.6.0", "driver_version": None,
    "runtime_version": None, "layout": None, "devices": [], "tried": []}, indent=2))' "$state" >lame.json
    rm -rf copy
    sh "$gather" --root lame --hip-answers lame.json copy 2>err || fail "gather a node whose HIP is $state" "$(cat err)"
    run node --node copy --json
    is "$(field out 'd["hip"]["state"]["value"]')" "$state" "HIP $state replays as that"
done
sed 's/"uuid": "[0-9a-f]*"/"uuid": null/' answers.json >partial.json
rm -rf copy
sh "$gather" --root node --hip-answers partial.json copy 2>err
run node --node copy --json
is "$(field out 'd["hip"]["state"]["value"]')" None "a device without identity leaves HIP unknown"

# --- this machine, and wrong use ---
sh "$gather" --program "$OAMQUAL" here 2>err || fail "gather this machine" "$(cat err)"
run node --node here --json
exits 0 "what was recorded of this machine is a node"
is "$(field out 'd["system"]["kernel"]["value"]')" "$(uname -r)" "with its kernel"
status=0
sh "$gather" here >out 2>err || status=$?
exits 3 "a folder that exists is not touched"
status=0
sh "$gather" --nonsense x >out 2>err || status=$?
exits 2 "an unknown option"

finish
