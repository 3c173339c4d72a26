#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A record that Blender made: it validates against docs/record.schema.json by an off-the-shelf validator, damaged copies
# do not, and its reports carry its pictures.
. "$SOURCE/tests/cli/lib.sh"

if ! have blender; then
    skip "a real record validates" "blender is not installed"
    finish
fi
run qualify --node "$SOURCE/tests/nodes/mi250x-blade" --gcd 0 --scene "$SOURCE/scenes/cornell" --out made --quiet
exits 1 "the synthetic blade is judged and not accepted"

# --- the schema ---
cat >validate.py <<'END'
"""Validates a record, then copies of it with one thing changed: each must be refused."""
import copy
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
record = json.load(open(sys.argv[2], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
count = 0


def say(passed, title, *more):
    global count
    count += 1
    print("%sok %d - %s" % ("" if passed else "not ", count, title))
    for line in more if not passed else ():
        print("# %s" % line)


errors = ["%s: %s" % (list(e.absolute_path), e.message[:200]) for e in validator.iter_errors(record)]
say(not errors, "the record is valid", *errors)

strict, farm, control = (next(i for i, a in enumerate(record["attempts"]) if a["probe"] == p)
                         for p in ("strict", "as-farm", "control"))
gpu = "node.gpus.0."


def put(path, value):
    def change(document):
        *way, last = [int(k) if k.isdigit() else k for k in path.split(".")]
        for key in way:
            document = document[key]
        document[last] = value
    return path, change


def drop(path):
    def change(document):
        *way, last = [int(k) if k.isdigit() else k for k in path.split(".")]
        for key in way:
            document = document[key]
        del document[last]
    return path, change


a, c = "attempts.%d." % strict, "attempts.%d." % control
CASES = [
    ("another schema", put("schema", "oamqual-record/2")),
    ("no source", drop("source")),
    ("a member nobody knows", put("surprise", 1)),
    ("a member nobody knows, inside an attempt", put(a + "surprise", 1)),
    ("no node", drop("node")),
    ("no verdict", drop(a + "verdict")),
    ("a verdict that does not exist", put(a + "verdict", "fine")),
    ("accepted although a rung is no", put(a + "verdict", "accepted")),
    ("not accepted and nothing decided", put(a + "decided_by", None)),
    ("a probe that does not exist", put(a + "probe", "lenient")),
    ("a GPU attempt without a device", put(a + "device", None)),
    ("a control with a device", put(c + "device", record["attempts"][strict]["device"])),
    ("a simulated control", put(c + "source", "simulated")),
    ("an accepted control whose fact is unknown", put(c + "rungs.0.facts.0.answer", "unknown")),
    ("an accepted control without a picture", put(c + "image", None)),
    ("an accepted control out of its limits", put(c + "image.match.basis", None)),
    ("an accepted control that exited 1", put(c + "ending.exit_status", 1)),
    ("eleven rungs", drop(a + "rungs.11")),
    ("a rung with another's name", put(a + "rungs.4.name", "image-sound")),
    ("a rung 13", put(a + "rungs.4.rung", 13)),
    ("an answer of true", put(a + "rungs.4.answer", True)),
    ("a fact without evidence", put(a + "rungs.0.facts.0.evidence", "")),
    ("a fact that does not exist", put(a + "rungs.0.facts.0.fact", "luck")),
    ("exited without a status", put(a + "ending.exit_status", None)),
    ("an attempt not run that ended", put(a + "run", False)),
    ("unknown with a value", put(gpu + "vram_total", {"value": 0, "class": "unknown", "why": "x"})),
    ("unknown without why", put(gpu + "vram_total", {"value": None, "class": "unknown"})),
    ("unknown with an empty why", put(gpu + "vram_total", {"value": None, "class": "unknown", "why": ""})),
    ("null that is called observed", put(gpu + "vram_total", {"value": None, "class": "observed", "from": "kfd"})),
    ("a bare value for a fact", put(gpu + "vram_total", 68702699520)),
    ("a class that does not exist", put(gpu + "vram_total.class", "guessed")),
    ("a value from nowhere", drop(gpu + "vram_total.from")),
    ("a node of another source than the record", put("node.source", "live")),
    ("a simulated record that says observed", put("source", "observed")),
    ("a simulated attempt that says observed", put(a + "source", "observed")),
    ("a GCD that is a worker without being accepted", put("gcds.0.render_worker", True)),
    ("a GCD that is accepted with a case missing", put("gcds.0.verdict", "accepted")),
    ("a digest in capitals", put("blender.sha256", "A" * 64)),
    ("an empty digest of an archive", put("scenes.0.archive_sha256", "")),
    ("a file outside the folder", put("files.0.path", "../x")),
    ("a file by its absolute path", put("files.0.path", "/etc/passwd")),
    ("a time without a zone", put("run.started", "2026-11-30T02:10:06")),
    ("negative memory", put(a + "ending.max_rss_kib", -1)),
    ("a baseline of another kind", put("baseline", {"value": 5})),
    ("a published size that is called observed", put("published.gcds.0.domain_bytes.class", "observed")),
    ("a count that is a bare number", put("counts.cycles", 8)),
    ("no findings", drop("findings")),
    ("a finding without its weight", put("findings", [{"code": "x", "subject": "", "text": "x", "remedy": None}])),
    ("no word of the HIP library that Blender loaded", drop("blender.hip_libraries")),
    ("an observed size that is called published", put("published.gcds.0.observed_bytes.class", "published")),
]
for title, (path, change) in CASES:
    damaged = copy.deepcopy(record)
    change(damaged)
    found = list(validator.iter_errors(damaged))
    say(damaged != record and bool(found), "refused: %s (%s)" % (title, path))
loaded = record["blender"]["hip_libraries"]
say(loaded["class"] == "simulated" and [p.rsplit("/", 1)[1] for p in loaded["value"]] == ["libamdhip64.so.5"],
    "the HIP runtime that Blender's own process had mapped", str(loaded))
say([record["counts"][k]["value"] for k in ("kfd", "hip", "cycles")] == [8, 8, 0],
    "E32 the counts of KFD, HIP and Cycles stand side by side", str(record["counts"]))
folder = copy.deepcopy(record)
folder["scenes"][0]["archive_sha256"] = {"value": None, "class": "unknown", "why": "a folder"}
say(not list(validator.iter_errors(folder)), "an archive digest may be unknown, with why")
END
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 validate.py "$SOURCE/docs/record.schema.json" made/record.json >validated 2>&1
    status=$?
    while read -r line; do
        case $line in
        "ok "*) pass "${line#* - }" ;;
        "not ok "*) fail "${line#* - }" ;;
        *) echo "# $line" ;;
        esac
    done <validated
    is "$status" 0 "the validator ended"
