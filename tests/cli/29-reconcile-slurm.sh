#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Slurm is the judge: it refuses or ignores the broken files, and runs with the corrected ones.
. "$SOURCE/tests/cli/lib.sh"
PATH=${OAMQUAL_SLURM_PREFIX:+$OAMQUAL_SLURM_PREFIX/bin:$OAMQUAL_SLURM_PREFIX/sbin:}$PATH:/usr/sbin:/sbin

for program in slurmctld slurmd scontrol munged; do
    have $program || missing=$program
done
if [ -n "${missing:-}" ]; then
    skip "Slurm accepts the corrected files" "no $missing: package slurm-wlm or munge"
    finish
fi

node=$SOURCE/tests/nodes/mi250x-blade
# Sockets have short names; the daemons' files are gone at the end.
place=$(mktemp -d)
chmod 755 "$place"
daemons=
end() {
    for pid in $daemons; do kill "$pid" 2>/dev/null; done
    for pid in $daemons; do wait "$pid" 2>/dev/null; done
    rm -rf "$place"
}
trap end EXIT
trap 'exit 1' INT TERM
mkdir "$place/dri" "$place/spool" "$place/state"

# slurmd asks that File= is a character device; which one is not its business.
for minor in $(sed -n 's/^drm_render_minor //p' "$node"/sys/class/kfd/kfd/topology/nodes/*/properties); do
    [ "$minor" -lt 1 ] || ln -sf /dev/null "$place/dri/renderD$minor"
done

host=$(hostname -s)
python3 - >ports <<'PYTHON'
import socket
held = [socket.socket() for _ in range(2)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])
PYTHON
read -r port_control port_node <ports

# Modules in place of GCDs, and no GresTypes=.
cat >slurm.conf <<END
# one blade
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$port_control
SlurmdPort=$port_node
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
NodeName=blade NodeHostname=$host NodeAddr=127.0.0.1 CPUs=1 Gres=gpu:mi250x:4 State=UNKNOWN # four OAMs
PartitionName=render Nodes=blade Default=YES State=UP
END
printf 'AutoDetect=amdgpu\nNodeName=blade Name=gpu Type=8\n' >gres.conf

# Newer versions ask munge for `slurmd -G` too.
dd if=/dev/urandom of="$place/key" bs=128 count=1 2>/dev/null
chmod 600 "$place/key"
timeout 90 munged --foreground --force --key-file="$place/key" --socket="$place/munge.socket" \
    --pid-file="$place/munged.pid" --log-file="$place/munged.log" --seed-file="$place/seed" \
    --num-threads=1 >munged.txt 2>&1 &
daemons="$!"
until [ -S "$place/munge.socket" ] || ! kill -0 "$daemons" 2>/dev/null; do sleep 0.1; done

# devices FOLDER: what slurmd makes of gres.conf, in devices.
devices() {
    SLURM_CONF=$1/slurm.conf timeout 3 slurmd -G -f "$1/slurm.conf" >devices 2>&1
}

# refused GRES-CONF PATTERN title: with GresTypes= in order, so that only gres.conf is wrong.
refused() {
    mkdir -p broken
    sed 's/^SelectType/GresTypes=gpu\nSelectType/; s/mi250x:4/mi250x:8/' slurm.conf >broken/slurm.conf
    printf "$1" >broken/gres.conf
    devices broken
    if grep -Eq "$2" devices; then pass "$3"; else fail "$3" "$(cat devices)"; fi
    run reconcile --node "$node" --no-hip --host blade --device-folder "$place/dri" broken/gres.conf
    exits 1 "  and so is it here"
}

if slurmd -C >out 2>err && grep -q '^NodeName=' out; then pass "slurmd describes this machine"; else
    fail "slurmd describes this machine" "$(cat out err)"
fi
devices .
if grep -q 'File=' devices; then fail "Slurm finds no device with the broken files" "$(cat devices)"; else
    pass "Slurm finds no device with the broken files"
fi
refused "AutoDetect=amdgpu\nName=gpu Type=mi250x File=$place/dri/renderD[128-135]\n" \
    "unknown autodetect flag 'amdgpu'" "Slurm does not know AutoDetect=amdgpu"
refused "Name=gpu Type=8\n" 'GRES gpu:8 has 1 more configured' "Slurm ignores Type=8"
refused "Name=gpu Type=mi250x File=$place/dri/renderD[129-136]\n" "gres.conf file .*renderD136" \
    "Slurm refuses a render node that is not there"
refused "Name=gpu Type=mi250x Count=4 File=$place/dri/renderD[128-135]\n" 'count does not match File' \
    "Slurm refuses Count= beside another number of files"
refused "Name=gpu Type:8 File=$place/dri/renderD[128-135]\n" 'Parse error' "Slurm refuses Type:8"

run reconcile --node "$node" --no-hip --host blade --device-folder "$place/dri" --write fixed slurm.conf gres.conf
exits 1 "the broken files are judged"
says '^fault .*slurm.conf:20: module-not-gcd: 4 GPUs .* 8 GPU domains' "modules in place of GCDs, with both numbers"
says '^fault .*gres-types-missing' "GresTypes= is missed"
says '^fault .*gres.conf:1: autodetect-unknown' "the detector is unknown"
says '^fault .*gres.conf:2: type-is-a-number' "the type is a number"

devices fixed
is "$(grep -c "^[^ ]* Gres Name=gpu Type=mi250x Count=1 .*File=$place/dri/renderD1[23][0-9]" devices)" 8 \
    "slurmd reads one device a GCD from the corrected files"
# Newer versions speak of this machine's cgroups and CPUs here.
grep -Ev 'cgroup/v1|differs from hardware' devices >complaints
if grep -Eiq 'error|fatal|warning|unknown' complaints; then fail "  without a complaint" "$(cat devices)"; else
    pass "  without a complaint"
fi

# The real thing, on loopback only.
export SLURM_CONF="$PWD/fixed/slurm.conf"
timeout 35 slurmctld -D -f "$SLURM_CONF" >slurmctld.txt 2>&1 &
daemons="$! $daemons"
timeout 35 slurmd -D -f "$SLURM_CONF" >slurmd.txt 2>&1 &
daemons="$! $daemons"
try=0
while [ $try -lt 40 ]; do
    timeout 5 scontrol show node >block 2>&1 && grep -q 'State=IDLE ' block && break
    try=$((try + 1))
    sleep 0.25
done
timeout 5 scontrol -o show node >oneline 2>&1
if grep -q 'Gres=gpu:mi250x:8$' block && grep -q 'State=IDLE ' block; then
    pass "slurmctld and slurmd run with the corrected files: 8 GPUs, idle"
else
    fail "slurmctld and slurmd run with the corrected files: 8 GPUs, idle" "$(cat block)" \
        "$(tail -n 20 slurmctld.txt)" "$(tail -n 20 slurmd.txt)"
fi
if grep -Eq 'fatal' slurmctld.txt slurmd.txt; then
    fail "no fatal error in either log" "$(grep fatal slurmctld.txt slurmd.txt)"
else
    pass "no fatal error in either log"
fi
for form in block oneline; do
    run reconcile --node "$node" --no-hip --host blade --device-folder "$place/dri" $form
    exits 0 "what scontrol shows then agrees with the node ($form)"
    says ", $form 8\$" "  and counts 8"
done
run reconcile --node "$node" --no-hip --host blade --device-folder "$place/dri" fixed/slurm.conf fixed/gres.conf
exits 0 "the corrected files need no correction"
is "$(grep -c '^\(fault\|warning\)' err)" 0 "  and have no finding"

finish
