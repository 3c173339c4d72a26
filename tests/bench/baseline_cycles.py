# SPDX-License-Identifier: Apache-2.0
"""Time to equal error, the baseline against Cycles on the CPU. Runs inside Blender, which also starts the other:

    blender -b -t THREADS --factory-startup --python-exit-code 5 --python tests/bench/baseline_cycles.py -- \\
        OAMQUAL SCENE THREADS SIZE SAMPLES ROUNDS FOLDER

Same scene, size, bounces and filter. Error is the variance of a pixel, from how two pictures with other random numbers differ
from each other: no reference can favour either. Cycles' error at SAMPLES is what both must reach; how many samples the
baseline needs for it is read off its own errors at powers of two, on a straight line of the logarithms. Time a sample is the
slope between one sample and SAMPLES, so that neither pays for start-up; in CPU time of all threads, so that what else
runs counts less. The renderers take turns."""
import json
import math
import os
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "blender"))
import cycles_scene  # noqa: E402

OAMQUAL, SCENE, THREADS, SIZE, SAMPLES, ROUNDS, FOLDER = sys.argv[sys.argv.index("--") + 1:]
SIZE, SAMPLES, ROUNDS = int(SIZE), int(SAMPLES), int(ROUNDS)


def path(name):
    return os.path.join(FOLDER, "%s-%s" % (SCENE, name))


def run(*words):
    return subprocess.run([OAMQUAL, "baseline", "--scene", SCENE, *words], check=True, capture_output=True).stdout


def ours(samples, seed):
    """CPU-seconds; the picture is ours<seed>.exr."""
    found = json.loads(run("--noise-seed", str(seed), "--size", "%dx%d" % (SIZE, SIZE), "--samples", str(samples), "--threads",
                           THREADS, "--image", path("ours%d.exr" % seed), "--json"))
    return found["cpu"]["cpu_seconds"]["value"]


def cycles(scene, samples, seed):
    def used():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime
    start = used()
    cycles_scene.render(scene, samples, seed, path("cycles%d.exr" % seed))
    return used() - start


def variance(who):
    """Of a pixel and channel, on average; and the mean of both pictures."""
    pair = [[x for channel in cycles_scene.pixels(path("%s%d.exr" % (who, seed))) for x in channel] for seed in (1, 2)]
    count = len(pair[0])
    return sum((a - b) ** 2 for a, b in zip(*pair)) / 2 / count, sum(map(sum, pair)) / 2 / count


def samples_for(goal, errors):
    """How many samples reach the error, from [(samples, error)]."""
    logs = [(math.log(n), math.log(e)) for n, e in errors]
    for (n0, e0), (n1, e1) in zip(logs, logs[1:]):
        if e1 <= math.log(goal) or (n1, e1) == logs[-1]:
            return math.exp(n0 + (n1 - n0) * (math.log(goal) - e0) / (e1 - e0))


def median(values):
    return sorted(values)[len(values) // 2]


def slope(measure, high):
    return max(measure(high, 1) - measure(1, 3), 1e-9) / (high - 1)


def main():
    ply = path("scene.ply")
    run("--write-scene", ply)
    scene = cycles_scene.load(ply, SIZE, SIZE)
    cycles(scene, 1, 3)
    for seed in 1, 2:
        cycles(scene, SAMPLES, seed)
    goal, theirs = variance("cycles")
    errors, samples = [], 1
    while not errors or (errors[-1][1] > goal and samples <= 4096):
        for seed in 1, 2:
            ours(samples, seed)
        error, mean = variance("ours")
        errors.append((samples, error))
        samples *= 2
    need = samples_for(goal, errors) if len(errors) > 1 else 1
    high = errors[-1][0]
    ratios, rates = [], []
    for _ in range(ROUNDS):
        their, our = slope(lambda n, seed: cycles(scene, n, seed), SAMPLES), slope(ours, max(high, 16))
        ratios.append(SAMPLES * their / (need * our))
        rates.append((SIZE * SIZE / their * 1e-6, SIZE * SIZE / our * 1e-6))
    print("%s: means ours %.5f, Cycles %.5f; variance of Cycles at %d samples %.3g, which ours has at %.1f; "
          "Msamples/CPU-s ours %.3f, Cycles %.3f (%.2f times)" % (
              SCENE, mean, theirs, SAMPLES, goal, need, median([r[1] for r in rates]), median([r[0] for r in rates]),
              median([r[1] / r[0] for r in rates])))
    print("%s: variance of ours by samples: %s" % (SCENE, " ".join("%d %.3g" % row for row in errors)))
    print("ratio %s-cycles %.3f" % (SCENE, median(ratios)))


main()
