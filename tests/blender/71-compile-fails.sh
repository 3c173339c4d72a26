#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One compile settles a gfx target: the other GCDs are not made to wait for the same failure.
. "$SOURCE/tests/cli/lib.sh"

have blender || { skip "a failing compile" "blender is not installed"; finish; }
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant stub-kernel --devices 2 --out node >/dev/null || exit 1
export OAMQUAL_FAKE_HIPCC=fail
run qualify --node node --out run -s "$SOURCE/scenes/cornell" --no-baseline
exits 1 "a compiler that fails: not accepted"
is "$(field run/record.json "set(a['verdict'] for a in d['attempts'] if a['device'])")" "{'kernel-build-failed'}" \
    "every GCD's attempts are kernel-build-failed"
is "$(field run/record.json "d['attempts'][0]['decided_by']['evidence']")" "error: unhandled SGPR spill to memory" \
    "with the compiler's own line"
is "$(field run/record.json "sum(a['run'] for a in d['attempts'] if a['device'])")" 1 "one attempt compiled"
is "$(field run/record.json "all('not run: attempt 001' in a['decided_by']['evidence'] for a in d['attempts'][1:] if a['device'])")" \
    True "the others say that they were not run, and why"
says '^SIMULATED \[[0-9]+/[0-9]+\] 0000:c1:00.0 +cornell +strict +kernel-build-failed' "progress is plain lines without a terminal"

# Ctrl-C in the middle: children end, the record is whole and says so.
rm -rf run node
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant launch-hang --devices 2 --out node >/dev/null || exit 1
"$OAMQUAL" qualify --node node --out run -s "$SOURCE/scenes/cornell" --no-baseline -q >out 2>err &
tool=$!
for _ in $(seq 100); do
    [ -e run/attempts/001-strict-cornell-0000:c1:00.0/worker.json ] && break
    sleep 0.2
done
kill -TERM $tool
status=0
wait $tool || status=$?
exits 3 "an interrupted run could not judge"
is "$(field run/record.json "d['run']['interrupted']")" True "its record says interrupted"
is "$(field run/record.json "set(a['verdict'] for a in d['attempts'])")" "{'inconclusive'}" "and nothing is more than inconclusive"
if pgrep -f "$PWD/run/worker.py" >/dev/null; then fail "no child is left"; else pass "no child is left"; fi
finish
