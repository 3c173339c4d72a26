#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel compiled for GPUs that are not here, and its code objects read: the right target, no scratch, no spills,
# registers and LDS within limits, nothing contracted and nothing in it that is not correctly rounded.
. "$SOURCE/tests/cli/lib.sh"

LDS=2560 # GCD_LDS_BYTES: ten entries for each of 64 threads

# Figures of file $1 by LLVM $2, at most $3 registers; $4 the target.
check() {
    file=$1 llvm=$2 limit=$3 target=$4 title=$5
    if ! python3 "$SOURCE/tests/code_object.py" "$file" "$llvm" "$limit" >figures 2>log; then
        fail "$title: can be read" "$(head -c 1000 log)"
        return
    fi
    is "$(field figures "' '.join(d['wrong'])")" "" "$title: figures and instructions"
    is "$(field figures 'd["target"]')" "amdgcn-amd-amdhsa--$target" "$title: the target"
    is "$(field figures '(d["lds"], d["block"], d["kernarg"])')" "($LDS, 64, 152)" "$title: LDS, threads, arguments"
}

# clang-15 and clang-19 compile the file itself. 80 registers let six wavefronts run on a SIMD of CDNA2, 96 five on
# one of CDNA3; gfx908 has 256 for three at 84; gfx1030 has 1024 of half the width.
build() { # compiler, target, more options
    compiler=$1 target=$2
    shift 2
    "$compiler" -x hip --cuda-device-only --offload-arch="$target" --no-gpu-bundle-output -nogpuinc -nogpulib \
        -ffp-contract=off -O3 -I"$SOURCE" "$@" "$SOURCE/kernels/kernel_hip.hip" -o code 2>log
}
while read -r llvm target limit; do
    if ! have "clang-$llvm" || ! have "llvm-readelf-$llvm" || ! have "ld.lld-$llvm"; then
        skip "$target by clang-$llvm" "clang-$llvm, lld-$llvm or llvm-$llvm is not installed"
    elif build "clang-$llvm" "$target"; then
        check code "$llvm" "$limit" "$target" "$target by clang-$llvm"
    else
        fail "$target by clang-$llvm compiles" "$(head -c 2000 log)"
    fi
done <<'TARGETS'
15 gfx908 84
15 gfx90a 80
15 gfx90a:xnack- 80
15 gfx1030 96
19 gfx942 96
TARGETS

# Were anything of this different, it would be seen.
seen() { # title, pattern, options
    title=$1 pattern=$2
    shift 2
    if ! have clang-15 || ! have llvm-readelf-15 || ! have ld.lld-15; then
        skip "$title" "clang-15, lld-15 or llvm-15 is not installed"
        return
    fi
    build clang-15 gfx90a "$@"
    if python3 "$SOURCE/tests/code_object.py" code 15 80 >figures 2>log && field figures "'; '.join(d['wrong'])" | grep -q "$pattern"; then
        pass "$title"
    else
        fail "$title" "$(cat figures log)"
    fi
}
seen "a contraction is seen" 'fused multiply-adds' -ffp-contract=fast
seen "flushed denormals are seen" 'denormals in mode 0' -fgpu-flush-denormals-to-zero
seen "too many registers are seen" 'more than 80' -D'amdgpu_waves_per_eu(n)=amdgpu_waves_per_eu(4)'

# What travels in the program, by hiprtc as on a node.
mkdir kernels
compiled() {
    status=0
    "$OAMQUAL_RELEASE" hip-compile --target "$1" --folder "$PWD/kernels" >out 2>err || status=$?
}
compiled gfx90a:xnack-
if [ "$status" = 0 ] && [ "$(field out 'd["state"]')" = missing ]; then
    skip "gfx90a by hiprtc" "libamdhip64 (libamdhip64-5) is not installed"
elif ! have llvm-readelf-15; then
    skip "gfx90a by hiprtc" "llvm-15 is not installed"
else
    exits 0 "hiprtc compiles for gfx90a:xnack-"
    is "$(field out 'd["state"]')" compiled "and says so"
    check "$(field out 'd["path"]')" 15 80 gfx90a:xnack- "gfx90a:xnack- by hiprtc"
    cp out first

    compiled gfx90a:xnack-
    is "$(field out '(d["state"], d["damaged"])')" "('cached', None)" "a second time it is taken from the cache"
    is "$(field out 'd["key"]')" "$(field first 'd["key"]')" "by the same key"
    kernel=$(field out 'd["path"]')
    is "$(basename "$kernel" .kernel)" "$(field out 'd["key"]')" "which names the file"
    is "$(sed 1d "$kernel" | sha256sum | cut -d' ' -f1)" "$(sed -n '1s/^[^ ]* \([0-9a-f]*\) .*/\1/p' "$kernel")" \
        "whose first line holds the digest of the rest"

    # One byte, a cut, an empty file: seen, said and made anew.
    cp "$kernel" sound
    for damage in "printf X | dd of=$kernel bs=1 seek=5000 conv=notrunc" "truncate -s 5000 $kernel" "truncate -s 0 $kernel" \
        "sed -i 1s/oamqual/oamqial/ $kernel"; do
        cp sound "$kernel"
        sh -c "$damage" 2>log
        compiled gfx90a:xnack-
        is "$(field out '(d["state"], "damaged" in str(d["damaged"]))')" "('compiled', True)" "made anew after: ${damage%% /*}"
        cmp -s sound "$kernel" && pass "and is the same again" || fail "and is the same again"
    done
    compiled gfx90a:sramecc+:xnack-
    is "$(field out 'd["key"]' | grep -c "$(field first 'd["key"]')")" 0 "another target has another key"
    is "$(find kernels -type f ! -name '*.kernel' | wc -l)" 0 "nothing half written is left"
fi
finish
