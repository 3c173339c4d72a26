# SPDX-License-Identifier: Apache-2.0
"""Cycles on the CPU as judge of the baseline. Runs inside Blender:

    blender -b --factory-startup --python-exit-code 5 --python tests/blender/judge.py -- \\
        SCENE.ply SIZE SAMPLES SEEDS OURS.exr OURS.exr...

Renders the scene with SEEDS different seeds (unless an earlier call left its pictures), compares the mean of those pictures with the mean of OURS (as many seeds as there
are files), and prints for each channel

    MEAN channel theirs ours relative-difference relative-standard-error

and, of the 16x16 tiles and channels, `WORST difference-in-standard-errors x y channel`. Standard errors come from how the
pictures of one renderer differ from each other, pixel by pixel.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cycles_scene  # noqa: E402

TILE = 16
LAMP_PIECES = 16
ROUNDING = 2e-5  # relative, of a sum of many floats


def mean_and_variance(pictures):
    """Of each channel's pixels: the mean over the pictures, and the variance of that mean."""
    count = len(pictures)
    means = [[sum(values) / count for values in zip(*(p[c] for p in pictures))] for c in range(3)]
    spreads = [[sum((v - m) ** 2 for v in values) / (count - 1) / count
                for m, values in zip(means[c], zip(*(p[c] for p in pictures)))] for c in range(3)]
    return means, spreads


def compare(ours, theirs, places, c):
    """Their mean and ours over the places, and the standard error of the difference."""
    n = len(places)
    square = sum(both[1][c][i] for both in (ours, theirs) for i in places) / n ** 2
    mean, mine = sum(theirs[0][c][i] for i in places) / n, sum(ours[0][c][i] for i in places) / n
    return mean, mine, (square + (ROUNDING * mean) ** 2) ** .5


def tiles(size):
    for y in range(0, size, TILE):
        for x in range(0, size, TILE):
            yield x, y, [(y + j) * size + x + i for j in range(TILE) for i in range(TILE)]


def render(path, size, samples, seeds):
    """Cycles' pictures of SCENE.ply: SCENE-cycles1.exr and so on."""
    names = ["%s-cycles%d.exr" % (path[:-4], seed) for seed in range(1, seeds + 1)]
    if not all(os.path.exists(name) for name in names):
        scene = cycles_scene.load(path, size, size, LAMP_PIECES)
        seconds = [cycles_scene.render(scene, samples, seed + 1, name) for seed, name in enumerate(names)]
        print("SECONDS %s" % " ".join("%.2f" % s for s in seconds))
    return names


def main(path, size, samples, seeds, *names):
    theirs = mean_and_variance([cycles_scene.pixels(name) for name in render(path, size, samples, seeds)])
    ours = mean_and_variance([cycles_scene.pixels(name) for name in names])
    worst = 0, 0, 0, ""
    for c in range(3):
        mean, mine, error = compare(ours, theirs, range(size * size), c)
        print("MEAN %s %.6f %.6f %+.6f %.6f" % ("RGB"[c], mean, mine, (mine - mean) / mean, error / mean))
        for x, y, places in tiles(size):
            mean, mine, error = compare(ours, theirs, places, c)
            worst = max(worst, (abs(mine - mean) / (error or 1), x, y, "RGB"[c]))
    print("WORST %.3f %d %d %s" % worst)


words = sys.argv[sys.argv.index("--") + 1:]
main(words[0], int(words[1]), int(words[2]), int(words[3]), *words[4:])
