#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
. "$SOURCE/tests/cli/lib.sh"

run
exits 2 "without a command: usage"
says 'usage: oamqual COMMAND' "and the overview on stderr"
run --help
exits 0 "--help succeeds"
# Every command that a source file defines and does not hide, so that a new one cannot be left out of anything.
commands=$(for file in "$SOURCE"/src/cli/cmd_*.c; do
    grep -q '\.hidden = true' "$file" || sed -n 's/^\t\.name = "\(.*\)",$/\1/p' "$file"
done)
is "$(sed -n 's/^  \([a-z]*\)  .*/\1/p' out | sort | tr '\n' ' ')" "$(printf '%s\n' "$commands" | sort | tr '\n' ' ')" \
    "the overview lists each command that is not hidden, and no other"
[ "$(printf '%s\n' "$commands" | wc -l)" -ge 11 ] && pass "eleven or more" || fail "eleven or more" "$commands"
"$OAMQUAL" manual | sed 's/\\-/-/g; s/\\f[BRI]//g' >manual
"$OAMQUAL" completion >completion
for command in $commands; do
    run "$command" --help
    exits 0 "$command --help succeeds"
    says "^usage: oamqual $command" "$command --help shows its usage"
    says 'exit status: 0' "$command --help shows its exit statuses"
    # Options are described in lines of their own: "  -o, --out DIR     folder ...".
    options=$(sed -n 's/^ \{2,6\}\(-[A-Za-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' out)
    is "$(sed -n "s/^    $command) words=\"\(.*\)\" ;;/\1/p" completion | tr ' ' '\n' | sed 's/^--//' | sort)" \
        "$(printf '%s\n' "$options" | sort)" "$command: the completion has the options of --help"
    is "$(sed -n "/^\.SS oamqual $command /,/^\.S[SH] /p" manual |
        sed -n '/^\.TP/{n;s/^\(-[A-Za-z], \)\{0,1\}--\([a-z-]*\).*/\2/p;}' | sort)" \
        "$(printf '%s\n' "$options" | grep -vx help | sort)" "$command: the manual page has them too"
    run "$command" --no-such-option
    exits 2 "$command: an unknown option is a usage error"
    says '^oamqual: .*--no-such-option' "$command: which names it"
    if grep -q "oamqual $command" "$SOURCE/README.md" "$SOURCE"/docs/*.md; then pass "$command is in the documentation"; else
        fail "$command is in the documentation" "no page says 'oamqual $command'"
    fi
done
run help cost
cp out asked
run cost --help
if cmp -s out asked; then pass "'help cost' is 'cost --help'"; else fail "'help cost' is 'cost --help'" "$(cat asked)"; fi
run help frobnicate
exits 2 "help of an unknown command: usage"
one_line "in one line"
run --version
exits 0 "--version succeeds"
says '^oamqual [0-9]+\.[0-9]+\.[0-9]+ \(' "and prints version and commit"
run -V
exits 0 "-V is --version"
run frobnicate
exits 2 "an unknown command: usage"
one_line "in one line"
run "$(printf 'x\033[31m')"
exits 2 "a hostile command word"
if grep -q "$(printf '\033')" err; then fail "is not echoed raw"; else pass "is not echoed raw"; fi
run explain
exits 0 "explain lists the verdicts"
is "$(wc -l <out)" 24 "all 24 of the design"
run explain cpu-fallback
says '^meaning:' "explain tells the meaning"
says '^to try:' "and what to try"
run explain fine
exits 2 "explain of an unknown verdict: usage"
run explain --json
is "$(field out 'len(d)')" 24 "explain --json has all of them"
run verify absent
exits 3 "verify of a missing record: could not judge"
one_line "in one line"
echo '{}' >record.json
run verify .
exits 3 "verify of what is no record: could not judge"
says 'not a record' "and says so"
finish
