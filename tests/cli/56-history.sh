#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual history: nodes told apart, regressions with what came with them, flaps, steps, drift, and no alarm where there is nothing.
# Records made by tests/history/records.py; slopes and p are worked out here once more.
. "$SOURCE/tests/cli/lib.sh"
PYTHONPATH=$SOURCE/tests/history PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

python3 - <<'END'
import json
import pathlib
import random
from records import CARDS, record, write
A, B = CARDS[0][0], CARDS[1][0]
random.seed(7)


def day(n, hour=0):
    return "2026-%02d-%02dT%02d:00:00Z" % (1 + n // 28, 1 + n % 28, hour)


def runs(name, count, **how):
    """`how`: values, or functions of the number of the run."""
    for n in range(count):
        given = {k: v(n) if callable(v) else v for k, v in how.items()}
        write("%s/%03d" % (name, n), record(started=day(n), **given))


def noisy(level, share=0.01):
    return lambda *case: round(level * random.gauss(1, share), 4)


runs("quiet", 24, seconds=lambda n: noisy(10), memory=lambda n: lambda *c: (2 << 30) + random.randrange(1 << 20))
runs("driver", 12, driver=lambda n: "6.3.6" if n < 6 else "6.8.5", verdicts=lambda n: {A: "image-differs"} if n >= 6 else {})
runs("no-reason", 8, verdicts=lambda n: {A: "device-error"} if n >= 5 else {})
runs("rolled-back", 9, driver=lambda n: "6.8.5" if 3 <= n < 6 else "6.3.6",
     verdicts=lambda n: {A: "image-differs"} if 3 <= n < 6 else {})
runs("two-builds", 10, blender=lambda n: "5.2.0" if n % 2 else "3.4.1", verdicts=lambda n: {} if n % 2 else {A: "not-listed", B: "not-listed"})
runs("flap", 9, verdicts=lambda n: {B: "crashed"} if n in (2, 3, 6) else {})
runs("flap-case", 9, verdicts=lambda n: {A: "cpu-fallback", (A, "cornell", "strict", True): "accepted" if n % 3 else "device-error"})
runs("undecided", 9, verdicts=lambda n: {B: "inconclusive"} if n % 2 else {})
runs("slower", 12, kernel=lambda n: "6.1.0" if n < 6 else "6.12.0", seconds=lambda n: noisy(10 if n < 6 else 11.5, 0.003))
runs("memory", 12, blender=lambda n: "4.3.2" if n < 6 else "5.2.0",
     memory=lambda n: (2 << 30) if n < 6 else (3 << 30), repeats=2)
runs("drift", 24, seconds=lambda n: noisy(10 + 0.06 * n, 0.005))
runs("card", 6, cards=lambda n: CARDS if n < 3 else CARDS[1:])
runs("empty-run", 2, interrupted=lambda n: n == 1, verdicts=lambda n: {A: "image-differs"} if n == 1 else {})

# Several nodes in one tree: by name, and two of the same name by their cards.
for n in range(3):
    write("farm/%d/alpha" % n, record(started=day(n), node="alpha"))
    write("farm/%d/beta" % n, record(started=day(n, 1), node="beta", cards=[("0000:c1:00.0", "0x9")]))
    write("farm/%d/localhost-1" % n, record(started=day(n, 2), node="localhost", cards=[("0000:c1:00.0", "0x5"), ("0000:c6:00.0", "0x6")]))
    write("farm/%d/localhost-2" % n, record(started=day(n, 3), node="localhost", cards=[("0000:c1:00.0", "0x7")]))
# One card of two exchanged: the same node.
write("farm/3/localhost-1", record(started=day(3), node="localhost", cards=[("0000:c1:00.0", "0x5"), ("0000:c6:00.0", "0x8")]))
# Not in order of their names; a copy; damage.
write("mixed/a", record(started=day(2), verdicts={A: "image-differs"}))
write("mixed/b", record(started=day(1)))
write("mixed/c", record(started=day(0)))
write("mixed/copy-of-b", record(started=day(1)))
pathlib.Path("mixed/damaged").mkdir()
pathlib.Path("mixed/damaged/record.json").write_text('{"schema": "oamqual-record/1", ')
broken = record(started=day(4))
broken["gcds"][0]["render_worker"] = False
write("mixed/contradiction", broken)
write("mixed/no-time", record(started="yesterday"))
pathlib.Path("nothing/here").mkdir(parents=True)
write("hostile/1", record(node="\x1b[31mred\u202e", driver="\x07"))
write("hostile/2", record(node="\x1b[31mred\u202e", driver="\x08", started=day(5)))
END

history() { # folder
    run history "$1" --json
    field out '"\n".join(sorted("%s|%s|%s|%s" % (e["kind"], e["weight"], e.get("bdf") or e.get("card"), e["standing"]) for n in d["nodes"] for e in n["events"]))' | grep . | sort | uniq -c | sed 's/^ *//' >events
}

history quiet
exits 0 "24 runs with nothing but noise"
is "$(cat events)" "" "nothing happened"
is "$(field out 'd["nodes"][0]["series"]')" 13 "of each case's time and memory"
run history quiet
says '^nothing happened' "and it says so"
is "$(grep -c 'of 2 workers' out)" 24 "each run has a line"

history driver
exits 1 "a driver after which a card is not accepted"
is "$(cat events)" "1 regression|worse|0000:c1:00.0|True" "is one regression"
run history driver
says 'came with: driver amdgpu 6.3.6 -> 6.8.5' "it came with the driver"
says 'accepted -> image-differs' "and is told with both verdicts"
history no-reason
is "$(cat events)" "1 regression|worse|0000:c1:00.0|True" "a regression with no change"
run history no-reason
says 'with no change that the records know of' "which it says"
history rolled-back
exits 0 "a driver that was taken back"
is "$(cat events)" "1 regression|worse|0000:c1:00.0|False" "the regression does not stand any more, and nothing flaps"
history two-builds
is "$(cat events)" "1 recovery|better|0000:c1:00.0|True
1 recovery|better|0000:c6:00.0|True" "two builds in turn, one of which cannot: neither flap nor regression"
history flap
exits 1 "a card that is accepted, then not, then again"
is "$(grep flap events)" "1 flap|worse|0000:c6:00.0|True" "flaps"
run history flap --json
is "$(field out '[e["note"] for e in d["nodes"][0]["events"] if e["kind"] == "flap"]')" \
    "['turned 4 times in 9 runs in the same surroundings']" "as often as it does"
history flap-case
is "$(grep flap events)" "1 flap|worse|0000:c1:00.0|True" "a case of a card that is never accepted may flap too"
history undecided
exits 0 "runs that could not decide"
is "$(cat events)" "" "are no flap"
history empty-run
is "$(cat events)" "" "an interrupted run says nothing"

history slower
exits 1 "a kernel with which all is slower"
is "$(cat events)" "3 slower|worse|0000:c1:00.0|True
3 slower|worse|0000:c6:00.0|True" "each case, once, and no drift"
run history slower
says 'came with: system kernel 6.1.0 -> 6.12.0' "it came with the kernel"
history memory
is "$(cat events)" "3 more-memory|worse|0000:c1:00.0|True
3 more-memory|worse|0000:c6:00.0|True" "a Blender that takes more memory"
history drift
exits 1 "14 % slower in 24 days, a little each day"
is "$(cat events)" "3 drift|worse|0000:c1:00.0|True
3 drift|worse|0000:c6:00.0|True" "is drift"
python3 - drift out >agreed 2>&1 <<'END'
# Theil-Sen and Mann-Kendall once more, from the records.
import itertools, json, math, pathlib, statistics, sys
from collections import Counter
points = []
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/record.json")):
    r = json.load(open(path))
    y = [a["timing"]["render_seconds"] for a in r["attempts"]
         if a["probe"] == "strict" and not a["together"] and a["device"]["bdf"] == "0000:c1:00.0"]
    month, day = int(r["run"]["started"][5:7]), int(r["run"]["started"][8:10])
    points.append(((month - 1) * 31 + day if month == 1 else 31 + day, y[0]))
slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(points, 2)]
s = sum((b[1] > a[1]) - (b[1] < a[1]) for a, b in itertools.combinations(points, 2))
n = len(points)
ties = sum(t * (t - 1) * (2 * t + 5) for t in Counter(y for _, y in points).values())
z = (abs(s) - 1) / math.sqrt((n * (n - 1) * (2 * n + 5) - ties) / 18)
want = (statistics.median(slopes), math.erfc(z / math.sqrt(2)))
d = json.load(open(sys.argv[2]))
got = next(e["after"] for e in d["nodes"][0]["events"] if "strict | alone" in e["case"] and e["bdf"] == "0000:c1:00.0")
assert abs(got["per_day"] - want[0]) < 1e-9 and abs(got["p"] / want[1] - 1) < 1e-6 and got["count"] == n, (got, want)
print("agreed")
END
is "$(tail -1 agreed)" agreed "its slope and p are those that Python works out"
history card
exits 1 "a card that is gone"
is "$(cat events)" "1 card-gone|worse|0x1111111111111111|True" "is told by its id"

