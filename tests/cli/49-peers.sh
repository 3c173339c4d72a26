#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node --peers: peer access and copies between GCDs, wrong bytes, no access, a copy that hangs; a sum over all of
# them by RCCL, or why it was not tested.
. "$SOURCE/tests/cli/lib.sh"

node() { # NAME DEVICES ARG...: a synthetic node in the folder NAME
    name=$1 devices=$2
    shift 2
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices "$devices" --out "$name" "$@" >/dev/null || exit 1
}

pairs() { # expression of a pair p
    field out "[($1) for p in d['peers']['pairs']]"
}

node good 3
run node --node good --peers --json
exits 0 "three sound domains: every pair holds"
is "$(field out "d['source'], d['peers']['outcome'], d['peers']['pairs_not_reached']")" "('simulated', 'held', 0)" "all of them"
is "$(pairs "p['from'][5:7], p['to'][5:7]")" \
    "[('c1', 'c6'), ('c1', 'c9'), ('c6', 'c1'), ('c6', 'c9'), ('c9', 'c1'), ('c9', 'c6')]" "both ways"
is "$(pairs "p['relation']")" "['module-mate', 'other', 'module-mate', 'other', 'other', 'other']" "mates are told from others"
is "$(pairs "p['link']['value']['max_mb_s'] if p['link']['value'] else None")" "[200000, 50000, 200000, 0, 50000, 0]" \
    "KFD's link stands beside it; 0 is a hive without a direct one"
is "$(field out "{p['mb_per_second']['class'] for p in d['peers']['pairs']}, all(p['mb_per_second']['value'] > 0 for p in d['peers']['pairs'])")" \
    "({'simulated'}, True)" "each has a rate, which is simulated"
is "$(field out "d['collective']['outcome'], d['collective']['why']")" "('not-tested', 'not tested: a replayed node has no librccl')" \
    "the collective is not tested, and why"
run node --node good --peers --gcd 0 --gcd 0000:c6:00.0
exits 0 "two of them"
says '^SIMULATED' "the table is marked"
says '^0000:c1:00.0  0000:c6:00.0  module-mate  yes +[0-9]+ MB/s +held$' "a line a pair"
is "$(grep -c held out)" 3 "two pairs, and what comes of both"

node faulty 3 --fault peer-wrong@0000:c6:00.0 --fault peer-no-access@0000:c9:00.0
run node --node faulty --peers --json
exits 1 "wrong bytes and no access"
is "$(field out "d['peers']['outcome']")" failed "are a failure"
is "$(pairs "p['verdict']")" "['wrong', 'no-access', 'held', 'no-access', 'held', 'wrong']" "of the pairs that they belong to"
is "$(pairs "p['access']['value']")" "[True, False, True, False, True, True]" "access is what HIP says"
wrote=$(python3 -c '
# SplitMix64 of word 1024 (8192 bytes in) of the first pair; byte 8195 arrives with bit 4 flipped.
M = 2**64 - 1
w = ((1 << 40 | 1024) + 0x9e3779b97f4a7c15) & M
w = ((w ^ w >> 30) * 0xbf58476d1ce4e5b9) & M
w = ((w ^ w >> 27) * 0x94d049bb133111eb) & M
w ^= w >> 31
print("0x%016x, read 0x%016x" % (w, w ^ 0x10 << 24))')
is "$(field out "d['peers']['pairs'][0]['why']")" "the copy differs at offset 8192: wrote $wrote; 1 words in all" "with the word that differs"
node apart 2 --fault peer-no-access@0000:c6:00.0
run node --node apart --peers --json
exits 1 "mates without access"
is "$(field out "d['peers']['outcome']")" no-access "is an outcome of its own"

node hang 3 --fault peer-hang@0000:c9:00.0
run node --node hang --peers --json
exits 1 "a copy that hangs"
is "$(pairs "p['verdict']")" "['held', 'hung', 'held', 'hung', 'held', 'held']" "is named, and the others are tested"
node hidden 2 --fault no-device@0000:c6:00.0
run node --node hidden --peers --json
exits 1 "a GCD that HIP does not enumerate"
is "$(field out "{p['why'] for p in d['peers']['pairs']}")" "{'HIP enumerates no device at 0000:c6:00.0'}" "is no peer"
node one 1
run node --node one --peers --json
exits 3 "one GCD has no peer"
is "$(field out "d['peers']['outcome'], d['peers']['why']")" "('not-tested', 'there are not two GCDs to copy between')" "which is said"
run node --peers --json
exits 3 "this machine: not tested"
is "$(field out "d['peers']['outcome'], d['collective']['outcome']")" "('not-tested', 'not-tested')" "and says so" 
run node --node good --peers --memory-check
exits 2 "--peers and --memory-check exclude each other"
run node --node good --rccl-library x
exits 2 "--rccl-library goes with --peers"

# --- the collective, by a librccl of ours ---

cc -shared -fPIC -O1 -o librccl.so.1 "$SOURCE/tests/fakes/rccl.c" || exit 1
collective() { # what FAKE_RCCL is
    FAKE_RCCL=$1
    export FAKE_RCCL
    run node --node good --peers --json --gcd 0 --gcd 1 --gcd 2 --rccl-library "$PWD/librccl.so.1"
}
collective ""
exits 0 "a right sum over all GCDs"
is "$(field out "(lambda c: (c['outcome'], c['gcds'], c['version'], c['mb_per_second']['value'] > 0))(d['collective'])")" \
    "('held', 3, 21804, True)" "holds, with its rate and the library's version"
collective wrong
exits 1 "a sum with a wrong element"
# Element 4711 of part r is (4711 * 7 + 13 r) mod 1000: 977, 990, 3.
is "$(field out "d['collective']['why']")" \
    "the sum differs on 0000:c9:00.0 at element 4711: 1971 instead of 1970; 1 elements in all" "is found, on its GCD"
collective error
is "$status $(field out "d['collective']['why']")" "1 ncclCommInitAll returned 2" "a call that fails is named"
collective hang
is "$status $(field out "d['collective']['outcome']")" "1 failed" "a collective that hangs is ended"
run node --node good --peers --json --rccl-library "$PWD/absent.so"
is "$(field out "d['collective']['outcome']")" not-tested "a library that is not there leaves it untested"
finish
