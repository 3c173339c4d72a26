#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The baseline's threads under ThreadSanitizer: the tree's build and every way to trace. Races planted in copies of the
# source show that one would be seen.
. "$SOURCE/tests/cli/lib.sh"

cat >driver.c <<'C'
#include <stdio.h>
#include "baseline/render.h"
#include "baseline/scenes.h"
int main(int argc, char **argv)
{
	struct render_options options = { .width = 24, .height = 16, .samples = 3, .threads = 4, .bounces = 6 };
	struct baseline_scene scene;
	int i;

	baseline_scene_make(baseline_scene_find(argv[1]), 0, 4, &scene);
	for (i = 2; i < argc; i++) {
		struct render_result result;

		options.path = (enum render_path)render_path_find(argv[i]);
		if (!render_path_usable(options.path))
			continue;
		if (render_cpu(&scene, &options, &result, NULL) != 0)
			return 1;
		printf("%s\n", argv[i]);
		render_release(&result);
	}
	baseline_scene_release(&scene);
	return 0;
}
C

# With random addresses the sanitizer of gcc 12 does not find its place on kernels that vary many bits of them.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
flags="-std=c11 -O1 -g -fsanitize=thread -ffp-contract=off -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700"
printf 'int main(void) { return 0; }\n' >nothing.c
# shellcheck disable=SC2086
if ! gcc $flags nothing.c -o nothing 2>log || ! $fixed ./nothing 2>>log; then
    skip "no data race" "ThreadSanitizer does not run here: $(tail -n 1 log)"
    finish
fi

AVX2="-mavx2 -mbmi2"
AVX512="$AVX2 -mavx512f -mavx512bw -mavx512dq -mavx512vl"
# compile FILE [FLAG...]: the object has the file's name.
compile() {
    # shellcheck disable=SC2086
    gcc $flags -I"$SOURCE" -I"$SOURCE/src" -c "$@" 2>>log
}
compile_all() {
    for name in block cpu scene scenes shapes split team tree wide_tree render; do
        compile "$SOURCE/src/baseline/$name.c" || return 1
    done
    # shellcheck disable=SC2086
    compile driver.c && compile "$SOURCE/kernels/kernel_cpu.c" && compile "$SOURCE/kernels/wide_portable.c" &&
        compile "$SOURCE/src/baseline/split_avx2.c" $AVX2 && compile "$SOURCE/kernels/wide_avx2.c" $AVX2 &&
        compile "$SOURCE/kernels/wide_avx512.c" $AVX512 || return 1
    for name in str error clock file text; do
        compile "$SOURCE/src/base/$name.c" || return 1
    done
}
link() {
    # shellcheck disable=SC2086
    gcc $flags ./*.o -o "$1" -lpthread -lm 2>>log
}
trace() {
    program=$1
    shift
    status=0
    # shellcheck disable=SC2086
    TSAN_OPTIONS="exitcode=66 halt_on_error=0" $fixed "./$program" "$@" >out 2>err || status=$?
}

if compile_all && link driver; then
    # 99,842 triangles: enough for the build to be shared out.
    for scene in terrain cornell; do
        trace driver $scene single portable avx2 avx512
        exits 0 "$scene: no data race"
        is "$(grep -c 'WARNING: ThreadSanitizer' err)" 0 "$scene: nothing reported"
        is "$(grep -cx -e single -e portable out)" 2 "$scene: rendered"
    done
else
    fail "compiles for ThreadSanitizer" "$(head -c 2000 log)"
fi

# planted TITLE FILE SED-SCRIPT: the race is reported.
planted() {
    name=$(basename "$2")
    sed "$3" "$SOURCE/$2" >"$name"
    if cmp -s "$name" "$SOURCE/$2"; then
        fail "$1 is planted"
    elif compile "$name" && link planted; then
        trace planted terrain portable
        exits 66 "$1 is seen"
        is "$(grep -c 'WARNING: ThreadSanitizer: data race' err | sed 's/^[1-9].*/some/')" some "$1 is named"
    else
        fail "$1 compiles" "$(head -c 2000 log)"
    fi
    compile "$SOURCE/$2"
}
planted "a race between the builders" src/baseline/wide_tree.c \
    's/^\(static void build(.*\)$/static unsigned planted;\n\n\1/; s/^\tassign_slots(parts/\tplanted++;\n&/'
planted "a race within a team" src/baseline/team.c \
    's/^\(static void \*run(.*\)$/unsigned planted;\n\n\1/; s/^\tmember->fn(/\tplanted++;\n&/'
planted "a race between the renderers" src/baseline/render.c \
    's/^\tworker->totals = totals;/\tjob->pixels[0] += 1;\n&/'
finish
