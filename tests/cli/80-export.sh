#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual export: each format is read by the parser of the system it is for where Debian has one (Slurm, Prometheus, TOML,
# CSV), by kubectl where it is installed, and else held against the rules that docs/export.md names.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/records.sh"
PATH=${OAMQUAL_SLURM_PREFIX:+$OAMQUAL_SLURM_PREFIX/bin:$OAMQUAL_SLURM_PREFIX/sbin:}$PATH:/usr/sbin:/sbin

make_record faithful silent faithful
variant run sim blade
variant run real blade "observed(d)"
variant run later blade "observed(d); d['run']['ended'] = '2027-01-01T00:00:00Z'"
variant run other other "observed(d); d['run']['interrupted'] = True"
variant run liar liar "observed(d); d['gcds'][1].update(verdict='accepted', render_worker=True)"
FORMATS='slurm kubernetes opencue flamenco openjd prometheus csv'

# --- what is refused ---
for format in $FORMATS; do
    run export --format $format sim
    exits 3 "$format: a simulated record is refused"
    is "$(wc -c <out)" 0 "and nothing printed"
    run export --format $format --simulated sim
    exits 0 "$format: but for --simulated"
    is "$(grep -Eci simulated out | grep -vc '^0$')" 1 "which says so"
    run export --format $format real
    exits 0 "$format: an observed one"
    is "$(grep -ci simulated out)" 0 "without a word of it"
    cp out $format.out
    run export --format $format liar
    exits 3 "$format: a record that contradicts itself is refused"
    run export --format $format real later
    exits 3 "$format: one record a node"
done
says 'stands twice' "says so"
run export real
exits 2 "no format"
run export --format nonsense real
exits 2 "a format that there is not"
run export --format slurm missing
exits 3 "a record that is not there"
run export --format slurm --simulated real sim other
exits 3 "two records of a node, among others"
variant run numbers blade "observed(d)
for gpu in d['node']['gpus']:
    for name, value in (('hip_total', -1), ('vram_total', 2 ** 62), ('drm_render_minor', 2 ** 32 + 128)):
        gpu[name] = {'value': value, 'class': 'observed', 'from': 'x'}"
run export --format openjd numbers
is "$(grep -c 'gpu.memory' out)" 0 "a size that no memory has is unknown"
run export --format slurm numbers
is "$(grep -c -e File= -e Gres= out)" 0 "and so is a render node that there cannot be"
variant run mates blade "observed(d)
for gpu in d['node']['gpus']: gpu['drm_render_minor'] = {'value': 128, 'class': 'observed', 'from': 'x'}"
run export --format slurm mates
is "$(grep -c -e File= -e Gres= out)" 0 "a render node of two GCDs is given to no job"
says "node is another's too" "which is said"
variant run all Default "observed(d)"
run export --format slurm all
exits 3 "slurm: a node of the name that stands for all that follow"
says 'node Default: no host name' "which is named"
variant run named 'no host,"name"' "observed(d)"
for format in slurm kubernetes; do
    run export --format $format named
    exits 3 "$format: a name that it cannot hold"
    one_line "in one line"
done

# --- every name that a simulated record gives differs from every name of a real one ---
python3 - "$OAMQUAL" >checks <<'END'
import json
import re
import subprocess
import sys
import tomllib


def export(record, name, *more):
    return subprocess.run([sys.argv[1], "export", "-f", name, *more, record], stdout=subprocess.PIPE, check=True, text=True).stdout


def names(record, *more):
    labels = json.loads(export(record, "kubernetes", *more))["items"][0]["metadata"]
    yield "kubernetes", set(labels["labels"]) | set(labels["annotations"])
    yield "opencue", set(json.loads(export(record, "opencue", *more))["hosts"][0]["tags"])
    yield "flamenco", {t["id"] for t in json.loads(export(record, "flamenco", *more))["tags"]}
    toml = tomllib.loads(export(record, "openjd", *more))["nodes"]["blade"]["capabilities"]
    yield "openjd", set(toml["amounts"]) | set(toml["attributes"])
    slurm = export(record, "slurm", *more)
    yield "slurm", set(re.search("Features=([^ ]*)", slurm)[1].split(",")) | set(re.findall("Type=([^ ]*)", slurm))
    yield "prometheus", set(re.findall(r"^(\w+)\{", export(record, "prometheus", *more), re.M))