run history farm --json
is "$(field out 'sorted((n["name"], len(n["records"]), len(n["cards"])) for n in d["nodes"])')" \
    "[('alpha', 3, 2), ('beta', 3, 1), ('localhost', 3, 1), ('localhost', 4, 2)]" "nodes are told apart by name and cards"
is "$(field out 'sorted((e["kind"], e["card"]) for n in d["nodes"] for e in n["events"])')" "[('card-gone', '0x6'), ('card-new', '0x8')]" \
    "a node of which one card was exchanged is the same node"

run history mixed --json
exits 3 "damaged records"
is "$(field out 'sorted(u["path"].split("/")[-1] for u in d["unreadable"])')" "['contradiction', 'damaged', 'no-time']" "are named"
is "$(field out '[r["path"] for r in d["nodes"][0]["records"]]')" "['mixed/c', 'mixed/b', 'mixed/a']" "the others stand in order of time"
is "$(field out 'd["same_twice"]')" "['mixed/copy-of-b']" "a copy counts once"
run history mixed
exits 3 "as text too"
says '^NOT READ: mixed/damaged: .*not valid JSON' "with the reason"
says 'regression' "and what the others tell"
run history mixed/a mixed/b mixed/c
exits 1 "records by name"
run history nothing
exits 3 "no record"
says 'no record was found' "is said"
run history absent
exits 3 "no folder"
one_line "in one line"
run history hostile
if grep -q "$(printf '[\033\007\010]')" out; then fail "hostile texts are not echoed raw"; else pass "hostile texts are not echoed raw"; fi
finish
