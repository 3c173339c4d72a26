# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by every command-line test. The runner sets OAMQUAL (the sanitized program), OAMQUAL_RELEASE,
# OAMQUAL_SIMHIP (the stand-in runtime's folder) and SOURCE (the repository); the test runs in an empty folder of its own.
#
#   run ARG...             runs oamqual; leaves $status, stdout in out, stderr in err
#   is "$got" want title   compares two words
#   exits N title          the last run ended with N
#   says PATTERN title     a line of stderr or stdout of the last run matches the grep -E pattern
#   one_line title         the last run left exactly one line on stderr
#   fake_node [OPTION...]  a node of one GCD in node/ (make_nodes.py's options), known to the stand-in Blender
#   read_fake_ids          the same for the node that lies in node/
#   pass / fail title      for anything else
#   skip title why         visible, and fatal with OAMQUAL_REQUIRE_ALL=1
#   finish                 the last line of every test
set -u
export LC_ALL=C TZ=UTC
export XDG_CACHE_HOME="$PWD/.cache" # compiled kernels
count=0
failures=0
[ -x "$OAMQUAL" ] || { echo "# $OAMQUAL: not built"; exit 1; }

pass() {
    count=$((count + 1))
    echo "ok $count - $1"
}

fail() {
    count=$((count + 1))
    failures=$((failures + 1))
    echo "not ok $count - $1"
    shift
    for line in "$@"; do printf '%s\n' "$line" | sed 's/^/# /'; done
}

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

read_fake_ids() {
    FAKE_IDS=$(field node/node.json "' '.join('GPU-%s=%s' % (g['unique_id'][2:], g['bdf']) for g in d['hip']['devices'])")
    export FAKE_IDS
}

fake_node() {
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd "$@" --out node >/dev/null || exit 1
    read_fake_ids
}

run() {
    status=0
    "$OAMQUAL" "$@" >out 2>err </dev/null || status=$?
}

is() {
    if [ "$1" = "$2" ]; then pass "$3"; else fail "$3" "got:  $1" "want: $2"; fi
}

exits() {
    if [ "$status" = "$1" ]; then pass "$2"; else
        fail "$2" "exit status $status, wanted $1" "$(head -c 2000 err)" "$(head -c 1000 out)"
    fi
}

says() {
    if grep -Eqa -- "$1" err out; then pass "$2"; else
        fail "$2" "no line matches: $1" "$(head -c 2000 err)" "$(head -c 2000 out)"
    fi
}

one_line() {
    if [ "$(wc -l <err)" -eq 1 ]; then pass "$1"; else fail "$1" "stderr:" "$(cat err)"; fi
}

have() {
    command -v "$1" >/dev/null
}

# field FILE PYTHON-EXPRESSION: evaluates it with the JSON document as `d` and prints the result.
field() {
    python3 -c 'import json,sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$1" "$2"
}

finish() {
    echo "1..$count"
    [ "$failures" -eq 0 ]
    exit
}
