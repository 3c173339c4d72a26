#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
. "$SOURCE/tests/cli/lib.sh"

run
exits 2 "without a command: usage"
says 'usage: oamqual COMMAND' "and the overview on stderr"
run --help
exits 0 "--help succeeds"
for command in qualify node fingerprint compare baseline report verify explain; do
    grep -q "^  $command " out && pass "the overview lists $command" || fail "the overview lists $command"
done
for command in qualify node fingerprint compare baseline report verify explain; do
    run $command --help
    exits 0 "$command --help succeeds"
    says "^usage: oamqual $command" "$command --help shows its usage"
    says 'exit status: 0' "$command --help shows its exit statuses"
done
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
