#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every verdict there is, each with at least one run that ends in it and the evidence that it names. A verdict that the
# program can give and that has no row here fails, and so does a row for a verdict that it cannot give.
#
# The stand-in Blender (tests/fakes/blender) plays the modes; what real Blender can be made to show is shown with it in
# tests/blender, too.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/modes.sh"

# verdict | who plays | options (see modes.sh) | pattern of the evidence that decided | title
# Rows with the same options share a run, up to 7 of them. `control` is the attempt on the CPU.
cat >table <<'TABLE'
accepted|faithful|||what was done and not only said
crashed|crash||signal 11|A18 the signal is recorded
crashed|killed||signal 9|A24 a kill that nothing explains
blender-failed|exit-1-with-image||exit status 1|an image and exit status 1
blender-failed|hostile||exit status 1|A33 bytes that are not text
blender-failed|library-lost||exit status 127|a broken installation
no-output|silent||no image.exr|A26 exit status 0 and nothing else
wrong-device|wrong-device||0000:7f:00|the log names another device
no-output|no-output||no image.exr|A26 all said, nothing written
cpu-fallback|mixed||\[CPU\]|A07 GPU and CPU together are not the GPU
device-error|fault||Memory access fault|A19 the fault, not the abort after it
bad-scene|unreadable||not supported|A31 Blender could not read the file
kernel-build-failed|build-failed||unhandled SGPR spill|A17 the compiler's own line
kernel-missing|kernel-missing||compute capability|A16 no kernel for the target
kernel-load-failed|load-failed||Failed to load HIP kernel|a kernel that is there and does not load
driver-too-old|too-old||too old|A12 the 5.x log format
blender-without-hip|without-hip||not among|a build without HIP
not-listed|not-listed||lists no HIP device|A06 no device of the type
inconclusive|forged||given no module|a perfect log and the reference's own picture are no evidence
image-invalid|claims-black||alpha is 0|A16 D13 black
image-differs|claims-near||limit|a picture that is a tenth too bright
no-output|old-image||older than the start|a file from before is not written by this run
no-output|digits||image.exr0001.exr|A28 digits behind the name that was asked for
no-output|unannounced||did not say that it saved|a file that Blender did not announce
no-output|leaves-child||no image.exr|E21 a child left behind
timed-out|hang|deadline=4|deadline|E23 a hang ends at its deadline
out-of-memory|oom-hang|deadline=4|20 such lines|A21 E22 the cause is memory, not the deadline
no-reference|faithful|--expected none|reference|nothing to compare with
no-reference|control|--expected none|reference|not even the control is accepted
hip-missing|forged|variant=hip-missing|libamdhip64|A11 no library, whatever is claimed
hip-no-device|forged|variant=hip-no-device|hipInit returned 101|A10 a library without devices
no-permission|forged|live|/dev/kfd: Permission denied|a machine whose /dev/kfd may not be opened
unstable|flicker|--repeat 2|disagree|D14 every second render is another one
TABLE

"$OAMQUAL" explain --json >all.json
field all.json "'\n'.join(v['verdict'] for v in d)" | sort >known
cut -d'|' -f1 table | sort -u >covered
is "$(comm -23 known covered)" "" "every verdict of the program has a row"
is "$(comm -13 known covered)" "" "every row has a verdict of the program"

judge_row() { # verdict, mode, pattern, title
    of "$2"
    is "$verdict" "$1" "$1 by $2: $4"
    if [ -n "$3" ] && ! printf '%s\n' "$evidence" | grep -Eq -- "$3"; then
        fail "$1 by $2: the evidence says why" "$evidence"
    fi
    if [ "$2" = leaves-child ]; then
        is "$(field run/record.json "[a['ending']['left_processes_behind'] for a in d['attempts'] if (a['device'] or {}).get('bdf') == '$(gcd_of "$2")']")" \
            "[True]" "E21: the process left behind is in the record"
    fi
}

gcd_of() { # mode
    printf '%s\n' "$FAKE_MODES" | tr ' ' '\n' | sed -n "s/=$1\$//p"
}

# play_rows 'options': the rows of the file `batch`.
play_rows() {
    # shellcheck disable=SC2046 # words
    play "$1" $(cut -d'|' -f2 batch | grep -vx control)
    if grep -qv '^accepted|' batch; then
        is "$status" 1 "such a node is not accepted ($1)"
    fi
    while IFS='|' read -r want mode _ pattern title; do
        judge_row "$want" "$mode" "$pattern" "$title"
    done <batch
}

cut -d'|' -f3 table | uniq >groups
while read -r options; do
    awk -F'|' -v o="$options" '$3 == o' table | split -l 7 - batch.
    for part in batch.*; do
        mv "$part" batch
        play_rows "$options"
    done
done <groups
if pgrep -x -f '/bin/sleep 593' >/dev/null; then fail "E21: what was left behind was ended"; else
    pass "E21: what was left behind was ended"
fi
finish
