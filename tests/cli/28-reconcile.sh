#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inventories of every kind beside nodes: what is found, what is written, and that the written is right.
. "$SOURCE/tests/cli/lib.sh"
blade=$SOURCE/tests/nodes/mi250x-blade
machine() { python3 "$SOURCE/tests/nodes/make_machines.py" "$1" "$1"; }
on() {
    tree=$1
    shift
    run reconcile --no-hip --host blade --node "$tree" "$@"
}

# --- the evidence scenario: one 128 GB item a module, two GPUs each ----------------------------
cat >inventory.csv <<'END'
rack,host,module,model,memory,address
7,cpu01,,,,
7,blade,OAM3,MI250X,128 GB,0000:d6:00.0
7,blade,OAM1,MI250X,128 GB,0000:c1:00.0
7,blade,OAM4,MI250X,128 GB,0000:d9:00.0
7,blade,OAM2,MI250X,128 GB,0000:ce:00.0
END
cp inventory.csv original.csv
on "$blade" inventory.csv
exits 1 "one 128 GB item a module is wrong"
says '^fault .*inventory.csv:3: module-memory: 128 GiB .* 64 GiB \(68702699520 bytes\)' "a module's memory on one item, with both numbers"
says '^fault .*module-not-gcd: 4 GPUs .* 8 GPU domains' "modules in place of GCDs, with both numbers"
cat >want.csv <<'END'
rack,host,module,model,memory,address
7,cpu01,,,,
7,blade,OAM3,MI250X,64 GB,0000:d1:00.0
7,blade,OAM3,MI250X,64 GB,0000:d6:00.0
7,blade,OAM1,MI250X,64 GB,0000:c1:00.0
7,blade,OAM1,MI250X,64 GB,0000:c6:00.0
7,blade,OAM4,MI250X,64 GB,0000:d9:00.0
7,blade,OAM4,MI250X,64 GB,0000:de:00.0
7,blade,OAM2,MI250X,64 GB,0000:c9:00.0
7,blade,OAM2,MI250X,64 GB,0000:ce:00.0
END
if cmp -s out want.csv; then pass "both domains stand under their module's identity, 64 GB each"; else
    fail "both domains stand under their module's identity, 64 GB each" "$(diff out want.csv)"
fi
cp out corrected.csv
on "$blade" corrected.csv
exits 0 "and then nothing is wrong"
if cmp -s out corrected.csv; then pass "a right list is printed as it is"; else fail "a right list is printed as it is"; fi
sed 's/,0000:.*$/,/' inventory.csv >unplaced.csv
on "$blade" unplaced.csv
says '^note .*placed-by-order: .* guess' "without addresses the order is a guess, and called one"

# --- the counts stand side by side -------------------------------------------------------------
on "$blade" --json inventory.csv
exits 1 "JSON is judged alike"
is "$(field out '[d["schema"], d["source"], d["counts"]["kfd"]["value"], d["counts"]["scheduler"]["value"], d["counts"]["scheduler"]["class"], d["counts"]["cycles"]["class"]]')" \
    "['oamqual-reconcile/1', 'simulated', 8, 4, 'declared', 'unknown']" "KFD, scheduler and Cycles are counted side by side"
is "$(field out 'd["files"][0]["corrected"] == open("want.csv").read()')" True "the corrected text is the same"
is "$(field out '[len(d["modules"]), sorted(set(f["code"] for f in d["findings"]))]')" \
    "[4, ['module-memory', 'module-not-gcd']]" "modules and findings"
run reconcile --host blade --node "$blade" --json inventory.csv
is "$(field out 'd["counts"]["hip"]["value"]')" 8 "with HIP asked, its count is there too"

# --- never in place ----------------------------------------------------------------------------
for how in "--out inventory.csv" "--out ./inventory.csv" "--write ."; do
    on "$blade" $how inventory.csv
    exits 3 "an input is not written over ($how)"
done
ln -s inventory.csv link.csv
on "$blade" --out link.csv inventory.csv
exits 3 "  nor through a link"
if cmp -s inventory.csv original.csv; then pass "  and is as it was"; else fail "  and is as it was"; fi
on "$blade" --write new/folder inventory.csv
is "$(cat out)" new/folder/inventory.csv "--write says what it wrote"
if cmp -s new/folder/inventory.csv want.csv; then pass "  and wrote it"; else fail "  and wrote it"; fi
mkdir twin && cp inventory.csv twin/
on "$blade" --write both inventory.csv twin/inventory.csv
exits 3 "two inputs of one name are not written over each other"

