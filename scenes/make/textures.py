# SPDX-License-Identifier: Apache-2.0
"""Pictures of every sample type, filter and edge rule on a row of panels, by UV."""
import struct
import zlib

from make.parts import camera, light, node, picture, png, quad, room, diffuse, shader

ENTRY = {
    "purpose": "Image textures: clip, extend and repeat at the edge, nearest, linear and cubic filters, 8-bit, 16-bit, "
               "grey and float pixels, alpha, and UV that leave the picture.",
    "features": ["image-textures", "clip", "uv", "alpha", "float-texture", "16-bit-texture", "relative-paths"],
    "suite": "full", "archive": "textures.zip", "width": 160, "height": 96, "samples": 16, "seed": 22,
    "guards": ["blender/cycles@9193dc835", "blender/cycles@72b1a9784", "blender/blender#157701",
               "blender/blender#133953"],
}
# file, what happens at the edge, filter, from and to in UV
PANELS = (
    ("tile8.png", "CLIP", "Linear", -.4, 1.4), ("tile8.png", "EXTEND", "Linear", -.3, 1.3),
    ("tile8.png", "REPEAT", "Closest", -.5, 2.5), ("tile8.png", "REPEAT", "Cubic", .2, .7),
    ("deep16.png", "CLIP", "Closest", -.2, 1.2), ("grey8.png", "CLIP", "Cubic", -.2, 1.2),
    ("light.hdr", "CLIP", "Linear", -.2, 1.2), ("alpha8.png", "REPEAT", "Linear", 0, 2),
)


def tile(x, y):
    """Four quarters of their own colour with a letter-like corner: a flip, a turn or a shift is seen."""
    base = ((210, 60, 40), (50, 160, 70), (45, 80, 200), (220, 190, 60))[(x // 16) % 2 + 2 * ((y // 16) % 2)]
    return (245, 245, 245) if x < 5 or (y < 5 and x < 20) else base


def write_png(path, width, height, bits, kind, row):
    """A PNG of any depth and kind (0 grey, 2 RGB, 6 RGBA), rows as bytes: with no library, so always the same."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    data = b"".join(b"\0" + row(y) for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


def write_hdr(path, width, height):
    """Radiance RGBE without run lengths (Ward, Graphics Gems II): a ramp from 1/32 to 2 that 8 bits cannot hold."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            pixels += bytes((255, 128 + (y * 127) // height, 64 + (x * 191) // width, 125 + (x * 5) // width))
    path.write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n" % (height, width) + bytes(pixels))


def write_pictures(folder):
    png(folder / "tex/tile8.png", 32, 32, tile)
    write_png(folder / "tex/deep16.png", 48, 48, 16, 2, lambda y: b"".join(
        struct.pack(">HHH", (x * 1365) & 0xffff, (y * 1365) & 0xffff, ((x ^ y) * 1000) & 0xffff) for x in range(48)))
    write_png(folder / "tex/grey8.png", 40, 40, 8, 0, lambda y: bytes(
        230 if (x - 20) ** 2 + (y - 20) ** 2 < 200 else 30 + 3 * x for x in range(40)))
    write_png(folder / "tex/alpha8.png", 32, 32, 8, 6, lambda y: b"".join(
        bytes((240, 120, 30, 255 if (x // 8 + y // 8) % 2 else 60)) for x in range(32)))
    write_hdr(folder / "tex/light.hdr", 24, 24)


def panel(name, edge, sampling, pictures):
    """Where a clipped picture ends its alpha is 0 and the light behind the panel shows."""
    def build(nodes, link):
        texture = nodes.new("ShaderNodeTexImage")
        texture.image, texture.extension, texture.interpolation = pictures[name], edge, sampling
        mixed = nodes.new("ShaderNodeMixShader")
        solid = nodes.new("ShaderNodeBsdfDiffuse")
        link(texture.outputs["Color"], solid.inputs["Color"])
        link(texture.outputs["Alpha"], mixed.inputs[0])
        link(node(nodes, "ShaderNodeBsdfTransparent", Color=(.9, .75, .95, 1)).outputs[0], mixed.inputs[1])
        link(solid.outputs[0], mixed.inputs[2])
        return mixed.outputs[0]
    return shader("%s-%s-%s" % (name, edge.lower(), sampling.lower()), build)


def build(folder):
    (folder / "tex").mkdir()
    write_pictures(folder)
    pictures = {name: picture("//tex/" + name) for name in sorted({row[0] for row in PANELS})}
    for name in ("deep16.png", "light.hdr"):
        pictures[name].colorspace_settings.name = "Non-Color" if name.startswith("deep") else "Linear"
    room(diffuse("grey", .45, .47, .5), width=8)
    for index, (name, edge, sampling, low, high) in enumerate(PANELS):
        x, z = (index % 4) * 1.12 - 2.2, .12 + (1 - index // 4) * 1.12
        thing = quad("panel", [(x, 0, z), (x + 1.04, 0, z), (x + 1.04, 0, z + 1.04), (x, 0, z + 1.04)],
                     panel(name, edge, sampling, pictures))
        for loop, uv in zip(thing.data.uv_layers[0].data, ((0, 0), (1, 0), (1, 1), (0, 1))):
            loop.uv = [low + (high - low) * value for value in uv]
    light("AREA", (-1, -3.5, 3.5), (0, 0, 1), 210, size=1.5)
    camera((0, -4.4, 1.35), (0, 0, 1.2), 34)
