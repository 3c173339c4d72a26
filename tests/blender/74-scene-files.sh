#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files that a scene refers to, as Blender resolves them, in the record of each attempt. Cases C25 and C27.
. "$SOURCE/tests/cli/lib.sh"

have blender || { skip "C25 C27 what Blender resolves" "blender is not installed"; finish; }
cat >make.py <<'P'
import os

import bpy

os.makedirs("scene/textures")
nodes = bpy.data.materials["Material"].node_tree.nodes


def image(name, stored, pack=False, source="FILE"):
    picture = bpy.data.images.new(name, 8, 8)
    picture.filepath_raw = os.path.abspath("scene/textures/%s.png" % name)
    picture.file_format = "PNG"
    picture.save()
    if pack:
        picture.pack()
    picture.source = source
    picture.filepath_raw = stored
    nodes.new("ShaderNodeTexImage").image = picture


image("foo", "//textures\\foo.png")
image("fine", "//textures/fine.png")
image("packed", "//textures/gone.png", pack=True)
image("absent", "//textures/absent-too.png")
image("unc", "\\\\fs01\\3d\\x.png")
image("slashes", "//3d/fs01/x.png")
image("abs", "/srv/textures/x.png")
image("tile", "//textures/tile.<UDIM>.png", source="TILED")
os.rename("scene/textures/tile.png", "scene/textures/tile.1001.png")
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("scene/scene.blend"), relative_remap=False)
P
blender -b --factory-startup --python-exit-code 5 --python make.py >make.log 2>&1 || fail "the scene is made" "$(tail -5 make.log)"
tar -cf scene.tar scene
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1
run qualify --node node --out run -s scene.tar --size 32x32 --samples 1 --probe as-farm --no-baseline -q
[ -f run/record.json ] || fail "there is a record" "$(cat err)"

# finding STORED WANT TITLE
finding() {
    is "$(field run/record.json "[[(f['found'], f['issue']) for f in a['file_findings'] if f['stored'] == r'$1'] for a in d['attempts'] if a['probe'] == 'control'][0]")" \
        "$2" "$3"
}
files() {
    field run/record.json "[sorted(((f['stored'], f['exists'], f['packed']) for f in a['worker']['dependencies'] if f['name'] == '$1')) for a in d['attempts'] if a['probe'] == 'control'][0]"
}
finding '//textures/absent-too.png' "[(False, 'missing')]" "a missing texture is named"
finding '//textures/fine.png' "[]" "one that is there is not"
is "$(files fine)" "[('//textures/fine.png', True, False)]" "but it is listed"
is "$(files packed)" "[('//textures/gone.png', False, True)]" "a packed one is listed as packed"
finding '//textures/gone.png' "[]" "and is not missing"
finding '/srv/textures/x.png' "[(False, 'absolute')]" "an absolute path"
finding '//3d/fs01/x.png' "[(False, 'maybe-network')]" "C25 a path that may be a network path is ambiguous, not taken for one of the scene"
is "$(field run/record.json "[[(f['found'], f['issue']) for f in a['file_findings'] if 'fs01' in f['stored'] and '3d/fs01' not in f['stored']] for a in d['attempts'] if a['probe'] == 'control'][0]")" \
    "[(False, 'network')]" "C25 a network path"
is "$(files tile)" "[('//textures/tile.<UDIM>.png', True, False)]" "tiles are found by their pattern"
is "$(field run/record.json "[[(f['exists'], f['resolved'].endswith('/textures/foo.png')) for f in a['worker']['dependencies'] if f['name'] == 'foo'] for a in d['attempts'] if a['probe'] == 'control'][0]")" \
    "[(True, True)]" "C27 the path with backslashes, as Blender resolved it"
is "$(field run/scene.manifest.json "[n['issue'] for e in d['entries'] if 'blend' in e for n in e['blend']['dependencies'] if n['name'] == 'foo']" 2>/dev/null ||
    field "$(ls run/*.manifest.json)" "[n['issue'] for e in d['entries'] if 'blend' in e for n in e['blend']['dependencies'] if n['name'] == 'foo']")" \
    "['backslashes']" "C27 and the manifest says that they stand in the file"
is "$(python3 -c 'import json, jsonschema, sys
schema, record = (json.load(open(p)) for p in sys.argv[1:])
print([e.message[:200] for e in jsonschema.Draft7Validator(schema).iter_errors(record)])' "$SOURCE/docs/record.schema.json" run/record.json)" "[]" \
    "the record is valid"
finish
