# SPDX-License-Identifier: Apache-2.0
"""Writes OpenEXR and PNG files byte by byte, from their specifications ("OpenEXR File Layout", openexr.com; ISO/IEC
15948): what the program reads is then not what its own library wrote."""
import struct
import zlib

HALF, FLOAT = 1, 2


def text(value):
    return value.encode() + b"\0"


def attribute(name, kind, value):
    return text(name) + text(kind) + struct.pack("<I", len(value)) + value


def _packed(kind, values):
    return struct.pack("<%d%s" % (len(values), "e" if kind == HALF else "f"), *values)


def _squeezed(raw):
    """ZIP as the format has it: even and odd bytes apart, differences, then DEFLATE; the raw bytes when not smaller."""
    apart = raw[0::2] + raw[1::2]
    different = bytes([apart[0]]) + bytes((apart[i] - apart[i - 1] + 128) & 255 for i in range(1, len(apart)))
    small = zlib.compress(different)
    return small if len(small) < len(raw) else raw


class Part:
    """channels: {name: (HALF or FLOAT, rows of values)}; the rows are those of the data window."""

    def __init__(self, channels, name="", window=None, display=None, aspect=1.0, more=(), lines=1, zipped=False):
        self.channels, self.name, self.more, self.zipped = dict(sorted(channels.items())), name, more, zipped
        rows = next(iter(channels.values()))[1]
        self.height, self.width = len(rows), len(rows[0])
        self.window = window or (0, 0, self.width - 1, self.height - 1)
        self.display = display or self.window
        self.aspect = aspect
        self.lines = 16 if zipped else 1

    def chunks(self):
        for top in range(0, self.height, self.lines):
            raw = b""
            for y in range(top, min(top + self.lines, self.height)):
                for kind, rows in self.channels.values():
                    raw += _packed(kind, rows[y])
            yield top + self.window[1], _squeezed(raw) if self.zipped else raw

    def header(self, several):
        listed = b"".join(text(n) + struct.pack("<IBBBBII", kind, 0, 0, 0, 0, 1, 1)
                          for n, (kind, _) in self.channels.items()) + b"\0"
        out = attribute("channels", "chlist", listed)
        out += attribute("compression", "compression", bytes([3 if self.zipped else 0]))
        out += attribute("dataWindow", "box2i", struct.pack("<4i", *self.window))
        out += attribute("displayWindow", "box2i", struct.pack("<4i", *self.display))
        out += attribute("lineOrder", "lineOrder", b"\0")
        out += attribute("pixelAspectRatio", "float", struct.pack("<f", self.aspect))
        out += attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0))
        out += attribute("screenWindowWidth", "float", struct.pack("<f", 1))
        for more in self.more:
            out += attribute(*more)
        if several:
            out += attribute("name", "string", self.name.encode())
            out += attribute("type", "string", b"scanlineimage")
            out += attribute("chunkCount", "int", struct.pack("<i", sum(1 for _ in self.chunks())))
        return out + b"\0"


def write_exr(path, *parts):
    several = len(parts) > 1
    head = struct.pack("<II", 20000630, 2 | (0x1000 if several else 0))
    head += b"".join(part.header(several) for part in parts) + (b"\0" if several else b"")
    chunks = [list(part.chunks()) for part in parts]
    at = len(head) + 8 * sum(len(c) for c in chunks)
    table, body = b"", b""
    for index, own in enumerate(chunks):
        for y, data in own:
            table += struct.pack("<Q", at + len(body))
            body += (struct.pack("<i", index) if several else b"") + struct.pack("<ii", y, len(data)) + data
    with open(path, "wb") as out:
        out.write(head + table + body)


def rgb_part(rows, kind=FLOAT, alpha=None, prefix="", **rest):
    """rows of (r, g, b), all channels of one kind."""
    channels = {prefix + n: (kind, [[p[i] for p in row] for row in rows]) for i, n in enumerate("RGB")}
    if alpha is not None:
        channels[prefix + "A"] = (kind, [[alpha] * len(row) for row in rows])
    return Part(channels, **rest)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, rows, bits=8, tags=()):
    """rows of tuples of 3 (RGB) or 4 (RGBA) whole numbers; tags: more chunks before the pixels."""
    colour = {3: 2, 4: 6}[len(rows[0][0])]
    raw = b"".join(b"\0" + b"".join(struct.pack(">%d%s" % (len(p), "B" if bits == 8 else "H"), *p) for p in row)
                   for row in rows)
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), bits, colour,
                                                                   0, 0, 0)))
        for kind, data in tags:
            out.write(chunk(kind, data))
        out.write(chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
