# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced after lib.sh by the tests that run farms on a real Slurm.
#
#   farm_place             a folder in $place that other users can read; ended and removed whatever happens
#   farm_cluster ARG...    starts Slurm there (tests/farm/slurm); its configuration is exported
#   farm_node NODE [OPTION...]   $place/nodes/NODE of one GCD (make_nodes.py's options), rendered by $place/blender
#   farm_mode NODE MODE    how the stand-in Blender behaves there from now on; "real" is Blender itself
#   wait_for SECONDS COMMAND...  until it succeeds
#   outcome RUN NODE       its outcome in farm.json
PATH=${OAMQUAL_SLURM_PREFIX:+$OAMQUAL_SLURM_PREFIX/bin:$OAMQUAL_SLURM_PREFIX/sbin:}$PATH:/usr/sbin:/sbin

farm_missing() {
    for program in slurmctld slurmd sbatch scontrol sinfo munged blender; do
        have $program || { echo "no $program: package slurm-wlm, munge or blender"; return; }
    done
}

farm_end() {
    for mounted in ${farm_mounted:-}; do umount "$mounted" 2>/dev/null; done
    [ ! -e "$place/q" ] || "$SOURCE/tests/farm/slurm" stop "$place/q"
    rm -rf "$place" "$farm_local"
}

farm_place() {
    place=$(mktemp -d /tmp/oamfarm-XXXXXX)
    farm_local=$(mktemp -d /var/tmp/oamfarm-XXXXXX)
    chmod 755 "$place"
    chmod 1777 "$farm_local"
    trap farm_end EXIT
    trap 'exit 1' INT TERM HUP
    mkdir "$place/q" "$place/nodes" "$place/mode" "$place/share" "$place/tool"
    chmod 1777 "$place/share"
    # Another user need not be able to read the checkout.
    cp "$OAMQUAL_RELEASE" "$(dirname "$OAMQUAL_RELEASE")/oamqual-oiio.so" "$place/tool/"
    cp -r "$(dirname "$OAMQUAL_RELEASE")/simhip" "$place/tool/"
    cp -r "$SOURCE/scenes/cornell" "$place/scene"
    cp "$SOURCE/tests/fakes/blender" "$place/fake-blender"
    mkdir "$place/expected"
    cp -r "$SOURCE/expected/cornell" "$place/expected/"
    cat >"$place/blender" <<END
#!/bin/sh
. $place/mode/\${SLURMD_NODENAME:-none}
[ "\$FAKE_BLENDER" != real ] || exec $(command -v blender) "\$@"
export FAKE_BLENDER FAKE_IDS FAKE_IMAGE=$place/expected/cornell/reference.exr
exec $place/fake-blender "\$@"
END
    chmod 755 "$place/blender"
    : >"$place/mode/none"
    farm_tool=$place/tool/oamqual
}

farm_cluster() {
    "$SOURCE/tests/farm/slurm" start "$place/q" --lifetime 540 "$@" >cluster.txt 2>&1 || {
        fail "Slurm starts" "$(tail -n 40 cluster.txt)"
        finish
    }
    export SLURM_CONF="$place/q/slurm.conf"
}

farm_mode() {
    ids=$(field "$place/nodes/$1/node.json" "' '.join('GPU-%s=%s' % (g['unique_id'][2:], g['bdf']) for g in d['hip']['devices'])")
    printf 'FAKE_BLENDER=%s\nFAKE_IDS="%s"\n' "$2" "$ids" >"$place/mode/$1.new"
    mv "$place/mode/$1.new" "$place/mode/$1"
}

farm_node() {
    node_name=$1
    shift
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd "$@" --out "$place/nodes/$node_name" >/dev/null || exit 1
    farm_mode "$node_name" faithful
}

farm_options() {
    echo "--node=$place/nodes/%N --blender=$place/blender --scene=$place/scene --expected=$place/expected --no-baseline
        --sandbox=none --jobs=2 --local=$farm_local --poll=1"
}

wait_for() {
    tries=$(($1 * 5))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}

outcome() {
    field "$1/farm.json" "[n['outcome'] for n in d['nodes'] if n['name'] == '$2'][0]"
}

is_running_on() {
    grep -q '"state": "running"' "$1/words/$2.json"
}
