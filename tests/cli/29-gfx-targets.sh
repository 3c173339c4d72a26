#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make_nodes.py --gfx: each source of a node says the same target, and HIP's capability is its. Expected numbers are those
# of the targets' names: gfx90a is major 9, minor 0, stepping 10; gfx1100 is 11, 0, 0.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/nodes/stage.sh"

capability() { # major and minor, as a caller of the stand-in runtime for this gcn_arch gets them
    stage 6 >/dev/null
    sed -i "s/^gcn_arch .*/gcn_arch $1/" sim.conf
    on_stage python3 -c 'import ctypes
hip, major, minor = ctypes.CDLL("libamdhip64.so.6"), ctypes.c_int(-1), ctypes.c_int(-1)
print(hip.hipInit(0), hip.hipDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), 0), major.value, minor.value)'
}

while read -r gfx kfd major minor device units gib name; do
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --gfx "$gfx" --soname 7 --soname 5 --driver 60443484 \
        --out node || exit 1
    run node --node node --json
    exits 0 "$gfx: the node is shown"
    cp out node.out
    is "$(field node.out "['%s %s %d %s %d' % (g['gfx_target']['value'], g['hip_gcn_arch']['value'].split(':')[0],
        g['compute_units']['value'], g['hip_name']['value'], g['hip_total']['value'] >> 30) for g in d['gcds']]")" \
        "['$gfx $gfx $units $name $gib']" "$gfx: KFD and HIP name one target, its units, name and memory"
    is "$(cat node/sys/class/kfd/kfd/topology/nodes/4/properties | grep -E '^(gfx_target_version|device_id) ' | xargs)" \
        "gfx_target_version $kfd device_id $((device))" "$gfx: as KFD writes it"
    is "$(capability "$(field node/node.json "d['hip']['devices'][0]['gcn_arch']")")" "0 0 $major $minor" \
        "$gfx: HIP's capability"
    is "$(field node/node.json "d['hip']['sonames'], d['hip']['driver_version']")" "([7, 5], 60443484)" \
        "$gfx: with the libraries and the driver that were asked for"
done <<'END'
gfx906 90006 9 0 0x66a1 64 32 AMD Instinct MI60
gfx90a 90010 9 0 0x7408 110 63 AMD Instinct MI250X
gfx942 90402 9 4 0x74a1 304 192 AMD Instinct MI300X
gfx1030 100300 10 3 0x73a3 60 32 AMD Radeon PRO W6800
gfx1100 110000 11 0 0x7448 96 48 AMD Radeon PRO W7900
END
finish
