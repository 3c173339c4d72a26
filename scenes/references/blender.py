# SPDX-License-Identifier: Apache-2.0
"""A Blender that renders a scene's reference: a program of this machine, or a root file system run through bubblewrap."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# Cycles reads these variables when it starts; each one takes away an instruction set and all above it.
KERNELS = {
    "without-avx2": ["CYCLES_CPU_NO_AVX2"],
    "without-avx": ["CYCLES_CPU_NO_AVX2", "CYCLES_CPU_NO_AVX"],
    "without-sse41": ["CYCLES_CPU_NO_AVX2", "CYCLES_CPU_NO_AVX", "CYCLES_CPU_NO_SSE41"],
}
SKIPPED_STATUS = 77


class Skipped(Exception):
    """This Blender cannot render the scene at all, and says why."""


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def said_by(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


class Blender:
    def __init__(self, path):
        self.root = pathlib.Path(path).resolve() if os.path.isdir(path) else None
        program = "usr/bin/blender" if self.root else shutil.which(path)
        if not program or (self.root and not (self.root / program).is_file()):
            raise SystemExit("%s: no Blender is there" % path)
        self.binary = self.root / program if self.root else pathlib.Path(program).resolve()
        self.program = "/usr/bin/blender" if self.root else path

    def command(self, folder, words):
        """`words` may hold paths below `folder` and SOURCE; in a root both lie elsewhere."""
        if not self.root:
            return [self.program, *words]
        moved = [w.replace(str(folder), "/srv/work").replace(str(SOURCE), "/srv/source") for w in words]
        return ["bwrap", "--ro-bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
                "--tmpfs", "/srv", "--bind", str(folder), "/srv/work", "--ro-bind", str(SOURCE), "/srv/source",
                "--chdir", "/srv/work", "--unshare-net", "--unshare-pid", "--die-with-parent", "--setenv", "HOME", "/tmp",
                self.program, *moved]

    def kernels(self):
        """The instruction sets that this build can be told to leave out."""
        text = self.binary.read_bytes()
        return {name: env for name, env in KERNELS.items() if all(e.encode() in text for e in env)}

    def render(self, folder, blend, jobs, env=(), script=SOURCE / "scenes/render.py"):
        """All jobs in one process, which is much faster. Raises Skipped, or stops with the log's last lines."""
        words = ["-b", "--factory-startup", "--disable-autoexec", str(folder / "scene" / blend),
                 "--python-exit-code", "5", "--python", str(script), "--", json.dumps(jobs)]
        run = subprocess.run(self.command(folder, words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", env={**os.environ, **{name: "1" for name in env}})
        if run.returncode == SKIPPED_STATUS:
            raise Skipped("".join(re.findall(r"(?m)^skipped: (.*)$", run.stdout)))
        if run.returncode:
            raise SystemExit("%s ended with %d:\n%s" % (self.binary, run.returncode, run.stdout[-3000:]))

    def version(self):
        """Of `blender --version`: "3.4.1"."""
        folder = pathlib.Path("/tmp")
        found = re.search(r"(?m)^Blender (\d+\.\d+\.\d+)", said_by(self.command(folder, ["--version"])))
        if not found:
            raise SystemExit("%s does not say its version" % self.binary)
        return found.group(1)

    def package(self):
        admin = ["--admindir", str(self.root / "var/lib/dpkg")] if self.root else []
        return said_by(["dpkg-query", *admin, "-W", "-f", "${Version}", "blender"]) or None

    def system(self):
        lines = open((self.root or pathlib.Path("/")) / "etc/os-release")
        return dict(l.rstrip("\n").split("=", 1) for l in lines if "=" in l).get("PRETTY_NAME", "").strip('"') or None
