#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual predict: the fact table as a command. The rules themselves are in tests/unit/test_prediction.c.
. "$SOURCE/tests/cli/lib.sh"

run predict gfx90a
exits 0 "without a version: a row for each range"
is "$(grep -Ec '^[345]\.[0-9]' out)" 9 "nine ranges of equal rules"
says '^3\.3 - 3\.5 +9\.0 +admitted' "3.3 took major 9 in"
says '^4\.3 - 4\.4 +10\.0 +below .*not-listed$' "4.3 put it out"
says '^5\.2 +10\.0 +below +6\.3\.42131 ' "5.2 asks for ROCm 6.3"
says 'not observed' "and says what it is"

run predict gfx90a --blender 4.3.2
exits 0 "one version"
says '^expected verdict +not-listed$' "gfx90a is not listed by 4.3"
says 'dc1303119' "with the commit that did it"
run predict gfx90a --blender 3.4.1 --hipcc 5.2.3 --kernels no
says '^expected verdict +kernel-build-failed$' "A17 the compiler of Debian 12 fails"
says 'unhandled SGPR spill' "with its error"
run predict gfx1100 --blender 5.0 --driver 50700000
says 'found HIP driver 50700000 \(5\.7\.0\), needed 60000000 \(6\.0\.0\)' "A12 found and needed driver"
run predict gfx90a --blender 5.3
exits 0 "a version outside the table is no error"
says '^expected verdict +unknown: .* of 5\.3 nothing was read or run' "and is unknown, with why"

run predict gfx90a --blender 3.4.1 --kernels no --hipcc none --json
exits 0 "as JSON"
is "$(field out "sorted({v['class'] for v in d.values() if isinstance(v, dict)})")" "['predicted', 'unknown']" \
    "every value is predicted or unknown, none observed"
is "$(field out "d['verdict']['value'], d['listing']['value'], d['table_row']")" "('not-listed', 'hidden', '3.3 - 3.5')" \
    "with its verdict"
is "$(field out "all(v.get('from') or v.get('why') for v in d.values() if isinstance(v, dict))")" True "each with its basis"
run predict gfx942 --json
is "$(field out "len(d), [p['verdict']['value'] for p in d][-1]")" "(9, 'not-listed')" "and of all ranges"

# wrong words | title
while IFS='|' read -r words title; do
    # shellcheck disable=SC2086
    run predict $words
    exits 2 "$title"
done <<'TABLE'
|a target is needed
mi250x|a product is no target
gfx90a --blender latest|a version is a number
gfx90a --blender 3.4 --hipcc clang|hipcc is a version or none
gfx90a --blender 3.4 --kernels maybe|kernels are there or not
gfx90a --blender 3.4 --driver 6.3|the driver is one number
TABLE
run predict --help
says 'compiler +its release decides' "the help tells what decides"
finish
