#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One frame over several GCDs: the rank map, what is found in it, the merged picture. Ranks are the stand-in Blender; real
# ones are in tests/blender/77-distributed.sh.
. "$SOURCE/tests/cli/lib.sh"

fake_node --variant plain --devices 2
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_PARTS=$PWD/parts
FAKE_BLENDER=faithful
export FAKE_IDS FAKE_IMAGE FAKE_PARTS FAKE_BLENDER FAKE_MODES

# shares COUNT: as many shares of the 16 samples, with noise of their own, whose mean is the reference.
shares() {
    rm -rf parts noise
    mkdir parts noise
    each=$((16 / $1))
    for k in $(seq 1 $(($1 / 2))); do
        oiiotool --pattern constant:color=0,0,0,0 128x128 4 --noise:type=gaussian:mean=0:stddev=0.01:seed="$k" --ch R,G,B,A=0 \
            -o noise/n.exr
        oiiotool "$FAKE_IMAGE" noise/n.exr --add --sattrib cycles.ViewLayer.samples $each -o parts/$((2 * each * (k - 1)))-$each.exr
        oiiotool "$FAKE_IMAGE" noise/n.exr --sub --sattrib cycles.ViewLayer.samples $each -o parts/$((2 * each * k - each))-$each.exr
    done
}

distribute() { # modes of the GCDs that misbehave, then more arguments
    FAKE_MODES=$1
    shift
    rm -rf run
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --no-baseline -q --sandbox none --deadline 60 --distributed "$@"
}

of() { # expression: evaluated with the first case as c
    field run/record.json "(lambda c: ($1))(d['distributed']['cases'][0])"
}

codes() {
    of "' '.join(sorted({f['code'] for f in c['findings'] if f['weight'] != 'note'}))"
}

text() { # code: of its first finding
    of "[f['text'] for f in c['findings'] if f['code'] == '$1'][0]"
}

# --- all as it should be ---

shares 2
distribute ''
exits 0 "two ranks that do as they should are accepted"
is "$(field run/record.json "d['distributed']['outcome']")" accepted "and the case is"
is "$(of "[(r['rank'], r['bdf'], r['asked']['first'], r['asked']['count']) for r in c['ranks']]")" \
    "[(0, '0000:c1:00.0', 0, 8), (1, '0000:c6:00.0', 8, 8)]" "each rank has a GCD and half of the samples"
is "$(of "[(r['seen']['first'], r['seen']['count'], r['seen']['count_by_log'], r['seen']['count_by_file']) for r in c['ranks']]")" \
    "[(0, 8, 8, 8), (8, 8, 8, 8)]" "what it rendered is told by Blender, by Cycles' log and by the picture"
is "$(of "[r['seen']['traced_on'] for r in c['ranks']]")" "['HIP_Fake_0000:c1:00', 'HIP_Fake_0000:c6:00']" "and on which GCD"
is "$(of "all(r['pid'] == r['seen']['pid'] == r['attempt']['ending']['pid'] for r in c['ranks'])")" True \
    "the process that was started is the one that reports"
is "$(of "all(r['vram_peak_bytes']['value'] > 0 for r in c['ranks'])")" True "which KFD saw hold memory there"
is "$(of "[r['module']['gcds'] for r in c['ranks']]")" \
    "[['0000:c1:00.0', '0000:c6:00.0'], ['0000:c1:00.0', '0000:c6:00.0']]" "both are of one module"
is "$(of "[r['unique_id'] for r in c['ranks']]")" \
    "$(field node/node.json "[g['unique_id'] for g in d['hip']['devices']]")" "by their unique ids"
is "$(of "[r['numa_node']['value'] for r in c['ranks']]")" \
    "$(python3 -c 'print([int(open("node/sys/bus/pci/devices/%s/numa_node" % b).read()) for b in ("0000:c1:00.0", "0000:c6:00.0")])')" \
    "and NUMA nodes"
is "$(of "c['at_once']")" True "they ran at once"
is "$(of "[r['attempt']['verdict'] for r in c['ranks']]")" "['accepted', 'accepted']" "each climbed its ladder"
is "$(of "[r['attempt']['probe'] for r in c['ranks']]")" "['rank', 'rank']" "as a rank"

