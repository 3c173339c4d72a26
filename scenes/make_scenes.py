# SPDX-License-Identifier: Apache-2.0
"""Makes the scene archives: blender -b --factory-startup --python scenes/make_scenes.py -- OUTDIR [NAME...]

Each scene of scenes/make/ (or only those named) goes to OUTDIR/<name>/ as one archive and a scene.json. A .blend
holds addresses of the process that wrote it, so two runs give the same picture but not the same digest: making
scenes anew means making references anew (scenes/make_references.py).
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from make.pack import make  # noqa: E402: found through the path above

NOT_SCENES = {"__init__", "pack", "parts"}


def known_scenes():
    return sorted({path.stem for path in (HERE / "make").glob("*.py")} - NOT_SCENES)


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if not arguments or set(arguments[1:]) - set(known_scenes()):
        raise SystemExit("usage: blender -b --factory-startup --python make_scenes.py -- OUTDIR [NAME...]\n"
                         "scenes: %s" % " ".join(known_scenes()))
    for name in arguments[1:] or known_scenes():
        make(name, importlib.import_module("make." + name), pathlib.Path(arguments[0]).resolve() / name)


main()
