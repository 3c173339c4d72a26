#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes sound inputs for every fuzz target: OUT/<target>/<name>.

    make_seeds.py OUT              those of "scenes" below, from what the tree holds
    make_seeds.py OUT OAMQUAL      those of "nodes", from the made nodes, the known log lines and from runs of OAMQUAL on the
                                   stand-in runtime with the stand-in Blender
    make_seeds.py --targets [scenes|nodes]   which these are

Each is an input that its parser takes, so that mutation starts deep; tests/cli/90-fuzz-node.sh checks that they are."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
NODES = SOURCE / "tests" / "nodes"
TARGETS = {
    "scenes": ("archive", "artifact", "blend", "gcd", "image", "inventory", "limits", "ply", "reference", "slurm", "spec",
               "transport"),
    "nodes": ("attempt", "envelope", "json", "kfd", "kmsg", "log", "node", "ranks", "record"),
}
SEED_BYTES = 131072  # as run-fuzz's -max_len, which would cut them
AUTO = 7  # fuzz_inventory: the content tells its kind


class Seeds:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def add(self, target, name, content):
        place = self.folder / ("fuzz_" + target)
        place.mkdir(parents=True, exist_ok=True)
        content = content if isinstance(content, bytes) else content.encode()
        if len(content) > SEED_BYTES:
            sys.exit("%s for %s: %d bytes are too many" % (name, target, len(content)))
        (place / name).write_bytes(content)


def tool(*argv, data=None, cwd=None):
    return subprocess.run(argv, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, cwd=cwd).stdout


# --- scenes ----------------------------------------------------------------------------------------

def described_blend(header, big=False, long=False, pointer=8):
    """A .blend with one picture and the description of its structs, as Blender lays them out."""
    end = ">" if big else "<"
    names = ["id", "name[66]", "*next", "name[64]", "source", "packedfiles", "*first", "*last"]
    types = {"char": 1, "short": 2, "ID": pointer + 66, "Image": 2 * pointer + 66 + pointer + 66, "ListBase": 2 * pointer}
    index = {name: i for i, name in enumerate(types)}
    structs = {"ID": [("ID", "*next"), ("char", "name[66]")],
               "Image": [("ID", "id"), ("char", "name[64]"), ("short", "source"), ("ListBase", "packedfiles")],
               "ListBase": [("ID", "*first"), ("ID", "*last")]}
    fit = lambda data: data + bytes(-len(data) % 4)
    texts = lambda letters, list_: fit(letters + struct.pack(end + "I", len(list_)) + b"".join(t.encode() + b"\0" for t in list_))
    dna = fit(b"SDNA") + texts(b"NAME", names) + texts(b"TYPE", list(types))
    dna += fit(b"TLEN" + b"".join(struct.pack(end + "H", size) for size in types.values()))
    dna += b"STRC" + struct.pack(end + "I", len(structs))
    for name, fields in structs.items():
        dna += struct.pack(end + "HH", index[name], len(fields))
        dna += b"".join(struct.pack(end + "HH", index[t], names.index(n)) for t, n in fields)
    picture = bytes(pointer) + b"IMwood".ljust(66, b"\0") + b"//textures\\wood.png".ljust(64, b"\0") + struct.pack(end + "H", 1) + bytes(2 * pointer)

    def block(code, number, data):
        if long:
            return code + struct.pack(end + "IQQQ", number, 4096, len(data), 1) + data
        return code + struct.pack(end + "I" + ("Q" if pointer == 8 else "I") + "II", len(data), 4096, number, 1) + data
    return header + block(b"IM\0\0", 1, picture) + block(b"DNA1", 0, dna) + block(b"ENDB", 0, b"")


