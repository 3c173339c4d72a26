#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes sysfs trees of whole machines from small descriptions, for `oamqual node --node FOLDER`.

    make_machines.py --list           lists the machines
    make_machines.py NAME FOLDER      writes the tree of one

Every tree is derived from published facts (link widths, addresses, memory sizes, KFD's property formulas): no machine was
recorded, and FOLDER/node.json says so. Identities are hashes of the machine's name and the address. What nobody published
(which of the other links is x2 or x1 on the 16-GCD server, the width of MI210's bridge, NUMA nodes left out) is made up to
be the harder case and is expected to change nothing."""
import argparse
import json
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
import make_nodes  # noqa: E402
from make_nodes import bank_properties, identity, link_properties, properties, write  # noqa: E402

XGMI, PCIE = 11, 2
LINK_MBS = 50000
GCD_BYTES = 68702699520
CARD_BYTES = 206141652992


def gpu(bdf, device_id, **more):
    """One KFD node: what of it differs from an MI250X GCD."""
    facts = {"bdf": bdf, "device_id": device_id, "simd_count": 440, "gfx": 90010, "xcc": 1, "vram": GCD_BYTES,
             "numa": None, "subsystem": (0x1002, 0x0B0C), "name": "aldebaran", "ip": None, "class": 0x038000}
    facts.update(more)
    return facts


def buses(text, device_id, **more):
    return [gpu("0000:%s:00.0" % bus, device_id, **more) for bus in text.split()]


def links_of(text):
    """ "c1-c6 x4, c9-ce x4": widths by bus."""
    found = {}
    for item in text.split(","):
        ends, width = item.split()
        found[frozenset(ends.split("-"))] = int(width[1:])
    return found


def by_bus(links):
    """Link function of gfx90a machines: (weight, least, most); all are in one hive, 0 is no direct link."""
    def link(a, b):
        width = links.get(frozenset((a["bdf"][5:7], b["bdf"][5:7])), 0)
        return (15 if width else 30, LINK_MBS if width else 0, LINK_MBS * width)
    return link


def mesh(a, b):
    """Full mesh, each x1."""
    return (15, LINK_MBS, LINK_MBS)


def partitions(a, b):
    same = a["bdf"][:-1] == b["bdf"][:-1]
    return (13, 819200, 819200) if same else (41, 0, 0)


def numa(gpus, nodes):
    for one in gpus:
        one["numa"] = nodes.get(one["bdf"][5:7])
    return gpus


def cards(addresses, functions, device_id, **more):
    return [gpu("%s:00.%d" % (address, function), device_id, **more)
            for address in addresses for function in range(functions)]


MI250_LINKS = ("29-2c x4, 2f-32 x4, ad-b0 x4, b3-b6 x4, 29-ad x2, 29-b3 x1, 2c-32 x1, 2c-b6 x1, 2f-ad x1, "
               "2f-b3 x2, 32-b0 x1, b0-b6 x1")
ROCMINFO = "31 34 11 14 ae b3 8e 93"
ROCMINFO_LINKS = "31-34 x4, 11-14 x4, ae-b3 x4, 8e-93 x4, 34-11 x1, 14-ae x2, b3-8e x1, 93-31 x2, 31-ae x1"
SIXTEEN = "4e 51 56 59 0e 11 16 19 cf d2 d7 da 8f 92 97 9a"


def sixteen_links():
    """x4 x1 x1 x1 on the first of each pair, x4 x2 x1 on the second."""
    names = SIXTEEN.split()
    first, second = names[0::2], names[1::2]
    links = {frozenset(pair): 4 for pair in zip(first, second)}
    for i in range(8):
        links[frozenset((first[i], first[(i + 1) % 8]))] = 1
        links[frozenset((first[i], first[(i + 4) % 8]))] = 1
        links[frozenset((second[i], second[(i + 1) % 8]))] = 2 - i % 2
    return links


def mi250_server():
    gpus = buses("29 2c 2f 32 ad b0 b3 b6", 0x740C, simd_count=416)
    gpus[3]["subsystem"] = (0x1458, 0x1000)
    return numa(gpus, {"29": 1, "2c": 1, "2f": 1, "32": 1, "ad": 3, "b0": 3, "b3": 3, "b6": 3})


def mi308x():
    gpus = cards("0000:0a 0000:80 0000:a4 0000:c8 0001:0b 0001:81 0001:a5 0001:c9".split(), 4, 29858, simd_count=80,
                 gfx=90402, name="ip discovery", vram=51539607552)
    for i, one in enumerate(gpus):
        one["minor"] = 128 + 8 * (i // 4) + i % 4
        if i % 4 == 3:
            one["vram"] = 51522830336
    return gpus


MI300X_BUSES = "0c 15 1e 69 9f af bf df"
CPX = dict(simd_count=152, gfx=90402, name="ip discovery", vram=CARD_BYTES // 8)


def cpx(without=()):
    gpus = cards(["0000:" + bus for bus in MI300X_BUSES.split()], 8, 0x74A1, **CPX)
    for i, one in enumerate(gpus):
        one["minor"] = 128 + i
    return [one for one in gpus if one["bdf"] not in without]


def old_twins():
    """Two entries with one location and one gpu_id, and no key that old kernels lack."""
    gpus = [gpu("0000:67:00.0", 0x6860, simd_count=256, unique=17), gpu("0000:67:00.0", 0x6860, simd_count=256, unique=18)]
    for one in gpus:
        one["gpu_id"] = 22683
    return gpus


OLD_KERNEL = ("num_xcc", "domain", "gfx_target_version")
MI300X = dict(simd_count=1216, gfx=90402, xcc=8, name="ip discovery", vram=CARD_BYTES)
MI300A = dict(simd_count=912, gfx=90402, xcc=6, name="ip discovery", vram=None)

# name: what it is, its GPUs in KFD's order, CPU nodes, the link function (None: no io_links), and what else is or is not.
MACHINES = {
    "mi250-server": dict(cpus=4, gpus=mi250_server(), link=by_bus(links_of(MI250_LINKS))),
    "mi250-other-board": dict(cpus=2, gpus=buses("32 35 11 14 ae b3 8e 93", 0x740C, simd_count=416),
                              link=by_bus(links_of("32-35 x4, 11-14 x4, ae-b3 x4, 8e-93 x4"))),
    "mi250-16-gcd": dict(cpus=2, gpus=buses(SIXTEEN, 0x740C, simd_count=416), link=by_bus(sixteen_links())),
    "mi250-rocminfo": dict(cpus=2, gpus=buses(ROCMINFO, 0x740C, simd_count=416), link=by_bus(links_of(ROCMINFO_LINKS))),
    "mi250-rocminfo-no-links": dict(cpus=2, gpus=buses(ROCMINFO, 0x740C, simd_count=416), link=None),
    "mi250x-104-cu": dict(cpus=1, gpus=buses("c1 c6", 0x7408, simd_count=416), link=by_bus(links_of("c1-c6 x4"))),
    "equal-widths": dict(cpus=1, gpus=buses("c1 c6 c9 ce", 0x7408), link=mesh),
    "one-gcd": dict(cpus=4, gpus=buses("d1", 0x7408, numa=0), link=by_bus({})),
    "three-gcds": dict(cpus=4, gpus=numa(buses("c1 c6 d1", 0x7408), {"c1": 3, "c6": 3, "d1": 0}),
                       link=by_bus(links_of("c1-c6 x4, c6-d1 x1, c1-d1 x1"))),
    "mi210-pair": dict(cpus=2, gpus=buses("03 43", 0x740F, simd_count=416), link=by_bus(links_of("03-43 x4"))),
    "mi300a-4": dict(cpus=4, link=mesh, gpus=[gpu("%04x:02:00.0" % i, 0x74A0, numa=i, **MI300A) for i in range(4)]),
    "vm-order": dict(cpus=1, link=mesh, gpus=[gpu("%04x:02:00.0" % domain, 0x74B5, **MI300X)
                                              for domain in (0x21, 0x11, 0x31, 0x41)]),
    "mi300x-8": dict(cpus=2, link=mesh, gpus=buses(MI300X_BUSES, 0x74A1, ip=(9, 4, 3), **{"class": 0x120000}, **MI300X)),
    "mi308x-8x4": dict(cpus=2, link=partitions, gpus=mi308x()),
    "mi300x-cpx-64": dict(cpus=2, link=partitions, gpus=cpx()),
    "mi300x-cpx-63": dict(cpus=2, link=partitions, gpus=cpx(without=("0000:69:00.5",))),
    "mi300x-one-partition": dict(cpus=2, link=partitions, gpus=[one for one in cpx() if one["bdf"] == "0000:69:00.5"]),
    "old-kernel-blade": dict(cpus=1, gpus=buses("c1 c6 c9 ce", 0x7408), pci=False, without=OLD_KERNEL,
                             link=by_bus(links_of("c1-c6 x4, c9-ce x4, c1-c9 x1"))),
    "old-kernel-twins": dict(cpus=1, gpus=old_twins(), link=None, pci=False, without=OLD_KERNEL),
    "twins": dict(cpus=1, gpus=old_twins(), link=None, pci=False),
    "not-in-kfd": dict(cpus=1, gpus=buses("03", 0x740F, simd_count=416), link=by_bus({}),
                       others=[("0000:45:00.0", 0x1002, 0x6810, 0x030000, "amdgpu", True),
                               ("0000:62:00.0", 0x1A03, 0x2000, 0x030000, "ast", False)]),
}


def gpu_properties(machine, name, index, one, link_count):
    domain, bus, rest = one["bdf"].split(":")
    device, function = rest.split(".")
    rows = [
        ("cpu_cores_count", 0), ("simd_count", one["simd_count"]), ("mem_banks_count", int(bool(one["vram"]))),
        ("caches_count", 0), ("io_links_count", link_count), ("p2p_links_count", 0), ("wave_front_size", 64),
        ("array_count", 8), ("simd_arrays_per_engine", 1), ("cu_per_simd_array", 14), ("simd_per_cu", 4),
        ("gfx_target_version", one["gfx"]), ("vendor_id", 4098), ("device_id", one["device_id"]),
        ("location_id", int(bus, 16) << 8 | int(device, 16) << 3 | int(function)), ("domain", int(domain, 16)),
        ("drm_render_minor", minor_of(index, one)), ("hive_id", int(identity({"name": name}, "hive", 16), 16)),
        ("unique_id", unique_id(name, one)), ("num_xcc", one["xcc"])]
    return properties([row for row in rows if row[0] not in machine.get("without", ())])


def minor_of(index, one):
    return one.get("minor", 128 + index)


def unique_id(name, one):
    """Partitions of one card share it."""
    return one.get("unique") or int(identity({"name": name}, "unique_id/" + one["bdf"][:-2], 16), 16)


def write_links(folder, links):
    for number, link in enumerate(links):
        write(folder / "io_links" / str(number) / "properties", link_properties(*link))


def write_cpu(nodes, machine, number):
    write(nodes / str(number) / "properties", properties([("cpu_cores_count", 32), ("simd_count", 0), ("mem_banks_count", 1)]))
    write(nodes / str(number) / "gpu_id", "0\n")
    write(nodes / str(number) / "name", "\n")
    write(nodes / str(number) / "mem_banks/0/properties", bank_properties(0, 137438953472, 64, 3200))


def write_gpu(nodes, machine, name, index, one):
    here, links = machine["cpus"] + index, []
    if machine["link"]:
        if one["numa"] is not None:
            links.append((PCIE, here, one["numa"], 20, 0, 0))
        links += [(XGMI, here, machine["cpus"] + i, *machine["link"](one, other))
                  for i, other in enumerate(machine["gpus"]) if other is not one]
    folder = nodes / str(here)
    write(folder / "properties", gpu_properties(machine, name, index, one, len(links)))
    number = int(identity({"name": name}, "gpu_id/%d" % index, 4), 16) | 1
    write(folder / "gpu_id", "%d\n" % one.get("gpu_id", number))
    write(folder / "name", one["name"] + "\n")
    if one["vram"]:
        write(folder / "mem_banks/0/properties", bank_properties(1, one["vram"], 4096, 1600))
    write_links(folder, links)


def link_to(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def write_pci(folder, bdf, rows, driver):
    device = folder / "sys/bus/pci/devices" / bdf
    for key, value in rows:
        write(device / key, value + "\n")
    link_to(device / "driver", "../../../../bus/pci/drivers/" + driver)


def write_drm(folder, minor, bdf, partition):
    """A partition's device is the driver's own, not a PCI device."""
    target = "amdgpu_xcp_%d" % partition if partition else bdf
    link_to(folder / ("sys/class/drm/renderD%d/device" % minor), "../../../" + target)
    write(folder / ("sys/class/drm/renderD%d/dev" % minor), "226:%d\n" % minor)


def write_surroundings(folder, machine, name):
    for index, one in enumerate(machine["gpus"]):
        partition = int(one["bdf"][-1])
        write_drm(folder, minor_of(index, one), one["bdf"], partition)
        if partition:
            continue
        rows = [("vendor", "0x1002"), ("device", "0x%04x" % one["device_id"]), ("class", "0x%06x" % one["class"]),
                ("subsystem_vendor", "0x%04x" % one["subsystem"][0]), ("subsystem_device", "0x%04x" % one["subsystem"][1]),
                ("numa_node", "-1" if one["numa"] is None else str(one["numa"])),
                ("unique_id", "%016x" % unique_id(name, one))]
        if one["vram"]:
            rows += [("mem_info_vram_total", str(one["vram"])), ("mem_info_vram_used", "10973184")]
        if one["ip"]:
            rows += [("ip_discovery/die/0/GC/0/" + key, str(value))
                     for key, value in zip(("major", "minor", "revision"), one["ip"])]
        write_pci(folder, one["bdf"], rows, "amdgpu")
    for bdf, vendor, device, kind, driver, renders in machine.get("others", ()):
        write_pci(folder, bdf, [("vendor", "0x%04x" % vendor), ("device", "0x%04x" % device), ("class", "0x%06x" % kind)],
                  driver)
        if renders:
            write_drm(folder, 190, bdf, 0)


def write_machine(name, folder):
    folder = pathlib.Path(folder)
    if folder.exists():
        shutil.rmtree(folder)
    if name == make_nodes.BLADE["name"]:
        make_nodes.write_sysfs(folder, make_nodes.BLADE, make_nodes.BLADE["buses"])
    else:
        machine = MACHINES[name]
        nodes = folder / "sys/class/kfd/kfd/topology/nodes"
        for number in range(machine["cpus"]):
            write_cpu(nodes, machine, number)
        for index, one in enumerate(machine["gpus"]):
            write_gpu(nodes, machine, name, index, one)
        if machine.get("pci", True):
            write_surroundings(folder, machine, name)
    write(folder / "node.json", json.dumps({
        "schema": "oamqual-node/1", "name": name, "derived": True,
        "provenance": "Derived, not recorded: made from published facts by tests/nodes/make_machines.py."}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("name", nargs="?", choices=[make_nodes.BLADE["name"], *MACHINES])
    parser.add_argument("folder", nargs="?")
    args = parser.parse_args()
    if args.list:
        print("\n".join([make_nodes.BLADE["name"], *MACHINES]))
    elif not args.folder:
        sys.exit("a machine and a folder, or --list")
    else:
        write_machine(args.name, args.folder)


if __name__ == "__main__":
    main()
