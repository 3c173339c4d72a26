#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cycles on the CPU as judge of the baseline's four scenes, with so many samples that the standard errors of the mean colour
# are below its limit of 0.1 %: some 20 CPU-minutes.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/blender/judge.sh"

if ! have blender; then
    skip "the picture is that of Cycles" "blender is not installed"
    finish
fi
# scene, samples of ours, of Cycles, seeds of each
for row in "cornell 2048 1024" "terrain 2048 600" "glass 8192 3000" "million 4096 2048"; do
    # shellcheck disable=SC2086 # words
    set -- $row
    ours "$1" "$2" 2
    judge "$1.ply" "$3" 2 "${1}1.exr" "${1}2.exr"
    is "$(error_below .0008 "$1")" yes "$1: the standard errors of the mean are below 0.08 %"
    is "$(mean_within .001 "$1")" yes "$1: the mean colour is that of Cycles within 0.1 %"
    is "$(tiles_within "$1")" yes "$1: no 16x16 tile is off by more than 4.5 of its standard errors"
done
# Cycles is given denser glass.
python3 - <<'P'
import struct
data = open("glass.ply", "rb").read()
at = data.index(struct.pack("<f", 1.45))
assert data.count(struct.pack("<f", 1.45)) == 1
open("denser.ply", "wb").write(data[:at] + struct.pack("<f", 1.5) + data[at + 4:])
P
judge denser.ply 3000 2 glass1.exr glass2.exr
is "$(tiles_within denser | cut -d' ' -f1)" WORST "glass of index 1.5 instead of 1.45 is noticed"
finish
