#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a picture into the render buffer that the stand-in HIP runtime plays back.

    make_playback.py PICTURE SAMPLES FOLDER [--adaptive] [--first N]

writes FOLDER/<width>x<height>x<floats>.raw, and with --first ...x<floats>@N-SAMPLES.raw for a process that renders
just these samples. When Blender copies a buffer of just that size from the simulated
device, it gets these bytes, and so writes PICTURE again.

The layout (seen with Blender 3.4.1, factory passes): one copy of the whole buffer, rows from the bottom up, a
pixel is the sums over the samples of R, G, B (premultiplied, linear) and of transparency (1 - alpha): 4 floats. With
adaptive sampling on (--adaptive) a pixel has 9: four auxiliary sums come behind, then the sample count as an unsigned
integer. PICTURE is read by oiiotool, so anything linear with float or half channels will do; exposure must be 1 and the
film transparent or not as it was. Exact where SAMPLES is a power of two, else to the last bit or two."""
import array
import os
import struct
import subprocess
import sys
import tempfile

FLOATS_ADAPTIVE = 9
SAMPLE_COUNT_AT = 8


def read_floats(picture):
    """The picture as (width, height, {channel: array of floats, top row first})."""
    with tempfile.TemporaryDirectory() as folder:
        flat = os.path.join(folder, "flat.exr")
        subprocess.run(
            ["oiiotool", picture, "--ch", "R,G,B,A=1", "-d", "float", "--compression", "none", "--scanline",
             "-o", flat], check=True, stdout=subprocess.DEVNULL)
        with open(flat, "rb") as file:
            return parse_exr(file.read())


def parse_exr(data):
    """An uncompressed scan-line OpenEXR file with 32-bit float channels, as just written above."""
    attributes, at = {}, 8
    while data[at]:
        name, at = text_at(data, at)
        _, at = text_at(data, at)
        size = struct.unpack_from("<i", data, at)[0]
        attributes[name] = data[at + 4:at + 4 + size]
        at += 4 + size
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    channels, pos = [], 0
    while attributes["channels"][pos]:
        name, pos = text_at(attributes["channels"], pos)
        channels.append(name)
        pos += 16
    offsets = struct.unpack_from("<%dQ" % height, data, at + 1)
    planes = {name: array.array("f") for name in channels}
    for offset in offsets:
        row = offset + 8
        for name in channels:
            planes[name].frombytes(data[row:row + 4 * width])
            row += 4 * width
    return width, height, planes


def text_at(data, at):
    end = data.index(0, at)
    return data[at:end].decode(), end + 1


def buffer_of(width, height, planes, samples, floats):
    red, green, blue, alpha = (planes[name] for name in "RGBA")
    buffer = array.array("f", bytes(4 * floats * width * height))
    count = struct.unpack("<f", struct.pack("<I", samples))[0]
    at = 0
    for y in reversed(range(height)):
        for i in range(y * width, (y + 1) * width):
            buffer[at] = red[i] * samples
            buffer[at + 1] = green[i] * samples
            buffer[at + 2] = blue[i] * samples
            buffer[at + 3] = (1 - alpha[i]) * samples
            if floats > 4:
                buffer[at + SAMPLE_COUNT_AT] = count
            at += floats
    return buffer


def main(arguments):
    adaptive = "--adaptive" in arguments
    share = ""
    if "--first" in arguments:
        at = arguments.index("--first")
        share = "@%d-" % int(arguments[at + 1])
        del arguments[at:at + 2]
    words = [word for word in arguments if word != "--adaptive"]
    if len(words) != 3 or not words[1].isdigit() or int(words[1]) == 0:
        sys.exit(__doc__)
    floats = FLOATS_ADAPTIVE if adaptive else 4
    width, height, planes = read_floats(words[0])
    os.makedirs(words[2], exist_ok=True)
    path = os.path.join(words[2], "%dx%dx%d%s.raw" % (width, height, floats, share and share + words[1]))
    with open(path, "wb") as file:
        buffer_of(width, height, planes, int(words[1]), floats).tofile(file)
    print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
