#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes expected/<scene>/: an explicit act (`make references`), never a part of a run.

Renders each scene on the CPU and measures how far renders lie apart that should be equal (repeats, thread counts,
instruction sets) and how renders of other seeds scatter; limits and noise model come from that. The first Blender's
reference lies in OUT/<scene>/, that of another series in a folder of it, named after the series. What changes is shown as
pictures (new, old, difference) in CHANGES before anything is written; --dry-run writes nothing. A reference whose render
still has the noise of the old picture keeps that picture and its date. docs/references.md
"""
import argparse
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from references import calibration, change  # noqa: E402
from references.blender import SOURCE, Blender, Skipped, sha256  # noqa: E402
from references.scene import Scene  # noqa: E402

REPEATS, THREADS = 2, (1, 2)


def cpu_model():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return None


def describe_build(blender, report):
    """null is unknown."""
    # Debian builds without WITH_BUILDINFO: Blender then says "Unknown", and the binary's digest is the identity.
    build = {k: v if v and v.lower() != "unknown" else None for k, v in json.loads(report.read_text()).items()}
    if None in build.values():
        build["why_null"] = "this Blender was built without build information and says Unknown"
    return {**build, "binary_sha256": sha256(blender.binary), "package": blender.package()}


def provenance(blender, scene, blend, folder):
    """What made the reference."""
    archive = scene.archive
    return {
        "schema": "oamqual-reference/1",
        "scene": scene.name,
        "tree_sha256": scene.tree,
        "archive": archive.name,
        "archive_sha256": None if archive.is_dir() else sha256(archive),
        "blender": describe_build(blender, folder / "report.json"),
        "system": blender.system(),
        "device": {"type": "CPU", "model": cpu_model()},
        **{k: scene.json[k] for k in ("width", "height", "samples", "seed", "frame", "denoising")},
        "parameters": scene.parameters,
        "command": "blender -b --factory-startup --disable-autoexec %s --python-exit-code 5 "
                   "--python scenes/render.py -- JSON" % blend,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def render_all(blender, scene, blend, folder):
    """The reference's own render, {"same": {name: path}, "model": [path], "limit": [path]}."""
    seed = scene.json["seed"]
    path = lambda name: folder / (name + ".exr")
    others = {"seed-%d" % n: n for n in (*calibration.MODEL_SEEDS, *calibration.LIMIT_SEEDS)}
    jobs = [scene.job(folder, "own")]
    jobs += [scene.job(folder, name, seed=seed + n) for name, n in others.items()]
    blender.render(folder, blend, jobs)
    same = {"repeat-%d" % i: {} for i in range(1, REPEATS + 1)}
    same.update({"threads-%d" % n: {"threads": n} for n in THREADS})
    blender.render(folder, blend, [scene.job(folder, name, **other) for name, other in same.items()])
    kernels = blender.kernels()
    for name, env in kernels.items():
        blender.render(folder, blend, [scene.job(folder, name)], env)
    return path("own"), {
        "same": {name: path(name) for name in (*same, *kernels)},
        "model": [path("seed-%d" % n) for n in calibration.MODEL_SEEDS],
        "limit": [path("seed-%d" % n) for n in calibration.LIMIT_SEEDS],
    }


def strip(render, out):
    """The render's metadata name this machine's files and times; only the pixels are the reference."""
    subprocess.run(["oiiotool", "--nosoftwareattrib", str(render), "--eraseattrib", ".*", "-d", "float",
                    "--compression", "zip", "-o", str(out)], check=True)


def place_of(args, scene, series):
    """The scene's own folder when it is free or of this series, else one named after the series."""
    flat = args.out / scene.name
    if args.series_folders:
        return flat / series
    before = change.old_provenance(flat)
    version = (before or {}).get("blender", {}).get("version") or ""
    return flat if not before or version.startswith(series + ".") else flat / series


def keep_picture(old, reference, described):
    shutil.copyfile(old / "reference.exr", reference)
    before = change.old_provenance(old)
    return {**described, "date": before["date"], "device": before["device"], "command": before["command"]}


