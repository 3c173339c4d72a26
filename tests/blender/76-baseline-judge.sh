#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cycles on the CPU as judge of the baseline, as far as it is cheap; tests/slow/83-baseline-judge.sh has all four scenes.
# A lamp half a percent too strong and glass of another index must be noticed.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/blender/judge.sh"
OAMQUAL=$OAMQUAL_RELEASE

if ! have blender; then
    skip "the picture is that of Cycles" "blender is not installed"
    finish
fi
for row in "cornell 512 256" "terrain 128 64"; do
    # shellcheck disable=SC2086 # words
    set -- $row
    ours "$1" "$2" 2
    judge "$1.ply" "$3" 2 "${1}1.exr" "${1}2.exr"
    is "$(error_below .0005 "$1")" yes "$1: the standard errors of the mean are below 0.05 %"
    is "$(mean_within .001 "$1")" yes "$1: the mean colour is that of Cycles within 0.1 %"
    is "$(tiles_within "$1")" yes "$1: no 16x16 tile is off by more than 4.5 of its standard errors"
done
ours glass 512 2
judge glass.ply 128 2 glass1.exr glass2.exr
is "$(error_below .002 glass)" yes "glass: the standard errors of the mean are below 0.2 %"
is "$(mean_within error glass)" yes "glass: the mean colour is that of Cycles within 4 of them"
is "$(tiles_within glass)" yes "glass: no 16x16 tile is off by more than 4.5 of its standard errors"

# A lamp that is 0.5 % too strong makes every pixel of the closed box 0.5 % too bright.
if have oiiotool; then
    for seed in 1 2; do oiiotool cornell$seed.exr --mulc 1.005 -o strong$seed.exr; done
    judge cornell.ply 256 2 strong1.exr strong2.exr
    is "$(mean_within .001 cornell | wc -w)" 6 "a lamp 0.5 % too strong is noticed in all three channels"
else
    skip "a lamp 0.5 % too strong is noticed" "oiiotool (openimageio-tools) is not installed"
fi
# Cycles is given glass of index 1.33 instead of 1.45.
python3 - <<'P'
import struct
data = open("glass.ply", "rb").read()
at = data.index(struct.pack("<f", 1.45))
assert data.count(struct.pack("<f", 1.45)) == 1
open("water.ply", "wb").write(data[:at] + struct.pack("<f", 1.33) + data[at + 4:])
P
judge water.ply 128 2 glass1.exr glass2.exr
is "$(tiles_within water | cut -d' ' -f1)" WORST "water instead of glass is noticed"
finish
