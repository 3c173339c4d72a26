# SPDX-License-Identifier: Apache-2.0
"""Renders the open scene on the CPU with every setting said: blender -b SCENE --python scenes/render.py -- JSON

JSON: {"output", "report", "width", "height", "samples", "seed", "frame"} and, if wanted, "denoising", "parameters"
and "threads"; or a list of such, rendered one after the other in one process. It is src/blender/worker.py that
renders, so a reference has the settings of an attempt by construction. Exit 77: this Blender cannot render it, and it says why.
"""
import json
import os
import pathlib
import runpy
import sys

import bpy

WORKER = pathlib.Path(__file__).resolve().parent.parent / "src/blender/worker.py"


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def build():
    app = bpy.app
    return {"version": app.version_string, "hash": text(app.build_hash), "date": text(app.build_date),
            "time": text(app.build_time), "branch": text(app.build_branch), "platform": text(app.build_platform)}


def render(job):
    report = job["report"]
    job = {"denoising": False, "parameters": {}, "threads": os.cpu_count(), **job, "probe": "control",
           "image": job["output"], "report": report + ".worker"}
    with open(report + ".job", "w") as out:
        json.dump(job, out)
    os.environ["OAMQUAL_JOB"] = report + ".job"
    with open(report, "w") as out:
        json.dump(build(), out)
    try:
        runpy.run_path(str(WORKER))
    except SystemExit:
        print("skipped: %s" % json.load(open(job["report"]))["skipped"])
        raise


if __name__ == "__main__":
    jobs = json.loads(sys.argv[sys.argv.index("--") + 1])
    for one in jobs if isinstance(jobs, list) else [jobs]:
        render(one)