def measure(args, blender, scene, folder, old):
    """Makes reference.exr, noise.exr, limits.json and provenance.json in folder/made. True when the old picture stays."""
    made, reference = folder / "made", folder / "made/reference.exr"
    made.mkdir()
    blend = scene.unpack(folder)
    own, renders = render_all(blender, scene, blend, folder)
    described = provenance(blender, scene, blend, folder)
    kept = not args.replace and change.still_holds(args.oamqual, old, described, own)
    if kept:
        described = keep_picture(old, reference, described)
    else:
        strip(own, reference)
    limits = calibration.calibrate(args.oamqual, reference, renders, folder)
    shutil.move(folder / "noise.exr", made / "noise.exr")
    calibration.write_json(made / "limits.json", limits)
    calibration.write_json(made / "provenance.json", {
        **described, "reference": "reference.exr", "reference_sha256": sha256(reference),
        "noise": "noise.exr", "noise_sha256": sha256(made / "noise.exr")})
    return kept


def say_absent(out, scene, series, why):
    """In OUT/absent.json: a scene without a reference has a stated reason; None takes it away."""
    path = out / "absent.json"
    absent = json.loads(path.read_text()) if path.exists() else {}
    reasons = {**absent.get(scene.name, {}), series: why}
    absent[scene.name] = {k: v for k, v in sorted(reasons.items()) if v}
    absent = {k: v for k, v in sorted(absent.items()) if v}
    if absent:
        calibration.write_json(path, absent)
    elif path.exists():
        path.unlink()


def make(args, blender, scene):
    series = blender.version().rsplit(".", 1)[0]
    old = place_of(args, scene, series)
    with tempfile.TemporaryDirectory(prefix="oamqual-reference-") as work:
        folder = pathlib.Path(work)
        try:
            kept = measure(args, blender, scene, folder, old)
        except Skipped as why:
            print("%-14s %-5s no reference: %s" % (scene.name, series, why), flush=True)
            if not args.dry_run:
                say_absent(args.out, scene, series, str(why))
            return
        picture = args.changes / ("%s-%s.png" % (scene.name, series))
        print("%-14s %-5s %s" % (scene.name, series, "the old picture stays" if kept else change.show(
            args.oamqual, old, folder / "made/reference.exr", picture)), flush=True)
        if args.dry_run:
            return
        old.mkdir(parents=True, exist_ok=True)
        for name in ("reference.exr", "noise.exr", "limits.json", "provenance.json"):
            shutil.copyfile(folder / "made" / name, old / name)
        say_absent(args.out, scene, series, None)


def scenes_of(args):
    if args.scene:
        settings = {"width": args.size[0], "height": args.size[1], "samples": args.samples, "seed": args.seed}
        return [Scene(args.oamqual, path, settings) for path in args.scene]
    names = args.names or sorted(p.parent.name for p in SOURCE.glob("scenes/*/scene.json"))
    return [Scene(args.oamqual, SOURCE / "scenes" / name, {}) for name in names]


def size(text):
    width, height = text.split("x")
    return int(width), int(height)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oamqual", required=True, help="the built program; it measures")
    parser.add_argument("--blender", action="append", metavar="PATH",
                        help="a program, or a folder with a root file system; repeat for more (default: blender)")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "expected")
    parser.add_argument("--changes", type=pathlib.Path, default=SOURCE / "build/references", help="where pictures of changes go")
    parser.add_argument("--dry-run", action="store_true", help="measure and show, write nothing in OUT")
    parser.add_argument("--replace", action="store_true", help="a new picture even where the old one still holds")
    parser.add_argument("--series-folders", action="store_true", help="never in the scene's own folder of OUT")
    parser.add_argument("--scene", action="append", metavar="PATH",
                        help="a scene of your own: a folder with scene.json, or an archive, .blend or folder of scene files")
    parser.add_argument("--size", type=size, default=(256, 256), metavar="WxH", help="of a scene without scene.json")
    parser.add_argument("--samples", type=int, default=32, help="of a scene without scene.json")
    parser.add_argument("--seed", type=int, default=0, help="of a scene without scene.json")
    parser.add_argument("names", nargs="*", metavar="NAME", help="bundled scenes (default: all)")
    args = parser.parse_args()
    for path in args.blender or ["blender"]:
        blender = Blender(path)
        for scene in scenes_of(args):
            make(args, blender, scene)


if __name__ == "__main__":
    sys.exit(main())
