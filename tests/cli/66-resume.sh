#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run that was killed, interrupted or ran out of disk goes on from what it has, and comes to the record that it would
# have come to; it does not go on when what it judged has changed.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_BLENDER=forged
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER
cp -r "$SOURCE/scenes/cornell" scene
cp -r "$SOURCE/tests/fakes" fakes
set -- --node node -s scene -b fakes/blender --no-baseline --sandbox none --probe strict

# Killed at moments of chance, and at each rename that it makes: what is half done is done again, what is whole is kept.
embed() { # title, command...
    title=$1
    shift
    if "$@" >tap 2>tap-err; then pass "$title ($(grep -c '^ok' tap) runs)"; else
        fail "$title" "$(grep -v '^ok' tap)" "$(cat tap-err)"
    fi
}
embed "killed at random, each run comes to the same record" \
    python3 "$SOURCE/tests/resume.py" "$OAMQUAL_RELEASE" random 4 1 -- "$@"
if have strace; then
    embed "killed at each rename, each run comes to the same record" \
        python3 "$SOURCE/tests/resume.py" "$OAMQUAL_RELEASE" every rename -- "$@"
else
    skip "killed at each rename" "strace is not installed"
fi

# Ctrl-C: a valid record that says so, children gone, and it goes on.
rm -rf run
FAKE_BLENDER=hang "$OAMQUAL" qualify "$@" --out run -q >out 2>err &
tool=$!
waited=0
while ! ls run/attempts/*/worker.json >/dev/null 2>&1 && [ $waited -lt 300 ]; do sleep 0.1; waited=$((waited + 1)); done
kill -INT $tool
wait $tool
is $? 3 "Ctrl-C ends it without a judgement"
is "$(field run/record.json "d['run']['interrupted']")" True "and leaves a record that says interrupted"
if pgrep -f "fakes/blender.*$PWD/run" >/dev/null; then fail "and no child"; else pass "and no child"; fi
run verify run
exits 0 "whose evidence is whole"
run qualify --resume run -q
exits 1 "it goes on to the end"
is "$(field run/record.json "d['run']['interrupted'], len(d['run']['resumed']), [a['verdict'] for a in d['attempts']]")" \
    "(False, 1, ['inconclusive', 'accepted'])" "with every attempt judged"
is "$(field run/record.json "[r.split(':')[-1] for r in d['run']['resumed'][0]['redone']]")" \
    "[' it was not judged yet']" "and the record says what was done anew"
run qualify --resume run
exits 1 "resumed once more it says what it said"
says 'came to its end' "because there is nothing to do"

# What was judged must be what is judged.
half() {
    rm -rf run
    run qualify "$@" --out run -q
    rm run/record.json
}
half "$@"
cp node/node.json node.json
sed -i 's/"unique_id": *"0x[0-9a-f]/"unique_id": "0x7/' node/node.json
run qualify --resume run
exits 3 "not with another node"
says 'not what it was when it began: node' "which is named"
cp node.json node/node.json
echo "# another build" >>fakes/blender
run qualify --resume run
exits 3 "not with another Blender"
says 'not what it was when it began: blender' "which is named"
cp "$SOURCE/tests/fakes/blender" fakes/blender
cp scene/scene.json scene.json
sed -i 's/"samples": *[0-9]*/"samples": 7/' scene/scene.json
run qualify --resume run
exits 3 "not with other settings of a scene"
says 'not what it was when it began: scenes' "which are named"
cp scene.json scene/scene.json
run qualify --resume run -q
exits 1 "and with all as it was it goes on"
is "$(field run/record.json "d['run']['resumed'][-1]['redone']")" "[]" "with nothing to do anew"

# Evidence that was changed meanwhile is not taken over.
half "$@"
folder=$(echo run/attempts/*strict*)
echo more >>"$folder/stdout.txt"
run qualify --resume run -q
is "$(field run/record.json "d['run']['resumed'][0]['redone'][0].split(': ')[-1]")" \
    "its evidence is not what it was when it was judged" "changed evidence is made anew"
half "$@"
folder=$(echo run/attempts/*strict*)
sed -i 's/"verdict": "inconclusive"/"verdict": "accepted"/' "$folder/attempt.json"
run qualify --resume run -q
is "$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'strict'], d['run']['resumed'][0]['redone'][0].split(': ')[-1]")" \
    "(['inconclusive'], 'its facts make it inconclusive, and it says accepted')" "nor a verdict that does not follow"

# A kernel file that nobody vouches for may be half written.
half "$@"
echo half >run/cache/cycles/kernels/cycles_kernel_gfx90a_00
run qualify --resume run -q
if [ -e run/cache/cycles/kernels/cycles_kernel_gfx90a_00 ]; then fail "a kernel file of a killed compiler goes"; else
    pass "a kernel file of a killed compiler goes"
fi

# A full disk: named, nothing lost, and it goes on once there is room.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o "size=$(($(du -sk run | cut -f1) / 2))k" tmpfs small 2>/dev/null; then
    trap 'umount small 2>/dev/null' EXIT
    run qualify "$@" --out small/run -q
    exits 3 "a full disk ends it"
    says 'No space left' "with the reason"
    says 'to go on: oamqual qualify --resume' "and how to go on"
    mount -o remount,size=64m small
    run qualify --resume small/run -q
    exits 1 "with room again it goes on to the end"
    run verify small/run
    exits 0 "and its record is whole"
    umount small
else
    skip "a full disk" "a tmpfs cannot be mounted here: run as root"
fi

# Words.
run qualify --resume nowhere
exits 3 "a folder that is not there"
mkdir empty
run qualify --resume empty
exits 3 "a folder without a run"
says 'no run has begun there' "is told"
run qualify --resume run --samples 5
exits 2 "options of the run itself are not taken"
echo '{"schema": "oamqual-state/1", "command": ["qualify", "--bogus"], "folder": "/"}' >empty/state.json
run qualify --resume empty
exits 2 "a state with a command of another version"
echo '{"schema": "oamqual-state/1", "command": [7, null], "folder": "/nowhere"}' >empty/state.json
run qualify --resume empty
exits 3 "a state from a folder that is gone"
echo '[[[' >empty/state.json
run qualify --resume empty
exits 3 "a state that is no JSON"
finish