# The last block is its head alone: 24 bytes, 20 with pointers of 4 bytes, 32 since the long header.
BLENDS = {
    "short": b"BLENDER-v304" + b"DATA" + bytes(100) + b"ENDB" + bytes(20),
    "old": b"BLENDER_V279" + b"DATA" + bytes(100) + b"ENDB" + bytes(16),
    "long": b"BLENDER17-01v0500" + b"DATA" + bytes(100) + b"ENDB" + bytes(28),
    "described": described_blend(b"BLENDER-v304"),
    "described-old": described_blend(b"BLENDER_V279", big=True, pointer=4),
    "described-long": described_blend(b"BLENDER17-01v0500", long=True),
}
FILES = {"scene.blend": BLENDS["short"], "textures/wood.png": bytes(range(256)), "textures/a/b.txt": b"text\n", "empty": b""}


def make_zip(method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return out.getvalue()


def make_tar(kind):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:" + kind) as archive:
        folder = tarfile.TarInfo("textures")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        for name, content in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("textures/link.png")
        link.type, link.linkname = tarfile.SYMTYPE, "wood.png"
        archive.addfile(link)
    return out.getvalue()


def scenes(seeds):
    seeds.add("archive", "stored.zip", make_zip(zipfile.ZIP_STORED))
    seeds.add("archive", "deflated.zip", make_zip(zipfile.ZIP_DEFLATED))
    for kind in ("", "gz", "bz2", "xz"):
        seeds.add("archive", "scene.tar." + kind, make_tar(kind))
    seeds.add("archive", "scene.tar.zst", tool("zstd", "-qc", data=make_tar("")))
    with tempfile.TemporaryDirectory() as place:
        for name, content in FILES.items():
            path = pathlib.Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        tool("7z", "a", "-bd", "scene.7z", *[n for n in FILES if n != "empty"], cwd=place)
        seeds.add("archive", "scene.7z", (pathlib.Path(place) / "scene.7z").read_bytes())
    for name, blend in BLENDS.items():
        seeds.add("archive", name + ".blend", blend)
        for step in (0, 5):
            seeds.add("blend", "%s-%d" % (name, step), bytes([step]) + blend)
            seeds.add("blend", "%s-%d.gz" % (name, step), bytes([step]) + gzip.compress(blend, mtime=0))
            seeds.add("blend", "%s-%d.zst" % (name, step), bytes([step]) + tool("zstd", "-qc", data=blend))
    limits = json.loads((SOURCE / "expected" / "cornell" / "limits.json").read_text())
    limits.update(schema="oamqual-limits/2", noise={"renders": 8, "tile_z": 6, "tile_chi": 3.5, "bias_z": 5})
    seeds.add("limits", "noise", json.dumps(limits))
    for scene in ("cornell", "glass"):
        seeds.add("spec", scene, (SOURCE / "scenes" / scene / "scene.json").read_bytes())
        seeds.add("limits", scene, (SOURCE / "expected" / scene / "limits.json").read_bytes())
        made = json.loads((SOURCE / "expected" / scene / "provenance.json").read_text())
        # The scene, settings and picture of fuzz_reference.c.
        made.update(tree_sha256="a" * 64, width=256, height=256, samples=32, seed=0, frame=1, denoising=False,
                    reference_sha256="2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
        seeds.add("reference", scene, json.dumps(made))
    seeds.add("spec", "all", json.dumps({
        "schema": "oamqual-scene/1", "name": "all", "archive": "scene.json", "blend": "a/b.blend", "tree_sha256": "0" * 64,
        "purpose": "every key", "width": 64, "height": 32, "samples": 4, "seed": 1, "frame": 2, "denoising": True,
        "suite": "basic", "parameters": {"texture_pixels": 64, "light_tree": 0}}))
    seeds.add("spec", "assigned", "texture_pixels=16384")


def pictures(seeds):
    """One call: starting the tool takes longer than the pictures."""
    kinds = (("half.exr", "half", []), ("float.exr", "float", ["--compression", "zip"]), ("tiled.exr", "half", ["--tile", "4", "4"]),
             ("model.exr", "float", ["--ch", "mean.R=R,mean.G=G,mean.B=B,sigma.R=R,sigma.G=G,sigma.B=B"]),
             ("plain.exr", "float", ["--ch", "R=mean.R,G=mean.G,B=mean.B", "--scanline", "--compression", "none"]), ("colour.png", "uint8", []), ("deep.png", "uint16", []), ("gray.png", "uint8", ["--ch", "R"]))
    argv = ["oiiotool", "--create", "8x8", "3",
            "--fill:topleft=.1,.5,.9:topright=1,1,1:bottomleft=0,0,0:bottomright=.2,.3,.4", "8x8"]
    with tempfile.TemporaryDirectory() as place:
        for name, depth, more in kinds:
            argv += [*more, "-d", depth, "-o", name]
        tool(*argv, cwd=place)
        for name, _, _ in kinds:
            seeds.add("image", name, (pathlib.Path(place) / name).read_bytes())


# --- nodes -----------------------------------------------------------------------------------------

PROPERTIES, BANK, ANSWER, DESCRIPTION, LINK, PCI = range(6)

SURROUNDINGS = {
    "proc/sys/kernel/osrelease": "5.14.21-150500.55\n",
    "proc/self/cgroup": "0::/system.slice/docker-" + "ab" * 32 + ".scope\n",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC 7A53 64-Core Processor\n",
    "proc/meminfo": "MemTotal:       527825636 kB\n",
    "etc/os-release": 'NAME="SLES"\nPRETTY_NAME="SUSE Linux Enterprise Server 15 SP5"\n',
    "etc/group": "root:x:0:\nvideo:x:44:user\nrender:x:109:user,other\n",
    "sys/module/amdgpu/version": "6.3.6\n",
    "opt/rocm/.info/version": "6.0.3-100\n",
    "sys/class/dmi/id/product_name": "HPE_CRAY_EX235A\n",
    "sys/class/dmi/id/sys_vendor": "HPE\n",
    "sys/class/dmi/id/chassis_type": "28\n",
    "sys/class/dmi/id/bios_version": "1.7.1\n",
    "sys/devices/system/cpu/online": "0-127\n",
    "sys/devices/system/node/online": "0-3\n",
    "sys/devices/system/node/node0/cpulist": "0-15,64-79\n",
    "sys/devices/system/node/node3/cpulist": "48-63,112-127\n",
}
SENSORS = {
    "hwmon/hwmon3/temp1_label": "edge\n", "hwmon/hwmon3/temp1_input": "38000\n", "hwmon/hwmon3/temp2_label": "junction\n",
    "hwmon/hwmon3/temp2_input": "41000\n", "hwmon/hwmon3/power1_average": "92000000\n", "hwmon/hwmon3/power1_cap": "560000000\n",
    "ras/umc_err_count": "ue: 0\nce: 12\n", "gpu_busy_percent": "3\n", "pcie_replay_count": "0\n", "local_cpulist": "48-63\n",
}


def dump_tree(root, more):
    """The form of tests/fuzz/parts.h."""
    parts = []
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            parts.append(b"\n--- %s\n%s" % (name.encode(), os.readlink(path).encode()))
        elif path.is_file():
            parts.append(b"\n=== %s\n%s" % (name.encode(), path.read_bytes()))
    for name, text in more.items():
        parts.append(b"\n=== %s\n%s" % (name.encode(), text.encode()))
    return b"".join(parts)


def machine(name, place):
    folder = os.path.join(place, name)
    tool(sys.executable, str(NODES / "make_machines.py"), name, folder)
    return pathlib.Path(folder)


def variant(name, place, *more):
    folder = os.path.join(place, "variant-" + name)
    tool(sys.executable, str(NODES / "make_nodes.py"), "--variant", name, "--out", folder, *more)
    return pathlib.Path(folder)


def kfd_files(seeds, name, folder):
    topology = folder / "sys/class/kfd/kfd/topology/nodes"
    first = sorted(p.parent for p in topology.glob("*/mem_banks"))[-1]
    for kind, pattern in ((PROPERTIES, "properties"), (BANK, "mem_banks/*/properties"), (LINK, "io_links/*/properties")):
        for path in sorted(first.glob(pattern))[:2]:
            title = "%s-%s" % (name, "-".join(path.relative_to(topology).parts))
            seeds.add("kfd", title, bytes([kind]) + path.read_bytes())
    for i, path in enumerate(sorted(folder.glob("sys/**/uevent"))[:2]):
        seeds.add("kfd", "%s-uevent-%d" % (name, i), bytes([PCI]) + path.read_bytes())


def nodes(seeds, place):
    for name in ("mi210-pair", "mi300a-4", "one-gcd", "old-kernel-twins"):
        folder = machine(name, place)
        kfd_files(seeds, name, folder)
        bdfs = sorted(p.name for p in folder.glob("sys/bus/pci/devices/*"))
        more = dict(SURROUNDINGS)
        for bdf in bdfs[:1]:
            more.update(("sys/bus/pci/devices/%s/%s" % (bdf, key), text) for key, text in SENSORS.items())
        seeds.add("node", name, dump_tree(folder, more))
    two = variant("plain", place, "--devices", "2")
    seeds.add("node", "two-gcds", dump_tree(two, SURROUNDINGS))
    kfd_files(seeds, "blade", NODES / "mi250x-blade")
    for path in [NODES / "mi250x-blade/node.json", variant("launch-error", place) / "node.json"]:
        seeds.add("kfd", "description-" + path.parent.name, bytes([DESCRIPTION]) + path.read_bytes())
    for name, text in (("vendor", "0x1002\n"), ("decimal", "131072"), ("slot", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c1:00.0\n")):
        seeds.add("kfd", "pci-" + name, bytes([PCI]) + text.strip().encode())


# --- inventories and artifacts ---------------------------------------------------------------------

INVENTORIES = {
    "slurm.conf": "ClusterName=farm\nGresTypes=nic\nNodeName=DEFAULT Sockets=2 CoresPerSocket=64 ThreadsPerCore=2\n"
                  "NodeName=cpu[01-40] RealMemory=1000\nNodeName=blade RealMemory=512000 Gres=gpu:mi250x:4 Feature=oam\n",
    "gres.conf": "# devices\nNodeName=cpu[01-40] Name=nic Count=2\nNodeName=blade Name=gpu Type=mi250x "
                 "File=/dev/dri/renderD[128-131] Cores=0-15,128-143 Flags=amd_gpu_env\nAutoDetect=nvml\n",
    "scontrol": "NodeName=blade Arch=x86_64\n   CPUAlloc=0\n   Gres=(null)\n"
                "   Reason=gres/gpu count reported lower than configured (4 < 8) [slurm@x]\n",
    "kubernetes": json.dumps({"apiVersion": "v1", "kind": "List", "items": [{
        "kind": "Node", "metadata": {"name": "blade", "labels": {"amd.com/gpu.vram": "128G"}},
        "status": {"capacity": {"amd.com/gpu": "8"}, "allocatable": {"amd.com/gpu": "7"}}}]}),
    "opencue": json.dumps({"hosts": {"hosts": [{"name": "blade", "allocName": "local.gpu", "gpus": 4,
                                                "totalGpuMemory": "536870912", "tags": ["gpu", "vram128g"]}]}}),
    "csv": "rack,host,module,model,memory,address\n7,cpu01,,,,\n7,blade,OAM1,MI250X,128 GB,0000:c1:00.0\n"
           '7,blade,"OAM2",MI250X,"64 GB",0000:d1:00.0\n',
    "json": json.dumps([{"host": "blade", "count": 1, "memory": "64 GB", "type": "mi250x", "bdf": "0000:c1:00.0"}]),
}
KINDS = ("slurm.conf", "gres.conf", "scontrol", "kubernetes", "opencue", "csv", "json")


def inventories(seeds):
    for name, text in INVENTORIES.items():
        seeds.add("inventory", name, bytes([KINDS.index(name)]) + text.encode())
        seeds.add("inventory", name + "-told", bytes([AUTO]) + text.encode())


SLURM = (
    "1|TIMEOUT|n2|TimeLimit\n4|PENDING||ReqNodeNotAvail, UnavailableNodes:n[1-4]\n9|RUNNING|n3|None\n",
    "7|CANCELLED by 1000|0:15|n1\n8|OUT_OF_MEMORY|0:125|n2\n",
    "n1|idle~|render*|gpu:mi250x:8(S:0-3),nic:1|mi250x,rocm6|none\nn1|idle~|long|gpu:8|(null)|none\n"
    "n2|down*|long|(null)|(null)|Not responding\n",
    "JobId=7 JobName=oamqual-a\n   UserId=render(1002)\n   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
    "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=72:0\n   ReqNodeList=n1 ExcNodeList=(null)\n   NodeList=n1\n",
    "Welcome\n123;blue\n",
    "0,2-5,7",
)


def slurm(seeds):
    """fuzz_slurm.c: squeue, sacct, sinfo, scontrol, sbatch, a mask."""
    for kind, text in enumerate(SLURM):
        seeds.add("slurm", "text-%d" % kind, bytes([kind]) + text.encode())
    # Real ones. The target looks for job 7.
    for kind, name in enumerate(("squeue", "sacct", "sinfo", "scontrol-forged", "sbatch-verbose")):
        for path in sorted((SOURCE / "tests/farm/recorded").glob("*/%s.txt" % name)):
            seeds.add("slurm", "%s-%s" % (path.parent.name, name), bytes([kind]) + path.read_bytes().replace(b"JobId=6 ", b"JobId=7 "))


PEERS = ('{"state": "ready", "why": null, "library": "/opt/rocm/lib/libamdhip64.so.6"}\n'
         '{"begin": 0, "from": "0000:c1:00.0", "to": "0000:c6:00.0"}\nsome driver speaks\n'
         '{"pair": 0, "from": "0000:c1:00.0", "to": "0000:c6:00.0", "right": true, "bad": null, "bytes": 1048576, "repeats": 5, '
         '"seconds": 0.0125, "can_access": true, "enable_code": 0, "enabled": true, "stopped": null}\n'
         '{"begin": 1, "from": "0000:c6:00.0", "to": "0000:c1:00.0"}\n')
PEERS_AGAIN = ('{"state": "ready", "why": null, "library": null}\n'
               '{"pair": 2, "from": "a", "to": "b", "right": false, "bad": {"offset": 4096, "wrote": "0x1", "read": "0x2", "words": 3}, '
               '"bytes": 65536, "repeats": 5, "seconds": null, "enabled": false, "stopped": null}\n'
               '{"pair": 3, "from": "b", "to": "a", "right": true, "enabled": false, "stopped": null}\n{"done": true}\n')
COLLECTIVE = {"state": "done", "why": None, "library": "librccl.so.1", "version": 22005, "right": True, "bad": None,
              "bytes": 67108864, "repeats": 5, "seconds": 0.01, "stopped": None}


def transport(seeds):
    """fuzz_transport.c: one child that ends, one that is lost with a second behind it, and the collective."""
    seeds.add("transport", "peers", b"\0" + PEERS.encode() + b'{"done": true}\n')
    seeds.add("transport", "lost", b"\0" + PEERS.encode() + b"\f" + PEERS_AGAIN.encode())
    bad = {"gcd": "0000:c6:00.0", "element": 7, "got": 2.5, "want": 3, "elements": 9}
    for name, more in (("held", {}), ("bad", {"right": False, "bad": bad}), ("stopped", {"right": None, "stopped": "hipInit: 100"})):
        seeds.add("transport", "collective-" + name, b"\1" + json.dumps(COLLECTIVE | more).encode())


def counted(text):
    return struct.pack("<Q", len(text)) + text.encode()


def safetensors():
    header = json.dumps({"__metadata__": {"format": "pt"},
                         "a": {"dtype": "BF16", "shape": [2, 4], "data_offsets": [0, 16]},
                         "b": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(24)


def gguf(version, split=None):
    keys = {"general.architecture": "llama", "llama.block_count": 2, "llama.embedding_length": 64,
            "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2, "tokenizer.ggml.tokens": ["a", "<s>"],
            **(split or {})}
    out = b"GGUF" + struct.pack("<IQQ", version, 2, len(keys))
    for key, value in keys.items():
        out += counted(key)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + counted(value)
        elif isinstance(value, list):
            out += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(counted, value))
        else:
            out += struct.pack("<II", 4, value)
    out += counted("w") + struct.pack("<IQQIQ", 2, 32, 2, 8, 0)   # Q8_0: two blocks of 34 bytes
    out += counted("n") + struct.pack("<IQIQ", 1, 4, 0, 96)       # F32
    return out + bytes(-len(out) % 32) + bytes(112)


def artifacts(seeds):
    index = {"metadata": {"total_size": 1}, "weight_map": {"a": "model.safetensors"}}
    config = {"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 512}
    for name, kind, content in (("safetensors", 0, safetensors()), ("gguf-3", 1, gguf(3)), ("gguf-2", 1, gguf(2)),
                                ("index", 3, json.dumps(index).encode()), ("config", 4, json.dumps(config).encode())):
        seeds.add("artifact", name, bytes([kind]) + content)


# --- logs and records ------------------------------------------------------------------------------

def gcd_job(child=1 << 28, material=0, light=0, nodes=1):
    """One triangle before the camera, as src/baseline/gcd_job.h has it; the child is a leaf of it."""
    camera = struct.pack("<12f", 0, 0, -3, 0, 0, 1, 1, 0, 0, 0, 1, 0)
    params = camera + struct.pack("<7If3fI", 8, 8, 0, 4, 6, 0, light, 1e-4, 1, 1, 1, 1)
    head = b"OAMGCD1\0" + struct.pack("<4I", nodes, 1, 1, light) + params
    node = struct.pack("<12f4I", -1, -1, 0, 1, 1, 1, 1, 1, 0, -1, -1, -1, child, 0, 0, 0)
    inner = struct.pack("<12f4I", -1, -1, 0, 1, 1, 1, 1, 1, 0, -1, -1, -1, 1, 0, 0, 0)
    triangle = struct.pack("<9f3I", -1, -1, 0, 1, -1, 0, 0, 1, 0, material, 0, 0)
    lamp = struct.pack("<16f", 0, 2, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 5, 5, 5, 1)
    return head + inner * (nodes - 1) + node + triangle + struct.pack("<6f2IfI", 0.5, 0.5, 0.5, 0, 0, 0, 0, light, 1, 0) + lamp * light


def gcd_files(seeds):
    seeds.add("gcd", "job", gcd_job())
    seeds.add("gcd", "lamp", gcd_job(light=1))
    seeds.add("gcd", "deep", gcd_job(nodes=2))
    code = b"\x7fELF" + bytes(60)
    seeds.add("gcd", "kernel", b"oamqual-kernel/1 %s %d\n" % (hashlib.sha256(code).hexdigest().encode(), len(code)) + code)


def meshes(seeds):
    """A pyramid on a square, in the three forms, among things that are read over."""
    places = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1.5)]
    faces = [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    header = ("ply\nformat %s 1.0\ncomment a pyramid\nobj_info none\nelement edge 1\nproperty short a\nproperty list uchar char b\n"
              "element vertex 5\nproperty double x\nproperty float32 y\nproperty float z\nproperty uchar red\n"
              "element face 5\nproperty ushort flags\nproperty list uint8 int vertex_indices\nend_header\n")
    for name, end in ("binary_little_endian", "<"), ("binary_big_endian", ">"):
        body = struct.pack(end + "hBbb", 7, 2, -1, 1)
        body += b"".join(struct.pack(end + "dffB", *place, 200) for place in places)
        body += b"".join(struct.pack(end + "HB%di" % len(face), 1, len(face), *face) for face in faces)
        seeds.add("ply", name, (header % name).encode() + body)
    rows = ["7 2 -1 1"] + ["%g %g %g 200" % place for place in places]
    rows += ["1 %d %s" % (len(face), " ".join(map(str, face))) for face in faces]
    seeds.add("ply", "ascii", header % "ascii" + "\n".join(rows) + "\n")
    seeds.add("ply", "crlf", (header % "ascii" + "\n".join(rows)).replace("\n", "\r\n"))


def log_lines(seeds):
    """The lines of the unit test, which Blender printed."""
    text = (SOURCE / "tests/unit/test_log.c").read_text()
    lines = []
    for call in re.findall(r'\bfeed\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', text):
        joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call))
        lines.append(joined.encode().decode("unicode_escape"))
    if len(lines) < 10:
        sys.exit("tests/unit/test_log.c: its lines are not found any more")
    seeds.add("log", "known-lines", "\n".join(lines).encode("latin-1", "replace"))
    for path in sorted((SOURCE / "tests/logs").glob("*.txt")):
        if path.name != "expected.txt" and not path.name.endswith(".err.txt"):
            errors = path.with_name(path.name[:-4] + ".err.txt")
            said = path.read_bytes() + (errors.read_bytes() if errors.exists() else b"")
            seeds.add("log", path.name, said[-SEED_BYTES:])
    seeds.add("kmsg", "reset", "3,100,500,-;amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!\n SUBSYSTEM=pci\n"
              "6,101,600,-;amdgpu 0000:c6:00.0: amdgpu: ring gfx timeout, signaled seq=1\n")
    seeds.add("kmsg", "fault", "3,7,18446744073709551615,-;amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24)\n")


def dump_attempt(folder):
    parts = [b"\n=== %s\n%s" % (name.encode(), (folder / name).read_bytes())
             for name in ("worker.json", "stdout.txt", "stderr.txt") if (folder / name).exists()]
    return b"".join(parts)


def signed(seeds, oamqual, out):
    key = str(out) + ".key"
    tool(oamqual, "keygen", key)
    tool(oamqual, "sign", str(out), "--key", key)
    envelope = json.loads((out / "record.json.dsse").read_text())
    seeds.add("envelope", "signed", json.dumps(envelope))
    envelope["signatures"] *= 2
    seeds.add("envelope", "twice", json.dumps(dict(envelope, payload="e30", note="not known")))


def records(seeds, oamqual, place):
    """Runs on the stand-in: the record, what Blender said and left, and what the HIP probe answered."""
    node = variant("one-gcd", place)
    device = json.loads((node / "node.json").read_text())["hip"]["devices"][0]
    picture = pathlib.Path(place) / "small.exr"
    tool("oiiotool", "--create", "8x8", "3", "-o", str(picture))
    for mode in ("forged", "mixed", "hostile"):
        out = pathlib.Path(place) / ("run-" + mode)
        env = dict(os.environ, FAKE_BLENDER=mode, FAKE_IMAGE=str(picture),
                   FAKE_IDS="GPU-%s=%s" % (device["unique_id"][2:], device["bdf"]))
        done = subprocess.run([oamqual, "qualify", "--node", str(node), "--out", str(out), "-s", str(SOURCE / "scenes/cornell"),
                               "-b", str(SOURCE / "tests/fakes/blender"), "--probe", "strict", "--no-baseline", "--quiet"],
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if not (out / "record.json").exists():
            sys.exit("the stand-in run %s left no record: %s" % (mode, done.stdout.decode("utf-8", "replace")))
        seeds.add("record", mode, (out / "record.json").read_bytes())
        seeds.add("json", mode, (out / "record.json").read_bytes())
        if mode == "forged":
            signed(seeds, oamqual, out)
        seeds.add("kfd", "answer-" + mode, bytes([ANSWER]) + (out / "node/hip-probe.json").read_bytes())
        for attempt in sorted((out / "attempts").iterdir()):
            said = b"".join((attempt / name).read_bytes() for name in ("stderr.txt", "stdout.txt") if (attempt / name).exists())
            if b"Path tracing on" in said:
                seeds.add("log", mode + "-" + attempt.name, said)
            if (attempt / "worker.json").exists():
                seeds.add("attempt", mode + "-" + attempt.name, dump_attempt(attempt))


def frame_ranks(seeds, oamqual, place):
    """The two GCDs of a node with each its half of the frame that fuzz_ranks.c plans, as `farm` has them rendered."""
    node, parts = variant("plain", place, "--devices", "2"), pathlib.Path(place) / "parts"
    devices = json.loads((node / "node.json").read_text())["hip"]["devices"]
    parts.mkdir()
    tool("oiiotool", "--create", "8x8", "4", "--fill:topleft=.1,.5,.9,1:topright=1,1,1,1:bottomleft=0,.1,0,1:bottomright=.2,.3,.4,1",
         "8x8", "--ch", "R,G,B,A", "--sattrib", "cycles.ViewLayer.samples", "8", "--compression", "none", "-d", "float", "-o", "0-8.exr",
         "--mulc", "0.5", "-o", "8-8.exr", cwd=parts)
    shutil.copy(SOURCE / "scenes/cornell/cornell.tar.zst", pathlib.Path(place) / "square.tar.zst")
    plan = pathlib.Path(place) / "plan.json"
    plan.write_text(json.dumps({"schema": "oamqual-farm-frame/1", "manifest_sha256": "0" * 64, "cases": [{
        "scene": "square", "samples": 16, "seed": 0, "ranks": [
            {"rank": i, "node": "blade", "bdf": d["bdf"], "first": 8 * i, "count": 8} for i, d in enumerate(devices)]}]}))
    out = pathlib.Path(place) / "ranks"
    env = dict(os.environ, FAKE_BLENDER="faithful", FAKE_PARTS=str(parts), FAKE_IMAGE=str(parts / "0-8.exr"),
               FAKE_IDS=" ".join("GPU-%s=%s" % (d["unique_id"][2:], d["bdf"]) for d in devices))
    done = subprocess.run([oamqual, "farm-ranks", "--plan", str(plan), "--node-name", "blade", "--plan-sha256",
                           hashlib.sha256(plan.read_bytes()).hexdigest(), "--", "qualify", "--node", str(node), "--out", str(out),
                           "-s", str(pathlib.Path(place) / "square.tar.zst"), "--size", "8x8", "--samples", "16", "-b",
                           str(SOURCE / "tests/fakes/blender"), "--sandbox", "none", "--no-baseline", "--quiet"],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if not (out / "ranks.json").exists():
        sys.exit("the ranks on the stand-in left no ranks.json: %s" % done.stdout.decode("utf-8", "replace"))
    evidence = [out / file["path"] for file in json.loads((out / "ranks.json").read_text())["files"]]
    kept = {p for p in evidence if p.name in ("worker.json", "stdout.txt", "stderr.txt", "image.exr")}
    text = (out / "ranks.json").read_bytes()
    for path in sorted(kept):
        text += b"\n=== %s\n%s" % (str(path.relative_to(out)).encode(), path.read_bytes())
    seeds.add("ranks", "two", text)


def main():
    if sys.argv[1:2] == ["--targets"]:
        for group in sys.argv[2:] or TARGETS:
            print("\n".join("fuzz_" + target for target in TARGETS[group]))
        return
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    seeds = Seeds(sys.argv[1])
    if len(sys.argv) == 2:
        scenes(seeds)
        pictures(seeds)
        inventories(seeds)
        slurm(seeds)
        transport(seeds)
        artifacts(seeds)
        gcd_files(seeds)
        meshes(seeds)
        return
    place = tempfile.mkdtemp(prefix="oamqual-seeds-")
    try:
        nodes(seeds, place)
        log_lines(seeds)
        records(seeds, sys.argv[2], place)
        frame_ranks(seeds, sys.argv[2], place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
