#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What surrounds the GPUs, as `oamqual node --json` shows it: each value from the node's own tree, or unknown with why.
. "$SOURCE/tests/cli/lib.sh"
PATH="/usr/bin:$PATH"

python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 2 --out node
run node --node node --no-hip --json
exits 0 "a bare tree"
is "$(field out '[k for k, v in d["system"].items() if "value" in v and v["value"] is not None]')" "[]" \
    "tells nothing of its surroundings, and none is borrowed from this machine"
is "$(field out '[k for k, v in d["system"].items() if "value" in v and not v.get("why")]')" "[]" "and says why of each"
is "$(field out '{v["value"] for g in d["system"]["health"] for k, v in g.items() if k not in ("bdf", "ras")}')" "{None}" \
    "an absent sensor is unknown, not 0"

put() {
    mkdir -p "node/$(dirname "$1")"
    printf '%s\n' "$2" >"node/$1"
}
put proc/sys/kernel/osrelease 5.14.21-150500.55
put proc/self/cgroup 0::/slurm/uid_1000/job_7/step_0
put sys/module/amdgpu/version 6.3.6
put opt/rocm/.info/version 6.0.3-100
put sys/class/dmi/id/product_name "HPE_CRAY_EX235A"
put sys/class/dmi/id/chassis_type 28
put sys/class/dmi/id/bios_version "Default string"
put sys/devices/system/node/node0/cpulist 0-15,64-79
c1=sys/bus/pci/devices/0000:c1:00.0
c6=sys/bus/pci/devices/0000:c6:00.0
put $c1/hwmon/hwmon3/temp1_label edge
put $c1/hwmon/hwmon3/temp1_input 38000
put $c1/hwmon/hwmon3/power1_average 92000000
put $c1/ras/umc_err_count "ue: 0
ce: 12"
put $c6/hwmon/hwmon4/power1_average 0
put $c6/gpu_busy_percent 65535
run node --node node --no-hip --json
exits 0 "a tree with surroundings"
is "$(field out '[d["system"][k]["value"] for k in ("kernel", "amdgpu_driver", "rocm_release", "enclosure", "chassis_type", "bios")]')" \
    "['5.14.21-150500.55', '6.3.6', '6.0.3-100', 'HPE_CRAY_EX235A', 'blade (28)', None]" "is read"
is "$(field out 'd["system"]["cgroup"]["value"], d["system"]["container"]["value"]')" \
    "('0::/slurm/uid_1000/job_7/step_0', None)" "a job is not a container"
is "$(field out 'd["system"]["numa"]["value"]')" "[{'node': 0, 'cpus': '0-15,64-79'}]" "NUMA"
is "$(field out 'd["system"]["health"][0]["temperature_edge_c"]["value"], d["system"]["health"][0]["power_w"]["value"]')" \
    "(38.0, 92.0)" "temperature and power"
is "$(field out 'd["system"]["health"][0]["ecc_corrected"]["value"], d["system"]["health"][0]["ras"]["umc"]["uncorrected"]["value"]')" \
    "(12, 0)" "error counts, a read 0 among them"
is "$(field out 'd["system"]["health"][1]["power_w"]["value"], "0000:c1:00.0" in d["system"]["health"][1]["power_w"]["why"]')" \
    "(None, True)" "the mate's 0 W is no reading: the meter is on the other die"
is "$(field out '[(m["gcds"], m["power_w"]["value"]) for m in d["system"]["modules_power"]]')" \
    "[(['0000:c1:00.0', '0000:c6:00.0'], 92.0)]" "the module's power is counted once"
is "$(field out 'd["system"]["health"][1]["busy_percent"]["value"]')" None "65535 percent is none"
is "$(field out 'sorted({v["class"] for v in d["system"].values() if "class" in v})')" "['simulated', 'unknown']" \
    "nothing of a replayed node is observed"

mkdir -p node/sys/module/amdgpu && rm node/sys/module/amdgpu/version
run node --node node --no-hip --json
says "the kernel's own" "a driver without a version is the kernel's own"

run node --no-hip --json
exits 0 "this machine"
is "$(field out 'd["system"]["kernel"]["value"]')" "$(uname -r)" "has its kernel"
is "$(field out 'd["system"]["access"]["user"]["value"]')" "$(id -u)" "its user"
is "$(field out 'sorted(g["group"] for g in d["system"]["access"]["groups"]["value"])')" \
    "[$(id -G | tr ' ' '\n' | sort -nu | paste -sd, | sed 's/,/, /g')]" "its groups"
soft=$(sh -c 'ulimit -l')
is "$(field out 'd["system"]["access"]["memlock_soft"]["value"]')" \
    "$([ "$soft" = unlimited ] && echo unlimited || echo $((soft * 1024)))" "and its memlock limit"
OAMQUAL_IMAGE_DIGEST=sha256:abc run node --no-hip --json
is "$(field out 'd["system"]["container_digest"]["class"]')" declared "a digest handed in is declared, not observed"

finish
