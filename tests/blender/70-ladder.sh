#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real Blender against the stand-in runtime, one fault at a time: how far does it come, and what is it called?
. "$SOURCE/tests/cli/lib.sh"

if ! have blender; then
    skip "the ladder on real Blender" "blender is not installed"
    finish
fi
case $(blender --version | head -1) in "Blender 3.4"*) ;; *)
    skip "the ladder on real Blender" "this is not Debian 12's Blender 3.4"
    finish
    ;;
esac
NODES=$SOURCE/tests/nodes
python3 "$NODES/make_playback.py" "$SOURCE/expected/cornell/reference.exr" 16 playback >/dev/null || exit 1

qualify() { # variant, then more arguments
    variant=$1
    shift
    rm -rf node run
    case $variant in playback | wrong-tile | nan-pixel) pictures="--playback playback" ;; *) pictures= ;; esac
    # shellcheck disable=SC2086 # two words or none
    python3 "$NODES/make_nodes.py" --variant "$variant" --devices "${DEVICES:-1}" $pictures --out node >/dev/null || exit 1
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" --no-baseline -q --deadline 60 "$@"
}

of() { # probe expression: evaluated with the first attempt of that probe as a
    field run/record.json "[$2 for a in d['attempts'] if a['probe'] == '$1'][0]"
}

rung() { # probe number: its answer
    of "$1" "[r['answer'] for r in a['rungs'] if r['rung'] == $2][0]"
}

# Without hipcc: nothing listed, for the stated reason, and the farm's way falls back to the CPU.
qualify plain
exits 1 "no hipcc: not accepted"
is "$(of strict "a['verdict']")" not-listed "no hipcc, strict: not-listed"
case $(of strict "a['decided_by']['evidence']") in
"Neither precompiled kernels nor HIPCC was found"*) pass "for the reason that Cycles states" ;;
*) fail "for the reason that Cycles states" "$(of strict "a['decided_by']")" ;;
esac
is "$(of strict "a['ending']['exit_status'] != 0")" True "strict: Blender refuses"
is "$(rung strict 3),$(rung strict 4),$(rung strict 5)" yes,yes,no "HIP enumerates, Blender loads it, Cycles does not list it"
is "$(of as-farm "a['verdict']")" cpu-fallback "no hipcc, as a farm: cpu-fallback"
is "$(of as-farm "a['ending']['exit_status']")" 0 "although Blender's exit status is 0"
is "$(of as-farm "a['image']['comparison']['within']")" True "and the picture is right"
is "$(rung as-farm 9),$(rung as-farm 10),$(rung as-farm 11)" yes,yes,yes "every picture rung is yes"
case $(of as-farm "a['decided_by']['evidence']") in
*"[CPU]"*) pass "Cycles' own line names the CPU" ;;
*) fail "Cycles' own line names the CPU" "$(of as-farm "a['decided_by']")" ;;
esac
is "$(of control "a['verdict']")" accepted "the control on the CPU is accepted"
is "$(field run/record.json "d['gcds'][0]['render_worker']")" False "which helps no GCD"
is "$(of as-farm "a['source']"),$(of control "a['source']")" simulated,observed "the GCD's attempts are simulated, the control is not"

