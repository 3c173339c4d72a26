#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The picture is the same bit for bit from every compiler, and the kernels stay in the common subset.
. "$SOURCE/tests/cli/lib.sh"

cat >driver.c <<'C'
#include <stdio.h>
#include "baseline/render.h"
int main(void)
{
	struct render_options options = { .width = 40, .height = 30, .samples = 6, .threads = 2, .bounces = 6 };
	struct baseline_scene scene;
	struct render_result result;

	baseline_scene_cornell(&scene);
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
    run baseline --size 40x30 --samples 6 --json
    exits 0 "$(basename "$(dirname "$program")") build runs"
    mv out "$(basename "$(dirname "$program")").json"
done
release=$(basename "$(dirname "$OAMQUAL_RELEASE")")
want=$(field "$release.json" 'd["cpu"]["image_sha256"]["value"]')
for json in *.json; do
    is "$(field "$json" 'd["cpu"]["image_sha256"]["value"]')" "$want" "${json%.json}: the digest"
done

# Same bits as the file, summed by another program.
check() {
    compiler=$1
    shift
    if ! have "$compiler"; then
        skip "$compiler $*" "$compiler is not installed"
        return
    fi
    if "$compiler" -std=c11 -ffp-contract=off "$@" -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -I"$SOURCE" -I"$SOURCE/src" \
        driver.c "$SOURCE"/src/baseline/scene.c "$SOURCE"/src/baseline/tree.c "$SOURCE"/src/baseline/cornell.c \
        "$SOURCE"/src/baseline/render.c "$SOURCE"/kernels/kernel_cpu.c "$SOURCE"/src/base/str.c \
        "$SOURCE"/src/base/error.c "$SOURCE"/src/base/clock.c -o driver -lpthread -lm 2>log; then
        is "$(./driver | sha256sum | cut -d' ' -f1)" "$want" "$compiler $*: the same bits"
    else
        fail "$compiler $*: compiles" "$(head -c 2000 log)"
    fi
}
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
