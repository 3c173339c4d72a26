#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pictures of tests/cli/38-images.sh to the folder given, byte by byte."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pictures import FLOAT, HALF, Part, rgb_part, write_exr, write_png  # noqa: E402

WIDTH, HEIGHT = 40, 33
REC709 = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290)
ACES_AP0 = (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.0770, 0.32168, 0.33767)


def rows(change=lambda x, y, p: p):
    return [[change(x, y, (x / 61, y / 59, (x + y) / 127)) for x in range(WIDTH)] for y in range(HEIGHT)]


def one(kind, value):
    return kind, [[value(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]


def chromaticities(values):
    return "chromaticities", "chromaticities", struct.pack("<8f", *values)


def string(name, value):
    return name, "string", value.encode()


def make_parts():
    normal = Part({"N." + n: one(FLOAT, lambda x, y: 0.5) for n in "XYZ"}, name="N")
    normal_rgb = rgb_part(rows(lambda x, y, p: (0.1, 0.2, 0.9)), name="N")
    beauty = rgb_part(rows(), alpha=1.0, name="rgba", zipped=True)
    write_exr("plain.exr", rgb_part(rows(), alpha=1.0))
    write_exr("parts.exr", normal, beauty)
    write_exr("parts-rgb.exr", normal_rgb, beauty)
    left, right = (rgb_part(rows(), alpha=1.0, name=n) for n in ("left", "right"))
    write_exr("two.exr", left, right)
    layers = dict(rgb_part(rows(), alpha=1.0, prefix="ViewLayer.Combined.").channels)
    layers.update(rgb_part(rows(lambda x, y, p: (p[2], p[1], p[0])), prefix="ViewLayer.DiffCol.").channels)
    layers["ViewLayer.Depth.Z"] = one(FLOAT, lambda x, y: 1e10)
    write_exr("layers.exr", Part(layers, zipped=True))
    more = dict(layers)
    more.update(rgb_part(rows(), alpha=1.0, prefix="Other.Combined.").channels)
    write_exr("layers-two.exr", Part(more, zipped=True))


def make_shapes():
    write_exr("zip.exr", rgb_part(rows(), alpha=1.0, zipped=True))
    write_exr("half.exr", rgb_part(rows(), kind=HALF, alpha=1.0, zipped=True))
    write_exr("aspect.exr", rgb_part(rows(), alpha=1.0, aspect=2.0))
    write_exr("rec709.exr", rgb_part(rows(), alpha=1.0, more=[chromaticities(REC709)]))
    write_exr("aces.exr", rgb_part(rows(), alpha=1.0, more=[chromaticities(ACES_AP0)]))
    write_exr("stamped.exr", rgb_part(rows(), alpha=1.0, more=[string("RenderTime", "00:01.23"), string("Host", "n17")]))
    write_exr("pink.exr", rgb_part(rows(lambda x, y, p: (p[0], 0.0, p[0]) if x >= 30 else p), alpha=1.0))
    write_exr("nan.exr", rgb_part(rows(lambda x, y, p: (float("nan"),) * 3), alpha=1.0))
    display = (0, 0, WIDTH + 20 - 1, HEIGHT + 10 - 1)
    inner = rgb_part(rows(), alpha=1.0, window=(15, 4, 15 + WIDTH - 1, 4 + HEIGHT - 1), display=display, zipped=True)
    write_exr("window.exr", inner)
    around = [[(0.0, 0.0, 0.0, 0.0)] * (WIDTH + 20) for _ in range(HEIGHT + 10)]
    for y, row in enumerate(rows()):
        for x, p in enumerate(row):
            around[y + 4][x + 15] = p + (1.0,)
    write_exr("full.exr", Part({n: (FLOAT, [[p[i] for p in row] for row in around]) for i, n in enumerate("RGBA")}))


def make_png():
    def encoded(v):
        return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055
    bytes_of = rows(lambda x, y, p: tuple(round(255 * encoded(c)) for c in p))
    write_png("untagged.png", bytes_of)
    write_png("srgb.png", bytes_of, tags=((b"sRGB", b"\0"),))
    linear = rows(lambda x, y, p: tuple(round(65535 * c) for c in p))
    write_png("linear.png", linear, bits=16, tags=((b"gAMA", struct.pack(">I", 100000)),))
    write_exr("rgb.exr", rgb_part(rows()))
    # Alpha 127 of 255: colour that is not multiplied in PNG, and the same multiplied in EXR.
    write_png("alpha.png", rows(lambda x, y, p: tuple(round(255 * encoded(c)) for c in p) + (127,)), tags=((b"sRGB", b"\0"),))
    cover = 127 / 255
    write_exr("alpha.exr", rgb_part(rows(lambda x, y, p: tuple(cover * c for c in p)), alpha=cover))
    write_exr("alpha-twice.exr", rgb_part(rows(lambda x, y, p: tuple(cover * cover * c for c in p)), alpha=cover))


def main():
    import os
    os.chdir(sys.argv[1])
    make_parts()
    make_shapes()
    make_png()


main()
