# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced after lib.sh by tests of what is made of records.
#
#   make_record MODE...        qualifies the blade, one GCD a mode of the stand-in Blender, by every probe: run/record.json;
#                              the command in $change_node is run before, on node/
#   variant FROM TO NAME [CODE]  TO/record.json is that of FROM with another node's name, changed by Python statements on
#                              the document d. observed(d) makes it what a live node would have given.
make_record() {
    rm -rf node run
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices $# --out node >/dev/null || exit 1
    ${change_node:-true}
    read_fake_ids
    FAKE_MODES=
    for device in $(field node/node.json "' '.join(g['bdf'] for g in d['hip']['devices'])"); do
        FAKE_MODES="$FAKE_MODES $device=$1"
        shift
    done
    export FAKE_MODES
    status=0
    FAKE_BLENDER=faithful FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr "$OAMQUAL" qualify --node node --out run \
        -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --no-baseline --quiet --sandbox none -j 8 \
        >out 2>err </dev/null || status=$?
    [ -f run/record.json ] || { sed 's/^/# /' err; exit 1; }
}

variant() { # from, to, name, code
    mkdir -p "$2"
    python3 - "$@" <<'END'
import json
import sys


def observed(d):
    def change(value):
        if isinstance(value, dict):
            if value.get("class") == "simulated":
                value["class"] = "observed"
            for member in value.values():
                change(member)
        elif isinstance(value, list):
            for member in value:
                change(member)
    change(d)
    d["source"], d["node"]["source"] = "observed", "live"
    for attempt in d["attempts"]:
        attempt["source"] = "observed"


d = json.load(open(sys.argv[1] + "/record.json"))
d["node"]["name"] = sys.argv[3]
exec(sys.argv[4] if len(sys.argv) > 4 else "")
json.dump(d, open(sys.argv[2] + "/record.json", "w"), indent=2)
END
}
