#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real Blender writes on the stand-in HIP runtime: tests/logs/<version>-<situation>.txt.

    record.py --simhip FOLDER [--root FOLDER] [--out FOLDER] [--only SITUATION] [--gfx GFX] [--driver N] [--table]

--root is a root file system of `make blenders`; without it this machine's Blender runs. Blender runs in bubblewrap with
its files below /srv/run, so that the recorded bytes name no machine. --table writes no file, but what Blender did as one
row a run: the table of docs/blenders.md. README.md beside this script tells what each file holds."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
RUN = "/srv/run"
GPUS = {
    "gfx906": ("gfx906:sramecc+:xnack-", "AMD Instinct MI60", 64),
    "gfx90a": ("gfx90a:sramecc+:xnack-", "AMD Instinct MI250X", 110),
    "gfx942": ("gfx942:sramecc+:xnack-", "AMD Instinct MI300X", 304),
    "gfx1030": ("gfx1030", "AMD Radeon PRO W6800", 60),
    "gfx1100": ("gfx1100", "AMD Radeon PRO W7900", 96),
}
BDF, UNIQUE = "0000:c1:00.0", "67c63ac3c3c637f9"
NEW_DRIVER = 60443484

# situation: what differs from a render that goes well as far as the stand-in can go.
SITUATIONS = {
    "stub-kernel": {},
    "warm-kernel": {"warm": True},
    "as-farm": {"probe": "as-farm"},
    "control": {"probe": "control", "words": []},
    "not-listed": {"gfx": "gfx90a"},
    "not-listed-as-farm": {"gfx": "gfx90a", "probe": "as-farm"},
    "no-hip-library": {"soname": None},
    "no-hip-library-as-farm": {"soname": None, "probe": "as-farm"},
    "no-device": {"faults": ["no-device"]},
    "init-error": {"faults": ["init-error"]},
    "init-crash": {"faults": ["init-crash"]},
    "driver-too-old": {"driver": 50221153},
    "no-kernels-no-hipcc": {"hipcc": None},
    "compile-failure": {"hipcc": "fail"},
    "real-hipcc": {"hipcc": "real", "gfx": "gfx90a"},
    "real-hipcc-no-images": {"hipcc": "real", "gfx": "gfx942"},
    "load-error": {"faults": ["load-error"]},
    "launch-error": {"faults": ["launch-error"]},
    "launch-crash": {"faults": ["launch-crash"]},
    "device-lost": {"faults": ["device-lost 2"]},
    "out-of-memory": {"faults": ["out-of-memory"]},
    "device-word-unknown": {"words": ["--cycles-device", "GPU"]},
    "device-word-case": {"words": ["--cycles-device", "hip"]},
    "mixed-cpu": {"words": ["--cycles-device", "HIP+CPU"], "threads": 2},
    "option-before-scene": {"before": ["--cycles-device", "HIP"], "words": []},
    "option-before-tail": {"after": ["--cycles-device", "HIP"], "words": []},
    "scene-damaged": {"scene": "damaged"},
    "scene-absent": {"scene": "absent"},
    "denoising": {"denoising": True},
    "denoising-control": {"denoising": True, "probe": "control", "words": []},
}


def simulation(args, faults, driver, gfx):
    arch, name, units = GPUS[gfx]
    rows = ["driver_version %d" % driver, "runtime_version %d" % driver, "state %s/state" % RUN]
    rows += ["fault * %s" % fault for fault in faults]
    rows += ["device %s" % BDF, "unique_id %s" % UNIQUE, "gpu_id 4101", "kfd_node 4", "gcn_arch %s" % arch,
             "name %s" % name, "multiprocessors %d" % units, "total_bytes 68702699520", "free_bytes 68685922304",
             "clock_khz 1700000"]
    return "".join(row + "\n" for row in rows)