# --- usage and input ---------------------------------------------------------------------------
on "$blade"
exits 2 "no FILE"
on "$blade" --kind slurm inventory.csv
exits 2 "a kind that is none"
on "$blade" --out x --write y inventory.csv
exits 2 "--out with --write"
on "$blade" --out x inventory.csv unplaced.csv
exits 2 "--out with two files"
on "$blade" --type 'a b' inventory.csv
exits 2 "a type of two words"
run reconcile --node "$blade" --device-folder dri inventory.csv
exits 2 "a relative device folder"
on "$blade" absent.csv
exits 3 "an absent file"
one_line "  with one line"
printf 'hello\n' >hello.txt
on "$blade" hello.txt
exits 3 "no inventory at all"
run reconcile --no-hip --host elsewhere --node "$blade" inventory.csv
exits 3 "of several hosts, none the node"
says '\-\-host' "  with what to do"
head -c 17000000 /dev/zero >zeros
on "$blade" zeros
exits 3 "a file beyond the limit"

# --- Slurm -------------------------------------------------------------------------------------
cat >slurm.conf <<'END'
ClusterName=farm
GresTypes=nic
NodeName=DEFAULT Sockets=2 CoresPerSocket=64 ThreadsPerCore=2
NodeName=cpu[01-40] RealMemory=1000
NodeName=blade RealMemory=512000 Feature=oam
PartitionName=all Nodes=ALL
END
cat >gres.conf <<'END'
# devices
NodeName=cpu[01-40] Name=nic Count=2
NodeName=blade Name=gpu Type=mi250x File=/dev/dri/renderD[128-131] Cores=0-15,128-143 Flags=amd_gpu_env
NodeName=blade Name=gpu Type=mi250x File=/dev/dri/renderD[132-135] Cores=48-63,176-191 Flags=amd_gpu_env
END
on "$blade" gres.conf slurm.conf
exits 1 "a node line without Gres="
says '^fault .*slurm.conf:5: gres-missing: .* 0 GPUs.* 8' "is found with both numbers"
says '^fault .*slurm.conf:2: gres-types-missing' "and so is GresTypes= without gpu"
says '^fault .*gres.conf:4: cores-are-threads: .*core 191.*128 cores' "Cores= in thread numbers, with both numbers"
says 'Cores=48-63, when' "and the right ones"
is "$(sed -n '/^==> slurm.conf/,$p' out | grep -c '^NodeName=blade Gres=gpu:mi250x:8 RealMemory=512000 Feature=oam$')" 1 \
    "the node's line gets Gres= and keeps the rest"
is "$(grep -c '^GresTypes=nic,gpu$' out)" 1 "GresTypes= keeps nic"
is "$(grep -c '^NodeName=blade Name=gpu Type=mi250x File=/dev/dri/renderD1[23][0-9] Cores=[04]-*[0-9]*.* Flags=amd_gpu_env # 0000:' out)" 8 \
    "one line a domain, in gres.conf"
says 'renderD133 Cores=48-63 Flags=amd_gpu_env # 0000:d6:00.0, 64 GiB, of module 0000:d1:00.0\+0000:d6:00.0' \
    "with cores, address, memory and module"
is "$(grep -c '^NodeName=cpu' out)" 2 "other hosts' lines stay"
on "$blade" --type gcd gres.conf slurm.conf
is "$(grep -c 'Type=gcd File=' out),$(grep -c 'Gres=gpu:gcd:8' out)" "8,1" "--type names the GPUs in both files"

printf 'AutoDetect=nvml\nNodeName=blade Name=gpu Type=mi250x File=/dev/dri/card[0-7]\n' >other.conf
on "$blade" other.conf
says '^fault .*autodetect-other-vendor: .*NVIDIA' "another vendor's detector"
says '^fault .*file-not-render: .*card0' "card files name no domain"
is "$(sed -n 1p out),$(grep -c '^NodeName=blade AutoDetect=off$' out)" "AutoDetect=nvml,1" \
    "the detector stays for other hosts and is off for this one"

printf 'NodeName=blade Arch=x86_64\n   CPUAlloc=0\n   Gres=(null)\n   Reason=gres/gpu count reported lower than configured (4 < 8) [slurm@x]\n' >block
on "$blade" block
says '^fault .*block:1: gres-null: .* 8 GPUs' "scontrol's Gres=(null)"
says '^warning .*node-drained: .*count reported lower' "and its reason"
says 'Gres=gpu:mi250x:8' "and what to write"

