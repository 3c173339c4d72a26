#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual diff: what matters is shown, what does not is not. On two real runs, and on records made by tests/history/records.py.
. "$SOURCE/tests/cli/lib.sh"
PYTHONPATH=$SOURCE/tests/history PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

# --- two runs of the same thing ---
fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
export FAKE_IMAGE
qualify() { # folder, mode
    FAKE_BLENDER=$2 "$OAMQUAL_RELEASE" qualify --node node -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --no-baseline --sandbox none --probe strict --out "$1" -q >out 2>err
}
mkdir elsewhere
qualify first forged
qualify elsewhere/second forged
qualify third silent
cmp -s first/record.json elsewhere/second/record.json && fail "the two runs differ in much" || pass "the two runs differ in much"
run diff first elsewhere/second
exits 0 "two runs of the same: nothing worse"
says '^Nothing that matters changed' "times, pids and paths are not shown"
is "$(wc -l <out)" 3 "nor anything else"
run diff first/record.json third
says 'changed .*0000:c1:00.0: verdict: inconclusive|now-known .*verdict: inconclusive -> ' "another end is shown"

# --- made records ---
python3 - <<'END'
from records import CARDS, record, write
A, B = CARDS[0][0], CARDS[1][0]
noise = lambda *case: 10.0 + 0.1 * case[-1]
write("base", record())
write("later", dict(record(started="2026-11-09T00:00:00Z")))
swapped = record()
swapped["attempts"].reverse()
for number, each in enumerate(swapped["attempts"], 1):
    each["number"] = number
write("order", swapped)
write("worse", record(verdicts={A: "image-differs"}, driver="6.8.5"))
write("fallback", record(verdicts={A: "cpu-fallback"}))
write("undecided", record(verdicts={A: "inconclusive"}))
write("one-case", record(verdicts={(A, "cornell", "as-farm", False): "cpu-fallback"}))
write("moved", record(cards=[("0000:d1:00.0", CARDS[0][1]), CARDS[1]], findings=[("hot", "warning", "0000:d1:00.0", "too hot")]))
write("swapped-cards", record(cards=[(A, CARDS[1][1]), (B, CARDS[0][1])], verdicts={B: "device-error"}))
write("was-at-c1", record(verdicts={A: "device-error"}))
write("exchanged", record(cards=[(A, "0x3333333333333333"), CARDS[1]]))
write("no-ids", record(cards=[(A, None), (B, None)]))
write("one-id-twice", record(cards=[(A, "0x1"), (B, "0x1")]))
write("gone", record(cards=CARDS[1:]))
write("surroundings", record(driver="6.8.5", kernel="6.12", blender="5.2.0", rocm="7.0", limits=0.05, tree="c" * 64))
write("no-driver", record(driver=None))
write("finding", record(findings=[("hot", "warning", A, "too hot")]))
write("note", record(findings=[("half", "note", A, "half of it")]))
write("other-node", record(node="n2"))
write("interrupted", record(interrupted=True))
write("two-scenes", record(scenes=("cornell", "glass")))
write("repeated", record(repeats=4, seconds=noise))
write("repeated-again", record(repeats=4, seconds=lambda *c: 10.4 - 0.1 * c[-1]))
write("repeated-slower", record(repeats=4, seconds=lambda *c: noise(*c) * 1.12))
write("repeated-wild", record(repeats=4, seconds=lambda *c: noise(*c) * 1.12 + 2 * (c[-1] == 4)))
write("repeated-little", record(repeats=4, seconds=lambda *c: noise(*c) * 1.04))
write("once-little", record(seconds=11.5))
write("once-slower", record(seconds=14.0))
write("once-faster", record(seconds=6.0))
write("short", record(seconds=0.10))
write("short-slower", record(seconds=0.19))
write("memory", record(memory=4 << 30))
write("memory-little", record(memory=(2 << 30) + 1000000))
write("slow-fallback", record(verdicts={A: "cpu-fallback"}, seconds=lambda *c: 99.0 if c[0] == A else 10.0))
broken = record()
broken["gcds"][0]["verdict"] = "image-differs"
write("contradiction", broken)
more = record()
more["something"] = {"new": 1}
write("more", more)
hostile = record(driver="\x1b[31m\n\u202eevil")
hostile["run"]["inherited"] = ["HSA_OVERRIDE_GFX_VERSION=\x07"]
write("hostile", hostile)
shape = record()
shape["scenes"][0].update(references=5, settings=[])
shape.update(system=5, blender=[], counts="x", findings=[5, {}], isolation=None)
shape["run"] = {"inherited": 5}
write("shape", shape)
END

# compare FROM TO: leaves the exit status, and in `got` area, subject, what and weight of each change, sorted
compare() {
    run diff "$1" "$2" --json
    field out '"\n".join(sorted("%s|%s|%s|%s" % (c["weight"], c["area"], c["subject"], c["what"]) for c in d["changes"]))' >got
}
same() { # from, to, title
    compare "$1" "$2"
    is "$(cat got)" "" "$3"
    exits 0 "$3: exit status"
}
same base base "a record and itself"
same base later "another day, other paths and pids"
same base order "another order of attempts"
same repeated repeated-again "repeats within their noise"
same repeated repeated-little "4 % slower"
same repeated repeated-wild "12 % slower, but repeats scatter as much"
same base once-little "one render each: 15 % slower is noise"
same short short-slower "so is a tenth of a second"
same base memory-little "and a megabyte of memory"

