#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed program finds its own files, its manual page is clean and its completion completes.
. "$SOURCE/tests/cli/lib.sh"

if make -s -C "$SOURCE" BUILD="$(dirname "$OAMQUAL_RELEASE")" DESTDIR="$PWD/root" PREFIX=/usr install >log 2>&1; then
    pass "make install"
else
    fail "make install" "$(tail -20 log)"
fi
OAMQUAL=$PWD/root/usr/bin/oamqual
run --version
exits 0 "the installed program runs"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null
FAKE_BLENDER=silent run qualify --node node --out run -b "$SOURCE/tests/fakes/blender" --no-baseline -q
exits 1 "and finds its scenes and its stand-in runtime from where it is installed"
if have man; then
    warnings=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l root/usr/share/man/man1/oamqual.1 2>&1 >page.txt)
    is "$warnings" "" "the manual page has no roff warnings"
    if grep -q 'kernel-cache DIR' page.txt; then pass "and shows the options"; else fail "and shows the options"; fi
else
    skip "the manual page" "man-db is not installed"
fi
cat >complete.sh <<'B'
. root/usr/share/bash-completion/completions/oamqual
COMP_WORDS=(oamqual fi) COMP_CWORD=1; _oamqual; echo "${COMPREPLY[*]}"
COMP_WORDS=(oamqual qualify --kern) COMP_CWORD=2; _oamqual; echo "${COMPREPLY[*]}"
B
is "$(bash complete.sh | paste -sd ,)" fingerprint,--kernel-cache "bash completes commands and options"
finish
