#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual report with many records and with a farm.json: no node is dropped, a damaged record is named, and the page of
# it in a browser (tests/browser/check_farm.py).
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/records.sh"

make_record faithful silent
is "$(field run/record.json "[g['verdict'] for g in d['gcds']]")" "['accepted', 'no-output']" "a record with a worker and another GCD"

EVIL="<script>window.evil=1</script><img src=x onerror=window.evil=2>]]>--></style></script>"
variant run farm/nodes/a alpha
variant run farm/nodes/b beta "observed(d)"
variant run farm/nodes/c "$EVIL" "d['gcds'][1]['evidence'] = d['attempts'][1]['why'] = sys.argv[3] + chr(0x202e) + chr(27)
for a in d['attempts']:
    if a['decided_by']: a['decided_by']['evidence'] = d['gcds'][1]['evidence']
d['blender']['version'] = '=1+1' + sys.argv[3]"
variant run farm/nodes/i stopped "d['run']['interrupted'] = True"
variant run farm/nodes/x liar "d['gcds'][1].update(verdict='accepted', render_worker=True)"
mkdir farm/nodes/cut farm/nodes/swapped && head -c 5000 run/record.json >farm/nodes/cut/record.json
cp run/record.json farm/nodes/swapped/record.json
python3 - <<'END'
import hashlib
import json


def node(name, folder, **more):
    path = "nodes/%s/record.json" % folder
    digest = hashlib.sha256(open("farm/" + path, "rb").read()).hexdigest()
    return {"name": name, "outcome": "qualified", "why": None, "record": path, "record_sha256": digest} | more


nodes = [node("alpha", "a"), node("beta", "b"), node("gamma" + "<b>", "c"), node("stopped", "i"), node("liar", "x"),
         node("torn", "cut"), node("swapped", "swapped", record_sha256="0" * 64),
         node("absent", "a", record="nodes/absent/record.json"),
         {"name": "dead", "outcome": "node-down", "why": "DOWN since <i>Friday</i>", "record": None, "record_sha256": None},
         {"name": "odd", "outcome": "</td>", "why": None, "record": None, "record_sha256": None}]
json.dump({"schema": "oamqual-farm/1", "source": "simulated", "nodes": nodes}, open("farm/farm.json", "w"))
for name, change in (("up", {"record": "../run/record.json"}), ("nameless", {"name": 5})):
    json.dump({"schema": "oamqual-farm/1", "source": "simulated", "nodes": [node("alpha", "a") | change]},
              open("farm/%s.json" % name, "w"))
END

# --- lists that claim more than their records say ---
mkdir farm/nodes/out elsewhere && cp run/record.json elsewhere/ && ln -s ../../../elsewhere/record.json farm/nodes/out/record.json
ln -s ../../elsewhere farm/nodes/away
python3 - <<'END'
import json


def write(name, *nodes):
    json.dump({"schema": "oamqual-farm/1", "source": "simulated", "nodes": [
        {"name": n, "outcome": outcome, "why": None, "record": "nodes/%s/record.json" % folder, "record_sha256": sha256}
        for n, outcome, folder, sha256 in nodes]}, open("farm/%s.json" % name, "w"))


write("shared", ("one", "qualified", "a", None), ("b", "qualified", "b", None), ("two", "qualified", "a", None), ("three", "qualified", "a", None))
write("lost", ("gone", "lost", "a", None))
write("link", ("gone", "qualified", "out", None))
write("folder", ("gone", "qualified", "away", None))
write("number", ("gone", "qualified", "a", 5))
END
run report farm/shared.json
exits 0 "one record of three nodes"
for row in 'one +record-damaged .*that of node (two|three) too' 'two +record-damaged .*that of node one too' \
    'three +record-damaged .*that of node one too' '^b +qualified +1/2' ' 1 of 2 GCDs'; do
    says "$row" "is nobody's: $row"
done
run report --oneline farm/lost.json
exits 3 "a lost node is not judged"
says ' 0/0 GCDs' "though a record of it lies there"
for name in link folder; do
    run report farm/$name.json
    exits 3 "a $name that leads out of the list's folder"
    says 'node gone: its record .* is not below' "is refused"