for (system, played), (_, real) in zip(names("sim", "--simulated"), names("real")):
    print(system, len(played) > 0 and len(real) > 0 and not played & real)
END
is "$(grep -c True checks)/$(wc -l <checks)" 6/6 "no name is of both"

# --- a farm: nodes without accepted GCDs have no capability ---
mkdir -p farm/real farm/other && cp real/record.json farm/real && cp other/record.json farm/other
cat >farm/farm.json <<'END'
{"schema": "oamqual-farm/1", "source": "observed", "nodes": [
 {"name": "blade", "outcome": "qualified", "why": null, "record": "real/record.json", "record_sha256": null},
 {"name": "stopped", "outcome": "qualified", "why": null, "record": "other/record.json", "record_sha256": null},
 {"name": "dead", "outcome": "node-down", "why": "=cmd|' /C calc'!A0", "record": null, "record_sha256": null}]}
END
for format in $FORMATS; do
    run export --format $format farm/farm.json
    exits 0 "$format: a farm"
    cp out $format.farm
done

sed 's/"source": "observed"/"source": "simulated"/' farm/farm.json >farm/played.json
run export --format kubernetes --simulated farm/played.json
is "$(field out "[(n['metadata']['name'], [t['key'] for t in n['spec']['taints']]) for n in d['items'] if 'labels' not in n['metadata']]")" \
    "[('dead', ['simulated.oamqual.local/no-render-worker'])]" "a node without a record in a simulated farm is marked too"

# --- Slurm ---
for program in slurmctld slurmd scontrol munged; do
    have $program || missing=$program
done
if [ -n "${missing:-}" ]; then
    skip "Slurm reads the lines" "no $missing: package slurm-wlm or munge"
else
    place=$(mktemp -d)
    chmod 755 "$place"
    daemons=
    end() {
        for pid in $daemons; do kill "$pid" 2>/dev/null; done
        for pid in $daemons; do wait "$pid" 2>/dev/null; done
        rm -rf "$place"
    }
    trap end EXIT
    trap 'exit 1' INT TERM
    mkdir "$place/dri" "$place/spool" "$place/state"
    # slurmd asks that File= is a character device; which one is not its business.
    for minor in $(field run/record.json "' '.join(str(g['drm_render_minor']['value']) for g in d['node']['gpus'])"); do
        ln -s /dev/null "$place/dri/renderD$minor"
    done
    host=$(hostname -s)
    read -r port_control port_node <<END
$(python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in held])')
END
    run export --format slurm --device-folder "$place/dri" farm/farm.json
    exits 0 "slurm: with the folder of the devices"
    cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$port_control
SlurmdPort=$port_node
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
END
    sed '/^# gres.conf/,$d' out | sed "s/^NodeName=blade/& NodeHostname=$host NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN/" >>slurm.conf
    echo "PartitionName=render Nodes=blade Default=YES State=UP" >>slurm.conf
    sed '1,/^# gres.conf/d' out >gres.conf
    # Newer versions ask munge for `slurmd -G` too, and speak of this machine's cgroups and CPUs.
    dd if=/dev/urandom of="$place/key" bs=128 count=1 2>/dev/null
    chmod 600 "$place/key"
    timeout 60 munged --foreground --force --key-file="$place/key" --socket="$place/munge.socket" \
        --pid-file="$place/munged.pid" --log-file="$place/munged.log" --seed-file="$place/seed" --num-threads=1 >munged.txt 2>&1 &
    daemons="$!"
    until [ -S "$place/munge.socket" ] || ! kill -0 "$daemons" 2>/dev/null; do sleep 0.1; done
    SLURM_CONF=$PWD/slurm.conf timeout 5 slurmd -G -f "$PWD/slurm.conf" >devices 2>&1
    is "$(grep -c 'Gres Name=gpu Type=gfx90a Count=1 .*File=.*renderD' devices)" 2 "slurmd reads a device for each accepted GCD, and only for those"
    grep -Ev 'cgroup/v1|differs from hardware' devices >complaints
    if grep -Eiq 'error|fatal|warning' complaints; then fail "without a complaint" "$(cat devices)"; else pass "without a complaint"; fi
    export SLURM_CONF="$PWD/slurm.conf"
    timeout 60 slurmctld -D -f "$SLURM_CONF" >slurmctld.txt 2>&1 &
    daemons="$! $daemons"
    timeout 60 slurmd -D -f "$SLURM_CONF" >slurmd.txt 2>&1 &
    daemons="$! $daemons"
    try=0
    while [ $try -lt 60 ]; do
        timeout 5 scontrol -o show node >block 2>&1 && grep -q 'State=IDLE ' block && break
        try=$((try + 1))
        sleep 0.25
    done
    if grep -q 'AvailableFeatures=oamqual_cycles_hip,oamqual_gfx90a,oamqual_blender_3_4_1 ' block && grep -q 'Gres=gpu:gfx90a:2 ' block &&
        grep -q 'State=IDLE ' block; then pass "slurmctld and slurmd run with them: features, 2 GPUs, idle"; else
        fail "slurmctld and slurmd run with them: features, 2 GPUs, idle" "$(cat block)" "$(tail -n 5 slurmctld.txt slurmd.txt)"
    fi