run diff base worse
exits 1 "a card is not accepted any more"
says 'worse  *0000:c1:00.0: verdict: accepted -> image-differs \(because of image-differs\)' "says which and why"
says 'changed  *amdgpu: 6.3.6 -> 6.8.5' "and what else changed"
says '^WORSE' "and sums up"
run diff worse base
exits 0 "the other way it is better"
says 'better  *0000:c1:00.0: verdict: image-differs -> accepted' "and says so"
says 'rung 11 rung-11' "with the first rung that failed"
compare fallback worse
is "$(grep verdict got)" "changed|verdict|0000:c1:00.0|verdict" "from one failure to another"
exits 0 "is not worse"
compare base undecided
is "$(grep '|verdict|0' got)" "worse|verdict|0000:c1:00.0|verdict" "from accepted to nobody knows"
compare fallback undecided
is "$(grep '|verdict|0' got)" "now-unknown|verdict|0000:c1:00.0|verdict" "from known to unknown"
compare undecided fallback
is "$(grep '|verdict|0' got)" "now-known|verdict|0000:c1:00.0|verdict" "and from unknown to known"
compare base one-case
is "$(grep '|case|' got)" "worse|case|0000:c1:00.0, scene cornell, as-farm, alone|outcome" "one case of a card"

compare base moved
is "$(cat got)" "changed|card|0000:d1:00.0|moved
worse|finding|0000:d1:00.0|new" "a card that moved is the same card"
compare moved base
is "$(cat got)" "better|finding|0000:c1:00.0|gone
changed|card|0000:c1:00.0|moved" "and back, with its finding"
compare was-at-c1 swapped-cards
is "$(cat got)" "changed|card|0000:c1:00.0|moved
changed|card|0000:c6:00.0|moved" "two cards changed places: each keeps its verdict"
compare base exchanged
is "$(cat got)" "changed|card|0000:c1:00.0|exchanged" "another card at the same address"
compare base no-ids
is "$(cat got)" "now-unknown|card|0000:c1:00.0|unique id
now-unknown|card|0000:c6:00.0|unique id" "without ids the address does"
compare one-id-twice one-id-twice
is "$(cat got)" "" "an id that two cards claim is no id"
compare base gone
is "$(cat got)" "worse|card|0000:c1:00.0|gone" "a card that is gone"
exits 1 "which is worse"
compare gone base
is "$(cat got)" "changed|card|0000:c1:00.0|new" "a card that is new"
exits 0 "which is not"

compare base surroundings
is "$(cat got)" "changed|build||Blender
changed|build||Blender's SHA-256
changed|driver||ROCm
changed|driver||amdgpu
changed|limits|scene cornell, reference of Blender 4.3|limits
changed|scene|scene cornell|content
changed|system||kernel" "build, driver, kernel, scene and limits"
compare base no-driver
is "$(cat got)" "now-unknown|driver||amdgpu" "a driver that cannot be read any more"
run diff no-driver base
says 'now-known  *amdgpu: unknown -> 6.3.6 \(nobody could read it\)' "and one that can be read now"
compare base finding
is "$(cat got)" "worse|finding|0000:c1:00.0|new" "a new warning"
compare base note
is "$(cat got)" "changed|finding|0000:c1:00.0|new" "a new note"
compare base other-node
is "$(cat got)" "changed|node||name" "another node"
compare base interrupted
is "$(cat got)" "worse|run||interrupted" "an interrupted run"
compare base two-scenes
is "$(grep -v case got)" "changed|scene|scene glass|new" "a scene more"
compare base two-scenes
is "$(grep -c '^now-known|case|' got)" 7 "and its cases, which were not tried before"
compare repeated repeated-slower
is "$(wc -l <got) $(grep -c '^worse|speed|' got)" "6 6" "12 % slower, four times each, is slower in each case"
compare base once-slower
is "$(grep -c '^worse|speed|' got)" 6 "40 % slower once is slower"
exits 1 "which is worse"
compare base once-faster
is "$(grep -c '^better|speed|' got)" 6 "and faster is faster"
exits 0 "which is not"
compare base memory
is "$(grep -c '^worse|memory|' got)" 6 "twice the memory"
compare base slow-fallback
is "$(grep -c speed got)" 0 "the speed of a fallback is not the card's"
run diff base more
says '^Not compared, and not the same: something' "a member that nobody knows is not passed over"

# --- what cannot be compared ---
run diff base contradiction
exits 3 "a record that contradicts itself"
says 'contradiction: contradicts itself' "is named"
run diff absent base
exits 3 "a record that is not there"
one_line "in one line"
run diff base
exits 2 "one record"
run diff base hostile
exits 0 "hostile texts"
if grep -q "$(printf '[\033\007]')" out; then fail "are not echoed raw"; else pass "are not echoed raw"; fi
run diff base shape
exits 0 "members of another shape"
run diff shape base
exits 0 "on either side"
finish
