#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which scenes are rendered, and a scene that a Blender cannot render: skipped, said so, and never accepted.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr
FAKE_BLENDER=skips
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER

judge() {
    rm -rf run
    run qualify --node node --out run -b "$SOURCE/tests/fakes/blender" --no-baseline --quiet --sandbox none --deadline 60 "$@"
}

all=$(cd "$SOURCE/scenes" && for s in */scene.json; do echo "${s%/*}"; done | sort | tr '\n' ' ')
judge --probe strict
is "$(field run/record.json "' '.join(sorted(s['name'] for s in d['scenes']))")" "cornell glass" "the basic suite by default"
is "$(field run/record.json "d['run']['suite']")" basic "and the record says so"
left=$(field run/record.json "[n for n in d['notes'] if 'basic suite' in n][0]")
for scene in $all; do
    case " $scene" in
    " cornell" | " glass") ;;
    *) case $left in *"$scene"*) ;; *) fail "$scene is named as not tested" "$left" ;; esac ;;
    esac
done
pass "and names what was not tested"
judge --probe strict --suite full
is "$(field run/record.json "' '.join(sorted(s['name'] for s in d['scenes']))") " "$all" "all scenes with --suite full"
is "$(field run/record.json "[n for n in d['notes'] if 'suite' in n]")" "[]" "and none left out"
judge --suite most
exits 2 "an unknown suite is a usage error"
judge --suite full -s "$SOURCE/scenes/cornell"
exits 2 "so is a suite with a scene that was named"

# A second scene of the same picture that asks for denoising.
mkdir denoised expected
cp -r "$SOURCE/expected/cornell" expected/
cp "$SOURCE"/scenes/cornell/* denoised/
sed -i 's/"name": "cornell"/"name": "denoised"/; s/"denoising": false/"denoising": true/' denoised/scene.json
judge --expected expected -s "$SOURCE/scenes/cornell" -s denoised
exits 0 "accepted: what this Blender cannot render says nothing about the GCD"
is "$(field run/record.json "sorted({(a['scene'], a['verdict']) for a in d['attempts']})")" \
    "[('cornell', 'accepted'), ('denoised', 'inconclusive')]" "and the skipped scene is not accepted"
is "$(field run/record.json "[s['skipped'] for s in d['scenes']]")" "[None, 'this stand-in has no denoiser']" "with why"
says 'scene denoised: skipped: this stand-in has no denoiser' "the summary says so too"
is "$(field run/record.json "{a['causes']['chain'][-1]['what'] for a in d['attempts'] if a['skipped']}")" \
    "{'denoiser-missing'}" "and its cause"
run verify run
exits 0 "the record agrees with itself"
judge --expected expected -s denoised
exits 1 "nothing but skipped scenes: not accepted"
is "$(field run/record.json "[(g['verdict'], g['missing_case']) for g in d['gcds']]")" \
    "[('inconclusive', 'no scene was rendered')]" "and why"

# Its word alone is none: it rendered and ended well, so what it says is contradicted.
FAKE_BLENDER=claims-skip
judge --expected expected -s "$SOURCE/scenes/cornell" --probe strict
is "$(field run/record.json "{a['verdict'] for a in d['attempts']}")" "{'inconclusive'}" "a skip that is only claimed settles nothing"

finish
