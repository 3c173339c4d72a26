#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_machines.py whole|trimmed: makes each machine of make_machines.py in the current folder and holds what `oamqual node`
says of it against NAME.expected.json, which was written from the published facts. `trimmed` then takes one kind of file or
key away at a time: the tree is still read, and what is gone is unknown and never 0. Prints "ok TITLE" and "not ok TITLE"."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import make_machines  # noqa: E402
import make_nodes  # noqa: E402

NAMES = [make_nodes.BLADE["name"], *make_machines.MACHINES]
NODES = "sys/class/kfd/kfd/topology/nodes"
PARTITIONED = ("mi300x-cpx", "mi308x")
LINKED = ("mi250", "old-kernel-blade", "three-gcds")


def say(passed, title, *more):
    print(("ok " if passed else "not ok ") + title)
    for line in more if not passed else ():
        print("# " + line)


def ask(folder):
    ran = subprocess.run([os.environ["OAMQUAL"], "node", "--no-hip", "--json", "--node", str(folder)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if ran.returncode:
        raise ValueError("exit status %d: %s" % (ran.returncode, ran.stderr.decode("utf-8", "replace")[:1500]))
    return json.loads(ran.stdout)


def value(fact):
    """None only with a reason."""
    if fact["class"] == "unknown":
        assert fact["value"] is None and fact["why"], fact
    else:
        assert fact["value"] is not None and fact["class"] == "simulated", fact
    return fact["value"]


def told(document):
    """What an expected file holds, of an answer."""
    return {
        "modules": [{"gcds": m["gcds"], "basis": m["basis"]} for m in document["modules"]],
        "numa": {g["bdf"]["value"]: value(g["numa_node"]) for g in document["gcds"] if value(g["numa_node"]) is not None},
        "findings": [[f["weight"], f["code"], f["subject"]] for f in document["findings"]],
        "counts": {key: value(document["counts"][key]) for key in ("kfd", "pci", "drm")},
    }


def compare(name, want, got, parts, title):
    for part in parts:
        expected = want[part]
        if part == "counts":
            expected = {"pci": None, "drm": None, **expected}
        say(got[part] == expected, "%s: %s" % (title, part), "want: " + json.dumps(expected), "got:  " + json.dumps(got[part]))


def whole():
    for name in NAMES:
        make_machines.write_machine(name, name)
        want = json.loads((HERE / (name + ".expected.json")).read_text())
        try:
            document = ask(name)
            compare(name, want, told(document), ("modules", "numa", "findings", "counts"), "%s (%s)" % (name, want["about"]))
            say(all(g["unique_id"]["value"] is None or isinstance(g["unique_id"]["value"], str) for g in document["gcds"]),
                name + ": 64-bit identities are text")
        except (ValueError, AssertionError) as error:
            say(False, name + " is read", str(error))
        shutil.rmtree(name)


# --- trees that lost something ---------------------------------------------------------------------

class Taken:
    """What was taken out of a tree, to be put back: a copy of each tree for each kind would be most of the test."""

    def __init__(self):
        self.stash = pathlib.Path("taken")
        self.stash.mkdir()
        self.places = []

    def take(self, path):
        kept = self.stash / str(len(self.places))
        path.rename(kept)
        self.places.append((kept, path))
        return kept

    def put_back(self):
        for kept, path in reversed(self.places):
            if path.exists():
                path.unlink()
            kept.rename(path)
        self.stash.rmdir()


def files(pattern):
    def take(folder, taken):
        for path in list(folder.glob(pattern)):
            taken.take(path)
    return take


def keys(*gone):
    """Keys of the properties; PCI's file of the same meaning goes too."""
    def take(folder, taken):
        for path in folder.glob(NODES + "/*/properties"):
            lines = [line for line in taken.take(path).read_text().splitlines(True) if line.split(" ")[0] not in gone]
            path.write_text("".join(lines))
    return take


def both(*takes):
    def take(folder, taken):
        for one in takes:
            one(folder, taken)
    return take


PCI = "sys/bus/pci/devices/*/"
# kind: (what is taken, facts that are then unknown, does the grouping stay as it was)
KINDS = {
    "mem_banks": (files(NODES + "/*/mem_banks"), ("vram_total",), True),
    "mem_banks/properties": (files(NODES + "/*/mem_banks/*/properties"), ("vram_total",), True),
    "gpu_id": (files(NODES + "/*/gpu_id"), ("kfd_gpu_id",), True),
    "name": (files(NODES + "/*/name"), (), True),
    "io_links": (files(NODES + "/*/io_links"), (), False),
    "io_links/properties": (files(NODES + "/*/io_links/*/properties"), (), False),
    "num_xcc": (keys("num_xcc"), ("num_xcc",), True),
    "domain and PCI": (both(keys("domain"), files("sys/bus")), ("bdf",), None),
    "domain": (keys("domain"), (), None),
    "unique_id": (both(keys("unique_id"), files(PCI + "unique_id")), ("unique_id",), True),
    "gfx_target_version": (keys("gfx_target_version"), ("gfx_target",), True),
    "device_id": (both(keys("device_id"), files(PCI + "device")), ("pci_device_id",), None),
    "simd_count": (keys("simd_count", "simd_per_cu"), ("compute_units",), True),
    "location_id": (keys("location_id"), ("bdf",), None),
    "drm_render_minor": (keys("drm_render_minor"), ("drm_render_minor",), True),
    "PCI": (files("sys/bus"), ("in_pci", "pci_subsystem_vendor_id", "sysfs_vram_used"), True),
    "PCI's numa_node": (files(PCI + "numa_node"), (), True),
    "PCI's vendor": (files(PCI + "vendor"), (), True),
    "DRM": (files("sys/class/drm"), ("in_drm",), True),
    "all properties": (files(NODES + "/*/properties"), (), None),
    "node.json": (files("node.json"), (), True),
}


def trimmed_machine(answers, name, kind, want):
    take, unknown, stays = KINDS[kind]
    folder, taken = pathlib.Path(name), Taken()
    try:
        # Links of partitions tell nothing of their card, and 64 times 63 files take their time.
        if name.startswith(PARTITIONED) and kind not in ("io_links", "io_links/properties"):
            files(NODES + "/*/io_links")(folder, taken)
        take(folder, taken)
        document = answers.ask(folder)
        got = told(document)
        for gcd in document["gcds"]:
            wrong = [key for key in unknown if value(gcd[key]) is not None]
            if wrong:
                raise ValueError("%s of %s is told: %s" % (wrong, gcd["bdf"]["value"], gcd[wrong[0]]))
        if kind != "all properties" and len(document["gcds"]) != want["counts"]["kfd"]:
            raise ValueError("%d GPUs" % len(document["gcds"]))
        if stays or (stays is False and not name.startswith(LINKED)):
            if got["modules"] != want["modules"]:
                raise ValueError("other modules: " + json.dumps(got["modules"]))
        if stays is False and name.startswith(LINKED) and {m["basis"] for m in got["modules"]} != {"undetermined"}:
            raise ValueError("paired without links: " + json.dumps(got["modules"]))
        if kind.startswith("domain"):
            shape = [(len(m["gcds"]), m["basis"]) for m in got["modules"]]
            if shape != [(len(m["gcds"]), m["basis"]) for m in want["modules"]]:
                raise ValueError("other modules: " + json.dumps(got["modules"]))
    finally:
        taken.put_back()


class Answers:
    """node_answers: as `ask`, without the start of a program for each of some 450 trees."""

    def __init__(self):
        program = pathlib.Path(os.environ["OAMQUAL"]).parent / "tests/node_answers"
        self.child = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, folder):
        self.child.stdin.write("%s\n" % folder)
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise ValueError("node_answers ended with %d" % self.child.wait())
        document = json.loads(line)
        if "error" in document:
            raise ValueError(document["error"])
        return document

    def close(self):
        self.child.stdin.close()
        return self.child.wait()


def trimmed():
    answers = Answers()
    for name in [name for name in NAMES if name != "mi300x-cpx-63"]:
        make_machines.write_machine(name, name)
        want = json.loads((HERE / (name + ".expected.json")).read_text())
        for kind in KINDS:
            title = "%s without %s" % (name, kind)
            if kind == "gpu_id" and name == "old-kernel-twins":
                continue
            try:
                trimmed_machine(answers, name, kind, want)
                say(True, title)
            except (ValueError, AssertionError) as error:
                say(False, title, *str(error).splitlines()[:20])
        # Nothing was left out of place: the whole tree still gives the whole answer.
        compare(name, want, told(answers.ask(name)), ("modules", "findings"), "%s put together again" % name)
        shutil.rmtree(name)
    say(answers.close() == 0, "the answering program ends well: nothing leaked")


if __name__ == "__main__":
    {"whole": whole, "trimmed": trimmed}[sys.argv[1]]()
