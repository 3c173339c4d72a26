#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node: each count stands side by side, and a disagreement is a finding with both numbers.
. "$SOURCE/tests/cli/lib.sh"

blade="$SOURCE/tests/nodes/mi250x-blade"
code() {
    field out '[f["code"] for f in d["findings"]]'
}
text() {
    field out "[f['text'] for f in d['findings'] if f['code'] == '$1'][0]"
}

run node --node "$blade" --json
is "$(field out '[(k, d["counts"][k]["value"]) for k in ("kfd", "pci", "drm", "hip", "visible", "openable", "cycles", "scheduler")]')" \
    "[('kfd', 8), ('pci', 8), ('drm', None), ('hip', 8), ('visible', 8), ('openable', None), ('cycles', None), ('scheduler', None)]" \
    "eight numbers side by side, each known or unknown"
is "$(code)" "[]" "nothing disagrees"
is "$(field out 'd["counts"]["masks"]')" "[]" "nothing is masked"
is "$(field out '[d["counts"][k]["why"] for k in ("openable", "scheduler")]')" \
    "['a replayed node has no device to open', 'no inventory was read: oamqual reconcile does']" "what is unknown says why"

# --- masks ---
ROCR_VISIBLE_DEVICES=2,0 run node --node "$blade" --json
is "$(text visible-fewer)" "2 of 8 GPUs are visible to HIP here, on 2 of 4 modules: ROCR_VISIBLE_DEVICES=2,0" \
    "a mask is named with both numbers (B18)"
is "$(field out '[f["remedy"] for f in d["findings"]]')" \
    "['check that the mask names what the job was given; a mask is not access control']" "and is no access control (B18)"
is "$(field out 'd["counts"]["masks"]')" "[{'name': 'ROCR_VISIBLE_DEVICES', 'value': '2,0'}]" "and stands beside the counts"
ROCR_VISIBLE_DEVICES=2,3 run node --node "$blade" --json
is "$(text visible-fewer)" "2 of 8 GPUs are visible to HIP here, on 1 of 4 modules: ROCR_VISIBLE_DEVICES=2,3" \
    "that all visible lie on one module is told (B16)"
ROCR_VISIBLE_DEVICES=0,3,4,5 HIP_VISIBLE_DEVICES=1 run node --node "$blade" --json
is "$(code)" "['masked-twice', 'visible-fewer']" "two masks are a finding of their own (B18)"
is "$(field out '[(g["bdf"]["value"], g["hip_index"]["value"]) for g in d["gcds"] if g["in_hip"]["value"]]')" "[('0000:ce:00.0', 0)]" \
    "the second counts among what the first leaves: 1 of 0,3,4,5 is 3 (B18)"
ROCR_VISIBLE_DEVICES="$(printf '0\033[2J')" run node --node "$blade"
is "$(grep -c "$(printf '\033')" out)" 0 "a hostile mask cannot write to the terminal"

# --- HIP differs from KFD ---
cat >change.py <<'END'
import json
import sys

path, change = sys.argv[1:]
node = json.load(open(path))
devices = node["hip"]["devices"]
exec(change)
json.dump(node, open(path, "w"))
END
changed() {
    rm -rf node
    cp -r "$blade" node
    python3 change.py node/node.json "$1"
    run node --node node --json
}
changed 'del devices[6:]'
is "$(text hip-count-differs)" \
    "KFD has 8 GPUs and HIP enumerates 6 of them, on 3 of 4 modules, though no variable hides any" \
    "HIP enumerates fewer though no mask is set"
changed 'devices.reverse()'
is "$(code), $(field out 'len(d["gcds"]), [g["hip_index"]["value"] for g in d["gcds"]]')" "[], (8, [7, 6, 5, 4, 3, 2, 1, 0])" \
    "HIP's order is not KFD's: joined by address, none is doubled (B19)"
changed 'devices[0]["bdf"] = "0000:03:00.0"; devices[0]["unique_id"] = "0x5"'
is "$(text hip-only)" "HIP enumerates 8 devices, and 1 of them are none of KFD's 8: 0000:03:00.0" "a device that only HIP knows"
changed 'devices[0]["gcn_arch"] = "gfx942"'
is "$(text target-disagrees), $(field out 'd["gcds"][0]["gfx_target"]["value"]')" \
    "HIP calls it gfx942 and KFD gfx90a; KFD's is used, gfx90a" "a target that disagrees (B27)"

# --- partitions behind a mask ---
python3 -B - "$SOURCE" <<'END'
import json
import sys

sys.path.insert(0, sys.argv[1] + "/tests/nodes")
import make_machines
import make_nodes

# Four MI300A in CPX: six partitions each.
sockets = [make_machines.gpu("%04x:02:00.%d" % (socket, function), 0x74A0, simd_count=152, gfx=90402, vram=None, numa=socket)
           for socket in range(4) for function in range(6)]
for i, one in enumerate(sockets):
    one["minor"] = 128 + i
make_machines.MACHINES["mi300a-cpx"] = dict(cpus=4, gpus=sockets, link=make_machines.partitions)
make_machines.write_machine("mi300a-cpx", "cpx")
devices = [{"bdf": one["bdf"], "unique_id": "0x%016x" % make_machines.unique_id("mi300a-cpx", one), "gcn_arch": "gfx942",
            "name": "AMD Instinct MI300A", "total_bytes": 100, "free_bytes": 90} for one in sockets]
