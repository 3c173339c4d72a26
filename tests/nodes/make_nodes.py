#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes synthetic nodes: a folder with node.json and a sysfs tree, for `oamqual ... --node FOLDER`.

    make_nodes.py                              writes the committed trees beside this script
    make_nodes.py --variant NAME --out FOLDER  writes one variant of the blade to FOLDER
    make_nodes.py --list                       lists the variants

with a variant also --devices N (the first N GCDs), --fault WORD[:AFTER][@BDF] (may be repeated), --hipcc
hidden|inherit|PATH, --playback FOLDER, --soname 5|6|7 (may be repeated; libamdhip64.so leads to the last), --driver
NUMBER and --gfx TARGET (another GPU in the blade's places: what names and measures it is its own, the links are not).

No machine was recorded: the trees are derived from published facts (link widths, memory sizes, KFD's own property
formulas). Identities are made up: hashes of the machine's name and the PCI address."""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
FAKE_HIPCC = str(HERE.parent / "fakes" / "hipcc")
LINK_MBS = 50000
GIB = 1 << 30

BLADE = {
    "name": "mi250x-blade",
    "provenance": "Derived, not recorded: an MI250X blade of the Frontier and LUMI shape after published link models.",
    "device_id": 0x7408,
    "hip_name": "AMD Instinct MI250X",
    "kfd_name": "aldebaran",
    "gfx_target_version": 90010,
    "gcn_arch": "gfx90a:sramecc+:xnack-",
    "simd_count": 440,
    "simd_per_cu": 4,
    "num_xcc": 1,
    "wave_front_size": 64,
    "clock_mhz": 1700,
    "memory_clock_mhz": 1600,
    "memory_bus_bits": 4096,
    "l2_bytes": 8388608,
    "vram_bytes": 68702699520,
    "buses": [0xC1, 0xC6, 0xC9, 0xCE, 0xD1, 0xD6, 0xD9, 0xDE],
    "numa": {0xC1: 3, 0xC6: 3, 0xC9: 1, 0xCE: 1, 0xD1: 0, 0xD6: 0, 0xD9: 2, 0xDE: 2},
    "cpus": 4,
    "threads": 32,
    "cpu_bytes": 137438953472,
    "links": {
        (0xC1, 0xC6): 4, (0xC9, 0xCE): 4, (0xD1, 0xD6): 4, (0xD9, 0xDE): 4,
        (0xC1, 0xD9): 2, (0xC1, 0xC9): 1, (0xC6, 0xD6): 1, (0xC6, 0xCE): 1,
        (0xC9, 0xD1): 2, (0xCE, 0xDE): 1, (0xD1, 0xD9): 1, (0xD6, 0xDE): 1,
    },
}

# gfx_target_version is major * 10000 + minor * 100 + stepping in decimal; units of gfx10 and later have two SIMDs each.
OTHER_GPUS = {
    "gfx906": {"device_id": 0x66A1, "hip_name": "AMD Instinct MI60", "kfd_name": "vega20", "gfx_target_version": 90006,
               "gcn_arch": "gfx906:sramecc+:xnack-", "simd_count": 256, "clock_mhz": 1800, "memory_clock_mhz": 1000,
               "l2_bytes": 4194304, "vram_bytes": 32 * GIB},
    "gfx90a": {},
    "gfx942": {"device_id": 0x74A1, "hip_name": "AMD Instinct MI300X", "kfd_name": "ip discovery",
               "gfx_target_version": 90402, "gcn_arch": "gfx942:sramecc+:xnack-", "simd_count": 1216, "num_xcc": 8,
               "clock_mhz": 2100, "memory_clock_mhz": 1300, "memory_bus_bits": 8192, "l2_bytes": 4194304,
               "vram_bytes": 192 * GIB},
    "gfx1030": {"device_id": 0x73A3, "hip_name": "AMD Radeon PRO W6800", "kfd_name": "sienna_cichlid",
                "gfx_target_version": 100300, "gcn_arch": "gfx1030", "simd_count": 120, "simd_per_cu": 2,
                "wave_front_size": 32, "clock_mhz": 2555, "memory_clock_mhz": 1000, "memory_bus_bits": 256,
                "l2_bytes": 4194304, "vram_bytes": 32 * GIB},
    "gfx1100": {"device_id": 0x7448, "hip_name": "AMD Radeon PRO W7900", "kfd_name": "ip discovery",
                "gfx_target_version": 110000, "gcn_arch": "gfx1100", "simd_count": 192, "simd_per_cu": 2,
                "wave_front_size": 32, "clock_mhz": 1760, "memory_clock_mhz": 1124, "memory_bus_bits": 384,
                "l2_bytes": 6291456, "vram_bytes": 48 * GIB},
}

# name: (devices, faults, changes). A variant whose Blender is to come past the listing gets the stub compiler.
STUB = {"hipcc": FAKE_HIPCC}
VARIANTS = {
    "plain": (8, [], {}),
    "one-gcd": (1, [], {}),
    "no-gpu": (0, [], {}),
    "hip-missing": (2, [], {"sonames": []}),
    "hip-no-device": (2, ["no-device"], {}),
    "hip-error": (2, ["init-error"], {}),
    "hip-hang": (2, ["init-hang"], {}),
    "hip-crash": (2, ["init-crash"], {}),
    "stub-kernel": (2, [], STUB),
    "load-error": (2, ["load-error"], STUB),
    "launch-error": (2, ["launch-error"], STUB),
    "launch-hang": (2, ["launch-hang"], STUB),
    "launch-crash": (2, ["launch-crash"], STUB),
    "device-lost": (2, ["device-lost:2"], STUB),
    "out-of-memory": (2, ["out-of-memory"], STUB),
    "playback": (2, [], STUB),
    "wrong-tile": (2, ["wrong-tile"], STUB),
    "nan-pixel": (2, ["nan-pixel"], STUB),
    "r0600": (2, [], {"sonames": [6], "driver_version": 60342131}),
}


def identity(machine, what, digits):
    return hashlib.sha256(("%s/%s" % (machine["name"], what)).encode()).hexdigest()[:digits]


def unique_id(machine, bus):
    return int(identity(machine, "unique_id/%02x" % bus, 16), 16)


def gpu_id(machine, bus):
    return int(identity(machine, "gpu_id/%02x" % bus, 4), 16) | 1


def bdf(bus):
    return "0000:%02x:00.0" % bus


def width(machine, a, b):
    return machine["links"].get((a, b), machine["links"].get((b, a), 0))


def hops(machine, start, goal):
    """The fewest links between two GPUs."""
    ring, seen, count = {start}, {start}, 0
    while goal not in ring:
        ring = {b for a in ring for b in machine["buses"] if width(machine, a, b)} - seen
        seen |= ring
        count += 1
    return count


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def properties(rows):
    return "".join("%s %d\n" % row for row in rows)


def link_properties(kind, here, there, weight, least, most):
    return properties([
        ("type", kind), ("version_major", 0), ("version_minor", 0), ("node_from", here), ("node_to", there),
        ("weight", weight), ("min_latency", 0), ("max_latency", 0), ("min_bandwidth", least),
        ("max_bandwidth", most), ("recommended_transfer_size", 0), ("recommended_sdma_engine_id_mask", 0), ("flags", 1)])


def bank_properties(heap, size, bus_width, clock):
    return properties([("heap_type", heap), ("size_in_bytes", size), ("flags", 0), ("width", bus_width),
                       ("mem_clk_max", clock)])


def cpu_rows(machine, number, links):
    return properties([
        ("cpu_cores_count", machine["threads"]), ("simd_count", 0), ("mem_banks_count", 1), ("caches_count", 0),
        ("io_links_count", links), ("p2p_links_count", 0), ("cpu_core_id_base", number * machine["threads"]),
        ("simd_id_base", 0), ("max_waves_per_simd", 0), ("lds_size_in_kb", 0), ("gds_size_in_kb", 0), ("num_gws", 0),
        ("wave_front_size", 0), ("array_count", 0), ("simd_arrays_per_engine", 0), ("cu_per_simd_array", 0),
        ("simd_per_cu", 0), ("max_slots_scratch_cu", 0), ("gfx_target_version", 0), ("vendor_id", 0),
        ("device_id", 0), ("location_id", 0), ("domain", 0), ("drm_render_minor", 0), ("hive_id", 0),
        ("num_sdma_engines", 0), ("num_sdma_xgmi_engines", 0), ("num_sdma_queues_per_engine", 0),
        ("num_cp_queues", 0), ("max_engine_clk_ccompute", 3500)])


def gpu_rows(machine, index, bus, links):
    return properties([
        ("cpu_cores_count", 0), ("simd_count", machine["simd_count"]), ("mem_banks_count", 1), ("caches_count", 0),
        ("io_links_count", links), ("p2p_links_count", 0), ("cpu_core_id_base", 0),
        ("simd_id_base", 2147487744 + 256 * index), ("max_waves_per_simd", 8), ("lds_size_in_kb", 64),
        ("gds_size_in_kb", 0), ("num_gws", 64), ("wave_front_size", machine["wave_front_size"]), ("array_count", 8),
        ("simd_arrays_per_engine", 1), ("cu_per_simd_array", 14), ("simd_per_cu", machine["simd_per_cu"]),
        ("max_slots_scratch_cu", 32), ("gfx_target_version", machine["gfx_target_version"]), ("vendor_id", 4098),
        ("device_id", machine["device_id"]), ("location_id", bus << 8), ("domain", 0),
        ("drm_render_minor", 128 + index), ("hive_id", int(identity(machine, "hive", 16), 16)),
        ("num_sdma_engines", 2), ("num_sdma_xgmi_engines", 3), ("num_sdma_queues_per_engine", 8),
        ("num_cp_queues", 24), ("max_engine_clk_fcompute", machine["clock_mhz"]), ("local_mem_size", 0),
        ("unique_id", unique_id(machine, bus)), ("num_xcc", machine["num_xcc"]), ("max_engine_clk_ccompute", 3500)])


def write_links(folder, links):
    for number, link in enumerate(links):
        write(folder / "io_links" / str(number) / "properties", link_properties(*link))


def write_cpu(nodes, machine, number, buses):
    links = [(1, number, other, 12, 0, 0) for other in range(machine["cpus"]) if other != number]
    links += [(11, number, machine["cpus"] + i, 15, LINK_MBS, LINK_MBS)
              for i, bus in enumerate(buses) if machine["numa"][bus] == number]
    folder = nodes / str(number)
    write(folder / "properties", cpu_rows(machine, number, len(links)))
    write(folder / "gpu_id", "0\n")
    write(folder / "name", "\n")
    write(folder / "mem_banks" / "0" / "properties", bank_properties(0, machine["cpu_bytes"], 64, 3200))
    write_links(folder, links)


def write_gpu(nodes, machine, index, bus, buses):
    here = machine["cpus"] + index
    links = [(11, here, machine["numa"][bus], 15, LINK_MBS, LINK_MBS)]
    for i, other in enumerate(buses):
        if other == bus:
            continue
        count = width(machine, bus, other)
        links.append((11, here, machine["cpus"] + i, 15 * hops(machine, bus, other),
                      LINK_MBS if count else 0, LINK_MBS * count))
    folder = nodes / str(here)
    write(folder / "properties", gpu_rows(machine, index, bus, len(links)))
    write(folder / "gpu_id", "%d\n" % gpu_id(machine, bus))
    write(folder / "name", machine["kfd_name"] + "\n")
    write(folder / "mem_banks" / "0" / "properties", bank_properties(
        1, machine["vram_bytes"], machine["memory_bus_bits"], machine["memory_clock_mhz"]))
    write_links(folder, links)


def write_pci(folder, machine, bus):
    device = folder / "sys/bus/pci/devices" / bdf(bus)
    for name, text in (("vendor", "0x1002"), ("device", "0x%04x" % machine["device_id"]),
                       ("subsystem_vendor", "0x1002"), ("subsystem_device", "0x0b0c"),
                       ("numa_node", str(machine["numa"][bus])), ("unique_id", "%016x" % unique_id(machine, bus))):
        write(device / name, text + "\n")


def write_sysfs(folder, machine, buses):
    topology = folder / "sys/class/kfd/kfd/topology"
    write(topology / "generation_id", "2\n")
    for number in range(machine["cpus"]):
        write_cpu(topology / "nodes", machine, number, buses)
    for index, bus in enumerate(buses):
        write_gpu(topology / "nodes", machine, index, bus, buses)
        write_pci(folder, machine, bus)


def hip_device(machine, bus):
    return {
        "bdf": bdf(bus),
        "unique_id": "0x%016x" % unique_id(machine, bus),
        "gcn_arch": machine["gcn_arch"],
        "name": machine["hip_name"],
        "total_bytes": machine["vram_bytes"],
        "free_bytes": machine["vram_bytes"] - (16 << 20),
        "clock_khz": machine["clock_mhz"] * 1000,
        "memory_clock_khz": machine["memory_clock_mhz"] * 1000,
        "memory_bus_bits": machine["memory_bus_bits"],
        "l2_bytes": machine["l2_bytes"],
    }


def with_gpu(machine, gfx):
    if not gfx:
        return machine
    gpu = {**machine, **OTHER_GPUS[gfx]}
    return {**gpu, "name": gfx + "-stand-in", "provenance":
            "Made up, not recorded: a GPU that says it is %s, %s, in the places and with the links of an MI250X blade."
            % (gpu["hip_name"], gfx)}


def parse_fault(text):
    """WORD[:AFTER][@BDF]"""
    word, _, device = text.partition("@")
    word, _, after = word.partition(":")
    fault = {"device": device or "*", "fault": word}
    if after:
        fault["after"] = int(after)
    return fault


def write_node(folder, machine, name, count, faults, changes):
    buses = machine["buses"][:count]
    driver = changes.get("driver_version", 50221153)
    description = {
        "schema": "oamqual-node/1",
        "name": name,
        "derived": True,
        "provenance": machine["provenance"],
        "hip": {
            "sonames": changes.get("sonames", [5]),
            "driver_version": driver,
            "runtime_version": driver,
            "devices": [hip_device(machine, bus) for bus in buses],
        },
        "faults": [parse_fault(fault) for fault in faults],
        "tools": {"hipcc": changes.get("hipcc", "hidden")},
    }
    if changes.get("playback"):
        description["playback"] = changes["playback"]
    if folder.exists():
        shutil.rmtree(folder)
    write_sysfs(folder, machine, buses)
    write(folder / "node.json", json.dumps(description, indent=2) + "\n")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=sorted(VARIANTS))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--devices", type=int)
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--hipcc")
    parser.add_argument("--playback", type=os.path.abspath)
    parser.add_argument("--soname", type=int, choices=(5, 6, 7), action="append")
    parser.add_argument("--gfx", choices=sorted(OTHER_GPUS))
    parser.add_argument("--driver", type=int)
    return parser.parse_args()


def main():
    args = options()
    if args.list:
        print("\n".join(VARIANTS))
        return
    if bool(args.variant) != bool(args.out):
        sys.exit("--variant and --out go together")
    if not args.variant:
        write_node(HERE / BLADE["name"], BLADE, BLADE["name"], 8, [], {})
        return
    count, faults, changes = VARIANTS[args.variant]
    given = {"hipcc": args.hipcc, "playback": args.playback, "driver_version": args.driver,
             "sonames": args.soname}
    changes = {**changes, **{key: value for key, value in given.items() if value is not None}}
    count = count if args.devices is None else args.devices
    machine = with_gpu(BLADE, args.gfx)
    write_node(args.out, machine, "%s-%s" % (machine["name"], args.variant), count, faults + args.fault, changes)


if __name__ == "__main__":
    main()
