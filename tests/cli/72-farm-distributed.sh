#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One frame over the GCDs of several nodes, on a real Slurm: the rank map from the ranks' own evidence, the merged picture,
# a rank that is lost, a node that is lost while it renders, and going on after it. Ranks are the stand-in Blender.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/farm/lib.sh"

missing=$(farm_missing)
have oiiotool || missing="${missing:-no oiiotool: package openimageio-tools}"
if [ -n "$missing" ]; then
    skip "a frame over several nodes" "$missing"
    finish
fi
farm_place

# How the ranks of a node behave from now on; what else it renders stays faithful.
#   ranks_mode NODE MODES [SHELL]   MODES: "bdf=mode ..."; SHELL runs before Blender
ranks_mode() {
    farm_mode "$1" faithful
    { cat "$place/mode/$1"
      printf 'export FAKE_PARTS=%s FAKE_MODES="%s"\n%s\n' "$place/parts" "$2" "${3:-}"; } >"$place/mode/$1.new"
    mv "$place/mode/$1.new" "$place/mode/$1"
}

# Shares whose mean, by their samples, is the reference: of 6, 5 and 5 samples, and of the first node's own frame of 8 and 8.
mkdir "$place/parts"
reference=$place/expected/cornell/reference.exr
oiiotool --pattern constant:color=0,0,0,0 128x128 4 --noise:type=gaussian:mean=0:stddev=0.01:seed=3 --ch R,G,B,A=0 -o noise.exr
share() { # samples, file, operation
    oiiotool "$reference" noise.exr "$3" --sattrib cycles.ViewLayer.samples "$1" -o "$place/parts/$2.exr"
}
oiiotool "$reference" --sattrib cycles.ViewLayer.samples 6 -o "$place/parts/0-6.exr"
oiiotool "$reference" --sattrib cycles.ViewLayer.samples 5 -o "$place/parts/0-5.exr" # what a rank makes that renders the first share again
share 5 6-5 --add
share 5 11-5 --sub
share 8 0-8 --add
share 8 8-8 --sub

farm_node zeta
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant plain --devices 2 --out "$place/nodes/alpha" >/dev/null || exit 1
ranks_mode zeta ''
ranks_mode alpha ''
farm_cluster zeta=1 alpha=2

distribute() { # name of the run, nodes, more arguments
    name=$1
    nodes=$2
    shift 2
    status=0
    "$farm_tool" farm -w "$nodes" --share "$place/share" --name "$name" -t 5 --distributed "$@" $(farm_options) >out 2>err || status=$?
    run_dir=$place/share/$name
}

of() { # expression: evaluated with the case as c
    field "$run_dir/farm.json" "(lambda c: ($1))(d['distributed']['cases'][0])"
}

codes() {
    of "' '.join(sorted({f['code'] for f in c['findings'] if f['weight'] != 'note'}))"
}

# --- all as it should be: the nodes are asked for in another order than the ranks have ---

distribute good zeta,alpha
exits 0 "three ranks on two nodes that do as they should are accepted"
is "$(field "$run_dir/farm.json" "d['distributed']['outcome']") $(of "c['outcome'], c['why']")" "accepted ('accepted', None)" "and the frame is"
is "$(field "$run_dir/farm.json" "[(n['node'], n['outcome']) for n in d['distributed']['nodes']]")" \
    "[('zeta', 'not-run'), ('alpha', 'accepted')]" "each node's own frame stands beside it, by its record"
is "$(of "[(r['rank'], r['node'], r['bdf'], r['asked']['first'], r['asked']['count']) for r in c['ranks']]")" \
    "[(0, 'alpha', '0000:c1:00.0', 0, 6), (1, 'alpha', '0000:c6:00.0', 6, 5), (2, 'zeta', '0000:c1:00.0', 11, 5)]" \
    "ranks are numbered by node name, then by GCD, and share the samples"
is "$(of "[(r['seen']['first'], r['seen']['count'], r['seen']['count_by_log'], r['seen']['count_by_file']) for r in c['ranks']]")" \
    "[(0, 6, 6, 6), (6, 5, 5, 5), (11, 5, 5, 5)]" "what each rendered is told by Blender, by Cycles' log and by the picture"
is "$(of "[r['seen']['traced_on'] for r in c['ranks']]")" "['HIP_Fake_0000:c1:00', 'HIP_Fake_0000:c6:00', 'HIP_Fake_0000:c1:00']" "on which GCD"
is "$(of "[r['unique_id'] for r in c['ranks']]")" \
    "$(python3 - "$place" <<'END'
import json, sys
print([g["unique_id"] for n in ("alpha", "zeta") for g in json.load(open("%s/nodes/%s/node.json" % (sys.argv[1], n)))["hip"]["devices"]])
END
)" "with their unique ids"
is "$(of "[r['numa_node']['value'] for r in c['ranks']]")" \
    "$(python3 - "$place" <<'END'
