# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced after lib.sh by tests that let the stand-in Blender misbehave in many ways in one run, each on a GCD of its own.
#
#   play 'OPTION...' MODE...   qualifies the blade, its GCDs playing the modes in this order (7 at most). An option is one
#                              of qualify's, or variant=NAME, fault=NAME (of make_nodes.py, on the first GCD), no-kfd
#                              (KFD does not know the first GCD), deadline=SECONDS or live (a machine whose /dev/kfd
#                              may not be opened, seen through a mount namespace)
#   of MODE                    sets $verdict, $evidence, $rungs ("1=yes 2=no ...") and $worker of that GCD; MODE control too
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_SHAPE_IMAGE=$SOURCE/expected/glass/reference.exr
FAKE_BLACK_IMAGE=$PWD/black.exr
FAKE_NEAR_IMAGE=$PWD/near.exr
FAKE_TILE_IMAGE=$PWD/tile.exr
FAKE_FLICKER=$PWD/flicker
FAKE_BLENDER=faithful
FAKE_IDS=
FAKE_MODES=
export FAKE_IMAGE FAKE_SHAPE_IMAGE FAKE_BLACK_IMAGE FAKE_NEAR_IMAGE FAKE_TILE_IMAGE FAKE_FLICKER FAKE_BLENDER FAKE_IDS FAKE_MODES
oiiotool "$FAKE_IMAGE" --mulc 0 -o black.exr || exit 1
oiiotool "$FAKE_IMAGE" --mulc 1.1,1.1,1.1,1 -o near.exr || exit 1
oiiotool "$FAKE_IMAGE" --box:color=1,0,1,1:fill=1 64,64,79,79 -o tile.exr || exit 1
mkdir -p none flicker
BLADE_BDFS='0000:c1:00.0 0000:c6:00.0 0000:c9:00.0 0000:ce:00.0 0000:d1:00.0 0000:d6:00.0 0000:d9:00.0 0000:de:00.0'

# What each GCD played and what it was called.
read_played() {
    python3 -c '
import json, os
modes = dict(p.split("=") for p in os.environ["FAKE_MODES"].split())
record = json.load(open("run/record.json"))
workers = {g["bdf"]: g["render_worker"] for g in record["gcds"]}
for a in record["attempts"]:
    if a["probe"] == "as-farm" or a["together"]:
        continue
    decided = (a["decided_by"] or {}).get("evidence") or ""
    rungs = " ".join("%d=%s" % (r["rung"], r["answer"]) for r in a["rungs"])
    bdf = (a["device"] or {}).get("bdf")
    print("|".join((modes.get(bdf, "control"), a["verdict"], rungs, str(workers.get(bdf)), " ".join(decided.split()))))
' >played
}

# A machine of its own: the tree's /sys, a /dev/kfd that nobody may open, and nobody to open it.
play_live() {
    chmod a+rwx . && install -m 0000 /dev/null locked && mkdir -p run && chmod a+rwx run
    [ "$(id -u)" = 0 ] && nobody='setpriv --reuid 65534 --regid 65534 --clear-groups' || nobody=
    status=0
    # shellcheck disable=SC2086 # words
    bwrap --bind / / --dev /dev --ro-bind node/sys /sys --bind locked /dev/kfd $nobody \
        "$OAMQUAL" qualify --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --probe strict \
        --no-baseline --quiet --sandbox none >out 2>err </dev/null || status=$?
}

play() { # 'options', modes
    variant=plain fault= no_kfd= deadline=120 live= more=
    for option in $1; do
        case $option in
        variant=*) variant=${option#*=} ;;
        fault=*) fault=${option#*=} ;;
        no-kfd) no_kfd=1 ;;
        deadline=*) deadline=${option#*=} ;;
        live) live=1 ;;
        *) more="$more $option" ;;
        esac
    done
    shift
    rm -rf node run played
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant "$variant" --devices $# ${fault:+--fault "$fault@0000:c1:00.0"} \
        --out node >/dev/null || exit 1
    read_fake_ids
    [ -z "$no_kfd" ] || forget_first_gcd
    FAKE_MODES=
    for bdf in $BLADE_BDFS; do
        [ $# -gt 0 ] || break
        FAKE_MODES="$FAKE_MODES $bdf=$1"
        shift
    done
    if [ -n "$live" ]; then play_live; else
        # shellcheck disable=SC2086 # words
        run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --probe strict \
            --no-baseline --quiet --sandbox none -j 16 --deadline "$deadline" $more
    fi
    read_played 2>&1 || sed 's/^/# /' err
}

# Of a topology folder, the node whose location is that of c1:00.0.
forget_first_gcd() {
    for properties in node/sys/class/kfd/kfd/topology/nodes/*/properties; do
        if grep -q '^location_id 49408$' "$properties"; then rm -r "${properties%/properties}"; fi
    done
}

of() { # mode
    line=$(grep "^$1|" played)
    IFS='|' read -r _ verdict rungs worker evidence <<LINE
$line
LINE
}