fi
is "$(grep -c '^NodeName=stopped\|^NodeName=dead' slurm.farm)/$(grep -c '^# stopped: no GCD is accepted (interrupted)$\|^# dead: no GCD is accepted (node-down)$' slurm.farm)" 0/2 \
    "slurm: the other nodes are told of and given nothing"

# --- Kubernetes ---
python3 - >checks <<'END'
import json
import re

# "Labels and Selectors" and "Object Names and IDs" of its documentation.
SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
KEY = re.compile(r"(?=.{1,253}/)%s/(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?" % SUBDOMAIN)
VALUE = re.compile(r"(?=.{0,63}$)(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
document = json.load(open("kubernetes.farm"))
assert document["kind"] == "List" and document["apiVersion"] == "v1"
taints = {}
for node in document["items"]:
    assert node["apiVersion"] == "v1" and node["kind"] == "Node" and re.fullmatch(SUBDOMAIN, node["metadata"]["name"])
    for key, value in node["metadata"].get("labels", {}).items():
        assert KEY.fullmatch(key) and VALUE.fullmatch(value), (key, value)
    for taint in node.get("spec", {}).get("taints", []):
        assert KEY.fullmatch(taint["key"]) and VALUE.fullmatch(taint["value"]) and taint["effect"] in ("NoSchedule",)
        taints[node["metadata"]["name"]] = taint["value"]
assert taints == {"stopped": "interrupted", "dead": "node-down"}, taints
blade = document["items"][0]["metadata"]["labels"]
assert blade["oamqual.local/render-workers"] == "2" and blade["oamqual.local/gcds-gfx90a"] == "2", blade
assert blade["oamqual.local/gcd-memory-mib"] == "65520" and blade["oamqual.local/source"] == "observed"
assert document["items"][1]["metadata"]["labels"]["oamqual.local/render-workers"] == "0"
print("sound", *["%s=%s" % pair for pair in blade.items()])
END
is "$(cut -d' ' -f1 checks)" sound "kubernetes: names, labels and taints follow its rules"
if have kubectl; then
    echo '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "blade"}}' >bare.json
    # shellcheck disable=SC2046 # words
    KUBECONFIG=/dev/null kubectl label --local -f bare.json -o json $(cut -d' ' -f2- checks) >labelled.json 2>err
    is "$(field labelled.json "len(d['metadata']['labels'])")" "$(($(wc -w <checks) - 1))" "kubectl takes each label"
    status=0
    KUBECONFIG=/dev/null kubectl label --local -f bare.json -o json 'oamqual.local/x=-no' >/dev/null 2>&1 || status=$?
    is "$status" 1 "and would refuse a wrong one"
fi

# --- the tags ---
python3 - >checks <<'END'
import json
import re
import uuid

hosts = {h["name"]: h["tags"] for h in json.load(open("opencue.farm"))["hosts"]}
assert hosts == {"blade": ["oamqual-cycles-hip", "oamqual-gfx90a", "oamqual-blender-3-4-1", "oamqual-gcds-2"], "stopped": [], "dead": []}, hosts
document = json.load(open("flamenco.farm"))
names = {t["id"]: t["name"] for t in document["tags"]}
assert all(set(t) == {"id", "name", "description"} and str(uuid.UUID(t["id"])) == t["id"] and uuid.UUID(t["id"]).version == 8 and
           uuid.UUID(t["id"]).variant == uuid.RFC_4122 for t in document["tags"]), document
assert {w["name"]: [names[i] for i in w["settags"]["tag_ids"]] for w in document["workers"]} == hosts
print("sound")
END
is "$(cat checks)" sound "opencue and flamenco: the same tags, Flamenco's with ids of their own"
variant run long blade "d['blender']['version'] = '4.3.2 Alpha, the studio\'s own branch of it'"
run export --format opencue --simulated long
# What a layer of OpenCue can ask for and its database has room for.
is "$(field out 'sorted({bool(__import__("re").fullmatch(r"[\w.-]{3,36}", t, 256)) for t in d["hosts"][0]["tags"]})')" "[True]" \
    "opencue: tags that a layer can ask for, also of a Blender with a long name"

# --- Open Job Description ---
python3 - >checks <<'END'
import re
import tomllib

# 2023-09 template schemas, 3.3.1 and 3.3.2.
NAME = re.compile(r"(?:[a-z_][a-z0-9_]+:)?(amount|attr)((?:\.[a-z_][a-z0-9_]*)+)")
OWN = {"amount.worker.gpu", "amount.worker.gpu.memory"}
VALUE = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,99}")
text = open("openjd.farm", encoding="utf-8").read()
nodes = tomllib.loads(text)["nodes"]
assert list(nodes) == ["blade"], nodes
for kind, prefix in (("amounts", "amount"), ("attributes", "attr")):
    for name, value in nodes["blade"]["capabilities"][kind].items():
        match = NAME.fullmatch(name)
        assert match and match[1] == prefix and len(name) <= 100, name
        assert name in OWN or match[2].split(".")[1] not in ("worker", "job", "step", "task"), name
        if kind == "amounts":
            assert isinstance(value, int) and value >= 0
        else:
            assert value and all(VALUE.fullmatch(v) for v in value), value
