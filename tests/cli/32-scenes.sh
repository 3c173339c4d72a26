#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scenes, references and Blender belong together: a render on the CPU is accepted, a render of something else is not.
. "$SOURCE/tests/cli/lib.sh"

for tool in blender zstd unzip; do
    have $tool || {
        skip "scenes and references" "$tool is not installed"
        finish
    }
done

# render OUTPUT SEED [PYTHON]: the scene in folder/, as its scene.json says but for the seed.
render() {
    job=$(field "$SOURCE/scenes/$scene/scene.json" 'json.dumps({**{k: d[k] for k in ("width", "height", "samples", "frame")},
        "output": "'"$PWD/$1"'", "report": "'"$PWD"'/report.json", "seed": '"$2"'})')
    blender -b --factory-startup --disable-autoexec "folder/$scene.blend" --python-exit-code 5 \
        --python-expr "${3:-pass}" --python "$SOURCE/scenes/render.py" -- "$job" >blender.log 2>&1
}

judged() { # IMAGE STATUS TITLE
    run compare "$1" "$expected/reference.exr" --limits "$expected/limits.json"
    exits "$2" "$scene: $3: $(head -1 out)"
}

for scene in cornell glass; do
    expected=$SOURCE/expected/$scene
    description=$SOURCE/scenes/$scene/scene.json
    archive=$SOURCE/scenes/$scene/$(field "$description" 'd["archive"]')
    mkdir folder
    case $archive in
    *.zip) unzip -q "$archive" -d folder ;;
    *) zstd -dqc "$archive" | tar -xf - -C folder ;;
    esac
    run fingerprint "$archive"
    says "^tree $(field "$description" 'd["tree_sha256"]')" "$scene: scene.json has the tree digest of the archive"
    run fingerprint folder
    says "^tree $(field "$description" 'd["tree_sha256"]')" "$scene: and of the unpacked folder"
    is "$(field "$expected/provenance.json" '(d["tree_sha256"], d["archive_sha256"], d["reference_sha256"])')" \
        "('$(field "$description" 'd["tree_sha256"]')', '$(sha256sum <"$archive" | cut -c1-64)', '$(sha256sum <"$expected/reference.exr" | cut -c1-64)')" \
        "$scene: provenance names this tree, this archive and this reference"
    for key in width height samples seed frame denoising; do
        is "$(field "$expected/provenance.json" "d['$key']")" "$(field "$description" "d['$key']")" \
            "$scene: the reference was made with the scene's $key"
    done
    is "$([ "$(wc -c <"$archive")" -le 307200 ] && echo small)" small "$scene: the archive is under 300 KB"
    # -f: what is not compressed is passed on as it is.
    zstd -dcf "folder/$scene.blend" >inside
    is "$(grep -aEc 'BLENDER-v304' inside)" 1 "$scene: the file inside is of Blender 3.4"
    is "$(grep -aEc '/home/|/root/|oamqual-scene-' inside)" 0 "$scene: no path of its maker is inside"
    seed=$(field "$description" 'd["seed"]')
    render same.exr "$seed"
    judged same.exr 0 "a render by this Blender is accepted"
    render other.exr $((seed + 100))
    judged other.exr 1 "another seed is not"
    [ "$scene" = cornell ] && rm -r folder
done

render opaque.exr "$seed" 'import bpy
nodes = bpy.data.materials["glass"].node_tree.nodes
links = bpy.data.materials["glass"].node_tree.links
links.new(nodes.new("ShaderNodeBsdfDiffuse").outputs[0], nodes["Material Output"].inputs[0])'
judged opaque.exr 1 "no glass"
mv folder/textures elsewhere
render pink.exr "$seed"
judged pink.exr 1 "A29: missing textures"
finish
