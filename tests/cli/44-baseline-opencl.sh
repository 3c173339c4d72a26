#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel of a GCD, executed: PoCL compiles it as OpenCL C for this CPU. Its picture must be the definition's to the
# bit, in all scenes, and its rays as many.
. "$SOURCE/tests/cli/lib.sh"

export POCL_CACHE_DIR="$PWD/cache"
HOST=
for name in baseline/block baseline/cpu baseline/scene baseline/scenes baseline/shapes baseline/split baseline/split_avx2 \
    baseline/team baseline/tree baseline/wide_tree baseline/render base/str base/error base/clock base/file base/text; do
    HOST="$HOST $SOURCE/src/$name.c"
done
flags="-std=c11 -O2 -ffp-contract=off -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -I$SOURCE -I$SOURCE/src"
if [ ! -e /usr/include/CL/cl.h ]; then
    skip "the kernel as OpenCL C" "CL/cl.h (ocl-icd-opencl-dev) is not there"
    finish
fi
# The wide paths are not run here; without their instructions they are plain C.
# shellcheck disable=SC2086
if ! gcc $flags -Wall -Werror "$SOURCE/tests/opencl/run_kernel.c" $HOST "$SOURCE"/kernels/*.c -o run_kernel -lOpenCL -lpthread \
    -lm 2>log; then
    fail "the host program compiles" "$(head -c 2000 log)"
    finish
fi

# scene, size, samples: sizes that are no multiples of 8, more blocks than a launch has
while read -r scene width height samples; do
    status=0
    ./run_kernel "$SOURCE" "$scene" "$width" "$height" "$samples" >out 2>err || status=$?
    if [ "$status" = 77 ]; then
        skip "$scene" "no OpenCL device (pocl-opencl-icd)"
        continue
    fi
    exits 0 "$scene runs"
    is "$(sed -n 's/^differ //p' out)" "0 of $((width * height))" "$scene: no pixel differs from the CPU's"
    is "$(sed -n 's/^whole //p' out)" "$((width * height))" "$scene: every pixel has all samples"
    is "$(sed -n 's/^closest //p; s/^shadow //p' out | sort -u)" same "$scene: as many rays"
done <<'SCENES'
cornell 50 42 9
terrain 33 25 4
glass 44 28 6
million 17 9 3
SCENES
finish
