#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A few seconds of fuzzing: scenes, pictures, references, inventories, inference artifacts. The other targets are in
# 90-fuzz-node.sh, which runs beside this.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/fuzz/lib.sh"

"$SOURCE/tests/fuzz/make_seeds.py" seeds >made 2>&1 || fail "seeds can be made" "$(cat made)"
# shellcheck disable=SC2046 # words
fuzz $(ls seeds)
finish