# --- partitions, gaps, modules that are not known ----------------------------------------------
for name in mi308x-8x4 mi300x-cpx-64 mi300x-cpx-63 mi250-rocminfo-no-links one-gcd; do machine $name; done
printf 'Name=gpu Type=mi308x File=/dev/dri/renderD[128-159]\n' >gaps.conf
on mi308x-8x4 gaps.conf
says '^fault .*file-wrong: File=/dev/dri/renderD132 .*16 such.* 128-131, 136-139' "minors with gaps are not index + 128"
is "$(grep -c '^Name=gpu Type=mi308x File=/dev/dri/renderD' out),$(grep -c 'renderD13[2-5]' out)" "32,0" "and are written as KFD says"
says 'of card 0001:0b:00 ' "a card is named with its PCI domain"
cp out gapless.conf
on mi308x-8x4 gapless.conf
exits 0 "  which is then right"

k8s() { # capacity allocatable labels
    cat >k8s.json <<END
{"apiVersion": "v1", "kind": "List", "items": [
 {"kind": "Node", "metadata": {"name": "cpu01"}, "status": {}},
 {"kind": "Node", "metadata": {"name": "blade", "labels": {$3}},
  "status": {"capacity": {"amd.com/gpu": "$1"}, "allocatable": {"amd.com/gpu": "$2"}}}]}
END
}
k8s 8 8 '"amd.com/compute-memory-partition": "spx_nps1"'
on mi300x-cpx-64 k8s.json
says '^fault .*k8s.json:3: card-not-partition: 8 GPUs .* CPX .* 64 partitions' "8 allocatable of 64, with the mode"
says '^warning .*mode-differs: .*spx_nps1.*CPX' "a label of another mode"
k8s 0 0 ''
on mi300x-cpx-64 k8s.json
says '^fault .*kubelet-zero: .*0 amd.com/gpu.*64' "kubelet's 0 is another fault"
k8s 64 63 ''
on mi300x-cpx-64 k8s.json
says '^warning .*allocatable-below-capacity: allocatable 63 of capacity 64' "and so is a device less"
k8s 64 64 ''
on mi300x-cpx-64 k8s.json
exits 0 "64 of 64 is right"
on mi300x-cpx-63 k8s.json
says '^fault .*wrong-count: 64 GPUs are listed, the node has 63' "of 64 partitions 63 are there"
says '^node .*partition-missing' "and the node says which card lacks one"

k8s 8 8 '"amd.com/gpu.vram": "128G", "amd.com/gpu.product-name": "AMD_Instinct_MI250X"'
on "$blade" k8s.json
exits 1 "a label of the module's memory"
is "$(field out '[d["metadata"]["labels"][k] for k in ("amd.com/gpu.vram", "oamqual/gpu-domains", "oamqual/gpu-modules", "oamqual/domain-memory-gib")]')" \
    "['64G', '8', '4', '64']" "the patch corrects it"
is "$(field out '[m["gcds"] for m in __import__("json").loads(d["metadata"]["annotations"]["oamqual/modules"])][0]')" \
    "['0000:c1:00.0', '0000:c6:00.0']" "and maps the modules"

printf 'host,module,gpus,memory\nblade,,4,128GB\n' >four.csv
on mi250-rocminfo-no-links four.csv
says 'modules undetermined' "modules that the links do not tell"
says '^fault .*wrong-count: 4 GPUs are listed, the node has 8' "are not guessed for the count"
is "$(grep -c '^blade,undetermined,1,64GB,0000:' out)" 8 "nor for the rows"
on one-gcd four.csv
exits 3 "a view of half a module judges no inventory of the whole"

printf '{"hosts": {"hosts": [{"name": "blade", "allocName": "local.gpu", "gpus": 4, "totalGpuMemory": "536870912", "tags": ["gpu", "vram128g"]}]}}\n' >cue.json
on "$blade" cue.json
exits 1 "an OpenCue host of four GPUs of 128 GB"
is "$(field out '[d["hosts"]["hosts"][0][k] for k in ("gpus", "totalGpuMemory", "tags")]')" \
    "[8, '536739840', ['gpu', 'vram64g']]" "gets eight of 64 GB, and a tag that holds"

# --- what the node does not tell ---------------------------------------------------------------
cp -r "$blade" minorless && chmod -R u+w minorless
sed -i '/^drm_render_minor/d' minorless/sys/class/kfd/kfd/topology/nodes/5/properties
rm -rf minorless/sys/class/drm minorless/sys/bus/pci/devices/0000:c6:00.0/drm
on minorless gres.conf
exits 3 "no gres.conf without a render minor"
says 'render minor of 0000:c6:00.0' "  and says whose"
mkdir -p bare/sys
on bare inventory.csv
exits 3 "a node that does not tell its GPUs judges nothing"

finish
