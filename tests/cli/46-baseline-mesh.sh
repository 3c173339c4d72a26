#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual baseline --mesh and --write-scene: mesh files that are rendered and mesh files that are refused. And its progress.
. "$SOURCE/tests/cli/lib.sh"

# mesh "X Y Z,X Y Z,..." "I J K,..." > a PLY file in ASCII
mesh() {
    python3 - "$1" "$2" <<'P'
import sys
places, faces = ([row.split() for row in words.split(",") if row] for words in sys.argv[1:])
print("ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z" % len(places))
print("element face %d\nproperty list uchar int vertex_indices\nend_header" % len(faces))
for row in places:
    print(*row)
for row in faces:
    print(len(row), *row)
P
}
CUBE="0 0 0,4 0 0,4 4 0,0 4 0,0 0 4,4 0 4,4 4 4,0 4 4"
FACES="0 3 2 1,4 5 6 7,0 1 5 4,1 2 6 5,2 3 7 6,3 0 4 7"
mesh "$CUBE" "$FACES" >cube.ply
run baseline --mesh cube.ply --size 24x24 --samples 4 --json --image cube.exr
exits 0 "a cube"
is "$(field out 'd["scene"]["name"], d["scene"]["triangles"]')" "('mesh', 14)" "12 triangles and the lamp's two"
sha=$(field out 'd["cpu"]["image_sha256"]["value"]')
run baseline --mesh cube.ply --size 24x24 --samples 4 --json --path single --threads 1
is "$(field out 'd["cpu"]["image_sha256"]["value"]')" "$sha" "single rays give the same picture"
run baseline --mesh cube.ply --size 24x24 --samples 4
says '^scene    mesh cube.ply, ' "the text names the file"

# The stage, by another reader: the ball about the cube, of radius sqrt(12) around (2, 2, 2), touches the picture's edges.
run baseline --mesh cube.ply --write-scene scene.ply
exits 0 "the staged mesh is written"
python3 - >stage 2>&1 <<'P'
import math, struct
data = open("scene.ply", "rb").read()
head, body = data.split(b"end_header\n", 1)
assert b"element vertex 42\n" in head and b"element face 14\n" in head and b"element material 2\n" in head
camera = struct.unpack_from("<12f", body, 42 * 12 + 14 * 17 + 2 * 32)
sky = struct.unpack_from("<3f", body, 42 * 12 + 14 * 17 + 2 * 32 + 48)
assert len(body) == 42 * 12 + 14 * 17 + 2 * 32 + 60
eye, forward, right, up = (camera[i:i + 3] for i in (0, 3, 6, 9))
def dot(a, b): return sum(x * y for x, y in zip(a, b))
way = [2 - x for x in eye]
print("ahead %.4f" % (dot(way, forward) / math.sqrt(dot(way, way))))
half = math.sqrt(dot(up, up))
print("touch %.4f" % (math.asin(math.sqrt(12 / dot(way, way))) / math.atan(half)))
print("square %.4f %.4f %.4f" % (dot(right, right) / dot(up, up), abs(dot(right, up)), abs(dot(right, forward))))
print("above %d sky %d" % (eye[2] > 4 and dot(up, (0, 0, 1)) > 0, min(sky) > 0))
P
is "$(cat stage)" "ahead 1.0000
touch 1.0000
square 1.0000 0.0000 0.0000
above 1 sky 1" "the camera is where docs/baseline.md says"

# A mesh ten thousand times as large gives the same picture but for rounding.
mesh "$(echo "$CUBE" | sed 's/4/40000/g')" "$FACES" >large.ply
run baseline --mesh large.ply --size 24x24 --samples 4 --image large.exr
if have oiiotool; then
    is "$(oiiotool cube.exr large.exr --diff --fail 0.01 --failpercent 2 2>&1 | grep -c PASS)" 1 "the stage goes with the size of the mesh"
    is "$(oiiotool --stats cube.exr | awk '/Stats Min/ { low = ($3 < .25) } /Stats Max/ { fair = ($3 > 1) } END { print low, fair }')" \
        "1 1" "it has light and shadow"
else
    skip "the stage goes with the size of the mesh" "oiiotool (openimageio-tools) is not installed"
    skip "it has light and shadow" "oiiotool (openimageio-tools) is not installed"
fi

# Triangles without area are never met: the picture is that without them.
mesh "$CUBE" "$FACES,0 0 1,2 2 2,0 1 1" >flat.ply
run baseline --mesh flat.ply --size 24x24 --samples 4 --json
exits 0 "degenerate triangles are rendered"
is "$(field out 'd["scene"]["triangles"], d["cpu"]["image_sha256"]["value"]')" "(17, '$sha')" "to the picture without them"
mesh "0 0 0,1 1 1,2 2 2" "0 1 2" >line.ply
run baseline --mesh line.ply --size 8x8 --samples 1 --image line.exr
exits 0 "nothing but a degenerate triangle"
if have oiiotool; then
    is "$(oiiotool --stats line.exr | grep -E 'Stats (Min|Max)' | sed 's/.*: //;s/ (float)//' | sort -u)" "0.400000 0.450000 0.500000" \
        "is the sky alone"
