#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/findings against the table that was written by hand: each node's row stands in its page, and no page names a folder
# of the machine that wrote it. The runs themselves are `make check-matrix`.
. "$SOURCE/tests/cli/lib.sh"

findings=$SOURCE/docs/findings
lines=$(grep -c '^gfx' "$SOURCE/tests/matrix.expected")
got=$("$SOURCE/tests/matrix" --check "$findings" 2>&1)
is "$got" "$lines passed, 0 failed" "every line of tests/matrix.expected has its row"

mkdir pages
cp "$findings"/gfx*.md pages
sed -i '/^| 6.4.43484 | a stub hipcc/s/not-listed/accepted/' pages/gfx90a.md
"$SOURCE/tests/matrix" --check pages >out 2>err && fail "a page that says otherwise is refused" || pass "a page that says otherwise is refused"
is "$(grep -c '^not ok - gfx90a, HIP driver 6.4.43484, a stub hipcc' out)" 1 "and named"

if grep -nE '/(home|root|tmp|work|build|mnt)/' "$findings"/*.md >paths; then
    fail "no page names a folder of a machine" "$(cat paths)"
else
    pass "no page names a folder of a machine"
fi
is "$(grep -c SIMULATED "$findings"/gfx*.md | grep -c ':0$')" 0 "each page says SIMULATED"
finish
