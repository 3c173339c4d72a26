#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a code object of the baseline's kernel with LLVM's tools and holds it against limits.

    code_object.py FILE LLVM-VERSION [VGPR-LIMIT]     prints the figures as JSON; what is wrong goes to "wrong"

FILE is an ELF, or a compiled kernel of oamqual's own cache (a line before the ELF).
"""
import collections
import json
import re
import subprocess
import sys
import tempfile

KEYS = {
    "vgpr": "vgpr_count",
    "sgpr": "sgpr_count",
    "vgpr_spills": "vgpr_spill_count",
    "sgpr_spills": "sgpr_spill_count",
    "scratch": "private_segment_fixed_size",
    "lds": "group_segment_fixed_size",
    "kernarg": "kernarg_segment_size",
    "block": "max_flat_workgroup_size",
}
# What the arithmetic of the kernel must not be made of: anything that is not correctly rounded by itself. The bare
# reciprocal and square root only as the first step of a sequence, which is counted below.
FORBIDDEN = re.compile(r"^v_(sin|cos|exp|log|rsq|rcp_legacy|mul_legacy)(_|$)|^v_(mad|mac)(_legacy)?_f32|_f16|_f64|^scratch_|^buffer_(load|store)|^flat_(load|store)")
FUSED = re.compile(r"^v_(pk_)?(fma|fmac)(_|k_|ak_|mk_)")


def tool(name, version, *arguments):
    return subprocess.run([f"{name}-{version}", *arguments], check=True, capture_output=True, text=True).stdout


def modes(path, version):
    """Round and denormal mode of float32 that the kernel starts in: 0 is to nearest even, 3 keeps denormals. Bits 12-13
    and 16-17 of COMPUTE_PGM_RSRC1, at byte 48 of the descriptor ("User Guide for AMDGPU Backend", LLVM)."""
    at = int(re.search(r":\s+([0-9a-f]+)\s.*oamqual_baseline\.kd", tool("llvm-readelf", version, "-s", path)).group(1), 16)
    dump = tool("llvm-objdump", version, "-s", "-j", ".rodata", path)
    lines = re.findall(r"^ ([0-9a-f]+) ((?:[0-9a-f]{2,8} ?)+) ", dump, re.M)
    start = int(lines[0][0], 16)
    data = bytes.fromhex("".join(words.replace(" ", "") for _, words in lines))
    word = int.from_bytes(data[at - start + 48 : at - start + 52], "little")
    return word >> 12 & 3, word >> 16 & 3


def read(path, version):
    notes = tool("llvm-readelf", version, "-n", path)
    found = {key: int(re.search(rf"\.{name}:\s+(\d+)", notes).group(1)) for key, name in KEYS.items()}
    found["target"] = re.search(r"amdhsa\.target:\s+'?([^'\s]+)", notes).group(1)
    code = collections.Counter()
    for line in tool("llvm-objdump", version, "-d", path).splitlines():
        match = re.match(r"\s+([a-z]\w+)", line)
        if match:
            code[re.sub(r"_(e32|e64|dpp|sdwa)$", "", match.group(1))] += 1
    found["rounding"], found["denormals"] = modes(path, version)
    found["instructions"] = sum(code.values())
    found["divisions"] = code["v_div_fixup_f32"]
    found["roots"] = code["v_sqrt_f32"]
    found["reciprocals"] = code["v_rcp_f32"]
    found["fused"] = sum(n for name, n in code.items() if FUSED.match(name))
    found["forbidden"] = sorted(name for name in code if FORBIDDEN.search(name))
    return found


def judge(found, limit):
    wrong = []
    for key in ("vgpr_spills", "sgpr_spills", "scratch"):
        if found[key]:
            wrong.append(f"{key} {found[key]}")
    if limit and found["vgpr"] > limit:
        wrong.append(f"{found['vgpr']} VGPR, more than {limit}")
    if found["rounding"] != 0 or found["denormals"] != 3:
        wrong.append(f"rounds in mode {found['rounding']}, denormals in mode {found['denormals']}")
    if found["forbidden"]:
        wrong.append("has " + " ".join(found["forbidden"]))
    if not found["divisions"] or found["reciprocals"] != found["divisions"]:
        wrong.append(f"{found['reciprocals']} reciprocals for {found['divisions']} divisions")
    # A division is made with five fused multiply-adds, a root of ours with two; any other would be a contraction.
    if found["fused"] != 5 * found["divisions"] + 2 * found["roots"]:
        wrong.append(f"{found['fused']} fused multiply-adds for {found['divisions']} divisions and {found['roots']} roots")
    return wrong


def main():
    path, version = sys.argv[1], sys.argv[2]
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    data = open(path, "rb").read()
    start = data.find(b"\x7fELF")
    with tempfile.NamedTemporaryFile() as elf:
        elf.write(data[start:])
        elf.flush()
        found = read(elf.name, version)
    found["wrong"] = judge(found, limit)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
