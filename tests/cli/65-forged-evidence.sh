#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each rung of the ladder with its evidence forged: something says yes, the truth is no, and everything else is in order.
# None of these may be accepted, and the rung itself must not be yes. Every rung of the program has a row here.
#
# The stand-in Blender does on the stand-in runtime what Blender does ("faithful", which is accepted: so it is the one
# false claim that decides), and copies the picture of the reference.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/modes.sh"

# rung | who plays | options (see modes.sh) | verdict | pattern of the evidence that decided | what is claimed and not true
cat >table <<'TABLE'
scene-readable|claims-scene||bad-scene|not supported|the worker describes a scene that Blender could not read
scene-readable|claims-newer-scene||bad-scene|newer Blender|A30 a scene is opened with loss of data
device-in-kfd|faithful|no-kfd|inconclusive|no KFD topology node|HIP, Cycles and the log know a device that the driver does not
hip-enumerates-device|forged|fault=no-device|hip-no-device|hipInit returned 101|Cycles and the log know a device that HIP does not list
hip-enumerates-device|forged|variant=hip-missing|hip-missing|libamdhip64|and one without any HIP
blender-loads-hip|claims-hip||blender-without-hip|not among|the log names HIP devices of a Blender without HIP
blender-loads-hip|claims-library||hip-missing|HIPEW|a list of devices without the library
blender-loads-hip|claims-driver||driver-too-old|too old|a list of devices of a refused driver
cycles-lists-device|claims-own-list||not-listed|none of them at|the worker lists another device
cycles-lists-device|claims-no-list||not-listed|does not say why|the worker has no list
cycles-lists-device|claims-list||not-listed|Neither precompiled|the worker lists devices, and Cycles says that it cannot
cycles-lists-device|claims-type||not-listed|Found no Cycles device|A06 the worker lists devices, and Cycles finds none of the type
cycles-lists-device|claims-architecture||not-listed|HIP backend requires|the worker lists a device whose architecture Cycles refuses
kernels-found-or-built|claims-kernel||kernel-missing|compute capability|a kernel is used, and there is none
kernels-found-or-built|claims-build||kernel-build-failed|SGPR spill|A17 a kernel is used whose compile failed
kernels-loaded|claims-load||kernel-load-failed|Failed to load|the render goes on with a kernel that was not loaded
kernels-loaded|claims-module||inconclusive|given no module|the log says loaded, and the runtime was given no kernel
traced-on-this-device|claims-all||inconclusive|given no module|a perfect log beside the reference's own picture
traced-on-this-device|claims-launch||inconclusive|counted no kernel launch|a kernel is loaded and never launched
traced-on-this-device|claims-cpu||cpu-fallback|\[CPU\]|A04 A07 the log says HIP, and the CPU helped
traced-on-this-device|claims-other-gcd||wrong-device|0000:7f:00|another device helped
traced-on-this-device|claims-own-gcd||inconclusive|given no module|another GCD of the node did the work
traced-on-this-device|claims-entry||inconclusive|KFD|KFD's entry is that of another process
traced-on-this-device|claims-counters||inconclusive|given no module|counts and entry are those of another process
image-written-by-this-run|claims-saved||no-output|no image.exr|a line "Saved", and no file
image-written-by-this-run|claims-old-file||no-output|older than the start|a file of before
image-written-by-this-run|claims-link||no-output|no image.exr|a link to the reference
image-written-by-this-run|claims-other-file||no-output|did not say that it saved|another file was saved, and the reference's picture put here
image-written-by-this-run|claims-unannounced||no-output|did not say that it saved|a file that Blender did not save
image-written-by-this-run|claims-frame||no-output|frame 2 was rendered|D22 another frame was rendered under the asked one's name
image-written-by-this-run|claims-told-frame||no-output|frame 2 was rendered|D22 the worker's scene stood at another frame
image-sound|claims-black||image-invalid|alpha is 0|A16 D13 a picture that is all black
image-sound|claims-cut||image-invalid|.|D20 half a picture
image-sound|claims-shape||image-invalid|160x96, not 128x128|a picture of another scene
image-within-limits|claims-near||image-differs|limit|a tenth too bright
image-within-limits|claims-tile||image-differs|limit|A23 one tile of another colour
image-within-limits|faithful|--expected none|no-reference|reference|there is nothing to compare with
image-within-limits|faithful|--expected others|no-reference|made from another scene|the reference is of another scene
no-device-error|claims-no-fault||device-error|Memory access fault|A19 the render goes on after a fault
no-device-error|claims-memory||out-of-memory|out of GPU memory|A21 the picture is saved after memory ran out
no-device-error|faithful|fault=launch-error|device-error|counted [1-9][0-9]* errors|A15 launches fail, nobody looks, the picture is right
TABLE

mkdir -p others/cornell
cp "$SOURCE"/expected/cornell/* others/cornell/
sed -i -E 's/("tree_sha256": *")[0-9a-f]{8}/\100000000/' others/cornell/provenance.json

play '' faithful
of faithful
is "$verdict" accepted "what is faithful in all is accepted: $evidence"
field run/record.json "'\n'.join('%d %s' % (r['rung'], r['name']) for r in d['attempts'][0]['rungs'])" >rungs
is "$(wc -l <rungs)" 12 "the ladder has twelve rungs"
cut -d' ' -f2 rungs | sort >known
cut -d'|' -f1 table | sort -u >covered
is "$(comm -3 known covered)" "" "each of them is forged here"

judge_row() { # rung, mode, verdict, pattern, title
    of "$2"
    is "$verdict" "$3" "$1: $5: $3"
    case " $rungs " in
    *" $(sed -n "s/ $1\$//p" rungs)=yes "*) fail "$1: $5: the rung is not yes" "$rungs" ;;
    esac
    [ "$worker" = False ] || fail "$1: $5: no render worker" "$worker"
    printf '%s\n' "$evidence" | grep -Eq -- "$4" || fail "$1: $5: the evidence says why" "$evidence"
}

cut -d'|' -f3 table | sort -u >groups
while read -r options; do
    awk -F'|' -v o="$options" '$3 == o' table | split -l 7 - batch.
    for part in batch.*; do
        mv "$part" batch
        # shellcheck disable=SC2046 # words
        play "$options" $(cut -d'|' -f2 batch)
        while IFS='|' read -r rung mode _ want pattern title; do
            judge_row "$rung" "$mode" "$want" "$pattern" "$title"
        done <batch
    done
done <groups
finish