node = json.load(open("cpx/node.json"))
node["hip"] = {"sonames": [6], "driver_version": 60342131, "runtime_version": 60342131, "devices": devices}
json.dump(node, open("cpx/node.json", "w"))
END
run node --node cpx --json
is "$(field out '[(m["basis"], len(m["gcds"])) for m in d["modules"]]')" \
    "[('partition-parent', 6), ('partition-parent', 6), ('partition-parent', 6), ('partition-parent', 6)]" \
    "24 partitions of four sockets"
is "$(code)" "['memory-shared-with-host', 'isolation-by-index']" \
    "that they share memory and a unique id is said of them, and nothing else (B25)"
ROCR_VISIBLE_DEVICES=18,19,20,21,22,23 run node --node cpx --json
is "$(text visible-fewer)" \
    "6 of 24 GPUs are visible to HIP here, on 1 of 4 modules: ROCR_VISIBLE_DEVICES=18,19,20,21,22,23" \
    "only 6 of 24 partitions are visible, on one socket (B16)"

# --- PCI and DRM differ from KFD ---
machine() {
    rm -rf node
    python3 "$SOURCE/tests/nodes/make_machines.py" "$1" node
}
machine not-in-kfd
run node --node node --json
is "$(text gpu-not-in-kfd)" \
    "1 GPUs are in PCI or DRM and not in KFD's topology, which has 1: unsupported by kfd, or failed to start there: 0000:45:00.0" \
    "a GPU in PCI and DRM and not in KFD (B35)"
rm -rf node/sys/bus
run node --node node --json
is "$(code)" "[]" "DRM's node of which neither vendor nor PCI is known is not called a GPU"
mkdir -p node/sys/class/drm/renderD190/device.d
rm node/sys/class/drm/renderD190/device
mv node/sys/class/drm/renderD190/device.d node/sys/class/drm/renderD190/device
printf 'DRIVER=amdgpu\nPCI_SLOT_NAME=0000:45:00.0\n' >node/sys/class/drm/renderD190/device/uevent
echo 0x1002 >node/sys/class/drm/renderD190/device/vendor
run node --node node --json
is "$(code)" "['gpu-not-in-kfd']" "DRM alone tells it too, by the address in uevent (B35)"

machine mi250-server
rm -rf node/sys/bus/pci/devices/0000:2c:00.0 node/sys/class/drm/renderD130
run node --node node --json
is "$(text gpu-not-in-pci)" "1 of the 8 GPUs of KFD's topology are not in PCI, which has 7: 0000:2c:00.0" "not in PCI"
is "$(text gpu-not-in-drm)" "1 of the 8 GPUs of KFD's topology are not in DRM, which has 7: 0000:2f:00.0" "not in DRM"
is "$(field out '[(g["in_pci"]["value"], g["in_drm"]["value"]) for g in d["gcds"]][:3]')" \
    "[(True, True), (False, True), (True, False)]" "each GCD has both answers"

machine mi250-server
echo 0000000000000001 >node/sys/bus/pci/devices/0000:29:00.0/unique_id
run node --node node --json
is "$(field out '[f["weight"] for f in d["findings"] if f["code"] == "identity-disagrees"], d["gcds"][0]["pci_subsystem_vendor_id"]["value"]')" \
    "(['fault'], None)" "an address with another's unique id is not joined"

machine mi250-server
rm node/sys/class/drm/renderD131/device node/sys/class/drm/renderD132/device
ln -s ../../../0000:ad:00.0 node/sys/class/drm/renderD131/device
ln -s ../../../0000:32:00.0 node/sys/class/drm/renderD132/device
run node --node node --json
is "$(text render-minor-disagrees)" "KFD says renderD131 and DRM renderD132" "render nodes that were exchanged"
is "$(field out 'd["gcds"][3]["render_node"]["value"]')" /dev/dri/renderD131 "KFD's minor is used"

# --- what is hidden ---
machine mi250-server
for number in 5 6 7 8 9 10 11; do
    rm "node/sys/class/kfd/kfd/topology/nodes/$number/properties"
done
run node --node node --json
is "$(field out '[(m["gcds"], m["basis"], m["why"]) for m in d["modules"]]')" \
    "[(['0000:29:00.0'], 'half-visible', 'x4 (200000 MB/s) to KFD node 5, which is not shown here')]" \
    "the mate of a GCD that was given alone is known as a node that cannot be read (B03)"
is "$(code)" "['module-half-visible', 'hidden-from-here', 'variant-unknown']" "and the rest as hidden, not as missing"
is "$(field out 'sorted({f["weight"] for f in d["findings"]})')" "['note']" "none is a fault"

# --- identity over time ---
machine mi250-server
run node --node node --json
cp out before.json
for n in 4 5 6 7 8 9 10 11; do echo "$((20000 + n))" >"node/sys/class/kfd/kfd/topology/nodes/$n/gpu_id"; done
run node --node node --json
is "$(python3 -c 'import json
a, b = (json.load(open(n))["gcds"] for n in ("before.json", "out"))
print([x["unique_id"] == y["unique_id"] and x["bdf"] == y["bdf"] and x["kfd_gpu_id"] != y["kfd_gpu_id"] for x, y in zip(a, b)])')" \
    "[True, True, True, True, True, True, True, True]" "another gpu_id is not another GPU (B24)"

# --- a topology that points outside ---
machine one-gcd
rm -rf node/sys/bus/pci/devices/0000:d1:00.0/numa_node
mkdir outside
echo 7 >outside/numa_node
ln -s "$PWD/outside/numa_node" node/sys/bus/pci/devices/0000:d1:00.0/numa_node
run node --node node --json
is "$(field out 'd["gcds"][0]["numa_node"]["value"], d["gcds"][0]["numa_node"]["from"]')" "(0, 'kfd')" \
    "a link out of the tree is not followed"
finish
