#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every machine of tests/nodes with one kind of file or key gone: it is read, and what is gone is unknown, never 0.
. "$SOURCE/tests/cli/lib.sh"

python3 "$SOURCE/tests/nodes/check_machines.py" trimmed >checked 2>&1 || fail "the machines are checked" "$(tail -5 checked)"
while IFS= read -r line; do
    case $line in
    "ok "*) pass "${line#ok }" ;;
    "not ok "*) fail "${line#not ok }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <checked

# The topology alone, without node.json and PCI.
python3 "$SOURCE/tests/nodes/make_machines.py" mi250x-blade blade
mkdir -p bare/sys/class/kfd/kfd/topology
cp -r blade/sys/class/kfd/kfd/topology/nodes bare/sys/class/kfd/kfd/topology/
run node --node bare --json
exits 0 "a tree of the topology alone is read (B01)"
is "$(field out '[[g[5:7] for g in m["gcds"]] for m in d["modules"]]')" \
    "[['c1', 'c6'], ['c9', 'ce'], ['d1', 'd6'], ['d9', 'de']]" "and grouped"
is "$(field out '[g["numa_node"]["value"] for g in d["gcds"]]')" "[3, 3, 1, 1, 0, 0, 2, 2]" "its NUMA nodes come from the links"
is "$(field out 'd["counts"]["hip"]["class"], d["counts"]["pci"]["class"]')" "('unknown', 'unknown')" \
    "HIP's and PCI's answers are unknown"
run node --node bare
says '^8 GCDs in 4 modules$' "the text says eight GCDs in four modules"
finish