# The merged picture against an independent mean of the two.
oiiotool run/distributed/cornell/000-rank-cornell-0000:c1:00.0/image.exr \
    run/distributed/cornell/001-rank-cornell-0000:c6:00.0/image.exr --add --divc 2 -o mean.exr
if idiff -q -fail 1e-7 -warn 1e-7 -failpercent 0 run/distributed/cornell/merged.exr mean.exr; then
    pass "the merged picture is oiiotool's mean of the shares"
else
    fail "the merged picture is oiiotool's mean of the shares" "$(idiff run/distributed/cornell/merged.exr mean.exr)"
fi
part=run/distributed/cornell/000-rank-cornell-0000:c1:00.0/image.exr
oiiotool $part --addc nan -o nan.exr
run merge --out never.exr --samples 1 --samples 1 $part nan.exr
exits 3 "a part that is not finite"
says '^oamqual: nan.exr: [0-9]+ of its [0-9]+ values are not finite' "is named"
run merge --out never.exr --samples 1 --samples 1 --samples 1 $part $part
exits 3 "more numbers of samples than parts"
[ ! -e never.exr ] && pass "nothing is merged of them" || fail "nothing is merged of them"
is "$(of "c['merged']['sha256']")" "$(sha256sum run/distributed/cornell/merged.exr | cut -d' ' -f1)" "its digest is recorded"
is "$(of "c['merged']['whole']['comparison']['within']")" True "it is the picture of one GCD alone"
is "$(of "c['merged']['whole']['bdf']")" 0000:c1:00.0 "which one is named"
is "$(of "c['merged']['match']['basis']")" same-noise "and it is the reference's"
is "$(of "c['merged']['whole']['sums']['within']")" True "the order of summation explains what differs"
run verify run
exits 0 "the record and its files verify"

valid() { # title: the record is of its published form
    if python3 - "$SOURCE/docs/record.schema.json" run/record.json <<'END'
import json, sys
import jsonschema
schema, record = (json.load(open(p)) for p in sys.argv[1:])
errors = list(jsonschema.Draft7Validator(schema).iter_errors(record))
for e in errors:
    print("#", list(e.absolute_path), e.message[:200])
sys.exit(bool(errors))
END
    then pass "$1"; else fail "$1"; fi
}
valid "the record is of its published form"
is "$(field run/record.json "(lambda t: (t['peers']['outcome'], len(t['peers']['pairs']), t['collective']['outcome']))(d['peer_and_collective_transport'])")" \
    "('held', 2, 'not-tested')" "peers were tested apart, the collective was not"
run report run
says '^SIMULATED distributed, scene cornell over 2 GCDs: accepted$' "the summary has a line of it"
is "$(grep -c 'data-label="counted by the log"' run/report.html) $(grep -c 'One frame over several GCDs' run/report.html)" "2 1" \
    "and the page a section, a row a rank"
# What was judged cannot be made better afterwards.
cp -r run forged
python3 - <<'END'
import json
d = json.load(open("forged/record.json"))
d["distributed"]["cases"][0]["ranks"][1]["attempt"]["verdict"] = "crashed"
json.dump(d, open("forged/record.json", "w"))
END
run verify forged
exits 1 "an accepted frame with a rank that crashed does not verify"
says "contradicts itself: a frame over several GCDs is accepted and its ranks are not" "which is named"

# --- without it, and where it cannot be ---

fake_node --variant one-gcd
distribute ''
exits 3 "one GCD is not distributed: not judged"
is "$(of "c['outcome'], c['ranks']")" "('not-run', [])" "and says so"
is "$(field run/record.json "d['gcds'][0]['verdict']")" accepted "the GCD's own verdict stays"
fake_node --variant plain --devices 2
distribute 0000:c6:00.0=crash --probe strict
is "$(of "c['outcome']")" not-run "a GCD that fails alone takes no part, so one is left, and nothing is distributed"

# --- what is found ---

finds() { # mode of the second GCD, what comes of it, title
    distribute "0000:c6:00.0=$1" --probe strict
    is "$(of "c['outcome']") $(codes)" "$2" "$3"
}

