# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the tests in which Cycles judges the baseline (judge.py; docs/baseline.md, "How its picture is checked").
#
#   ours SCENE SAMPLES SEEDS              the baseline's pictures, SCENE1.exr ..., with so many noise seeds
#   judge SCENE.ply SAMPLES SEEDS FILE... Cycles' pictures of the scene against those files; figures in judged/SCENE
#   mean_within LIMIT NAME                "yes", or the channels off by more than LIMIT, or than 4 standard errors for "error"
#   tiles_within NAME                     "yes", or the worst tile when it is off by more than 4.5 standard errors
#   error_below LIMIT NAME                "yes", or the standard errors of the means: else a judgement says nothing
SIZE=64

ours() {
    for seed in $(seq "$3"); do
        run baseline --scene "$1" --noise-seed "$seed" --size ${SIZE}x$SIZE --samples "$2" --image "$1$seed.exr"
        exits 0 "$1 with noise $seed renders"
    done
    run baseline --scene "$1" --write-scene "$1.ply"
    exits 0 "$1 is written for Cycles"
}

judge() {
    mkdir -p judged
    figures=judged/$(basename "$1" .ply)
    if PYTHONDONTWRITEBYTECODE=1 blender -b --factory-startup --python-exit-code 5 --python "$SOURCE/tests/blender/judge.py" -- \
        "$1" $SIZE "$2" "$3" "$4" "$5" >log 2>&1; then
        pass "Cycles renders $1"
    else
        fail "Cycles renders $1" "$(tail -c 2000 log)"
    fi
    grep -E '^(SECONDS|MEAN|WORST)' log >"$figures"
    sed "s/^/# $1 /" "$figures"
}

mean_within() {
    awk -v limit="$1" 'function size(x) { return x < 0 ? -x : x }
        /^MEAN/ { n++; if (size($5) > (limit == "error" ? 4 * $6 : limit)) bad = bad " " $2 " " $5 }
        END { print n != 3 ? "no figures" : bad ? bad : "yes" }' "judged/$2"
}

tiles_within() {
    awk '/^WORST/ { print $2 <= 4.5 ? "yes" : $0; n++ } END { if (!n) print "no figures" }' "judged/$1"
}

error_below() {
    awk -v limit="$1" '/^MEAN/ { n++; if ($6 > limit) bad = bad " " $2 " " $6 }
        END { print n != 3 ? "no figures" : bad ? bad : "yes" }' "judged/$2"
}
