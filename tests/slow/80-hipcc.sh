#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Blender 3.4.1 and Debian's hipcc 5.2.3 on gfx90a: the compile takes minutes and fails, and says how.
. "$SOURCE/tests/cli/lib.sh"

have hipcc || { skip "a real compile" "hipcc is not installed"; finish; }
have blender || { skip "a real compile" "blender is not installed"; finish; }
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 2 --hipcc inherit --out node >/dev/null || exit 1
run qualify --node node --out run -s "$SOURCE/scenes/cornell" --no-baseline --deadline 1200
exits 1 "not accepted"
is "$(field run/record.json "set(g['verdict'] for g in d['gcds'])")" "{'kernel-build-failed'}" "both GCDs: kernel-build-failed"
case $(field run/record.json "d['attempts'][0]['decided_by']['evidence']") in
*"unhandled SGPR spill to memory"*) pass "with the compiler's own line as evidence" ;;
*) fail "with the compiler's own line as evidence" "$(field run/record.json "d['attempts'][0]['decided_by']")" ;;
esac
is "$(field run/record.json "sum(a['run'] for a in d['attempts'] if a['device'])")" 1 "one attempt compiled for both"
finish
