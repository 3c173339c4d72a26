#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual report: kinds, exit statuses, and documents that other programs parse. The record is made here; one that Blender
# made is in 51-record-schema.sh.
. "$SOURCE/tests/cli/lib.sh"

mkdir good bad workers none
python3 - <<'END'
import json

EVIL = "<script>alert(1)</script><img src=x onerror=y>\"'`|]]>\x1b[2J\x07\u202e--> &amp; \ufffe \u0085"


def attempt(number, bdf, probe, verdict, text):
    facts = [{"fact": "cycles-lists-device", "answer": "no", "evidence": text}]
    return {"number": number, "scene": "cornell", "probe": probe, "together": False,
            "device": {"bdf": bdf} if bdf else None, "source": "simulated" if bdf else "observed", "run": True,
            "command": ["blender", text], "environment": ["A=" + text], "verdict": verdict, "why": text,
            "decided_by": {"fact": "cycles-lists-device", "rung": {"rung": 5, "name": "x"}, "evidence": text},
            "first_rung_not_yes": {"rung": 5, "name": text},
            "ending": {"how": "exited", "wall_seconds": 1.23456789, "text": text},
            "image": {"file": "image.exr"}, "folder": "../../outside",
            "rungs": [{"rung": 5, "name": text, "answer": "no", "facts": facts}], "process": facts}


def record(text, source, verdict, worker):
    return {"schema": "oamqual-record/1", "source": source, "tool": {"version": "0", "commit": text},
            "run": {"started": "2026-11-30T02:10:06Z", "ended": text, "interrupted": False,
                    "command": ["qualify", "--out", text]},
            "node": {"name": text, "hip": {"why": text, text: text},
                     "gpus": [{"bdf": {"value": "0000:c1:00.0", "class": text, "from": text},
                               "hip_name": {"value": None, "class": "unknown", "why": text}}]},
            "scenes": [{"name": "cornell", "purpose": text,
                        "reference": {"present": True, "path": text, "copy": "/etc/passwd", "sha256": "00"}}],
            "gcds": [{"bdf": "0000:c1:00.0", "verdict": verdict, "render_worker": worker, "attempts": 2,
                      "decided_at": None, "first_rung_not_yes": None, "evidence": text}],
            "attempts": [attempt(1, "0000:c1:00.0", "strict", "not-listed", text),
                         attempt(2, "0000:c1:00.0", "as-farm", text, text),
                         attempt(3, None, "control", "accepted", text),
                         attempt(4, "0000:c1:00.0", "strict", "inconclusive", text)],
            "notes": [text, 5, None], "files": [{"path": text, "bytes": text, "sha256": 5}]}


json.dump(record("plain", "simulated", "not-listed", False), open("good/record.json", "w"))
json.dump(record(EVIL, "simulated", EVIL, False), open("bad/record.json", "w"))
json.dump(record("plain", "observed", "accepted", True), open("workers/record.json", "w"))
json.dump({"schema": "oamqual-record/1", "attempts": [], "gcds": [], "files": []}, open("none/record.json", "w"))
END

cat >page.py <<'END'
"""Parses a page: every element is closed in order, none has a name or attribute that a report does not use."""
import base64
import hashlib
import html.parser
import re
import sys

VOID = {"meta", "img"}
TAGS = set("html head body meta title style h1 h2 h3 p pre div span small strong table thead tbody tr th td nav a ul li "
           "section details summary figure figcaption img script svg rect circle line path text".split())
ATTRIBUTES = set("lang charset http-equiv content name class role data-label data-picture data-stops alt src id href "
                 "aria-label viewbox x y width height rx cx cy r x1 y1 x2 y2 d".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.policy, self.sources, self.own = [], [], None, [], []

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, "element %s at %s" % (tag, self.getpos())
        for name, value in attributes:
            assert name in ATTRIBUTES, "attribute %s at %s" % (name, self.getpos())
            if name == "src":
                assert value.startswith("data:image/png;base64,"), value[:60]
                self.sources.append(value)
            if name == "href":
                assert re.fullmatch("#[a-z]+", value), value
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "</%s> closes %s at %s" % (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] == ["style"] or self.open[-1:] == ["script"]:
            self.own.append((self.open[-1], data))
        else:
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment")


raw = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(raw)
page.close()
assert not page.open, page.open
assert [kind for kind, _ in page.own] == ["style", "script"], "one style sheet and one script"
hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(data.encode()).digest()).decode() for _, data in page.own]
assert page.policy == ("default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'"
                       % tuple(hashes)), page.policy
text = "".join(page.text)
for wanted in sys.argv[2:]:
    assert wanted in text, wanted
assert not [c for c in raw if ord(c) < 32 and c != "\n" or c in "\u202e\ufffe\u0085"]
print("parsed", len(page.sources))
END

page() {
    title=$1
    shift
    is "$(python3 page.py "$@" 2>&1 | tail -1)" "parsed 0" "$title"
}

# --- kinds and exit statuses ---
run report good
exits 0 "the summary is the default"
says '^SIMULATED 0000:c1:00.0' "its rows are marked"
cp out summary
run report --summary good/record.json
is "$(cmp out summary && echo same)" same "the file names the record as the folder does"
run report --summary bad
exits 0 "a hostile record has a summary"
is "$(LC_ALL=C grep -c "$(printf '[\033\007]')" out)" 0 "in which no terminal finds an escape sequence"
says '<script>alert\(1\)</script>.*\\x1b\[2J' "but its text is shown"
run report --oneline good
exits 3 "a record whose verdicts do not follow from its attempts decides nothing"
says 'contradicts itself' "and says why"
run report --oneline workers
exits 3 "whatever it claims"
run report --oneline none
exits 3 "no GCD: nothing was decided"
is "$(cat out)" "SIMULATED undecided 0/0 GCDs are render workers:" "and the line says so"
run report --html page.html good
exits 0 "a page is written"
is "$(wc -c <out)" 0 "and nothing printed"
run report --html page2.html --summary good
exits 0 "a page and a summary"
is "$(cmp page.html page2.html && echo same)" same "the same record gives the same page"
run report --oneline bad
is "$status/$(cat out)" 3/ "a hostile record that contradicts itself has no line"
is "$(for image in decision scene charts; do
    test "$(wc -c <"$SOURCE/docs/images/report-$image.png")" -lt 150000 && grep -c "images/report-$image.png" "$SOURCE/docs/report.md"
