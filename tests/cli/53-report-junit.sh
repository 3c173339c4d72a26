#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# JUnit XML against two public schemas (tests/junit, with their sources): what is written is valid by both, also of a
# hostile record, and what readers were seen to refuse would be refused here too.
. "$SOURCE/tests/cli/lib.sh"

if ! have xmllint; then
    skip "JUnit XML is valid" "xmllint (libxml2-utils) is not installed"
    finish
fi

python3 - <<'END'
import copy
import json
import os

EVIL = "<x>]]>\u001b[31m\u0007\ufffe\u202e & \" ' \u0085 \ud7ff \U0001f600"


def attempt(number, verdict, seconds, **more):
    return dict({"number": number, "scene": "cornell", "probe": "strict", "together": False, "source": "simulated",
                 "device": {"bdf": "0000:c1:00.0"}, "run": seconds is not None, "verdict": verdict, "why": "the rule",
                 "ending": {"wall_seconds": seconds} if seconds is not None else None,
                 "decided_by": {"fact": "cycles-lists-device", "evidence": "the line"},
                 "rungs": [{"rung": 5, "name": "cycles-lists-device", "answer": "no",
                            "facts": [{"fact": "cycles-lists-device", "answer": "no", "evidence": "the line"}]}]}, **more)


plain = {"schema": "oamqual-record/1", "source": "simulated", "tool": {"version": "0", "commit": "c"},
         "run": {"started": "2026-11-30T02:10:06Z", "ended": "2026-11-30T02:11:06Z", "interrupted": False, "command": []},
         "node": {"name": "blade", "gpus": []}, "blender": {"version": "3.4.1", "sha256": "00"}, "scenes": [],
         "gcds": [{"bdf": "0000:c1:00.0", "verdict": "not-listed", "render_worker": False, "evidence": "the line"}],
         "attempts": [attempt(1, "not-listed", 0.0026), attempt(2, "accepted", 14029.2554), attempt(3, "inconclusive", 1e-7),
                      attempt(4, "image-differs", 5.007000000000001), attempt(5, "kernel-build-failed", None),
                      attempt(6, "accepted", 3.069e9), attempt(7, "accepted", 1.5, skipped="no OpenImageDenoise"),
                      attempt(8, "inconclusive", 2, skipped="no OpenImageDenoise"),
                      attempt(9, "device-error", 2, skipped="no OpenImageDenoise"), attempt(10, "skipped", None)],
         "files": []}


def spoil(value, key=""):
    if isinstance(value, dict):
        return {k: spoil(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v, key) for v in value]
    return EVIL if isinstance(value, str) and key not in ("schema", "started") else value


hostile = spoil(plain)
for name, record in (("plain", plain), ("hostile", hostile)):
    os.mkdir(name)
    json.dump(record, open(name + "/record.json", "w"))
END

valid() { # schema, file
    xmllint --noout --schema "$SOURCE/tests/junit/$1.xsd" "$2" >schema.out 2>&1 && echo valid || echo refused
}

for record in plain hostile; do
    run report --junit $record
    exits 0 "JUnit XML of a $record record"
    cp out $record.xml
    for schema in ant jenkins; do
        is "$(valid $schema $record.xml)" valid "E01 a $record record is valid by the schema of $schema"
    done
done
is "$(python3 -c '
import xml.etree.ElementTree as tree
text = "".join("".join(e.itertext()) + "".join(e.attrib.values()) for e in tree.parse("hostile.xml").iter())
print("\\x1b[31m\\x07" in text, "]]>" in text, "\\u202e" in text, "\\xef\\xbf\\xbe" in text, "\U0001f600" in text)')" \
    "True True True True True" "E01 by another parser: what XML 1.0 does not have is shown by its number, the rest is text"

# --- times ---
cat >ask.py <<'END'
import re
import sys
import xml.etree.ElementTree as tree

root = tree.parse("plain.xml").getroot()
suites = root.findall("testsuite")
cases = suites[1].findall("testcase")
print(eval(sys.argv[1]))
END
ask() {
    python3 ask.py "$1"
}
is "$(ask "[c.get('time') for c in cases[:5]]")" "['0.003', '14029.255', '0.000', '5.007', '0.000']" \
    "E04 E05 E06 seconds, three decimals, no exponent, no grouping"
is "$(ask "[e.get('time') for e in root.iter() if e.get('time') and not re.fullmatch(r'[0-9]+\.[0-9]{3}', e.get('time'))]")" "[]" \
    "E04 every time has that form"
is "$(ask "suites[1].findtext('system-out').strip()")" "not run, or no time in the record, of attempt 5, 6, 10" \
    "a time that is not in the record is said to be missing"
mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
    is "$(LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 "$OAMQUAL" report --junit plain | cmp - plain.xml && echo same)" same "E05 in German too"
else
    skip "E05 in German too" "the sources of de_DE (package locales) are not installed"
fi

# --- outcomes ---
is "$(ask "len(cases)")" 10 "a case for each attempt"
is "$(ask "[[child.tag for child in c] for c in cases]")" \
    "[['failure'], [], ['error'], ['failure'], ['failure'], [], ['skipped'], ['skipped'], ['failure'], ['skipped']]" \
    "what was skipped neither passes nor fails, and hides no failure"
is "$(ask "cases[6].find('skipped').get('message')")" "no OpenImageDenoise" "and says why"
is "$(ask "[(s.get('tests'), s.get('failures'), s.get('errors'), s.get('skipped')) == tuple(str(n) for n in (
    len(s.findall('testcase')), len(s.findall('*/failure')), len(s.findall('*/error')), len(s.findall('*/skipped'))))
    for s in suites]")" "[True, True]" "the counts are those of the cases"
is "$(ask "[s.find('properties/property[@name=\"simulated\"]').get('value') for s in suites]")" "['true', 'true']" \
    "a property says simulated"

# --- the schemas are no rubber stamp: each of these was seen to break a reader ---
while IFS='|' read -r schema change title; do
    sed -E "$change" plain.xml >changed.xml
    is "$(cmp -s plain.xml changed.xml && echo same)/$(valid "$schema" changed.xml)" /refused "$schema refuses $title"
done <<'END'
ant|s/time="0.003"/time="3.069E9"/|E04 a time with an exponent
ant|s/time="14029.255"/time="14,029.255"/|E05 a time with grouping
ant|s/time="0.003"/time="80.803us"/|E06 a time with a unit
ant|s/ time="0.003"//|a case without a time
ant|s/timestamp="[^"]*"/timestamp="2026-11-30T02:10:06Z"/|a moment with a zone
ant|s/ hostname="blade"//|a suite without a host
ant|s/<system-err\/>//|a suite without its outputs
ant|s/<failure type="not-listed"/<failure/|a failure without a type
jenkins|s/tests="10"//|a suite without a count
jenkins|s/ name="SIMULATED attempt 1:[^"]*"//|a case without a name
jenkins|s/<properties>/<properties><other\/>/|an element of another kind
jenkins|s/(<testsuite .*time=")[^"]*/\1-1/|a suite that took less than no time
END
finish
