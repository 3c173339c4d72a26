# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the tests that run fuzz targets.
#
#   fuzz TARGET...     each for a few seconds from the seeds in seeds/; OAMQUAL_FUZZ is the folder of the programs
FUZZ_SECONDS=2

fuzz() {
    for name in "$@"; do
        [ -x "$OAMQUAL_FUZZ/$name" ] || {
            skip "$name" "$OAMQUAL_FUZZ/$name is not built: make fuzz-programs"
            continue
        }
        if "$SOURCE/tests/run-fuzz" "$OAMQUAL_FUZZ" seeds $FUZZ_SECONDS "$name" >fuzzed 2>&1; then
            pass "$name finds nothing"
        else
            fail "$name finds nothing" "$(cat fuzzed)"
        fi
        # shellcheck disable=SC2046 # words
        set_numbers $(sed -n "s/^$name: \([0-9]*\) seeds, \([a-z0-9]*\) refused, cov \([0-9]*\); \([0-9]*\) runs, cov \([0-9]*\)$/\1 \2 \3 \4 \5/p" fuzzed)
        if [ "$seeds" -gt 0 ] && [ "$refused" = 0 ] && [ "$runs" -gt "$seeds" ] && [ "$before" -gt 0 ]; then
            pass "$name really ran: $(tail -1 fuzzed)"
        else
            fail "$name has sound seeds and really runs" "$(tail -3 fuzzed)"
        fi
    done
}

set_numbers() {
    seeds=${1:-0} refused=${2:-all} before=${3:-0} runs=${4:-0}
}
