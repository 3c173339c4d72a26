#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes expected/<scene>/: an explicit act (`make references`), never a part of a run.

Renders each scene on the CPU, measures how far renders that should be equal lie apart (repeats, thread counts,
instruction sets) and how far other seeds lie, and sets limits between the two. Stops when they do not part.

usage: make_references.py --oamqual PROGRAM [--blender PROGRAM] [--out expected] [SCENE...]
"""
import argparse
import datetime
import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PIXEL_LIMIT = 0.02
MARGIN = 20  # times the largest same-seed value: room for a GPU's arithmetic, which no CPU run shows
FLOORS = {"share_over": 0.005, "mean_error": 0.0005, "rms_error": 0.004, "tile_error": 0.003}
SEEDS = 8
# Cycles reads these variables when it starts; each one takes away an instruction set and all above it.
KERNELS = {
    "without-avx2": ["CYCLES_CPU_NO_AVX2"],
    "without-avx": ["CYCLES_CPU_NO_AVX2", "CYCLES_CPU_NO_AVX"],
    "without-sse41": ["CYCLES_CPU_NO_AVX2", "CYCLES_CPU_NO_AVX", "CYCLES_CPU_NO_SSE41"],
}


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def unpack(archive, folder):
    if archive.suffix == ".zip":
        shutil.unpack_archive(archive, folder)
        return
    tar = subprocess.run(["zstd", "-dqc", str(archive)], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-xf", "-", "-C", str(folder)], check=True, input=tar)


class Renderer:
    def __init__(self, blender, scene, folder):
        self.blender, self.scene, self.folder = blender, scene, folder
        self.report = folder / "report.json"
        self.count = 0

    def command(self, job, threads):
        return [self.blender, "-b", "--factory-startup", "--disable-autoexec", "-t", str(threads),
                str(self.folder / "scene" / self.scene["blend"]), "--python-exit-code", "5",
                "--python", str(SOURCE / "scenes/render.py"), "--", json.dumps(job)]

    def render(self, seed=None, threads=0, env=()):
        """The path of a new EXR."""
        self.count += 1
        output = self.folder / ("%d.exr" % self.count)
        job = {k: self.scene[k] for k in ("width", "height", "samples", "frame", "denoising")}
        job["parameters"] = self.scene.get("parameters", {})
        job.update(seed=self.scene["seed"] if seed is None else seed, output=str(output), report=str(self.report))
        subprocess.run(self.command(job, threads), check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **{name: "1" for name in env}})
        return output


def compare(program, image, reference, limits):
    run = subprocess.run([program, "compare", str(image), str(reference), "--limits", str(limits), "--json"],
                         stdout=subprocess.PIPE)
    judged = json.loads(run.stdout)
    if not judged["comparison"]["compared"]:
        raise SystemExit("%s cannot be compared: %s" % (image, judged["why"]))
    return judged["comparison"]


METRICS = ("max_error", "share_over", "mean_error", "rms_error", "tile_error")


def extreme(pick, comparisons):
    return {m: float("%.4g" % pick(c[m] for c in comparisons)) for m in METRICS}


def round_up(value):
    """To two significant digits, upwards."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float("%.2g" % (math.ceil(value / step - 1e-9) * step))


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def calibrate(program, renderer, reference, folder):
    """limits.json: same-seed renders must lie inside with MARGIN to spare, other seeds outside."""
    scratch = folder / "limits.json"
    limits = {"schema": "oamqual-limits/1", "pixel_limit": PIXEL_LIMIT, **FLOORS, "calibration": "being measured"}
    write_json(scratch, limits)
    same = {"repeat-%d" % i: renderer.render() for i in (1, 2, 3)}
    same.update({"threads-%d" % n: renderer.render(threads=n) for n in (1, 2)})
    same.update({name: renderer.render(env=env) for name, env in KERNELS.items()})
    seeds = range(renderer.scene["seed"] + 1, renderer.scene["seed"] + 1 + SEEDS)
    other = [compare(program, renderer.render(seed=s), reference, scratch) for s in seeds]
    measured = {name: compare(program, path, reference, scratch) for name, path in same.items()}
    largest = extreme(max, measured.values())
    limits.update({m: round_up(max(FLOORS[m], MARGIN * largest[m])) for m in FLOORS})
    limits["calibration"] = {
        "rule": "%g times the largest same-seed value, at least the floor, rounded up" % MARGIN,
        "floors": FLOORS,
        "same_seed": {name: extreme(max, [c]) for name, c in measured.items()},
        "same_seed_largest": largest,
        "other_seeds": len(other),
        "other_seeds_smallest": extreme(min, other),
    }
    if any(all(c[m] <= limits[m] for m in FLOORS) for c in other):
        raise SystemExit("another seed passes: these limits cannot tell it from the reference")
    return limits