# A stub kernel: every log line says success, the picture is black.
qualify stub-kernel
is "$(of strict "a['verdict']")" image-invalid "stub kernel: image-invalid"
is "$(of strict "a['ending']['exit_status']")" 0 "with exit status 0"
is "$(of strict "','.join(r['answer'] for r in a['rungs'][:9])")" yes,yes,yes,yes,yes,yes,yes,yes,yes "and nine rungs of yes"
is "$(rung strict 10)" no "the tenth looks at the pixels"
is "$(of strict "a['log']['path_traced_on'][0]['kind']")" HIP "the log says HIP rendered it"
cp run/cache/cycles/kernels/* . 2>/dev/null
mkdir cache && mv cycles_kernel_gfx90a_* cache/

# The same with hipcc out of reach and the kernel handed in: what is taken from elsewhere is recorded.
qualify plain --kernel-cache cache
is "$(of strict "a['verdict']")" not-listed "no hipcc and a kernel in the cache: still not listed"
is "$(field run/record.json "d['kernel_cache'][0]['sha256']")" "$(sha256sum cache/* | cut -d' ' -f1)" \
    "the kernel that was handed in is recorded by digest"

qualify load-error
is "$(of strict "a['verdict']")" kernel-load-failed "load error: kernel-load-failed"
is "$(rung strict 6),$(rung strict 7)" yes,no "a kernel is there, and is not loaded"
qualify launch-error
is "$(of strict "a['verdict']")" device-error "launch error: device-error"
qualify launch-crash
is "$(of strict "a['verdict']")" device-error "A19 memory access fault: device-error"
is "$(of strict "a['ending']['signal']")" 6 "with the signal recorded"
qualify launch-hang --probe strict --deadline 8
is "$(of strict "a['verdict']")" timed-out "a launch that never returns: timed-out"
qualify device-lost --probe strict
is "$(of strict "a['verdict']")" device-error "a device that is lost: device-error"
qualify hip-missing
is "$(of strict "a['verdict']"),$(of as-farm "a['verdict']")" hip-missing,cpu-fallback "no library: hip-missing"
qualify hip-no-device
is "$(of strict "a['verdict']"),$(of as-farm "a['verdict']")" hip-no-device,cpu-fallback "no device: hip-no-device"

# Played-back pixels carry a run through all twelve rungs, and a single tile is enough to stop it.
DEVICES=2
qualify playback
exits 0 "playback: accepted"
is "$(field run/record.json "','.join(g['verdict'] for g in d['gcds'])")" accepted,accepted "both GCDs"
is "$(field run/record.json "sum(a['together'] for a in d['attempts'])")" 2 "also with both at once"
is "$(of strict "set(r['answer'] for r in a['rungs']) == {'yes'} and len(a['rungs']) == 12")" True "twelve rungs, all yes"
is "$(of strict "a['vram_peak_bytes']['value'] > 0")" True "KFD's entry of the child is the second witness"
is "$(field run/record.json "d['source']")" simulated "and all of it is marked simulated"
if grep '^SIMULATED 0000:' out | grep -q accepted; then pass "in the summary too"; else fail "in the summary too" "$(cat out)"; fi
run verify run
exits 0 "verify finds the evidence intact"
printf x >>run/attempts/001-strict-cornell-0000:c1:00.0/stderr.txt
run verify run
exits 1 "and finds a changed log"
says '001-strict.*stderr' "by name"
DEVICES=1
qualify playback --probe strict
exits 1 "one probe alone is not enough"
is "$(field run/record.json "d['gcds'][0]['verdict']")" inconclusive "it leaves the GCD inconclusive"
qualify playback --expected /nonexistent
is "$(of strict "a['verdict']")" no-reference "no reference: no-reference, with eleven rungs short of one"
qualify wrong-tile
is "$(of strict "a['verdict']")" image-differs "one wrong 16x16 tile: image-differs"
qualify nan-pixel
is "$(of strict "a['verdict']")" image-invalid "one NaN: image-invalid"

# HIP's other property layout.
qualify r0600 --probe strict
is "$(field run/record.json "d['node']['gpus'][0]['bdf']['value']")" 0000:c1:00.0 "ROCm 6's layout is read"

# A file that is newer than Blender.
mkdir newer && tar --zstd -xf "$SOURCE/scenes/cornell/cornell.tar.zst" -C newer
printf 'BLENDER-v405' | dd of=newer/cornell.blend conv=notrunc 2>/dev/null
rm -rf run
run qualify --node node --out run -s newer --no-baseline -q --probe strict
is "$(of strict "a['verdict']")" bad-scene "A30 a scene newer than Blender: bad-scene"
head -c 60000 newer/cornell.blend >cut.blend
printf 'BLENDER-v304' | dd of=cut.blend conv=notrunc 2>/dev/null
rm -rf run
run qualify --node node --out run -s cut.blend --no-baseline -q --probe strict
exits 3 "A31 a cut .blend is refused before anything is rendered"
says 'cut\.blend: truncated' "and named"
finish
