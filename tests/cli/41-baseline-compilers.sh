#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The picture is the same bit for bit from every compiler, and the kernels stay in the common subset.
. "$SOURCE/tests/cli/lib.sh"

cat >driver.c <<'C'
#include <stdio.h>
#include "baseline/render.h"
#include "baseline/scenes.h"
int main(int argc, char **argv)
{
	struct render_options options = { .width = 40, .height = 30, .samples = 6, .threads = 2, .bounces = 12 };
	struct baseline_scene scene;
	struct render_result result;

	(void)argc;
	baseline_scene_make(baseline_scene_find("glass"), 0, 2, &scene);
	options.path = (enum render_path)render_path_find(argv[1]);
	if (!render_path_usable(options.path))
		return 3;
	if (render_cpu(&scene, &options, &result, NULL) != 0)
		return 1;
	fwrite(result.pixels, sizeof(float), 40 * 30 * 3, stdout);
	render_release(&result);
	baseline_scene_release(&scene);
	return 0;
}
C

for program in "$OAMQUAL" "$OAMQUAL_RELEASE"; do
    OAMQUAL=$program
    run baseline --scene glass --size 40x30 --samples 6 --json
    exits 0 "$(basename "$(dirname "$program")") build runs"
    mv out "$(basename "$(dirname "$program")").json"
done
release=$(basename "$(dirname "$OAMQUAL_RELEASE")")
want=$(field "$release.json" 'd["cpu"]["image_sha256"]["value"]')
for json in *.json; do
    is "$(field "$json" 'd["cpu"]["image_sha256"]["value"]')" "$want" "${json%.json}: the digest"
done

# A fast path is the same text, told to use other instructions; the tree is built by two threads.
SIMD2="-mavx2 -mbmi2"
SIMD512="$SIMD2 -mavx512f -mavx512bw -mavx512dq -mavx512vl"
check() {
    compiler=$1
    shift
    if ! have "$compiler"; then
        skip "$compiler $*" "$compiler is not installed"
        return
    fi
    flags="-std=c11 -ffp-contract=off -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -I$SOURCE -I$SOURCE/src"
    # shellcheck disable=SC2086
    if "$compiler" $flags "$@" $SIMD2 -c "$SOURCE/kernels/wide_avx2.c" 2>log &&
        "$compiler" $flags "$@" $SIMD512 -c "$SOURCE/kernels/wide_avx512.c" 2>>log &&
        "$compiler" $flags "$@" driver.c wide_avx2.o wide_avx512.o "$SOURCE/kernels/wide_portable.c" \
            "$SOURCE/kernels/kernel_cpu.c" $HOST -o driver -lpthread -lm 2>>log; then
        for path in single portable avx2 avx512; do
            status=0
            ./driver "$path" >picture || status=$?
            if [ "$status" = 3 ]; then
                skip "$compiler $*, $path" "this CPU lacks the instructions"
                continue
            fi
            # Same bits as the file, summed by another program.
            is "$(sha256sum <picture | cut -d' ' -f1)" "$want" "$compiler $*, $path: the same bits"
        done
    else
        fail "$compiler $*: compiles" "$(head -c 2000 log)"
    fi
}
HOST=
for name in baseline/block baseline/cpu baseline/scene baseline/scenes baseline/shapes baseline/split baseline/split_avx2 \
    baseline/team baseline/tree baseline/wide_tree baseline/render base/str base/error base/clock base/file base/text; do
    HOST="$HOST $SOURCE/src/$name.c"
done
check gcc -O0
check gcc -O2
check gcc -O3 -march=native
check clang -O0
check clang -O2
check clang -O3 -march=native

compiles() {
    title=$1
    shift
    if ! have "$1"; then
        skip "$title" "$1 is not installed"
    elif "$@" -I"$SOURCE" -fsyntax-only 2>log; then
        pass "$title"
    else
        fail "$title" "$(head -c 2000 log)"
    fi
}
cat >kernel.cl <<'C'
#include "kernels/path.h"
__kernel void render(__global const struct kernel_node *nodes, __global const struct kernel_triangle *triangles,
	__global const struct kernel_material *materials, __global const struct kernel_light *lights,
	__constant struct kernel_params *params, __global float *sums)
{
	struct kernel_scene scene = { nodes, triangles, materials, lights };
	struct kernel_params here = *params;
	struct kernel_counts counts = { 0, 0 };
	uint x = get_global_id(0), y = get_global_id(1);

	path_pixel(&scene, &here, x, y, sums + 3 * (y * here.width + x), &counts);
}
C
compiles "the kernels are C++" g++ -x c++ -std=c++17 -Wall -Werror "$SOURCE/kernels/kernel_cpu.c"
compiles "the kernels are OpenCL C" clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Wall -Werror kernel.cl
compiles "the kernels are OpenCL C for gfx90a" clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header \
    -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -Wall -Werror kernel.cl
printf '#include "kernels/vec.h"\n' >fast.c
if gcc -std=c11 -ffast-math -I"$SOURCE" -fsyntax-only fast.c 2>log; then
    fail "-ffast-math is refused"
else
    pass "-ffast-math is refused"
fi
finish
