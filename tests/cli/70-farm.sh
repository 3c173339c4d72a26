#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A farm on a real Slurm: whatever happens to a node, it has its outcome; what is missing is done again, and only that.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/farm/lib.sh"

missing=$(farm_missing)
if [ -n "$missing" ]; then
    skip "a farm on Slurm" "$missing"
    finish
fi
farm_place

# Without Slurm: one line.
mkdir empty
status=0
PATH=$PWD/empty "$OAMQUAL" farm -w n1 --share . >out 2>err || status=$?
exits 3 "without Slurm it cannot judge"
one_line "and says so in one line"
says 'no Slurm here: .*qualify' "with what to do instead"

for node in well slow dies out off spare real; do farm_node $node; done
farm_node broken --fault init-crash
cp -r "$SOURCE/tests/nodes/mi250x-blade" "$place/nodes/wide"
farm_mode wide faithful
farm_mode slow hang
farm_mode dies hang
farm_mode real real

# A site whose prolog takes the masks away: the step then sees what Slurm did not give it.
cat >"$place/prolog" <<'END'
#!/bin/sh
[ "$SLURMD_NODENAME $SLURM_STEP_ID" != "wide 0" ] || printf 'unset %s\n' ROCR_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL
END
chmod 755 "$place/prolog"
farm_cluster --conf "TaskProlog=$place/prolog" well=1 broken=1 slow=1 dies=1 out=1 off=1 wide=2 spare=1 real=1
scontrol update nodename=out state=drain reason='fans | State=IDLE'
"$SOURCE/tests/farm/slurm" kill "$place/q" off
scontrol update nodename=off state=down reason='no power'

run_dir=$place/share/first
nodes=well,broken,slow,dies,out,off,wide,ghost,real

# The page has each outcome, finding and exit status that there is.
missing=$(field "$SOURCE/docs/farm.schema.json" "' '.join(d['properties']['nodes']['items']['properties']['outcome']['enum'])" | tr ' ' '\n' |
    while read -r name; do grep -q "\`$name\`" "$SOURCE/docs/farm.md" || echo "$name"; done)
is "$missing" "" "docs/farm.md has each outcome"
missing=$(sed -n 's/.*add_finding(findings, "\([a-z-]*\)".*/\1/p' "$SOURCE/src/farm/masks.c" |
    while read -r name; do grep -q "\`$name\`" "$SOURCE/docs/farm.md" || echo "$name"; done)
is "$missing" "" "  and each finding"

# Told what would be done, and nothing is.
run farm -w $nodes --share "$place/share" --name dry --dry-run $(farm_options)
exits 0 "--dry-run prints the job"
if [ -e "$place/share/dry" ]; then fail "  and makes nothing"; else pass "  and makes nothing"; fi
is "$(squeue -h | wc -l)" 0 "  and submits nothing"
says '^# ghost would not be submitted: not-run: Slurm knows no such node' "  nor would a node that Slurm does not know"
says '^# out would not be submitted: drained: node drain' "  or one that is drained"
is "$(grep -c 'sbatch .*--nodelist=\(ghost\|out\|off\) ' out)" 0 "  and none of them has a submission"
says '^#SBATCH --exclusive$' "  the allocation is exclusive"
says '^# .*sbatch .*--nodelist=wide --gres=gpu:2 ' "  each node has a job of its own, with its GPUs"
sed '/^# .usr.bin.env/d; /would not be submitted/d' out >script.sh
if sh -n script.sh; then pass "  the script is one"; else fail "  the script is one"; fi

run farm -p render --share "$place/share" --name dry --dry-run $(farm_options)
exits 0 "a partition's nodes instead of a list"
is "$(grep -c '^# .*sbatch .*--nodelist=[a-z]\|^# [a-z]* would not be' out)" "$(sinfo -h -N -p render -o %N | sort -u | wc -l)" "  all of them"
run farm -p nonesuch --share "$place/share" --name dry --dry-run $(farm_options)
exits 3 "no partition of that name"
says 'no node in partition nonesuch' "  is said"
run farm -w well -p nonesuch --share "$place/share" --name dry --dry-run $(farm_options)
exits 3 "nor with a list of nodes"
says 'no node in partition nonesuch' "  is it said of them"
run farm -w well,ghost -p render --share "$place/share" --name dry --dry-run $(farm_options)
exits 0 "nodes of a partition, and one that is none of it"
says '^# ghost would not be submitted: not-run: ' "  which is said"
run farm -w '' --share "$place/share" --name dry --dry-run $(farm_options)
exits 3 "no node at all"
says '^oamqual: --nodes: the list is empty$' "  is said"

