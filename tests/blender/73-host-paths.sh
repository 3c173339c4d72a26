#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A scene that names a file of the host by its absolute path gets it without the sandbox, and not with it: neither as a
# texture nor in the picture.
. "$SOURCE/tests/cli/lib.sh"

have blender || { skip "absolute paths of a scene" "blender is not installed"; finish; }
have bwrap || { skip "absolute paths of a scene" "bwrap (bubblewrap) is not installed"; finish; }
cat >make.py <<'P'
import os

import bpy

# A green picture of the host, as a light that fills the view.
secret = bpy.data.images.new("secret", 8, 8)
secret.pixels = [0.0, 1.0, 0.0, 1.0] * 64
secret.filepath_raw = os.path.abspath("secret.png")
secret.file_format = "PNG"
secret.save()
bpy.data.images.remove(secret)
scene = bpy.context.scene
scene.view_settings.view_transform = "Raw"
world = scene.world
world.use_nodes = True
nodes = world.node_tree.nodes
picture = nodes.new("ShaderNodeTexEnvironment")
picture.image = bpy.data.images.load(os.path.abspath("secret.png"))
world.node_tree.links.new(picture.outputs["Color"], nodes["Background"].inputs["Color"])
bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("curious.blend"), relative_remap=False)
P
blender -b --factory-startup --python make.py >make.log 2>&1
[ -f curious.blend ] && [ -f secret.png ] || fail "the scene is made" "$(tail -5 make.log)"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1

look() { # sandbox mode
    rm -rf run
    run qualify --node node --out run -s curious.blend --size 32x32 --samples 1 --probe as-farm --no-baseline -q --sandbox "$1"
    exists=$(field run/record.json "[[f['exists'] for f in a['worker']['scene']['external_files'] if 'secret' in f['stored']] for a in d['attempts'] if a['probe'] == 'control'][0]" 2>&1)
    folder=$(field run/record.json "[a['folder'] for a in d['attempts'] if a['probe'] == 'control'][0]" 2>&1)
    colour=$(oiiotool --stats "run/$folder/image.exr" 2>/dev/null | sed -n 's/ *Stats Avg: *\([0-9.]*\) \([0-9.]*\) \([0-9.]*\).*/\1 \2 \3/p')
}
look none
is "$exists" "[True]" "without the sandbox Blender finds the file of the host"
is "$colour" "0.000000 1.000000 0.000000" "and it is in the picture"
look require
is "$exists" "[False]" "in the sandbox it is not there"
is "$colour" "1.000000 0.000000 1.000000" "and the picture has the colour of a missing texture"
finish