done | tr '\n' ' ')" "1 1 1 " "docs/report.md shows its pictures, each small"

run report --junit good workers
exits 2 "two records have no JUnit"
run report
exits 2 "no record"
run report --junit --markdown good
exits 2 "two kinds for one standard output"
says 'both want standard output' "says so"
one_line "in one line"
run report missing
exits 3 "a record that is not there"
one_line "is one line"
says 'missing' "that names it"
echo '{"schema": "other"}' >other.json
run report --junit other.json
exits 3 "another kind of JSON"
is "$(wc -c <out)" 0 "prints nothing"
head -c 500 good/record.json >cut.json
run report --html cut.html cut.json
exits 3 "a record that was cut"
is "$(ls cut.html 2>&1 | grep -c 'No such')" 1 "leaves no page"
run report --html nowhere/page.html good
exits 3 "a page that cannot be written"
says 'nowhere/page.html' "names the place"
status=0
"$OAMQUAL" report --junit good >/dev/full 2>err || status=$?
exits 3 "a full standard output is not success"

# --- the page ---
page "the page parses" page.html "0 of 1 GCD is a render worker." SIMULATED "Module 0" \
    "not shown: /etc/passwd: No such file or directory"
run report --html bad.html bad
exits 0 "a hostile record has a page"
page "in which its texts are text" bad.html '<script>alert(1)</script>' '\x1b[2J' '\u202e'
run report --html none.html none
page "an empty record has a page" none.html "No GCD was judged" "The record holds no GCD" "To do: the amdgpu driver makes /dev/kfd"
run report none
says '^SIMULATED render workers: 0 of 0 GCDs: there was none to judge$' "its summary has no verdict to explain"
says '^to do: .*/dev/kfd.*oamqual node' "but says what to look at"
is "$(grep -c 'what the verdicts mean' out)" 0 "and no empty list"
run report --markdown none
says '^To do: .*/dev/kfd' "so does the finding"
is "$(grep -c '^|' out)" 0 "without empty tables"
run report --html workers.html workers
page "an observed record too" workers.html "1 of 1 GCD is a render worker."
is "$(grep -c 'class="banner"' page.html)/$(grep -c 'class="banner"' workers.html)" 1/0 \
    "the banner is there when simulated, and only then"

# --- JUnit ---
if have xmllint; then
    for record in good bad workers none; do
        run report --junit $record
        exits 0 "JUnit of $record"
        is "$(xmllint --noout out 2>&1)" "" "is well-formed XML"
        cp out $record.xml
    done
    is "$(xmllint --xpath 'count(//testsuite)' good.xml)" 2 "GCDs and attempts are a suite each"
    is "$(xmllint --xpath 'count(//testcase[not(failure or error)])' good.xml)" 1 "only the control passed"
    is "$(xmllint --xpath 'count(//failure)' good.xml)" 2 "judged and not accepted are failures"
    is "$(xmllint --xpath 'count(//error)' good.xml)" 3 "inconclusive, no verdict at all and a contradiction are errors"
    is "$(xmllint --xpath 'count(//testsuite[@tests=count(testcase) and @failures=count(testcase/failure) and @errors=count(testcase/error)])' \
        good.xml)" 2 "the counts are those of the cases"
    is "$(xmllint --xpath 'string(//testsuite[2]/testcase[1]/@time)' good.xml)" 1.235 "times have three decimals"
    is "$(xmllint --xpath 'string(//testsuite[1]/properties/property[@name="simulated"]/@value)' good.xml)" true \
        "a property says simulated"
    is "$(xmllint --xpath 'count(//error)' none.xml)" 1 "no GCD is an error"
    is "$(xmllint --xpath 'count(//testsuite[1]/testcase[not(failure or error)])' workers.xml)" 1 "a worker passes"
    is "$(xmllint --xpath 'count(//testcase[@name="the record holds together"]/error)' workers.xml)" 1 \
        "but not a record whose verdicts do not follow from its attempts"
    is "$(xmllint --xpath 'contains(string(//testsuite[2]/testcase[1]/failure/@message), "\x1b[2J")' bad.xml)" true \
        "control bytes are visible"
else
    skip "JUnit parses" "xmllint (libxml2-utils) is not installed"
fi

# --- Markdown ---
run report --markdown good
exits 0 "Markdown"
says '^# SIMULATED 0 of 1 GCD is a render worker' "the title decides"
is "$(grep -c '^| SIMULATED ' out)" 1 "each row is marked"
run report --markdown bad
exits 0 "Markdown of a hostile record"
is "$(sed '/^```/,$d' out | grep -c '<')" 0 "no HTML outside the fence"
is "$(grep '^| SIMULATED' out | sed 's/\\\\//g;s/\\|//g' | tr -cd '|' | wc -c)" 8 "no bar makes a column"
is "$(grep -c '^```$' out)" 2 "nothing ends the fence"
is "$(LC_ALL=C grep -c "$(printf '\033')" out)" 0 "no escape sequence"
finish