import sys
print([int(open("%s/nodes/%s/sys/bus/pci/devices/%s/numa_node" % (sys.argv[1], n, b)).read())
       for n, b in (("alpha", "0000:c1:00.0"), ("alpha", "0000:c6:00.0"), ("zeta", "0000:c1:00.0"))])
END
)" "and NUMA nodes"
is "$(of "[len(r['module']['gcds']) for r in c['ranks']]")" "[2, 2, 1]" "and modules"
is "$(of "len({r['pid'] for r in c['ranks']}) == 3 and all(r['pid'] == r['seen']['pid'] for r in c['ranks'])")" True \
    "the process that was started is the one that reports"
pids=$(python3 - "$run_dir" <<'END'
import glob, json, sys
print(sorted(json.load(open(p))["pid"] for p in glob.glob(sys.argv[1] + "/frame/nodes/*/ranks/cornell/*/worker.json")))
END
)
is "$(of "sorted(r['seen']['pid'] for r in c['ranks'])")" "$pids" "as each left in its own evidence"

cd "$run_dir/frame/nodes" || exit 1
parts=$(echo alpha/ranks/cornell/000-*/image.exr alpha/ranks/cornell/001-*/image.exr zeta/ranks/cornell/002-*/image.exr)
cd - >/dev/null || exit 1
set -- $parts
oiiotool "$run_dir/frame/nodes/$1" --mulc 6 "$run_dir/frame/nodes/$2" --mulc 5 --add "$run_dir/frame/nodes/$3" --mulc 5 --add --divc 16 -o mean.exr
merged=$run_dir/$(of "c['merged']['file']")
if idiff -q -fail 1e-6 -warn 1e-6 -failpercent 0 "$merged" mean.exr; then pass "the merged picture is oiiotool's weighted mean of the shares"; else
    fail "the merged picture is oiiotool's weighted mean of the shares" "$(idiff "$merged" mean.exr)"
fi
is "$(of "c['merged']['sha256']")" "$(sha256sum "$merged" | cut -d' ' -f1)" "its digest is recorded"
is "$(of "c['merged']['whole']['comparison']['within']") $(of "c['merged']['whole']['node'], c['merged']['whole']['bdf']")" \
    "True ('alpha', '0000:c1:00.0')" "it is the picture of one GCD alone, which is named"
if [ -s "$run_dir/$(of "c['merged']['whole']['file']")" ]; then pass "  and is there"; else fail "  and is there" "$(of "c['merged']['whole']['file']")"; fi
is "$(of "c['merged']['match']['basis']")" same-noise "and it is the reference's"
says '^all nodes together +scene cornell: accepted' "the text says so"
is "$(grep -c 'One frame over several GCDs' "$run_dir/report.html") $(grep -o 'data-label="counted by the log"' "$run_dir/report.html" | wc -l)" "1 3" \
    "and the page has a section, a row a rank"

valid() { # title: farm.json is of its published form
    if ! python3 -c 'import jsonschema' 2>/dev/null; then
        skip "$1" "python3-jsonschema is not installed"
        return
    fi
    python3 - "$SOURCE/docs/farm.schema.json" "$run_dir/farm.json" >schema.txt 2>&1 <<'END'
import json, sys
import jsonschema
schema, farm = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(farm, schema)
END
    is "$?" 0 "$1 $(tail -n 3 schema.txt)"
}
valid "farm.json is of its published form"

# again: changes zeta's evidence on the share, so that its ranks are rendered again, and goes on.
change() {
    worker=$(echo "$run_dir"/frame/nodes/zeta/ranks/cornell/002-*/worker.json)
    if [ -s "$worker" ]; then sed -i 's/"count": 5/"count": 6/' "$worker"; fi
    echo more >>"$run_dir/frame/nodes/zeta/cornell.manifest.json"
}
again() {
    change
    status=0
    "$farm_tool" farm --resume "$run_dir" --poll 1 -q >out 2>err || status=$?
}

# Evidence that was changed is none: that node's ranks, and only those, are rendered again.
job=$(field "$run_dir/frame/jobs/alpha.json" "d['id']")
ranks_mode zeta 0000:c1:00.0=rank-other-share-as-own
again
exits 1 "a frame with a share that only claims to be another is not accepted"
is "$(codes)" "merged-differs merged-no-reference picture-twice" "which is found"
is "$(of "[f['subject'] for f in c['findings'] if f['code'] == 'picture-twice']")" "['rank 2 (zeta 0000:c1:00.0)']" "across nodes"
is "$(field "$run_dir/frame/jobs/alpha.json" "d['id']")" "$job" "ranks whose evidence was changed are rendered again, and no others"
is "$(ls "$run_dir/frame/earlier" | grep -c '^zeta-.*[.]node$')" 1 "and what was changed is kept apart"

