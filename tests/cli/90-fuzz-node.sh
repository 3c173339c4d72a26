#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A few seconds of fuzzing: nodes, kernel log, what Blender leaves, records, and every target that 91-fuzz-scenes.sh does
# not run, so that none is left out.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/fuzz/lib.sh"

"$SOURCE/tests/fuzz/make_seeds.py" seeds "$OAMQUAL_RELEASE" >made 2>&1 || fail "seeds can be made" "$(cat made)"
is "$(find "$SOURCE/tests/fuzz" -name 'fuzz_*.c' | wc -l)" "$("$SOURCE/tests/fuzz/make_seeds.py" --targets | sort -u | wc -l)" \
    "there are seeds for each target and targets for all seeds"
"$SOURCE/tests/fuzz/make_seeds.py" --targets scenes >elsewhere
for target in "$SOURCE"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    grep -qx "$name" elsewhere || fuzz "$name"
done
finish
