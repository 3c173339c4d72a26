#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fuzz run on a program with planted bugs: each kind is noticed, and what is printed is enough to have it again.
. "$SOURCE/tests/cli/lib.sh"

planted=$OAMQUAL_FUZZ/planted
[ -x "$planted" ] || {
    skip "planted bugs are noticed" "$planted is not built: make fuzz-programs"
    finish
}
attempt() { # BUG SEED SECONDS
    export PLANTED="$1" FUZZ_TIMEOUT=1
    rm -rf seeds
    mkdir -p seeds/planted
    printf '%s' "$2" >seeds/planted/word
    status=0
    "$SOURCE/tests/run-fuzz" "$OAMQUAL_FUZZ" seeds "$3" planted >out 2>err || status=$?
}

attempt read oven 30
exits 1 "a read past the end is found by search from an input near it"
says 'heap-buffer-overflow' "and named"
says '^planted: 1 seeds, 0 refused, cov [1-9]' "and that the seed itself was harmless"
sed '1,/^again: /d;/^E$/,$d' out | base64 -d | gunzip >input
is "$(head -c 4 input)" over "the input can be had from the output alone"
if "$planted" input >again 2>&1; then fail "and fails again"; else pass "and fails again"; fi
attempt hang over 1
exits 1 "a hang is noticed"
says 'timeout after' "and named"
attempt leak over 1
exits 1 "a leak is noticed"
says 'LeakSanitizer' "and named"
attempt none over 1
exits 0 "without a bug there is nothing to find"
finish