done
run report farm/number.json
exits 3 "a digest that is no text"
says 'node gone: its record_sha256 is no text' "is not taken for none"

# --- text and JSON ---
run report farm/farm.json
exits 0 "a farm"
for row in 'SIMULATED alpha +qualified +1/2 1 accepted 1 no-output$' '^beta +qualified +1/2' 'stopped .*the run was interrupted' \
    'liar +record-damaged .*contradicts itself' 'torn +record-damaged .*cut/record.json:[0-9]+: not valid JSON' \
    'swapped +record-damaged .*not the file that the list names' 'absent +no-record .*No such file' \
    'dead +node-down +DOWN since <i>Friday' 'odd +unknown +</td>' 'SIMULATED render workers: 4 of 8 GCDs; 4 accepted 4 no-output' \
    'SIMULATED nodes: 10; 1 no-record 1 node-down 4 qualified 3 record-damaged 1 unknown'; do
    says "$row" "a row: $row"
done
cp out by-name
run report farm
exits 0 "its folder names it too"
if cmp -s out by-name; then pass "with the same rows"; else fail "with the same rows" "$(diff by-name out)"; fi
run report --oneline farm/farm.json
exits 3 "of some nodes nothing was decided"
is "$(cat out)" "SIMULATED undecided 10 nodes: 1 no-record 1 node-down 4 qualified 3 record-damaged 1 unknown; 4/8 GCDs are render workers: 4 accepted 4 no-output" \
    "in one line"
run report --json farm/farm.json
exits 0 "as JSON"
is "$(field out "[d['schema'], d['source'], len(d['nodes']), d['render_workers'], [n['source'] for n in d['nodes']][:5]]")" \
    "['oamqual-farm-report/1', 'simulated', 10, 4, ['simulated', 'observed', 'simulated', 'simulated', None]]" "with every node"
is "$(field out "d['nodes'][0]['record_sha256']")" "$(sha256sum <farm/nodes/a/record.json | cut -d' ' -f1)" \
    "and the digest of what was read, as sha256sum has it"
is "$(field out "[(g['bdf'], g['unique_id'], g['gfx_target'], g['verdict'], g['render_worker']) for g in d['nodes'][0]['gcds']]")" \
    "$(field run/record.json "[(g['bdf']['value'], g['unique_id']['value'], g['gfx_target']['value'], v['verdict'], v['render_worker']) for g, v in zip(d['node']['gpus'], d['gcds'])]")" \
    "and of each GCD what Python reads of it"
is "$(field out "[g['render_seconds'] for g in d['nodes'][0]['gcds']]")" "[0.5, None]" "an unknown time is null"

cat >none.json <<'END'
{"schema": "oamqual-farm/1", "source": null, "nodes": [
 {"name": "dead", "outcome": "node-down", "why": null, "record": null, "record_sha256": null}]}
END
run report --oneline none.json
is "$status/$(cat out)" "3/undecided 1 nodes: 1 node-down; 0/0 GCDs are render workers:" "a farm without any record is neither simulated nor decided"

# --- records by name ---
variant run observed beta "observed(d)"
run report farm/nodes/a observed farm/nodes/cut/record.json
exits 0 "three records"
says 'cut/record.json +record-damaged|record-damaged .*cut/record.json' "the damaged one is named"
variant run another delta "observed(d)"
run report --oneline observed another
exits 1 "two observed ones: judged, not all accepted"
is "$(cat out)" "not-accepted 2 nodes: 2 qualified; 2/4 GCDs are render workers: 2 accepted 2 no-output" "without a mark"
mkdir copy && cp observed/record.json copy/mine.json
run report --json observed observed/record.json copy/mine.json absent absent farm/nodes/a
exits 0 "the same record by three names, and one that is not there by two"
is "$(field out "[(n['record'], n['outcome']) for n in d['nodes']], d['same_twice']")" \
    "([('observed/record.json', 'qualified'), ('absent', 'no-record'), ('farm/nodes/a/record.json', 'qualified')], ['observed/record.json', 'copy/mine.json', 'absent'])" \
    "each counts once"