def write_library(folder, args, soname):
    """As in src/node/replay.c: a name the node has not is taken by a file that is no library."""
    folder.mkdir()
    for name in ("libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"):
        (folder / name).write_text("not there on the replayed node\n")
    if soname is not None:
        for name in ["libamdhip64.so.%d" % soname] + ([] if args.no_link else ["libamdhip64.so"]):
            shutil.copy(args.simhip / ("libamdhip64.so.%d" % soname), folder / name)


def write_compiler(folder, args, hipcc):
    folder.mkdir()
    if args.hipcc_root:
        (folder / "hipcc").write_text("""#!/bin/sh
exec bwrap --ro-bind /srv/hipcc / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /srv --bind %s %s \\
    --ro-bind /usr/share/blender /usr/share/blender /usr/bin/hipcc "$@"
""" % (RUN, RUN))
        (folder / "hipcc").chmod(0o755)
    elif hipcc and hipcc != "real":
        shutil.copy(TREE / "tests/fakes/hipcc", folder / "hipcc")


def write_scene(run, kind):
    subprocess.run(["tar", "-x", "-C", run, "-f", TREE / "scenes/cornell/cornell.tar.zst", "--zstd"], check=True)
    blend = next(run.rglob("*.blend")).rename(run / "scene.blend")
    if kind == "damaged":
        blend.write_bytes(blend.read_bytes()[:5000])
    if kind == "absent":
        blend.unlink()


def stage(run, args, do):
    (run / "home").mkdir()
    (run / "state" / "kfd" / "proc").mkdir(parents=True)
    (run / "state" / "kfd" / "proc").chmod(0o777)
    write_library(run / "lib", args, do.get("soname", args.soname))
    write_compiler(run / "bin", args, do.get("hipcc", "fake"))
    write_scene(run, do.get("scene"))
    gfx = args.gfx or do.get("gfx", "gfx1100")
    (run / "sim.conf").write_text(simulation(args, do.get("faults", []), args.driver or do.get("driver", NEW_DRIVER), gfx))
    shutil.copy(TREE / "src/blender/worker.py", run / "worker.py")
    (run / "job.json").write_text(json.dumps({
        "image": RUN + "/image.exr", "report": RUN + "/worker.json", "probe": do.get("probe", "strict"), "width": 64,
        "height": 48, "samples": 4, "seed": 0, "frame": 1, "denoising": do.get("denoising", False), "threads": do.get("threads", 1)}))


def command(args, do):
    """What src/blender/attempt.c runs, in what src/run/sandbox.h makes of a root."""
    log = ["--log", "cycles", "--log-level", "info"] if args.major >= 5 else ["--debug-cycles"]
    words = ["/usr/bin/blender", "--background", "-noaudio", "--factory-startup", "--disable-autoexec",
             "--python-exit-code", "64"] + do.get("before", [])
    words += [RUN + "/scene.blend"] + do.get("after", []) + log + ["--python", RUN + "/worker.py", "--"]
    default = [] if do.get("probe") == "as-farm" else ["--cycles-device", "HIP"]
    return words + do.get("words", default)


def inside(args, run, words, hipcc):
    env = {"PATH": RUN + "/bin:/usr/bin:/bin", "HOME": RUN + "/home", "XDG_CACHE_HOME": RUN + "/cache", "LC_ALL": "C.UTF-8",
           "TMPDIR": "/tmp", "LD_LIBRARY_PATH": RUN + "/lib", "OAMQUAL_SIM": RUN + "/sim.conf",
           "OAMQUAL_JOB": RUN + "/job.json", "ROCR_VISIBLE_DEVICES": "GPU-" + UNIQUE}
    if hipcc not in (None, "fake", "real"):
        env["OAMQUAL_FAKE_HIPCC"] = hipcc
    bwrap = ["bwrap", "--ro-bind", str(args.root or "/"), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
             "--tmpfs", "/srv", "--bind", str(run), RUN, "--chdir", RUN, "--unshare-net", "--unshare-pid",
             "--die-with-parent", "--new-session", "--clearenv"]
    if hipcc != "real" and os.access(str(args.root or "") + "/usr/bin/hipcc", os.X_OK):
        bwrap += ["--ro-bind", "/dev/null", "/usr/bin/hipcc"]
    if args.hipcc_root:
        bwrap += ["--ro-bind", str(args.hipcc_root), "/srv/hipcc"]
    for name, value in env.items():
        bwrap += ["--setenv", name, value]
    return bwrap + words


