#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node --preflight: one line and an exit status for a node health check.
. "$SOURCE/tests/cli/lib.sh"
PATH="/usr/bin:$PATH"
unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL

# node VARIANT ARG...: with the device files of a healthy machine
node() {
    variant=$1
    shift
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant "$variant" --out node "$@"
    mkdir -p node/dev/dri
    : >node/dev/kfd
    for minor in 128 129 130 131 132 133 134 135; do : >node/dev/dri/renderD$minor; done
}

# preflight STATUS PATTERN TITLE
preflight() {
    run node --node node --preflight
    exits "$1" "$3"
    is "$(wc -l <out)" 1 "in one line"
    says "$2" "that says it"
    if grep -qi 'cycles\|render worker\|accepted' out; then fail "nothing is promised of Cycles" "$(cat out)"; else
        pass "nothing is promised of Cycles"
    fi
}

node plain
preflight 0 '^ready to be qualified: 8 GPU domains in KFD, 8 in HIP.*SIMULATED' "a healthy node"

rm node/dev/dri/renderD131
preflight 3 '^cannot tell: /dev/dri/renderD131 is not in the replayed node' "a render node that the tree does not hold"
rm node/dev/kfd
preflight 3 '^cannot tell: /dev/kfd is not in the replayed node' "the first unknown is named"

node no-gpu
preflight 1 '^not ready: .*no GPU' "no GPU"
node hip-missing
preflight 1 '^not ready: HIP: missing: no libamdhip64' "no library"
node hip-crash
preflight 1 '^not ready: HIP: crashed' "a runtime that crashes"
node plain --devices 2 --fault no-device@0000:c6:00.0
preflight 1 '^not ready: .*2.*1' "HIP knows fewer than KFD"

# Findings that stop a job though they are no fault: the stand-in says HIP 6.3.42131, ROCm 6.3.0.
node r0600
mkdir -p node/sys/module/amdgpu
echo 6.7.0 >node/sys/module/amdgpu/version
preflight 0 '^ready to be qualified' "a driver two releases older"
echo 6.3.6 >node/sys/module/amdgpu/version
preflight 1 '^not ready: user space is ROCm 6.3.0 .* 3 releases apart' "a driver three releases older"
node plain
sed -i 's/^size_in_bytes .*/size_in_bytes 34359738368/' node/sys/class/kfd/kfd/topology/nodes/4/mem_banks/0/properties
preflight 1 '^not ready: 0000:c1:00.0: observed 34359738368 bytes .* published 64 GB' "a domain with half of its memory"
# A note or another warning does not stop one.
python3 "$SOURCE/tests/nodes/make_machines.py" mi308x-8x4 cards
run node --node cards --no-hip --json
is "$(field out '[(f["weight"], f["code"]) for f in d["findings"]]')" "[('warning', 'isolation-by-index')]" \
    "partitions of a card cannot be told apart by their unique id"
says 'isolate by index, ROCR_VISIBLE_DEVICES=<index> .0 is 0000:0a:00.0, 1 is 0000:0a:00.1, ' "which says what to do"
run node --node cards --preflight --no-hip --json
is "$(field out '[c["answer"] for c in d["checks"] if c["check"] == "no-finding-stops"]')" "['yes']" "which stops no job"
run node --node cards --memory-check --no-hip
exits 3 "nothing is checked on a device that cannot be singled out"
says '4 GPUs share its unique id, so ROCR_VISIBLE_DEVICES=GPU-[0-9a-f]{16} gives none of them' "and it says why"

node plain
ROCR_VISIBLE_DEVICES=0 run node --node node --preflight
exits 1 "a mask of the caller"
says 'ROCR_VISIBLE_DEVICES is set here' "is named"

run node --node node --preflight --no-hip
exits 3 "HIP that was not asked"
says '^cannot tell: .*not.asked' "is unknown, not missing"

run node --node node --preflight --json
exits 0 "as JSON"
is "$(field out 'd["ready"], [c["answer"] for c in d["checks"] if c["check"] != "memlock"]')" \
    "('yes', ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'])" "with every check"

rm -rf node/sys/class
preflight 1 '^not ready: KFD.s topology cannot be read: .*No such file' "no KFD"

# A live machine without the driver says so; with one, this is a real answer.
if [ ! -e /dev/kfd ]; then
    run node --preflight
    exits 1 "a machine without /dev/kfd is not ready"
fi

# Refused: as a user who may not open it.
if [ "$(id -u)" != 0 ] || ! have setpriv; then
    skip "a refused /dev/kfd" "needs root and setpriv to become a user without rights"
else
    node plain
    rm node/node.json
    mkdir node/etc
    printf 'gpuusers:x:0:\n' >node/etc/group
    chmod -R a+rX .
    chmod 0600 node/dev/kfd
    cp "$OAMQUAL" program
    status=0
    setpriv --reuid 65534 --regid 65534 --clear-groups env ASAN_OPTIONS=detect_leaks=0 TMPDIR=/tmp \
        ./program node --node node --preflight --no-hip >out 2>err || status=$?
    exits 1 "a refused /dev/kfd"
    says 'not ready: /dev/kfd: Permission denied: it belongs to group gpuusers' "names the owning group of the node"
fi

finish
