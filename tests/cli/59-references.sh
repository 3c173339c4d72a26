#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several references of a scene, each for the Blender that made it: the one that matched is named, and a picture that is
# none of another series' says nothing against the device.
. "$SOURCE/tests/cli/lib.sh"

fake_node
FAKE_BLENDER=forged
export FAKE_IDS FAKE_IMAGE FAKE_BLENDER

judge() { # picture
    FAKE_IMAGE=$1
    rm -rf run
    run qualify --node node --out run -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" \
        --probe strict --no-baseline --quiet --sandbox none --deadline 60 --expected expected
    verdict=$(field run/record.json "[a['verdict'] for a in d['attempts'] if a['probe'] == 'control'][0]")
    match=$(field run/record.json "[a['image']['match']['name'] + ' ' + str(a['image']['match']['basis']) for a in d['attempts'] if a['probe'] == 'control'][0]")
    why=$(field run/record.json "[(a['decided_by'] or {}).get('evidence') for a in d['attempts'] if a['probe'] == 'control'][0]")
    order=$(field run/record.json "' '.join('%s=%s' % (r['name'] or '-', r['blender']) for r in d['scenes'][0]['references'])")
}

# A reference as a user would make one: the picture, its digest and the Blender in its provenance.
reference() { # folder, Blender, picture
    mkdir -p "$1"
    cp "$SOURCE/expected/cornell/limits.json" "$SOURCE/expected/cornell/provenance.json" "$1/"
    cp "$3" "$1/reference.exr"
    [ -e "$SOURCE/expected/cornell/noise.exr" ] && cp "$SOURCE/expected/cornell/noise.exr" "$1/"
    python3 - "$1" "$2" <<'EOF'
import hashlib, json, sys
folder, version = sys.argv[1:]
path = folder + "/provenance.json"
made = json.load(open(path))
made["blender"]["version"] = version or None
made["reference_sha256"] = hashlib.sha256(open(folder + "/reference.exr", "rb").read()).hexdigest()
json.dump(made, open(path, "w"))
EOF
}

true_one=$SOURCE/expected/cornell/reference.exr
oiiotool "$true_one" --mulc 0.7,0.8,0.9,1 -d float -o other.exr || exit 1
oiiotool "$true_one" --mulc 1.3,1.2,1.2,1 -d float -o wrong.exr || exit 1

# Blender 3.4 has a reference of its own, and there is another one.
reference expected/cornell/a 5.2.0 other.exr
reference expected/cornell/b 3.4.0 "$true_one"
judge "$true_one"
is "$verdict, $match" "accepted, b same-noise" "D09 the reference that matched is named"
is "$order" "b=3.4 a=5.2" "those of this Blender's series come first"
is "$(cd run/references && echo *)" "$(cd expected/cornell && for n in a b; do
    [ -e $n/noise.exr ] && echo "cornell-$n.noise.exr"
    echo "cornell-$n.exr"
done | sort | tr '\n' ' ' | sed 's/ $//')" "each lies with the evidence"
run verify run
exits 0 "and the record agrees with it"
judge "$PWD/other.exr"
is "$verdict, $match" "accepted, a same-noise" "another series' reference is valid too"
judge "$PWD/wrong.exr"
is "$verdict, ${match#* }" "image-differs, None" "a picture that is neither differs from its own series'"
is "${match% *}" b "and is told its distance to that one, not to one that happens to be nearer"

# Only another series' reference: no match says nothing.
rm -r expected/cornell/b
judge "$PWD/wrong.exr"
is "$verdict" no-reference "D11 without a reference of its series a picture is not judged wrong"
case $why in
*"no reference is of this Blender's series"*"nearest: 5.2's"*) pass "and told so, with the nearest" ;;
*) fail "and told so, with the nearest" "$why" ;;
esac
judge "$PWD/other.exr"
is "$verdict" accepted "a match with it is a match"

# One whose Blender is not named is of no series.
reference expected/cornell/a '' other.exr
judge "$PWD/wrong.exr"
is "$verdict" no-reference "a reference of an unknown Blender is of no series"

# A damaged one is left out and named; it does not take the others along.
reference expected/cornell/a 3.4.1 "$true_one"
reference expected/cornell/b 3.4.1 other.exr
printf x >>expected/cornell/b/reference.exr
judge "$true_one"
is "$verdict, $order" "accepted, a=3.4" "a damaged reference is left out"
is "$(field run/record.json "[n for n in d['notes'] if 'left out' in n]")" \
    "['scene cornell: a reference was left out: b: reference.exr is not the file that provenance.json describes']" "and named"

finish