def ran(args, run, do):
    """Standard output, standard error and the ending, as they came."""
    words = inside(args, run, command(args, do), do.get("hipcc", "fake"))
    with open(run / "stdout", "wb") as out, open(run / "stderr", "wb") as err:
        status = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=1800).returncode
    return (run / "stdout").read_bytes(), (run / "stderr").read_bytes(), status


def without_name(found):
    lead = re.match(rb"[ |]*(on: )?[ |]*", found.group(0)).group(0)
    return lead + b"Example Processor (CPU) (" + found.group(2) + b" threads)"


def without_machine(text):
    """The processor's name is the one word of this machine that is left."""
    return re.sub(rb"([ |]|on: )[^|:()\n]*? \(CPU\) \((\d+) threads\)", without_name, text)


def run_one(args, name, do):
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        stage(run, args, do)
        if do.get("warm"):
            ran(args, run, do)
            for gone in ("image.exr", "worker.json"):
                (run / gone).unlink(missing_ok=True)
        out, err, status = ran(args, run, do)
        report = json.loads((run / "worker.json").read_text()) if (run / "worker.json").exists() else {}
        return {
            "out": without_machine(out), "err": without_machine(err), "status": status, "worker": report,
            "image": (run / "image.exr").exists(),
            "kernels": sorted(p.name for p in (run / "cache/cycles/kernels").glob("*")) if (run / "cache").exists() else [],
            "command": command(args, do),
        }


def row(name, do, args, result):
    devices = result["worker"].get("devices", {}).get("available", [])
    text = (result["out"] + result["err"]).decode("utf-8", "backslashreplace")
    traced = re.findall(r"Path tracing on: (.*)", text)
    return "%-28s %-8s driver %s exit %s image %s stage %s listed %s traced %s libs %s kernels %s error %s" % (
        name, args.gfx or do.get("gfx", "gfx1100"), args.driver or do.get("driver", NEW_DRIVER), result["status"],
        "yes" if result["image"] else "no", result["worker"].get("stage"), [d["id"] for d in devices if d["type"] == "HIP"],
        traced, [os.path.basename(p) for p in result["worker"].get("hip_libraries", [])],
        [k[:24] for k in result["kernels"]], result["worker"].get("error"))


def version_of(args):
    words = ["bwrap", "--ro-bind", str(args.root or "/"), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
             "/usr/bin/blender", "--version"]
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return re.search(r"Blender (\d+\.\d+\.\d+)", said).group(1)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simhip", type=pathlib.Path, required=True, help="folder with libamdhip64.so.5, .6 and .7")
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--hipcc-root", type=pathlib.Path, help="the root whose hipcc is used")
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--only", action="append", choices=sorted(SITUATIONS))
    parser.add_argument("--gfx", choices=sorted(GPUS))
    parser.add_argument("--driver", type=int)
    parser.add_argument("--soname", type=int, choices=(5, 6, 7))
    parser.add_argument("--no-link", action="store_true", help="no libamdhip64.so without a version, as without -dev packages")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def main():
    args = options()
    version = version_of(args)
    args.major = int(version.split(".")[0])
    args.soname = args.soname or {3: 5, 4: 6}.get(args.major, 7)
    for name in args.only or [name for name in SITUATIONS if not name.startswith("real-")]:
        do = SITUATIONS[name]
        result = run_one(args, name, do)
        print(version, row(name, do, args, result), flush=True)
        if not args.table:
            for what, end in (("out", "txt"), ("err", "err.txt")):
                if result[what] or what == "out":
                    (args.out / ("%s-%s.%s" % (version, name, end))).write_bytes(result[what])


if __name__ == "__main__":
    main()