assert nodes["blade"]["capabilities"]["amounts"] == {"amount.worker.gpu": 2, "amount.worker.gpu.memory": 65520}
assert "# dead: no GCD is accepted (node-down)" in text
print("sound")
END
is "$(cat checks)" sound "openjd: TOML with capabilities by its rules"

# --- Prometheus ---
if /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then # Debian's own: it is Debian's package
    /usr/bin/python3 - >checks <<'END'
from prometheus_client.parser import text_string_to_metric_families

families = {f.name: f for f in text_string_to_metric_families(open("prometheus.farm", encoding="utf-8").read())}
assert all(f.type == "gauge" and f.documentation for f in families.values()), families
workers = {s.labels["bdf"]: (s.value, s.labels["verdict"]) for s in families["oamqual_gcd_render_worker"].samples if s.labels["node"] == "blade"}
assert sorted(workers.values()) == [(0, "no-output"), (1, "accepted"), (1, "accepted")], workers
assert {s.value for s in families["oamqual_gcd_render_worker"].samples if s.labels["node"] == "stopped"} == {0}
assert {(s.labels["node"], s.labels["outcome"]) for s in families["oamqual_node_outcome"].samples} == {
    ("blade", "qualified"), ("stopped", "qualified"), ("dead", "node-down")}
assert {s.value for s in families["oamqual_gcd_memory_bytes"].samples} == {68702699520.0}
assert len(families["oamqual_gcd_render_seconds"].samples) == 4  # of six GCDs two rendered nothing
print("sound")
END
    is "$(cat checks)" sound "prometheus: its own client reads the metrics"
else
    skip "prometheus: its own client reads the metrics" "python3-prometheus-client is not installed"
fi

# --- CSV ---
python3 - >checks <<'END'
import csv

raw = open("csv.farm", "rb").read()
assert raw.endswith(b"\r\n") and raw.count(b"\n") == raw.count(b"\r\n") == 8
rows = list(csv.DictReader(open("csv.farm", newline="", encoding="utf-8"), strict=True))
assert len(rows) == 7 and all(None not in r and None not in r.values() for r in rows), rows
assert [r["render_worker"] for r in rows] == ["yes", "no", "yes", "no", "no", "no", ""], rows
assert rows[-1]["node"] == "dead" and rows[-1]["evidence"] == "'=cmd|' /C calc'!A0", rows[-1]
assert not [v for r in rows for v in r.values() if v[:1] in "=+-@\t\r" and v]
print("sound")
END
is "$(cat checks)" sound "csv: Python reads it strictly, a row a GCD and one for a node without; no cell is a formula"
finish
