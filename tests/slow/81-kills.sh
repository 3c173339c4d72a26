#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 200 kills at random moments, every one of which resumes to the same final record; some of them under a real Blender in
# its sandbox. The seed is printed, so that a failure can be repeated.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_BLENDER=forged
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER
seed=${SEED:-$(date +%s)}

kills() { # how many, title, more arguments
    wanted=$1
    title=$2
    shift 2
    if python3 "$SOURCE/tests/resume.py" "$OAMQUAL_RELEASE" random "$wanted" "$seed" -- --node node \
        -s "$SOURCE/scenes/cornell" --no-baseline "$@" >tap 2>tap-err; then
        pass "$title: $(awk '/^ok/ { kills += $(NF - 1) } END { print kills }' tap) kills in $(grep -c '^ok' tap) runs"
    else
        fail "$title (SEED=$seed)" "$(grep -v '^ok' tap)" "$(cat tap-err)"
    fi
}
kills 200 "a stand-in Blender" -b "$SOURCE/tests/fakes/blender" --sandbox none
if have blender && have bwrap; then kills 20 "a real Blender in its sandbox"; else
    skip "a real Blender in its sandbox" "blender or bwrap is not installed"
fi
finish