finds rank-killed "failed not-merged range-missing rank-lost" "a rank that is killed"
is "$(of "[f['subject'] for f in c['findings'] if f['code'] == 'rank-lost'][0]")" "rank 1 (0000:c6:00.0)" "is lost by its name"
is "$(text range-missing)" "samples 8 to 15 of the frame's 16 were rendered by no rank" "its samples are missing"
is "$(of "c['ranks'][1]['attempt']['verdict'], c['ranks'][0]['attempt']['verdict']")" "('crashed', 'accepted')" "the other's verdict is kept"
is "$(field run/record.json "[f['path'] for f in d['files'] if f['path'].endswith('000-rank-cornell-0000:c1:00.0/image.exr')] != []")" \
    True "and its evidence"
is "$(field run/record.json "[a['verdict'] for a in d['attempts']]")" "['accepted', 'accepted', 'accepted', 'accepted', 'accepted']" \
    "no GCD loses a verdict of its own"
run verify run
exits 0 "and the record verifies"
valid "and is of its published form"

finds rank-other-share-as-own "failed merged-differs merged-no-reference picture-twice" "a share that only claims to be another"

oiiotool "$FAKE_IMAGE" --fill:color=1,0,1,1 16x16+32+32 --sattrib cycles.ViewLayer.samples 8 -o tile.exr
FAKE_TILE_IMAGE=$PWD/tile.exr
export FAKE_TILE_IMAGE
finds rank-wrong-tile "failed merged-differs merged-no-reference" "a share with a wrong tile"
case $(text merged-differs) in
*"the share of rank 1 (0000:c6:00.0) is farthest"*) pass "and whose it may be" ;;
*) fail "and whose it may be" "$(of "c['findings']")" ;;
esac
finds rank-says-nothing "inconclusive not-merged range-missing range-unproven" "a rank that does not say what it rendered proves nothing"
finds rank-blue-noise "accepted " "shares of another pattern have other noise, and the reference judges"
is "$(of "[f['code'] for f in c['findings']]")" "['other-noise']" "which is said"

# Seven of eight ranks do something wrong of their own: all of it is found, each by its rank.
fake_node --variant plain --devices 8
shares 8
oiiotool parts/12-2.exr --eraseattrib 'cycles.*' -o unnamed.exr
FAKE_UNNAMED_IMAGE=$PWD/unnamed.exr
export FAKE_UNNAMED_IMAGE
distribute "0000:c6:00.0=rank-other-share 0000:c9:00.0=rank-other-gcd 0000:ce:00.0=rank-fewer 0000:d1:00.0=rank-other-seed \
    0000:d6:00.0=rank-adaptive 0000:d9:00.0=rank-unnamed 0000:de:00.0=rank-other-process" --probe strict
found() { # code: the ranks it is told of
    of "' '.join(f['subject'].split(' ')[1] for f in c['findings'] if f['code'] == '$1')"
}
is "$(of "c['outcome']")" failed "eight ranks, of which seven go wrong"
is "$(found range-differs)" 1 "a share that was not the one given"
is "$(text range-twice)" "rank 0 (0000:c1:00.0) and rank 1 (0000:c6:00.0) both rendered samples 0 to 1" "which another rendered too: both are named"
is "$(found picture-twice)" 1 "to the same picture"
is "$(found rank-lost)" 2 "a rank on another's GCD is lost"
is "$(text gcd-twice)" "rank 0 (0000:c1:00.0) and rank 2 (0000:c9:00.0) both worked on HIP_Fake_0000:c1:00" "and two are on one GCD"
is "$(of "[f['text'] for f in c['findings'] if f['code'] == 'range-missing']")" \
    '["samples 2 to 5 of the frame'"'"'s 16 were rendered by no rank"]' "the samples of both are missing"
is "$(found samples-disagree)" 3 "a log that counts fewer samples than Blender holds"
is "$(found seed-differs)" 4 "another seed"
is "$(found adaptive-sampling)" 5 "adaptive sampling"
is "$(found range-unproven)" 6 "a picture without a number of samples"
is "$(found pid-differs)" 7 "a report of another process"
finish