else
    skip "is the sky alone" "oiiotool (openimageio-tools) is not installed"
fi

# bad FILE "pattern" title
bad() {
    run baseline --mesh "$1" --size 8x8 --samples 1 --image bad.exr --json
    exits 3 "$3 is refused"
    one_line "in one line"
    says "$1: $2" "that names file and reason"
    is "$(wc -c <out)$(ls bad.exr 2>/dev/null)" 0 "and nothing is written"
}
head -c 250 cube.ply >short.ply
bad short.ply 'ends within face [0-5] of 6' "a mesh cut short"
oamqual_scene() { run baseline --scene glass --write-scene "$1"; }
oamqual_scene glass.ply
exits 0 "a scene is written"
run baseline --mesh glass.ply --size 8x8 --samples 1 --json
is "$(field out 'd["scene"]["triangles"]')" 9050 "and read as a mesh, with a lamp more"
head -c 400000 glass.ply >short-binary.ply
bad short-binary.ply 'ends within face [0-9]+ of 9048' "a binary mesh cut short"
ln -s /dev/zero zero.ply
bad zero.ply 'not a regular file' "a device, before four gigabytes are read of it,"
mkfifo pipe.ply
bad pipe.ply 'not a regular file' "a pipe"
mesh "0 0 0,1 0 0,nan 1 0" "0 1 2" >nan.ply
bad nan.ply 'vertex 2 of 3: not a number' "a NaN vertex"
mesh "0 0 0,1 0 0,1e39 1 0" "0 1 2" >far.ply
bad far.ply 'vertex 2 of 3: x is not finite' "a vertex beyond float"
mesh "0 0 0,1 0 0,2e12 1 0" "0 1 2" >out.ply
bad out.ply 'triangle 0: vertex 2 is not finite or too far out' "a vertex too far out"
mesh "0 0 0,1 0 0,0 1 0" "0 1 3" >index.ply
bad index.ply 'face 0 of 1: its corner 2 is 3, not one of 3 vertices' "a corner that is no vertex"
sed 's/vertex 8/vertex 4000000000/' cube.ply >huge.ply
bad huge.ply 'its header says 4000000000 rows of vertex, [0-9]+ bytes are left for them: cut short.$' "a huge count"
mesh "0 0 0,1 0 0,0 1 0" "" >empty.ply
bad empty.ply 'has no faces: there is nothing to render' "a mesh without faces"
mesh "1 2 3,1 2 3,1 2 3" "0 1 2" >point.ply
bad point.ply 'its corners are all one point' "a mesh of one point"
: >nothing.ply
bad nothing.ply 'is not a PLY file' "an empty file"
bad "$SOURCE/README.md" 'is not a PLY file' "another kind of file"
bad missing.ply 'No such file' "a file that is not there"

run baseline --mesh cube.ply --scene glass
exits 2 "a scene and a mesh are one too many"
run baseline --scene cornell --write-scene missing/scene.ply
exits 3 "a scene that cannot be written"
one_line "is one line"
run baseline --noise-seed 4294967296
exits 2 "a seed has 32 bits"
# Another noise seed is another noise in the same scene; another seed another scene.
for seed in 0 1; do
    run baseline --scene terrain --seed $seed --write-scene seed$seed.ply
    run baseline --scene terrain --noise-seed $seed --write-scene noise$seed.ply
    run baseline --scene terrain --noise-seed $seed --size 8x8 --samples 1 --json
    field out 'd["cpu"]["image_sha256"]["value"]' >picture$seed
done
cmp -s seed0.ply seed1.ply && fail "a seed makes a scene" || pass "a seed makes a scene"
cmp -s noise0.ply noise1.ply && pass "a noise seed leaves the scene alone" || fail "a noise seed leaves the scene alone"
cmp -s picture0 picture1 && fail "but not the picture" || pass "but not the picture"

# progress ARG...: what stderr shows on a terminal while a cube is rendered
progress() {
    python3 - "$OAMQUAL" baseline --mesh cube.ply --size 64x64 --samples 16 "$@" <<'P'
import os, pty, subprocess, sys
mine, its = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its,
                         env=dict(os.environ, TERM="xterm"))
os.close(its)
seen = b""
try:
    while more := os.read(mine, 4096):
        seen += more
except OSError:
    pass
print(child.wait(), seen.count(b"reading the mesh") == 1, seen.endswith(b"\r\033[K"), len(seen) == 0)
P
}
is "$(progress)" "0 True True False" "a terminal sees what is being done, and is left clean"
is "$(progress --quiet)" "0 False False True" "or nothing with --quiet"
run baseline --mesh cube.ply --size 8x8 --samples 1
is "$(wc -c <err)" 0 "and without a terminal a short run says nothing"
finish
