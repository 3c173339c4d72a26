#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two users and two farms on one shared folder; a shared folder that is full or read-only, or not there on a node.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/farm/lib.sh"

missing=$(farm_missing)
if [ -n "$missing" ]; then
    skip "farms on one shared folder" "$missing"
    finish
fi
farm_place
for node in a b full; do farm_node $node; done
farm_cluster a=1 b=1 full=1

if [ "$(id -u)" -ne 0 ]; then
    skip "two users and a full shared folder" "another user and a tmpfs need root"
    finish
fi

# --- two users, three farms, at once ---
chmod -R a+rX "$place"
chmod 755 "$place/nodes" "$place/mode"
farm_of() { # user, name, node
    runuser -u "$1" -- env -i PATH="$PATH" HOME=/ SLURM_CONF="$SLURM_CONF" "$farm_tool" farm -w "$3" --share "$place/share" --name "$2" \
        -t 5 $(farm_options) >"$2.out" 2>"$2.err"
}
farm_of nobody theirs a,b &
theirs=$!
farm_of root ours b,a &
ours=$!
farm_of nobody theirs a & # the same name a moment later, or before: one of them is refused
again=$!
status=0
wait $ours || status=$?
is $status 0 "our farm is accepted"
theirs_status=0
again_status=0
wait $theirs || theirs_status=$?
wait $again || again_status=$?
is "$(printf '%s\n' $theirs_status $again_status | sort | tr '\n' ' ')" "0 3 " "of two farms of one name one is refused, the other accepted"
is "$(stat -c %U "$place/share/theirs/farm.json" "$place/share/ours/farm.json" | tr '\n' ' ')" "nobody root " "each has a folder of its user"
is "$(field "$place/share/ours/farm.json" "[(n['name'], n['outcome']) for n in d['nodes']]")" "[('b', 'qualified'), ('a', 'qualified')]" \
    "with its own nodes"
for node in a b; do
    run verify "$place/share/ours/nodes/$node"
    exits 0 "the evidence of $node is whole"
done
if wait_for 30 sh -c 'test -z "$(squeue -h)"'; then pass "no job is left"; else fail "no job is left" "$(squeue)"; fi
is "$(find "$farm_local" -mindepth 2 | wc -l)" 0 "nor anything on the nodes, once it was delivered"

# Another user's folder is not taken up.
status=0
runuser -u nobody -- env -i PATH="$PATH" HOME=/ SLURM_CONF="$SLURM_CONF" "$farm_tool" farm --resume "$place/share/ours" >out 2>err || status=$?
exits 3 "another user cannot go on with our run"
one_line "and is told so in a line"

# --- a full shared folder, then a read-only one ---
mkdir "$place/small"
if ! mount -t tmpfs -o size=100k tmpfs "$place/small" 2>/dev/null; then
    skip "a full shared folder" "a tmpfs cannot be mounted here"
    finish
fi
farm_mounted=$place/small
small=$place/small/run
status=0
"$farm_tool" farm -w full --share "$place/small" --name run -t 5 $(farm_options) >out 2>err || status=$?
exits 3 "a full shared folder: nothing is judged"
says '^full .*job-failed.*the shared folder is full' "it is said of the node"
kept=$(sed -n 's/.*what it has is on the node: full://p' out)
if [ -s "$kept/run/record.json" ]; then pass "the node keeps its record, and where is said"; else fail "the node keeps its record, and where is said" "$kept" "$(cat out)"; fi
run verify "$kept/run"
exits 0 "  whole"
is "$(ls -A "$small/nodes")" "" "  and half a record is nowhere"
written=$(stat -c %Y "$kept/run/record.json")

# Read-only where the node delivers, then everywhere.
mount -o remount,size=64m "$place/small"
mount --bind "$small/nodes" "$small/nodes"
farm_mounted="$small/nodes $place/small"
mount -o remount,bind,ro "$small/nodes"
status=0
"$farm_tool" farm --resume "$small" --poll 1 >out 2>err || status=$?
exits 3 "a read-only shared folder: nothing is judged"
says '^full .*job-failed.*cannot write to the shared folder' "it is said of the node"
says 'what it has is on the node: full:' "with where its record is"
umount "$small/nodes"
farm_mounted=$place/small
mount -o remount,ro "$place/small"
run farm --resume "$small"
exits 3 "a run in a read-only folder cannot be gone on with"
says 'run/lock: Read-only file system' "  which is said"
status=0
"$farm_tool" farm -w full --share "$place/small" --name other -t 5 $(farm_options) >out 2>err || status=$?
exits 3 "nor begun"
says 'small/other: Read-only file system' "  which is said"
is "$(squeue -h | wc -l)" 0 "  and nothing was submitted"
mount -o remount,rw "$place/small"
status=0
"$farm_tool" farm --resume "$small" --poll 1 >out 2>err || status=$?
exits 0 "with a folder that can be written to, it is delivered"
is "$(field "$small/farm.json" "d['nodes'][0]['outcome']")" qualified "and the node is qualified"
ended=$(date -u -d "$(field "$small/nodes/full/record.json" "d['run']['ended']")" +%s)
if [ $((written - ended)) -le 3 ] && [ $((ended - written)) -le 3 ]; then pass "  by what it had rendered before"; else
    fail "  by what it had rendered before" "$written $ended"
fi
run verify "$small/nodes/full"
exits 0 "  with its evidence whole"

umount "$place/small"
farm_mounted=
finish
