#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files that a .blend refers to: read from a .blend that Blender wrote, without Blender, and held against what Blender
# itself says of the same file. Cases C25 and C27.
. "$SOURCE/tests/cli/lib.sh"

# The three layouts of a .blend, made by hand from the published format: 4-byte pointers and big-endian, 8-byte, and the
# long header of Blender 5.
PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import make_seeds
for name, data in make_seeds.BLENDS.items():
    open(name + ".blend", "wb").write(data)' "$SOURCE/tests/fuzz"
for layout in described described-old described-long; do
    run fingerprint --json $layout.blend
    is "$(field out '[(n["kind"], n["name"], n["stored"], n["packed"]) for n in d["entries"][0]["blend"]["dependencies"]]')" \
        "[('image', 'wood', '//textures\\\\wood.png', False)]" "$layout.blend: its picture"
done

have blender || { skip "C25 C27 what a .blend refers to" "blender is not installed"; finish; }
cat >make.py <<'PY'
import os

import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
os.makedirs("tree/shots/tex")


def image(name, stored, pack=False, source="FILE"):
    picture = bpy.data.images.new(name, 4, 4)
    picture.filepath_raw = os.path.abspath("tree/shots/tex/%s.png" % name)
    picture.file_format = "PNG"
    picture.save()
    if pack:
        picture.pack()
    picture.source = source
    picture.filepath_raw = stored
    picture.use_fake_user = True


image("there", "//tex/there.png")
image("back", "//tex\\back.png")
image("nothing", "//tex/absent.png")
image("case", "//TEX/there.png")
image("packed", "//tex/gone.png", pack=True)
image("abs", "/srv/x.png")
image("drive", "C:\\tex\\x.png")
image("unc", "\\\\fs01\\3d\\x.png")
image("maybe", "//3d/fs01/x.png")
image("above", "//../tex2/up.png")
image("out", "//../../../x.png")
image("folder", "x.png")
image("tiles", "//tex/tile.<UDIM>.png", source="TILED")
image("link", "//through/there.png")
bpy.data.images.new("generated", 8, 8).use_fake_user = True
volume = bpy.data.volumes.new("smoke")
volume.filepath, volume.use_fake_user = "//smoke.vdb", True
os.makedirs("tree/tex2")
open("tree/tex2/up.png", "w").close()
open("tree/shots/tex/tile.1001.png", "w").close()
os.symlink("tex", "tree/shots/through")
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("tree/shots/scene.blend"), relative_remap=False, compress=True)
os.makedirs("linking")
bpy.ops.wm.read_factory_settings(use_empty=True)
with bpy.data.libraries.load(os.path.abspath("tree/shots/scene.blend"), link=True, relative=True) as (source, target):
    target.images = ["there"]
bpy.data.images["there"].use_fake_user = True
bpy.data.scenes[0].world = bpy.data.worlds.new("w")
bpy.data.worlds["w"].use_nodes = True
bpy.data.worlds["w"].node_tree.nodes.new("ShaderNodeTexEnvironment").image = bpy.data.images["there"]
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("linking/main.blend"), relative_remap=False, compress=False)
PY
blender -b --factory-startup --python-exit-code 5 --python make.py >make.log 2>&1 || fail "the scene is made" "$(tail -5 make.log)"
cat >ask.py <<'PY'
import json, os, sys

import bpy

stored, resolved = (bpy.utils.blend_paths(absolute=a, packed=True, local=False) for a in (False, True))
json.dump([[s, r, os.path.exists(r)] for s, r in zip(stored, resolved)], open(sys.argv[-1], "w"))
PY
blender -b tree/shots/scene.blend --factory-startup --python ask.py -- blender.json >ask.log 2>&1
tar -czf tree.tar.gz tree

run fingerprint --json tree.tar.gz
exits 0 "an archive with a .blend that refers to files"
field out '[json.dump([dict(n) for e in d["entries"] if "blend" in e for n in e["blend"]["dependencies"]], open("needs.json", "w"))][0]' >/dev/null

# need NAME WANT TITLE
need() {
    is "$(field needs.json "[(n['kind'], n['packed'], n['in_archive'], n.get('issue')) for n in d if n['name'] == '$1']")" "[$2]" "$3"
}
need there "('image', False, 'yes', None)" "a texture beside the .blend is there"
need nothing "('image', False, 'no', None)" "a missing one is not"
need case "('image', False, 'no', 'case')" "nor one in other case"
need packed "('image', True, 'no', None)" "a packed one needs no file"
need abs "('image', False, 'no', 'absolute')" "an absolute path"
need drive "('image', False, 'no', 'windows-drive')" "a drive letter"
need unc "('image', False, 'no', 'network')" "C25 a network path"
need maybe "('image', False, 'unknown', 'maybe-network')" "C25 one with slashes is ambiguous and taken for neither"
need above "('image', False, 'yes', None)" "a path above the .blend and inside the archive"
need out "('image', False, 'no', 'outside')" "one that leads out of it"
need folder "('image', False, 'unknown', 'working-folder')" "a path without // depends on where Blender starts"
need tiles "('image', False, 'yes', None)" "tiles are looked for by their pattern"
need link "('image', False, 'yes', None)" "a folder's link is followed"
need smoke "('volume', False, 'no', None)" "a volume"
need back "('image', False, 'yes', 'backslashes')" "C27 backslashes are resolved by Blender's own rule, and said"
is "$(field needs.json 'len(d), [n["stored"] for n in d if n["name"] == "back"]')" "(15, ['//tex\\\\back.png'])" "C27 as they stand in the file; nothing else is listed"
is "$(field blender.json '[(s, e) for s, r, e in d if s.endswith("back.png")]')" "[('//tex/back.png', True)]" "C27 Blender finds that file too"

# What is sure is what Blender finds, tiles apart, for which Blender has a pattern only.
cat >agree.py <<'PY'
import json, os
slashes = lambda path: path[:2] + path[2:].replace("\\", "/")
found = {s: e for s, r, e in json.load(open("blender.json"))}
needs = json.load(open("needs.json"))
print(sorted(found) == sorted(slashes(n["stored"]) for n in needs))
print([n["stored"] for n in needs if n["in_archive"] != "unknown" and "<" not in n["stored"]
       and found[slashes(n["stored"])] != (n["in_archive"] == "yes")])
PY
is "$(python3 agree.py | tr '\n' ' ')" "True [] " "Blender lists the same files and finds the same ones"

run fingerprint tree.tar.gz
says '^  needs image //tex/absent.png: not in the archive$' "as text"
says '^  needs image //tex/gone.png: packed in the .blend$' "as text, packed"
run fingerprint --json linking
is "$(field out '[(n["kind"], n["stored"], n["in_archive"], n["issue"]) for n in d["entries"][0]["blend"]["dependencies"]]')" \
    "[('library', '$PWD/tree/shots/scene.blend', 'no', 'absolute')]" "a library is what a .blend with linked data needs"

# A .blend whose own description is damaged still has its digests; what it needs is unknown.
sed 's/DNA1/DNA2/' linking/main.blend >broken.blend
run fingerprint --json broken.blend
exits 0 "a .blend without DNA1 is fingerprinted"
is "$(field out 'd["entries"][0]["blend"]["dependencies"], d["entries"][0]["blend"]["dependencies_why"]')" \
    "(None, 'it has no description of its structs (DNA1)')" "and what it needs is unknown, with why"
finish