says '^the same record again, counted once: copy/mine.json$' "which is said"
run report observed observed
exits 0 "one record twice"
says '^nodes: 1; 1 qualified$' "is a farm of one"
variant run frames framed "d['distributed'] = {'source': 'simulated', 'outcome': 'accepted', 'cases': []}"
run report observed frames
says 'record-damaged .*frames.*contradicts itself: its outcome over several GCDs' "a frame that does not follow from its ranks is seen"
mkfifo pipe
mkdir farm/nodes/empty
for nothing in missing farm/nodes/empty; do
    run report observed $nothing
    says "no-record .*$nothing.*: No such file" "$nothing: no record"
done
for what in pipe /dev/null /dev/zero; do
    run report --oneline $what observed
    exits 3 "$what among records is not waited for"
    says ' 1 qualified 1 record-damaged' "$what is a damaged record"
    run report $what
    exits 3 "$what alone"
    says "$what: not a regular file" "is told to be no file"
done
for refused in '--junit a b' '--markdown farm/farm.json' '--json --oneline farm/farm.json' '--json run'; do
    # shellcheck disable=SC2086 # words
    run report $refused
    exits 2 "report $refused"
done
run report farm/up.json
exits 3 "a list that names a record outside its folder"
says 'not below the list' "says so"
run report farm/nameless.json
exits 3 "a list with a node without a name"
run report --html page.html --oneline farm/nothing.json farm/nodes/a
exits 3 "a record that is not there leaves a report"
is "$([ -s page.html ] && echo page)" page "with a page"
run report --html nowhere/page.html farm/farm.json
exits 3 "a page that cannot be written"
is "$(wc -c <out)" 0 "prints nothing"
status=0
"$OAMQUAL" report farm/farm.json >/dev/full 2>err || status=$?
exits 3 "a full standard output is not success"

# --- the page ---
run report --html page.html farm/farm.json
exits 0 "a page"
is "$(wc -c <out)" 0 "and nothing printed"
run report --html again.html farm/farm.json
is "$(cmp page.html again.html && echo same)" same "the same records give the same page, whatever thread reads them"
python3 - >checks <<'END'
import base64
import hashlib
import html.parser
import json
import re

raw = open("page.html", encoding="utf-8").read()
VOID = {"meta", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.own, self.policy, self.tags = [], [], "", set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        assert not [a for a in attributes if a.startswith("on") or a in ("src", "href", "style")], (tag, attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if self.open[-1:] in (["style"], ["script"]):
            self.own.append(data)


page = Page()
page.feed(raw)
page.close()
assert not page.open and len(page.own) == 3, page.open
style, data, script = page.own
hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in (style, script)]
assert hashes[0] in page.policy and hashes[1] in page.policy and "default-src 'none'" in page.policy, page.policy
assert not re.search("[<>&]", data) and "window.evil" in data
assert not page.tags - set("html head body meta title style script h1 h2 p div strong span table thead tbody tr th td noscript "
                           "label input select option".split()), page.tags
assert not [c for c in raw if ord(c) < 32 and c != "\n" or c in "\u202e\ufffe"]
data = json.loads(data)
assert len(data["node"]["name"]) == 10 and sum(len(data["shapes"][s]) for s in data["node"]["shape"]) == len(data["gcd"]["result"]) == 8
digest = base64.urlsafe_b64decode(data["node"]["sha"][:43] + "=").hex()
assert digest == hashlib.sha256(open("farm/nodes/a/record.json", "rb").read()).hexdigest()
uid = base64.urlsafe_b64decode(data["gcd"]["uid"][:11] + "=").hex()
assert "0x" + uid == json.load(open("run/record.json"))["node"]["gpus"][0]["unique_id"]["value"]
print("parsed")
END
is "$(cat checks)" parsed "its elements are closed, its policy names its own style and script, its data is all of the records"

if ! have chromium; then
    skip "the page in a browser" "chromium is not installed"
    finish
fi
python3 -B "$SOURCE/tests/browser/check_farm.py" page.html page.pdf >checks 2>checks.err
while IFS= read -r line; do
    case $line in
    "ok - "*) pass "${line#ok - }" ;;
    "not ok - "*) fail "${line#not ok - }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <checks
is "$(wc -l <checks.err)/$(($(grep -c 'ok - ' checks) > 20))" 0/1 "all of it was checked"
sed 's/^/# /' checks.err
finish