run farm -w $nodes --share "$place/share" --name wrong --samples many $(farm_options)
exits 2 "what no qualify takes is said before anything is submitted"
says "samples takes a whole number" "  by name"
if [ -e "$place/share/wrong" ]; then fail "  and makes nothing"; else pass "  and makes nothing"; fi

env ROCR_VISIBLE_DEVICES=7 "$farm_tool" farm -w $nodes --share "$place/share" --name first -t 30 $(farm_options) >first-out 2>first-err &
farm=$!
if wait_for 60 is_running_on "$run_dir" dies; then pass "the node that will die runs"; else fail "the node that will die runs" "$(cat first-err)"; fi
"$SOURCE/tests/farm/slurm" kill "$place/q" dies
wait_for 60 is_running_on "$run_dir" slow
slow_job=$(field "$run_dir/jobs/slow.json" "d['id']")
scontrol update jobid="$slow_job" EndTime=now+2
# While Slurm takes its time to notice, other farms go their way.

# Ctrl-C leaves the jobs, and says so.
farm_mode spare hang
"$farm_tool" farm -w spare --share "$place/share" --name left -t 5 $(farm_options) >out 2>err &
other=$!
wait_for 40 is_running_on "$place/share/left" spare || fail "it runs" "$(cat err)"
run farm -w spare --share "$place/share" --name left $(farm_options)
exits 3 "a name that is taken is refused"
says "is there already; to go on with it: 'oamqual farm --resume $place/share/left'" "  with what to do"
run farm --resume "$place/share/left"
exits 3 "a second one is refused while it is followed"
says "another 'oamqual farm' works on this run" "  with the reason"
kill -INT $other
status=0
wait $other || status=$?
exits 3 "Ctrl-C ends the following"
is "$(outcome "$place/share/left" spare)" running "the node runs on"
says 'To go on: +oamqual farm --resume' "how to go on is said"
cancel=$(sed -n 's/^To cancel: *//p' out)
is "$cancel" "scancel $(field "$place/share/left/jobs/spare.json" "d['id']")" "and how to cancel"
$cancel
status=0
"$farm_tool" farm --resume "$place/share/left" --poll 1 >out 2>err &
other=$!
wait_for 40 is_running_on "$place/share/left" spare
scancel "$(field "$place/share/left/jobs/spare.json" "d['id']")"
wait $other || status=$?
is "$(outcome "$place/share/left" spare)" cancelled "a cancelled job is named as such"

# A changed manifest or scene is another farm.
cp "$place/share/left/manifest.json" manifest.json
sed -i 's/"minutes": 5/"minutes": 6/' "$place/share/left/manifest.json"
run farm --resume "$place/share/left"
exits 3 "a changed manifest is refused"
says 'manifest.json is not the one' "  with the reason"
cp manifest.json "$place/share/left/manifest.json"
cp "$place/scene/scene.json" scene.json
echo ' ' >>"$place/scene/scene.json"
run farm --resume "$place/share/left"
exits 3 "and so is a changed scene"
says 'not what it was when the run began: scene: .*its digest' "  which is named"
cp scene.json "$place/scene/scene.json"

