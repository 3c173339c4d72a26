#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The record names the hipcc that Blender would find, with its release, and predicts by it.
. "$SOURCE/tests/cli/lib.sh"

FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_BLENDER=forged
export FAKE_IMAGE FAKE_BLENDER FAKE_IDS

mkdir bin
printf '#!/bin/sh\necho "HIP version: 5.7.31921-1"; exit 1\n' >bin/newer
printf '#!/bin/sh\necho "clang version 15"\n' >bin/silent
printf '#!/bin/sh\nexec sleep 100\n' >bin/hipcc
chmod +x bin/*

judge() { # compiler, as make_nodes.py has it
    rm -rf run
    fake_node --hipcc "$1"
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --probe strict --no-baseline --quiet --sandbox none --deadline 60
    path=$(field run/record.json "d['blender']['hipcc']['path']['value']")
    release=$(field run/record.json "d['blender']['hipcc']['release']['value'] or 'unknown'")
    build=$(field run/record.json "[a['prediction']['kernel_build'] for a in d['attempts'] if a['probe'] == 'strict'][0]['value'] or 'unknown'" 2>&1)
}

judge hidden
is "$path $release" "none unknown" "a node that hides it has none"

judge "$PWD/bin/newer"
is "$path $release" "$PWD/bin/newer 5.7" "release by its HIP version, even when the script then fails"
is "$build" builds "and 3.4's kernel for gfx90a is predicted by it"

judge "$SOURCE/tests/fakes/hipcc"
is "$release $build" "5.2 fails" "another release, another prediction"

judge "$PWD/bin/silent"
is "$path $release" "$PWD/bin/silent unknown" "one that names no HIP version is present, its release unknown"
is "$(field run/record.json "d['blender']['hipcc']['release']['why']")" "its --version names no HIP version" "and why"

PATH=$PWD/bin:$PATH
export PATH
judge inherit
is "$path $release" "$PWD/bin/hipcc unknown" "one that hangs is ended, its release unknown"

finish