# --- a rank is lost ---

ranks_mode zeta 0000:c1:00.0=rank-killed
again
exits 1 "a frame with a rank that is killed is not accepted"
is "$(of "c['outcome']") $(codes)" "failed not-merged range-missing rank-lost" "it fails"
is "$(of "[f['subject'] for f in c['findings'] if f['code'] == 'rank-lost']")" "['rank 2 (zeta 0000:c1:00.0)']" "by the rank's name and node"
is "$(of "[f['text'] for f in c['findings'] if f['code'] == 'range-missing'][0]")" "samples 11 to 15 of the frame's 16 were rendered by no rank" \
    "its samples are missing"
says '^all nodes together .*failed, rank 2 .zeta 0000:c1:00.0. is lost: crashed' "the text names it"
is "$(of "[r['rendered'] for r in c['ranks']], [bool(r['folder']) for r in c['ranks']]")" "(['yes', 'yes', 'no'], [True, True, True])" \
    "the others' evidence is kept"
is "$(field "$run_dir/farm.json" "[n['outcome'] for n in d['nodes']]")" "['qualified', 'qualified']" "no node loses its record"
valid "and farm.json is of its published form"

# --- the GCD is not what the record says ---

mv "$place/nodes/zeta" zeta
cp -r zeta "$place/nodes/zeta"
python3 - "$place/nodes/zeta" <<'END'
import json, os, sys
old = int(json.load(open(sys.argv[1] + "/node.json"))["hip"]["devices"][0]["unique_id"], 16)
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            continue
        text = open(path, "rb").read()
        changed = text.replace(b"%d" % old, b"%d" % (old ^ 1)).replace(b"%016x" % old, b"%016x" % (old ^ 1))
        if changed != text:
            open(path, "wb").write(changed)
END
ranks_mode zeta ''
again
is "$(of "c['outcome']") $(codes)" "failed gcd-changed" "another GCD at the address is found"
python3 - "$run_dir/frame/nodes/zeta/ranks.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for rank in d["ranks"]:
    rank["line"]["unique_id"] = None
json.dump(d, open(sys.argv[1], "w"))
END
"$farm_tool" farm --resume "$run_dir" --poll 1 -q >out 2>err
is "$(of "c['outcome']") $(codes)" "inconclusive gcd-changed" "one that does not say which it is is not taken for the record's"
rm -r "$place/nodes/zeta"
python3 "$SOURCE/tests/nodes/make_nodes.py" --variant no-gpu --out "$place/nodes/zeta" >/dev/null || exit 1
again
is "$(of "c['outcome']") $(codes)" "failed not-merged range-missing rank-lost" "and one that is gone"
says '^all nodes together .*rank 2 .zeta 0000:c1:00.0. is lost: the node no longer has this GCD' "with the reason"
rm -r "$place/nodes/zeta"
mv zeta "$place/nodes/zeta"

# --- a node is lost while its ranks render ---

ranks_mode zeta '' 'case $PWD in *-rank-*) sleep 300 ;; esac'
killed_job=$(field "$run_dir/frame/jobs/zeta.json" "d['id']")
change
"$farm_tool" farm --resume "$run_dir" --poll 1 >out 2>err &
farm=$!
is_rendering() {
    [ "$(field "$run_dir/frame/jobs/zeta.json" "d['id']")" != "$killed_job" ] && is_running_on "$run_dir/frame" zeta
}
wait_for 60 is_rendering || fail "its ranks render" "$(cat err)"
scancel "$(field "$run_dir/frame/jobs/zeta.json" "d['id']")"
status=0
wait $farm || status=$?
exits 1 "a frame of which a node is lost is not accepted"
is "$(of "c['outcome'], [f['subject'] for f in c['findings'] if f['code'] == 'rank-lost']")" "('failed', ['rank 2 (zeta 0000:c1:00.0)'])" \
    "its rank is named"
is "$(of "c['ranks'][2]['ended'].split(',')[0], c['ranks'][2]['folder']")" "(\"its node's job: cancelled\", None)" "with what became of its node's job"
valid "and farm.json is of its published form"
ranks_mode zeta ''
status=0
"$farm_tool" farm --resume "$run_dir" --poll 1 -q >out 2>err || status=$?
exits 0 "resumed, the frame is accepted"
is "$(of "c['outcome']") $(field "$run_dir/frame/jobs/alpha.json" "d['id']")" "accepted $job" "and only the lost node rendered again"

# --- where it cannot be ---

distribute alone zeta
exits 3 "one node has no frame over several: not judged"
is "$(of "c['outcome'], c['ranks']")" "('not-run', [])" "and says so"
valid "and farm.json is of its published form"
finish
