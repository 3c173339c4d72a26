#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page in a browser (tests/browser/check_report.py): quiet, nothing fetched, pictures there, the slider works, hostile
# text is shown and not run, on a phone, in the dark, on paper.
. "$SOURCE/tests/cli/lib.sh"

if ! have chromium; then
    skip "the report in a browser" "chromium is not installed"
    finish
fi
. "$SOURCE/tests/cli/modes.sh"

# Pictures from the stand-in Blender: a right one, a wrong one, and a GCD of which nothing is known.
play "" faithful claims-near forged
is "$(field run/record.json "sorted({g['verdict'] for g in d['gcds']})")" "['image-differs', 'inconclusive']" \
    "a record with pictures, one of them wrong"
run report --html page.html run
exits 0 "its page"

# The same record as somebody who wants a script to run would write it: every text that is not a word the report looks for.
mkdir hostile
python3 - <<'END'
import json

EVIL = ("<script>window.evil=1</script><img src=x onerror=window.evil=2></title><svg onload=window.evil=3>\"'` ]]> --> "
        "\x1b[2J\u0000\u202eabc\u2066 </style></script> javascript:window.evil=4 &lt; \ufffe ").replace("\u0000", "\\u0000")
KEPT = {"schema", "source", "probe", "class", "verdict", "sha256", "copy", "folder", "file", "path", "bdf", "answer"}


def spoil(value, key=""):
    if isinstance(value, dict):
        return {k: spoil(v, k) for k, v in value.items()} | ({EVIL: EVIL} if key in ("hip", "worker", "provenance") else {})
    if isinstance(value, list):
        return [spoil(v, key) for v in value]
    return EVIL + value if isinstance(value, str) and key not in KEPT else value


record = spoil(json.load(open("run/record.json")))
record["notes"].append("x" * 20000)
record["node"]["gpus"][0]["hip_name"]["value"] = "AMD Instinct " + EVIL
record["scenes"][0]["name"] = EVIL + "y" * 300
record["gcds"][0]["bdf"] = "</svg>" + EVIL
json.dump(record, open("hostile/record.json", "w"))
END
run report --html hostile.html hostile
exits 0 "the page of a hostile record"

# check_report.py numbers nothing: its lines are counted here.
python3 -B "$SOURCE/tests/browser/check_report.py" page.html hostile.html broken.html page.pdf >checks 2>checks.err
while IFS= read -r line; do
    case $line in
    "ok - "*) pass "${line#ok - }" ;;
    "not ok - "*) fail "${line#not ok - }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <checks
is "$(wc -l <checks.err)/$(($(grep -c 'ok - ' checks) > 35))" 0/1 "all of it was checked"
sed 's/^/# /' checks.err

# On paper each page says what it is.
if have pdftotext; then
    pdftotext -layout page.pdf page.txt
    is "$(python3 -c '
pages = open("page.txt", encoding="utf-8").read().split("\f")[:-1]
print(len(pages) > 3, [i for i, page in enumerate(pages) if page.count("SIMULATED") < 2])')" "True []" \
        "print: every page says SIMULATED at its head and its foot"
else
    skip "print: every page says SIMULATED" "pdftotext (poppler-utils) is not installed"
fi
finish
