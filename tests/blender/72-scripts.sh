#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A scene that carries Python in every place that Blender knows of runs none of it.
. "$SOURCE/tests/cli/lib.sh"

have blender || { skip "scripts of a scene" "blender is not installed"; finish; }
cat >make.py <<'P'
import os

import bpy

code = "open('%s', 'a').write('ran\\n')\n"
startup = bpy.data.texts.new("startup.py")
startup.from_string(code % "RAN-register")
startup.use_module = True
style = bpy.data.texts.new("style.py")
style.from_string(code % "RAN-freestyle")
scene = bpy.context.scene
scene.render.use_freestyle = True
layer = scene.view_layers[0]
layer.use_freestyle = True
layer.freestyle_settings.mode = "SCRIPT"
layer.freestyle_settings.modules.new().script = style
driver = bpy.data.objects["Cube"].driver_add("location", 0).driver
driver.type = "SCRIPTED"
driver.expression = "(open('RAN-driver', 'a').write('ran') and 0) or 0"
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("evil.blend"))
P
blender -b --factory-startup --python make.py >make.log 2>&1
[ -f evil.blend ] && pass "a scene full of scripts is made" || fail "a scene full of scripts is made" "$(tail -5 make.log)"
rm -f RAN-*
(mkdir byhand && cd byhand && blender -b --factory-startup --disable-autoexec ../evil.blend -o //byhand/x -f 1 >log 2>&1)
is "$(ls byhand | grep RAN)" RAN-freestyle "rendered by hand with autoexec off, its style module runs"
rm -rf byhand
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1
# Without the sandbox: the settings alone must hold.
run qualify --node node --out run -s evil.blend --size 64x64 --samples 2 --no-baseline -q --sandbox none
exits 1 "it is rendered and judged"
is "$(find . -name 'RAN-*')" "" "and none of its scripts ran"
is "$(field run/record.json "set(a['worker']['stage'] for a in d['attempts'] if a['probe'] != 'strict')")" "{'rendered'}" \
    "although it was rendered"
finish