# What arrives on the node is not what was sent: told apart from rendering. The scene changes while the job waits.
farm_mode spare faithful
sbatch --parsable -w spare --exclusive -o /dev/null --wrap 'sleep 300' >blocker
"$farm_tool" farm -w spare --share "$place/share" --name changed -t 5 $(farm_options) >out 2>err &
other=$!
wait_for 40 test -s "$place/share/changed/jobs/spare.json"
echo ' ' >>"$place/scene/scene.json"
scancel "$(cat blocker)"
status=0
wait $other || status=$?
exits 3 "another scene on the node than in the manifest cannot be judged"
is "$(outcome "$place/share/changed" spare)" artifact-mismatch "it is an artifact mismatch"
says '^spare .*artifact-mismatch.* scene: .*its digest is' "  that names the scene"
is "$(ls "$place/share/changed/nodes")" "" "  and nothing was rendered"
cp scene.json "$place/scene/scene.json"
status=0
"$farm_tool" farm --resume "$place/share/changed" --poll 1 -q >out 2>err || status=$?
exits 0 "with the right scene the same run is accepted"

# --- what came of the first ---
status=0
wait $farm || status=$?
exits 3 "a farm with nodes that were not judged cannot judge"
cp first-out out

is "$(outcome "$run_dir" well)" qualified "a healthy node is qualified"
is "$(outcome "$run_dir" broken)" qualified "and so is one with a broken runtime"
is "$(outcome "$run_dir" slow)" timed-out "a slow one timed out"
is "$(outcome "$run_dir" dies)" lost "one that died in the middle is lost"
is "$(outcome "$run_dir" out)" drained "a drained one is drained"
is "$(outcome "$run_dir" off)" node-down "one that is down is down"
is "$(outcome "$run_dir" ghost)" not-run "one that Slurm does not know is not dropped"
is "$(outcome "$run_dir" wide)" qualified "a node of which a part was allocated is qualified"
is "$(field "$run_dir/farm.json" "[n['name'] for n in d['nodes']]")" \
    "['well', 'broken', 'slow', 'dies', 'out', 'off', 'wide', 'ghost', 'real']" "in the order that was asked"
cp first-out out
says '^out .*fans [|] State=IDLE' "with the reason of who drained it"
says '^off .*no power' "and of who took it down"
says '^slow .*timed-out' "the text names each"
is "$(field "$run_dir/nodes/well/record.json" "[g['verdict'] for g in d['gcds']]")" "['accepted']" "the healthy node's GCD is accepted"
is "$(field "$run_dir/nodes/broken/record.json" "[g['verdict'] for g in d['gcds']][0] in ('accepted', 'inconclusive')")" False \
    "the broken one's is not, with a verdict"
for node in well broken wide real; do
    run verify "$run_dir/nodes/$node"
    exits 0 "the evidence of $node arrived whole"
done
is "$(field "$run_dir/farm.json" "d['source']")" simulated "the farm says that it is simulated"
is "$(field "$run_dir/nodes/real/record.json" "[g['verdict'] for g in d['gcds']]")" "['not-listed']" "a real Blender without a kernel says so"
digest=$(sha256sum <"$run_dir/nodes/well/record.json" | cut -d' ' -f1)
is "$(field "$run_dir/farm.json" "d['nodes'][0]['record_sha256']")" "$digest" "with the record's digest, as sha256sum has it"
digest=$(sha256sum <"$run_dir/manifest.json" | cut -d' ' -f1)
is "$(field "$run_dir/farm.json" "d['manifest']['sha256']")" "$digest" "and the manifest's"
digest=$(sha256sum <"$farm_tool" | cut -d' ' -f1)
is "$(field "$run_dir/farm.json" "[a['sha256'] for a in d['manifest']['artifacts'] if a['kind'] == 'tool'][0]")" "$digest" \
    "and the program's"
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 - "$SOURCE/docs/farm.schema.json" "$run_dir/farm.json" >schema.txt 2>&1 <<'PYTHON'
import json, sys
import jsonschema
schema, farm = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(farm, schema)
PYTHON
    is "$?" 0 "farm.json is of its schema $(tail -n 3 schema.txt)"
else
    skip "farm.json is of its schema" "python3-jsonschema is not installed"
fi

# The page, and what `report` makes of the same list.
if grep -q 'ghost' "$run_dir/report.html" && grep -q 'timed-out' "$run_dir/report.html"; then pass "a page of all nodes is written"; else
    fail "a page of all nodes is written" "$(ls "$run_dir")"
