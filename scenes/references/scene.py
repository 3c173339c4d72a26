# SPDX-License-Identifier: Apache-2.0
"""A scene to render: what its scene.json says, or an archive, .blend or folder with settings of the command line."""
import json
import pathlib
import re
import shutil
import subprocess

DEFAULTS = {"width": 256, "height": 256, "samples": 32, "seed": 0, "frame": 1, "denoising": False}
SETTINGS = ("width", "height", "samples", "frame", "denoising")


def tree_sha256(oamqual, path):
    run = subprocess.run([oamqual, "fingerprint", str(path)], stdout=subprocess.PIPE, text=True, check=True)
    return re.search(r"(?m)^tree ([0-9a-f]{64})", run.stdout).group(1)


def only_blend(folder):
    found = sorted(p.relative_to(folder) for p in folder.rglob("*.blend"))
    if len(found) != 1:
        raise SystemExit("%s: holds %d .blend files: say which in a scene.json" % (folder, len(found)))
    return str(found[0])


def described(folder):
    scene = json.loads((folder / "scene.json").read_text())
    return {**DEFAULTS, "name": folder.name, **scene}, folder / scene["archive"]


def stem(path):
    return re.sub(r"\.(tar(\.\w+)?|t[gxb]z|zip|7z|blend)$", "", path.name)


def unpack(archive, folder):
    if archive.suffix != ".zst":
        shutil.unpack_archive(archive, folder)
        return
    tar = subprocess.run(["zstd", "-dqc", str(archive)], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-xf", "-", "-C", str(folder)], check=True, input=tar)


class Scene:
    def __init__(self, oamqual, path, settings):
        path = pathlib.Path(path).resolve()
        if (path / "scene.json").is_file():
            self.json, self.archive = described(path)
        else:
            self.json, self.archive = {**DEFAULTS, **settings, "name": stem(path)}, path
        self.name = self.json["name"]
        self.tree = tree_sha256(oamqual, self.archive)
        if self.json.get("tree_sha256", self.tree) != self.tree:
            raise SystemExit("%s is not the archive that its scene.json describes" % self.archive)
        self.parameters = self.json.get("parameters", {})

    def unpack(self, folder):
        """Into folder/scene; returns the .blend's path in it."""
        to = folder / "scene"
        if self.archive.is_dir():
            shutil.copytree(self.archive, to)
        elif self.archive.suffix == ".blend":
            to.mkdir()
            shutil.copy(self.archive, to)
        else:
            to.mkdir()
            unpack(self.archive, to)
        return self.json.get("blend") or only_blend(to)

    def job(self, folder, name, **other):
        """For scenes/render.py; the picture is folder/name.exr."""
        job = {k: self.json[k] for k in (*SETTINGS, "seed")}
        return {**job, "parameters": self.parameters, "output": str(folder / (name + ".exr")),
                "report": str(folder / "report.json"), **other}