else
    skip "the record validates" "python3-jsonschema is not installed"
fi
is "$(python3 - "$SOURCE" <<'END'
import json
import re
import sys

schema = json.load(open(sys.argv[1] + "/docs/record.schema.json"))
source = open(sys.argv[1] + "/src/verdict/verdict.c").read()
names = re.findall(r'\[VERDICT_\w+\] = "([a-z-]+)"', source)
print(len(names), schema["definitions"]["verdict"]["enum"] == names)
END
)" "24 True" "the schema has the verdicts of the program"

# --- its page ---
image=$(field made/record.json '[a["folder"] for a in d["attempts"] if a["image"] and a["probe"] == "as-farm"][0]')
pictures() {
    grep -o 'src="data:image/png;base64,[^"]*"' "$1" | wc -l
}
is "$(pictures made/report.html)" 7 "qualify's page carries reference and attempt at three exposures, and the difference"
run report --html again.html made
exits 0 "the page is made again"
is "$(cmp again.html made/report.html && echo same)" same "and is the same"
grep -o 'src="data:image/png;base64,[^"]*"' again.html | sed 's/.*base64,//;s/"$//' | head -2 | tail -1 |
    base64 -d >shown.png
if have oiiotool; then
    is "$(oiiotool --info shown.png | sed 's/.*: *//;s/ *png$//')" "128 x  128, 3 channel, uint8" \
        "its picture is a PNG of the attempt's size"
    oiiotool "made/$image/image.exr" --ch R,G,B --colorconvert linear sRGB -d uint8 -o expected.png
    is "$(idiff -fail 0.005 shown.png expected.png | tail -1)" PASS "with the attempt's pixels"
else
    skip "its picture is the attempt's" "oiiotool (openimageio-tools) is not installed"
fi
cp "$SOURCE/expected/cornell/reference.exr" "made/$image/image.exr"
run report --html changed.html made
exits 0 "a picture was exchanged"
is "$(pictures changed.html)" 3 "it is not shown, only the reference is"
is "$(grep -c "output of attempt.*its content is not what was recorded" changed.html)" 3 "and the page says why"
run verify made
exits 1 "verify says it too"

# --- its other kinds ---
run report --oneline made
exits 1 "one line"
is "$(sed 's/; baseline .*//' out)" "SIMULATED not-accepted 0/8 GCDs are render workers: 1 not-listed 7 inconclusive" "says what was decided"
run report --markdown made
says '^\| SIMULATED 0000:c1:00.0 \| gfx90a \| no \| not-listed \| cpu-fallback \| 5 cycles-lists-device \| Neither' \
    "the finding names the reason"
is "$(grep -c 'what this does not say.*more bytes in the record' out)" 0 "and says whole what the baseline does not"
says '^- note: left out, since --gcd names others' "and that GCDs were left out on purpose"
run report --junit made
if have xmllint; then
    is "$(xmllint --xpath 'count(//testsuite[2]/testcase)' out)" "$(field made/record.json 'len(d["attempts"])')" \
        "JUnit has a case for each attempt"
else
    skip "JUnit has a case for each attempt" "xmllint (libxml2-utils) is not installed"
fi
run report --oneline made
exits 1 "one line: not accepted is 1"
is "$(sed 's/; baseline .*//' out)" "SIMULATED not-accepted 0/8 GCDs are render workers: 1 not-listed 7 inconclusive" "it is one line, and marked"
run report --junit made
exits 0 "a record that holds together passes to a pipeline"
rm -rf forged && cp -r made forged
sed -i '0,/"render_worker": false/s//"render_worker": true/; 0,/"verdict": "not-listed"/s//"verdict": "accepted"/' forged/record.json
run report --oneline forged
exits 3 "a record with a forged verdict decides nothing"
run verify forged
exits 1 "and verify finds it"
says 'contradicts itself' "by its contradiction"
is "$(HSA_OVERRIDE_GFX_VERSION=9.0.10 FAKE_BLENDER=silent "$OAMQUAL" qualify --node "$SOURCE/tests/nodes/mi250x-blade" --gcd 0 --out posed -q --no-baseline --json \
    -b "$SOURCE/tests/fakes/blender" -s "$SOURCE/scenes/cornell" >out 2>err; field out "[v for v in d['run']['inherited'] if 'HSA' in v]")" \
    "['HSA_OVERRIDE_GFX_VERSION=9.0.10']" "a variable that makes a device pose as another is in the record"
finish
