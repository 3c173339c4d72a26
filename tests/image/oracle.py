#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SSIM, FLIP and HDR-FLIP from the formulas of their papers, slowly: whole two-dimensional windows, no separation.

    oracle.py OUT      writes a.exr and b.exr to OUT, a picture and another made by a formula, and prints its own numbers;
                       a.png and b.png are the same in 8-bit sRGB

The papers are named in src/image/ssim.h and flip.h. Shares no code with the program."""
import json
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pictures  # noqa: E402

WIDTH, HEIGHT = 26, 22
PPD = 0.7 * (3840 / 0.7) * math.pi / 180


def single(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


def picture(changed):
    """Stripes, a disc and a ramp, some of it brighter than white; `changed`: darker corner, moved stripes, a block."""
    rows = []
    for y in range(HEIGHT):
        row = []
        for x in range(WIDTH):
            move = 0.6 if changed and x > 13 else 0
            r = 0.4 + 0.3 * math.sin(0.9 * (x + move)) + 0.02 * y
            g = 0.05 + 1.6 * (1 if (x - 9) ** 2 + (y - 12) ** 2 < 30 else 0.1 * (x % 4))
            b = 0.1 + 0.03 * x * (1 if y % 5 else 0.3)
            if changed and x < 8 and y < 8:
                r, g, b = 0.85 * r, 0.85 * g, 0.85 * b
            if changed and 17 <= x < 21 and 15 <= y < 19:
                r, b = r + 0.2, b * 0.4
            row.append((single(r), single(g), single(b)))
        rows.append(row)
    return rows


def clamp(v, low=0.0, high=1.0):
    return low if v < low else high if v > high else v


# --- SSIM

def encoded(v):
    v = clamp(v)
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def ssim(a, b):
    def luma(rows):
        return [[0.2126 * encoded(p[0]) + 0.7152 * encoded(p[1]) + 0.0722 * encoded(p[2]) for p in row] for row in rows]
    a, b = luma(a), luma(b)
    weights = [[math.exp(-(i * i + j * j) / (2 * 1.5 ** 2)) for i in range(-5, 6)] for j in range(-5, 6)]
    whole = sum(map(sum, weights))
    total = count = 0
    for y in range(5, HEIGHT - 5):
        for x in range(5, WIDTH - 5):
            window = [(weights[j + 5][i + 5] / whole, a[y + j][x + i], b[y + j][x + i])
                      for j in range(-5, 6) for i in range(-5, 6)]
            ma = sum(w * p for w, p, _ in window)
            mb = sum(w * q for w, _, q in window)
            va = sum(w * (p - ma) ** 2 for w, p, _ in window)
            vb = sum(w * (q - mb) ** 2 for w, _, q in window)
            cov = sum(w * (p - ma) * (q - mb) for w, p, q in window)
            c1, c2 = 0.01 ** 2, 0.03 ** 2
            total += (2 * ma * mb + c1) * (2 * cov + c2) / ((ma ** 2 + mb ** 2 + c1) * (va + vb + c2))
            count += 1
    return total / count


# --- FLIP

# Rec. 709 primaries and D65 as integers of the IEC 61966-2-1 matrix; its inverse is computed.
TO_XYZ = [[10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794],
          [2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897],
          [1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382]]


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [[(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
            [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
            [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det]]


FROM_XYZ = inverse(TO_XYZ)
WHITE = [sum(row) for row in TO_XYZ]


def times(m, v):
    return [sum(p * q for p, q in zip(row, v)) for row in m]


def opponent(rgb):
    x, y, z = (p / w for p, w in zip(times(TO_XYZ, rgb), WHITE))
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def from_opponent(v):
    y = (v[0] + 16) / 116
    return times(FROM_XYZ, [(y + v[1] / 500) * WHITE[0], y * WHITE[1], (y - v[2] / 200) * WHITE[2]])


def hunt_lab(rgb):
    def curve(t):
        d = 6 / 29
        return t ** (1 / 3) if t > d ** 3 else t / (3 * d * d) + 4 / 29
    x, y, z = (curve(p / w) for p, w in zip(times(TO_XYZ, rgb), WHITE))
    light = 116 * y - 16
    return [light, 0.01 * light * 500 * (x - y), 0.01 * light * 200 * (y - z)]


def window(radius, weight):
    w = {(i, j): weight(i, j) for j in range(-radius, radius + 1) for i in range(-radius, radius + 1)}
    return w


def normed(w):
    whole = sum(w.values())
    return {k: v / whole for k, v in w.items()}


def balanced(w):
    up, down = sum(v for v in w.values() if v > 0), -sum(v for v in w.values() if v < 0)
    return {k: v / (up if v > 0 else down) for k, v in w.items()}


def filtered(rows, w):
    out = []
    for y in range(HEIGHT):
        out.append([sum(v * rows[clamp(y + j, 0, HEIGHT - 1)][clamp(x + i, 0, WIDTH - 1)] for (i, j), v in w.items())
                    for x in range(WIDTH)])
    return out


def sensitivity(a1, b1, a2, b2):
    radius = math.ceil(3 * math.sqrt(0.04 / (2 * math.pi ** 2)) * PPD)

    def weight(i, j):
        d2 = (i * i + j * j) / PPD ** 2
        return sum(a * math.sqrt(math.pi / b) * math.exp(-math.pi ** 2 / b * d2) for a, b in ((a1, b1), (a2, b2)))
    return normed(window(radius, weight))


EYE = [sensitivity(1, 0.0047, 0, 1e-5), sensitivity(1, 0.0053, 0, 1e-5), sensitivity(34.1, 0.04, 13.5, 0.025)]
SIGMA = 0.5 * 0.082 * PPD
RADIUS = math.ceil(3 * SIGMA)


def gauss(i, j):
    return math.exp(-(i * i + j * j) / (2 * SIGMA ** 2))


EDGE = balanced(window(RADIUS, lambda i, j: -i * gauss(i, j)))
POINT = balanced(window(RADIUS, lambda i, j: (i * i / SIGMA ** 2 - 1) * gauss(i, j)))


def turned(w):
    return {(j, i): v for (i, j), v in w.items()}


def seen(rows):
    planes = [[[clamp(c) for c in p] for p in row] for row in rows]
    planes = [[opponent(p) for p in row] for row in planes]
    channels = [filtered([[p[c] for p in row] for row in planes], EYE[c]) for c in range(3)]
    lab = [[hunt_lab([clamp(v) for v in from_opponent([channels[c][y][x] for c in range(3)])]) for x in range(WIDTH)]
           for y in range(HEIGHT)]
    light = [[(p[0] + 16) / 116 for p in row] for row in planes]
    responses = [filtered(light, w) for w in (EDGE, turned(EDGE), POINT, turned(POINT))]

    def length(k, x, y):
        return math.hypot(responses[k][y][x], responses[k + 1][y][x])
    edges = [[length(0, x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    points = [[length(2, x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    return lab, edges, points


def hyab(a, b):
    return abs(a[0] - b[0]) + math.hypot(a[1] - b[1], a[2] - b[2])


def flip_map(a, b):
    (lab_a, edges_a, points_a), (lab_b, edges_b, points_b) = seen(a), seen(b)
    most = hyab(hunt_lab([0, 1, 0]), hunt_lab([0, 0, 1])) ** 0.7
    out = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            d = hyab(lab_a[y][x], lab_b[y][x]) ** 0.7
            knee = 0.4 * most
            colour = 0.95 / knee * d if d < knee else 0.95 + (d - knee) / (most - knee) * 0.05
            feature = max(abs(edges_a[y][x] - edges_b[y][x]), abs(points_a[y][x] - points_b[y][x]))
            out.append(colour ** (1 - (feature / math.sqrt(2)) ** 0.5))
    return out


def mean(values):
    return sum(values) / len(values)


def aces(x):
    x *= 0.6
    return (2.51 * x * x + 0.03 * x) / (2.43 * x * x + 0.59 * x + 0.14)


def hdr_flip(a, b):
    # Where the curve is 0.85, by halving.
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if aces(middle) < 0.85 else (low, middle)
    light = sorted(0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2] for row in b for p in row)
    first, last = math.log2(low / light[-1]), math.log2(low / light[len(light) // 2])
    count = max(2, math.ceil(last - first))
    worst = [0.0] * (WIDTH * HEIGHT)
    for i in range(count):
        gain = 2 ** (first + i * (last - first) / (count - 1))
        mapped = [[[aces(gain * c) for c in p] for p in row] for row in a], [[[aces(gain * c) for c in p] for p in row]
                                                                            for row in b]
        worst = [max(p, q) for p, q in zip(worst, flip_map(*mapped))]
    return mean(worst)


def main():
    out = pathlib.Path(sys.argv[1])
    a, b = picture(True), picture(False)
    pictures.write_exr(out / "a.exr", pictures.rgb_part(a))
    pictures.write_exr(out / "b.exr", pictures.rgb_part(b, zipped=True))
    for name, rows in (("a.png", a), ("b.png", b)):
        pictures.write_png(out / name, [[tuple(round(255 * encoded(c)) for c in p) for p in row] for row in rows],
                           tags=((b"sRGB", b"\0"),))
    print(json.dumps({"ssim": ssim(a, b), "flip": mean(flip_map(a, b)), "hdr_flip": hdr_flip(a, b)}))


if __name__ == "__main__":
    main()