def cpu_model():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return None


def package_version(package):
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    return run.stdout if run.returncode == 0 and run.stdout else None


def provenance(renderer, scene, archive, reference):
    """What made the reference; null is unknown."""
    binary = pathlib.Path(shutil.which(renderer.blender)).resolve()
    # Debian builds without WITH_BUILDINFO: Blender then says "Unknown", and the binary's digest is the identity.
    build = {k: v if v and v.lower() != "unknown" else None
             for k, v in json.loads(renderer.report.read_text()).items()}
    if None in build.values():
        build["why_null"] = "this Blender was built without build information and says Unknown"
    system = dict(line.rstrip("\n").split("=", 1) for line in open("/etc/os-release") if "=" in line)
    return {
        "schema": "oamqual-reference/1",
        "scene": scene["name"],
        "tree_sha256": scene["tree_sha256"],
        "archive": scene["archive"],
        "archive_sha256": sha256(archive),
        "blender": {**build, "binary_sha256": sha256(binary), "package": package_version("blender")},
        "system": system.get("PRETTY_NAME", "").strip('"') or None,
        "device": {"type": "CPU", "model": cpu_model()},
        "width": scene["width"], "height": scene["height"], "samples": scene["samples"], "seed": scene["seed"],
        "frame": scene["frame"], "denoising": scene["denoising"],
        "parameters": scene.get("parameters", {}),
        "command": "blender -b --factory-startup --disable-autoexec -t 0 %s --python-exit-code 5 "
                   "--python scenes/render.py -- JSON" % scene["blend"],
        "reference": reference.name,
        "reference_sha256": sha256(reference),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def make(name, args):
    scene = json.loads((SOURCE / "scenes" / name / "scene.json").read_text())
    archive = SOURCE / "scenes" / name / scene["archive"]
    out = args.out / name
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="oamqual-reference-") as work:
        folder = pathlib.Path(work)
        (folder / "scene").mkdir()
        unpack(archive, folder / "scene")
        renderer = Renderer(args.blender, scene, folder)
        reference = folder / "reference.exr"
        # The render's metadata name this machine's files and times; only the pixels are the reference.
        subprocess.run(["oiiotool", "--nosoftwareattrib", str(renderer.render()), "--eraseattrib", ".*", "-d", "float",
                        "--compression", "zip", "-o", str(reference)], check=True)
        limits = calibrate(args.oamqual, renderer, reference, folder)
        shutil.copyfile(reference, out / "reference.exr")
        write_json(out / "limits.json", limits)
        write_json(out / "provenance.json", provenance(renderer, scene, archive, out / "reference.exr"))
    print("%s: %s" % (name, {m: limits[m] for m in ("pixel_limit", *FLOORS)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oamqual", required=True, help="the built program; it measures")
    parser.add_argument("--blender", default="blender")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "expected")
    parser.add_argument("scenes", nargs="*")
    args = parser.parse_args()
    for name in args.scenes or sorted(p.parent.name for p in SOURCE.glob("scenes/*/scene.json")):
        make(name, args)


if __name__ == "__main__":
    sys.exit(main())