fi
run report --json "$run_dir/farm.json"
exits 0 "report reads farm.json"
is "$(field out "[(n['name'], n['outcome']) for n in d['nodes']]")" \
    "$(field "$run_dir/farm.json" "[(n['name'], n['outcome']) for n in d['nodes']]")" "  with the same outcomes"

# The masks.
is "$(field "$run_dir/farm.json" "[(n['masks']['job']['SLURM_JOB_GPUS'], n['masks']['step']['SLURM_STEP_GPUS'], n['masks']['step']['ROCR_VISIBLE_DEVICES'], n['masks']['job']['ROCR_VISIBLE_DEVICES']) for n in d['nodes'] if n['name'] == 'wide'][0]")" \
    "('0,1', '0,1', None, '0,1')" "job and step masks are recorded apart"
cp first-out out
says 'allocated-fewer-than-visible: 2 allocated, 8 visible' "2 allocated and 8 visible is a finding"
is "$(field "$run_dir/nodes/wide/record.json" "len({a['device']['bdf'] for a in d['attempts'] if a.get('device')})")" 2 \
    "and only the two allocated were rendered on"
is "$(field "$run_dir/farm.json" "d['nodes'][0]['masks']['step']['ROCR_VISIBLE_DEVICES']")" 0 "a mask of the submitting shell does not reach the node"

# What was not finished is kept.
partial=$(field "$run_dir/farm.json" "[n['evidence'] for n in d['nodes'] if n['name'] == 'slow'][0]")
if [ -s "$run_dir/$partial/state.json" ]; then pass "what the slow node had is kept"; else fail "what the slow node had is kept" "$partial" "$(ls -R "$run_dir/partial")"; fi
kept=$(field "$run_dir/farm.json" "[n['kept_on_node'] for n in d['nodes'] if n['name'] == 'dies'][0]")
is "${kept%%:*}" dies "where the lost node's evidence lies is named"
if [ -s "${kept#*:}/run/state.json" ]; then pass "  and it is there"; else fail "  and it is there" "$kept"; fi

# To act on it: printed and not done, and Slurm takes the lines.
is "$(sinfo -h -N -n broken -o %T)" idle "nothing was changed in Slurm"
grep '^# SIMULATED, not for use: scontrol' first-out | sed 's/^# SIMULATED, not for use: //' >offers
is "$(wc -l <offers | tr -d ' ')" 3 "a line for each node whose GCDs are decided"
if sh -e offers >offers.txt 2>&1; then pass "scontrol takes them"; else fail "scontrol takes them" "$(cat offers offers.txt)"; fi
is "$(sinfo -h -N -n broken -o '%T')" drained "  drained"
is "$(sinfo -h -N -n well -o '%b')" oamqual "  and marked with a feature"

# Once more: only what is missing.
"$SOURCE/tests/farm/slurm" revive "$place/q" dies off
for node in slow dies; do farm_mode $node faithful; done
scontrol update nodename=out state=resume
scontrol update nodename=off state=resume 2>/dev/null
wait_for 40 sh -c 'test "$(sinfo -h -N -n dies,off -o %T | sort -u)" = idle' || fail "the node comes back" "$(sinfo -N)"
cp "$run_dir/jobs/well.json" well-job.json
old_job=$(field "$run_dir/jobs/dies.json" "d['id']")
status=0
"$farm_tool" farm --resume "$run_dir" --poll 1 >out 2>err || status=$?
exits 3 "resumed, the node that Slurm does not know is still not judged"
for node in well broken slow dies out off wide real; do
    is "$(outcome "$run_dir" $node)" qualified "  $node is"
done
if cmp -s "$run_dir/jobs/well.json" well-job.json; then pass "what had its record was not run again"; else fail "what had its record was not run again"; fi
if [ -s "$run_dir/earlier/dies-$old_job.jobs.json" ]; then pass "and the earlier job's traces are kept"; else fail "and the earlier job's traces are kept" "$(ls "$run_dir/earlier")"; fi
is "$(field "$run_dir/words/dies.json" "d['qualify']['resumed']")" True "the lost node went on from what it had"

finish
