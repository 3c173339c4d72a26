# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender, as scenes/render.py does: each job may have "edit", the name of something that the scene is
rendered without, as a backend renders it that cannot do it. An edit stays for the jobs behind it, so it comes last.
"""
import json
import pathlib
import runpy
import sys

import bpy

RENDER = pathlib.Path(__file__).resolve().parent.parent.parent / "scenes/render.py"


def cycles(name, value):
    def edit():
        assert getattr(bpy.context.scene.cycles, name) != value, name
        setattr(bpy.context.scene.cycles, name, value)
    return edit


def no_volume(*names):
    def edit():
        found = [m for m in bpy.data.materials if m.name in names]
        assert len(found) == len(names), names
        for material in found:
            links = material.node_tree.links
            for link in [l for l in links if l.to_socket.name == "Volume"]:
                links.remove(link)
            # Without any closure the body would be black: it is gone instead.
        for thing in list(bpy.data.objects):
            if thing.type == "MESH" and any(s.material in found for s in thing.material_slots):
                bpy.data.objects.remove(thing)
    return edit


def no_link_to(*sockets, kinds=None):
    """Cuts the links into sockets of these names, of nodes of these kinds."""
    def edit():
        cut = 0
        for material in bpy.data.materials:
            tree = material.node_tree
            for link in list(tree.links) if tree else []:
                if link.to_socket.name in sockets and (not kinds or link.to_node.bl_idname in kinds):
                    tree.links.remove(link)
                    cut += 1
        assert cut, sockets
    return edit


def no_pictures():
    """Every picture texture gives one grey."""
    cut = 0
    for material in bpy.data.materials:
        tree = material.node_tree
        for node in list(tree.nodes) if tree else []:
            if node.bl_idname == "ShaderNodeTexImage":
                for link in list(node.outputs["Color"].links):
                    grey = tree.nodes.new("ShaderNodeRGB")
                    grey.outputs[0].default_value = (.4, .4, .4, 1)
                    tree.links.new(grey.outputs[0], link.to_socket)
                    cut += 1
    assert cut


def nearest_pictures():
    """Every picture texture is read without a filter."""
    nodes = [n for m in bpy.data.materials if m.node_tree for n in m.node_tree.nodes if n.bl_idname == "ShaderNodeTexImage"]
    assert nodes
    for node in nodes:
        node.interpolation = "Closest"


def no_hair():
    things = [o for o in bpy.data.objects if o.particle_systems or o.type in ("CURVES", "CURVE")]
    assert things
    for thing in things:
        for modifier in [m for m in thing.modifiers if m.type == "PARTICLE_SYSTEM"]:
            modifier.show_render = False
        thing.hide_render = thing.type in ("CURVES", "CURVE")


def no_blur():
    assert bpy.context.scene.render.use_motion_blur
    bpy.context.scene.render.use_motion_blur = False


def no_smooth():
    for data in bpy.data.meshes:
        for polygon in data.polygons:
            polygon.use_smooth = False


def every_tenth_lamp_off():
    lamps = sorted((o for o in bpy.data.objects if o.type == "LIGHT"), key=lambda o: o.name)
    assert len(lamps) >= 50
    for lamp in lamps[::10]:
        lamp.hide_render = True


def no_instances():
    things = [o for o in bpy.data.objects if o.instance_type != "NONE"]
    assert things
    for thing in things:
        thing.instance_type = "NONE"


def one_colour():
    """The random number of an object is the same for all."""
    cut = 0
    for material in bpy.data.materials:
        tree = material.node_tree
        for link in list(tree.links) if tree else []:
            if link.from_node.bl_idname == "ShaderNodeObjectInfo":
                tree.links.remove(link)
                cut += 1
    assert cut


def surface_to_diffuse(*names):
    def edit():
        found = [m for m in bpy.data.materials if m.name in names]
        assert len(found) == len(names), names
        for material in found:
            tree = material.node_tree
            output = next(n for n in tree.nodes if n.bl_idname == "ShaderNodeOutputMaterial")
            tree.links.new(tree.nodes.new("ShaderNodeBsdfDiffuse").outputs[0], output.inputs["Surface"])
    return edit


def no_caustics():
    bpy.context.scene.cycles.caustics_refractive = bpy.context.scene.cycles.caustics_reflective = False


EDITS = {
    "cornell": {"no-indirect-light": cycles("diffuse_bounces", 0), "one-bounce": cycles("diffuse_bounces", 1)},
    "glass": {"no-textures": no_pictures, "no-glass": surface_to_diffuse("glass")},
    "caustics": {"no-caustics": no_caustics},
    "textures": {"no-filter": nearest_pictures, "no-textures": no_pictures},
    "hair": {"no-hair": no_hair},
    "volume": {"no-glow": no_volume("glow"), "no-amber": no_volume("amber"), "no-smoke": no_volume("smoke")},
    "subsurface": {"no-subsurface": surface_to_diffuse("walk", "profile", "plate")},
    "displacement": {"no-relief": no_link_to("Displacement", "Normal")},
    "motion": {"no-motion-blur": no_blur},
    "lights": {"every-tenth-lamp-off": every_tenth_lamp_off},
    "shadows": {"no-transparency": cycles("transparent_max_bounces", 0)},
    "memory": {"no-textures": no_pictures},
    "instances": {"one-colour": one_colour, "no-instances": no_instances},
}


def main():
    render = runpy.run_path(str(RENDER))["render"]
    for job in json.loads(sys.argv[sys.argv.index("--") + 1]):
        edit = job.pop("edit", None)
        if edit:
            EDITS[job.pop("scene")][edit]()
        render(job)


if __name__ == "__main__":
    main()
