#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several Blenders in one go: a record each, and one table. Real builds are in tests/matrix; here two stand-ins that behave
# differently by their own file.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IDS FAKE_IMAGE
for mode in forged crash; do
    mkdir $mode
    sed "s|os.environ.get(\"FAKE_BLENDER\", \"silent\")|\"$mode\"|" "$SOURCE/tests/fakes/blender" >$mode/blender
    chmod +x $mode/blender
done
set -- --node node -s "$SOURCE/scenes/cornell" --no-baseline --sandbox none --probe strict -q

run qualify "$@" --out runs -b forged/blender -b crash/blender
exits 1 "two builds are judged"
is "$(ls runs)" "blender-3.4.1
blender-3.4.1-2
matrix.json
matrix.md" "each in a folder of its own, also when they say the same version"
is "$(field runs/matrix.json "[[c['verdict'] for c in g['builds']] for g in d['gcds']]")" "[['inconclusive', 'crashed']]" \
    "a column each"
is "$(field runs/matrix.json "d['source']")" simulated "marked simulated"
is "$(field runs/matrix.json "[b['sha256'] for b in d['builds']]")" \
    "['$(sha256sum <forged/blender | cut -d' ' -f1)', '$(sha256sum <crash/blender | cut -d' ' -f1)']" \
    "with the digest of each executable"
is "$(field runs/matrix.json "[b['control'] for b in d['builds']]")" "['accepted', 'crashed']" \
    "and what its CPU made of the scene"
cmp -s out runs/matrix.md && pass "the table is what was printed" || fail "the table is what was printed"
if grep '0000:c1' out | grep -vq SIMULATED; then fail "each line of evidence says SIMULATED"; else
    pass "each line of evidence says SIMULATED"
fi
for build in blender-3.4.1 blender-3.4.1-2; do
    run verify runs/$build
    exits 0 "$build has a whole record"
done
is "$(field runs/blender-3.4.1-2/record.json "sum(w.startswith('--blender') for w in d['run']['command'])")" 1 \
    "whose command names its own build only"

run qualify "$@" --out more -b forged/blender -b "$PWD/node"
exits 3 "a build that is none is told before anything is judged"
one_line "in one line"
says 'a root file system can only be run through bubblewrap' "with the reason"
if [ -e more ]; then fail "and nothing is left"; else pass "and nothing is left"; fi

# One that says its version and cannot be judged afterwards.
mkdir shy
printf '#!/bin/sh\n[ "$1" = --version ] && [ ! -e %s/asked ] && : >%s/asked && echo Blender 3.4.1\n' "$PWD/shy" "$PWD/shy" >shy/blender
chmod +x shy/blender
run qualify "$@" --out more -b forged/blender -b shy/blender
exits 3 "a build that leaves no record"
is "$(field more/matrix.json "len(d['builds']), d['not_judged']")" "(1, ['shy/blender'])" "is named beside the one that is shown"
says 'Not judged' "which the table says too"
run qualify "$@" --out runs -b forged/blender -b crash/blender
exits 3 "never into an older run"
finish
