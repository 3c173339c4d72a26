# SPDX-License-Identifier: Apache-2.0
"""Limits from measured spread: renders that should be equal, and renders that differ in their seed alone."""
import json
import math
import subprocess

PIXEL_LIMIT = 0.02
MARGIN = 20  # times the largest same-seed value: room for a GPU's arithmetic, which no CPU run shows
CAP = 0.25  # of the smallest value of another seed: beyond that it is other noise, and the noise model's to judge
FLOORS = {"share_over": 0.005, "mean_error": 0.0005, "rms_error": 0.004, "tile_error": 0.003}
METRICS = ("max_error", *FLOORS)

# Seeds beyond the scene's own. What judges the limits in the end (tests/damage) is neither of these.
MODEL_SEEDS = range(1, 13)
LIMIT_SEEDS = range(13, 19)
NOISE_MARGIN = 1.2  # times the largest value of a clean render
NOISE_FLOORS = {"tile_z": 6.0, "tile_chi": 3.2, "bias_z": 4.5}
OUTLIERS = (1.3, 0.002)  # times what the reference itself has, a mean of the whole picture and so a steady number; plus


def oamqual_compare(oamqual, image, reference, *options):
    run = subprocess.run([oamqual, "compare", str(image), str(reference), "--fast", "--json", *map(str, options)],
                         stdout=subprocess.PIPE)
    judged = json.loads(run.stdout)
    if not judged["comparison"]["compared"]:
        raise SystemExit("%s cannot be compared: %s" % (image, judged["why"]))
    return judged


def extreme(pick, measured, keys):
    return {k: float("%.4g" % pick(m[k] for m in measured)) for k in keys}


def round_up(value):
    """To two significant digits, upwards."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float("%.2g" % (math.ceil(value / step - 1e-9) * step))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def noise_values(judged):
    noise = judged["noise"]
    if not noise["tested"]:
        raise SystemExit("the noise model cannot be used: %s" % noise["why"])
    return {"tile_z": noise["tile_z"]["value"], "tile_chi": noise["tile_chi"]["value"], "bias_z": noise["bias_z"],
            "outliers": noise["outliers"]}


def same_seed(measured, others):
    """Limits for the same noise, without their calibration; and what they rest on: comparisons by name, and of others."""
    largest = extreme(max, measured.values(), METRICS)
    least = extreme(min, others, METRICS)
    limits = {"pixel_limit": PIXEL_LIMIT,
              **{m: round_up(max(FLOORS[m], min(MARGIN * largest[m], CAP * least[m]))) for m in FLOORS}}
    return limits, {
        "rule": "%g times the largest same-seed value, at most %g of the smallest of another seed, at least the floor, "
                "rounded up" % (MARGIN, CAP),
        "floors": FLOORS,
        "same_seed": {name: extreme(max, [c], METRICS) for name, c in measured.items()},
        "same_seed_largest": largest,
        "other_seeds": len(others),
        "other_seeds_smallest": least,
        "other_seeds_within": sum(all(c[m] <= limits[m] for m in FLOORS) for c in others),
    }


def make_noise(oamqual, renders, out):
    """The model of the renders as half floats, without an alpha that is 1 everywhere."""
    whole = out.with_name("whole-" + out.name)
    subprocess.run([oamqual, "compare", "--make-noise", str(whole), *map(str, renders)], check=True)
    stats = subprocess.run(["oiiotool", str(whole), "--ch", "mean.A,sigma.A", "--printstats"], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    numbers = {line.split(":")[0].strip(): line.split(":")[1].split() for line in stats.splitlines() if "Stats M" in line}
    opaque = float(numbers["Stats Min"][0]) == float(numbers["Stats Max"][0]) == 1
    kept = "RGB" if opaque else "RGBA"
    names = ",".join("%s.%s" % (layer, c) for layer in ("mean", "sigma") for c in kept)
    subprocess.run(["oiiotool", "--nosoftwareattrib", str(whole), "--ch", names, "--eraseattrib", ".*", "-d", "half",
                    "--compression", "zip", "-o", str(out)], check=True)


def other_seeds(count, clean):
    """Limits of the noise model of `count` renders, and what they rest on: clean renders, the reference's first."""
    largest = extreme(max, clean, NOISE_FLOORS)
    limits = {"renders": count, **{k: round_up(max(NOISE_FLOORS[k], NOISE_MARGIN * largest[k])) for k in NOISE_FLOORS}}
    limits["outliers"] = round_up(OUTLIERS[0] * clean[0]["outliers"] + OUTLIERS[1])
    return limits, {
        "rule": "%g times the largest value of a clean render, at least the floor, rounded up; outliers: %g times the "
                "reference's own and %g" % (NOISE_MARGIN, *OUTLIERS),
        "floors": NOISE_FLOORS,
        "model_renders": count,
        "clean_renders": len(clean),
        "clean_largest": largest,
        "reference_outliers": float("%.4g" % clean[0]["outliers"]),
    }


def calibrate(oamqual, reference, renders, folder):
    """limits.json of renders {"same": {name: path}, "model": [path], "limit": [path]}. Makes folder/noise.exr."""
    scratch, model, count = folder / "same.json", folder / "noise.exr", len(renders["model"])
    write_json(scratch, {"schema": "oamqual-limits/1", "pixel_limit": PIXEL_LIMIT, **FLOORS, "calibration": "measuring"})
    make_noise(oamqual, renders["model"], model)
    compare = lambda path: oamqual_compare(
        oamqual, path, reference, "--limits", scratch, "--noise", model, "--renders", count)
    same_seeds = {name: compare(path) for name, path in renders["same"].items()}
    others = [compare(path) for path in renders["limit"]]
    limits, same = same_seed({name: c["comparison"] for name, c in same_seeds.items()}, [c["comparison"] for c in others])
    noise, other = other_seeds(count, [noise_values(c) for c in (same_seeds["repeat-1"], *others)])
    return {"schema": "oamqual-limits/2", **limits, "noise": noise, "calibration": {**same, "noise": other}}
