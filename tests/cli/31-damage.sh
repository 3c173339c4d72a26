#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The limits in expected/ against damage that real GPUs and drivers have done: all of it must be found, and less than
# a viewer sees must pass.
. "$SOURCE/tests/cli/lib.sh"

# Many runs on sound files: the release build is enough, and faster.
OAMQUAL=$OAMQUAL_RELEASE

have oiiotool || {
    skip "damage is found" "oiiotool (openimageio-tools) is not installed"
    finish
}

# damage NAME WORD TITLE: NAME.exr must be refused with the verdict WORD.
damage() {
    run compare "$1.exr" "$reference" --limits "$limits"
    if [ "$status" = 1 ] && grep -q "^$2: " out; then pass "$scene: $3: $(head -1 out)"; else
        fail "$scene: $3" "exit status $status" "$(cat out err)"
    fi
}

for scene in cornell glass; do
    reference=$SOURCE/expected/$scene/reference.exr
    limits=$SOURCE/expected/$scene/limits.json
    make() { oiiotool "$reference" "$@"; }

    run compare "$reference" "$reference" --limits "$limits"
    exits 0 "$scene: the reference is accepted against itself"
    make --noise:type=gaussian:mean=0:stddev=.0002:seed=3 -d float -o quiet.exr
    run compare quiet.exr "$reference" --limits "$limits"
    exits 0 "$scene: noise of 0.0002 passes"
    make -d half -o half.exr
    run compare half.exr "$reference" --limits "$limits"
    exits 0 "$scene: D16: rounding to half passes"

    make --cut 32x32+0+0 --mulc .85,.85,.85,1 "$reference" --paste +0+0 -d float -o corner.exr
    damage corner image-differs "A34: a corner 15 % darker"
    make --cut 32x32+64+48 --mulc .85,.85,.85,1 "$reference" --paste +64+48 -d float -o inner.exr
    damage inner image-differs "A34: an inner region 15 % darker"
    oiiotool --create 16x16 4 --fill:color=0,0,0,1 16x16 "$reference" --paste +48+32 -d float -o tile.exr
    damage tile image-differs "D14: one black tile"
    oiiotool --create 16x16 4 --fill:color=0,0,0,1 16x16 "$reference" --paste +56+40 -d float -o between.exr
    damage between image-differs "D14: a black tile across four of ours"
    make --cut 8x8+70+50 --addc 1,1,1,0 "$reference" --paste +70+50 -d float -o block.exr
    damage block image-differs "A34: an 8x8 block off by 1"
    make --cut 16x16+80+16 --addc 1,0,0,0 "$reference" --paste +80+16 -d float -o red.exr
    damage red image-differs "A34: a tile off in one channel"
    oiiotool --create 160x64 4 --fill:color=.1,.1,.1,1 160x64 "$reference" --paste +0+64 -d float -o lower.exr
    damage lower image-differs "A23: the lower half constant"
    make --mulc 1.03,1.03,1.03,1 -d float -o bright.exr
    damage bright image-differs "the whole 3 % brighter"
    make --mulc 1,1,1,.95 -d float -o thin.exr
    damage thin image-differs "alpha 5 % lower"
    make --flop -d float -o mirrored.exr
    damage mirrored image-differs "mirrored"
    oiiotool --create 1x1 4 --fill:color=-1,.5,.5,1 1x1 --powc .5 "$reference" --paste +5+7 -d float -o nan.exr
    is "$(oiiotool --stats nan.exr | grep -c 'NanCount: 1 ')" 1 "$scene: oiiotool sees the NaN as well"
    damage nan image-invalid "one NaN"
    make --mulc 0,0,0,0 -d float -o empty.exr
    damage empty image-invalid "A16: an empty transparent picture"
    make --mulc 0,0,0,1 -d float -o black.exr
    damage black image-invalid "D13: black"
    make --mulc 0,0,0,1 --addc .2,.2,.2,0 -d float -o grey.exr
    damage grey image-invalid "constant"
done

is "$(field "$SOURCE/expected/cornell/limits.json" '[d[k] <= 0.03 for k in ("pixel_limit", "share_over", "mean_error", "rms_error", "tile_error")]')" \
    "[True, True, True, True, True]" "no limit has grown past 0.03"
finish
