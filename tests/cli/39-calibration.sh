#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The references of expected/: complete, what their provenance says, and able to tell noise from damage. A sample of
# `make check-damage` with one fresh render of three scenes.
. "$SOURCE/tests/cli/lib.sh"

cat >check.py <<'END'
"""Each scene and series: a reference of the four files, or a stated reason. Digests by hashlib, sizes by the EXR header."""
import hashlib
import json
import pathlib
import struct
import sys

source, name = pathlib.Path(sys.argv[1]), sys.argv[2]
scene = json.loads((source / "scenes" / name / "scene.json").read_text())
absent = json.loads((source / "expected/absent.json").read_text())
wrong = []


def need(fact, what):
    if not fact:
        wrong.append("%s: %s" % (series, what))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def attribute(path, key, form):
    data = path.read_bytes()[:4096]
    at = data.index(b"\0" + key.encode() + b"\0") + len(key) + 2
    kind, rest = data[at:].split(b"\0", 1)
    return struct.unpack(form, rest[4:4 + struct.calcsize(form)])


def size(path):
    left, top, right, bottom = attribute(path, "displayWindow", "<4i")
    return [right - left + 1, bottom - top + 1]


def check(folder):
    made, limits = (json.loads((folder / (n + ".json")).read_text()) for n in ("provenance", "limits"))
    need(made["blender"]["version"].startswith(series + "."), "rendered by Blender %s" % made["blender"]["version"])
    need(made["reference_sha256"] == sha256(folder / "reference.exr"), "digest of reference.exr")
    need(made["noise_sha256"] == sha256(folder / "noise.exr"), "digest of noise.exr")
    need(made["tree_sha256"] == scene["tree_sha256"], "tree digest")
    need(made["archive_sha256"] == sha256(source / "scenes" / name / scene["archive"]), "digest of the archive")
    need(made["device"]["type"] == "CPU", "rendered by a CPU")
    for key in ("width", "height", "samples", "seed", "frame", "denoising"):
        need(made[key] == scene[key], key)
    need(made.get("parameters", {}) == scene.get("parameters", {}), "parameters")
    for file in ("reference.exr", "noise.exr"):
        need(size(folder / file) == [scene["width"], scene["height"]], "size of " + file)
    noise, why = limits["noise"], limits["calibration"]["noise"]
    need(limits["schema"] == "oamqual-limits/2", "schema")
    need(noise["renders"] == why["model_renders"] >= 12 and why["clean_renders"] >= 7, "renders of the model")
    for key, floor in why["floors"].items():
        need(noise[key] >= 1.2 * why["clean_largest"][key] * .999 and noise[key] >= floor, key + " above what is clean")
        need(noise[key] <= max(floor, 1.2 * why["clean_largest"][key] * 1.1), key + " no wider than its rule")
    need(noise["outliers"] <= 0.05, "outliers")
    for key, floor in limits["calibration"]["floors"].items():
        measured = limits["calibration"]
        rule = max(floor, min(20 * measured["same_seed_largest"][key], measured["other_seeds_smallest"][key] / 4))
        need(rule * .999 <= limits[key] <= rule * 1.11, key + " by its rule")


for series in ("3.4", "4.3", "5.2"):
    flat = source / "expected" / name
    folder = flat if series == "3.4" else flat / series
    why = absent.get(name, {}).get(series)
    there = (folder / "reference.exr").exists()
    need(there != bool(why), "neither a reference nor a reason, or both")
    need(there or scene["denoising"], "no build here lacks anything but a denoiser: %s" % why)
    if there:
        check(folder)
print("; ".join(wrong) or "right")
END

for scene in "$SOURCE"/scenes/*/scene.json; do
    name=$(basename "$(dirname "$scene")")
    is "$(python3 check.py "$SOURCE" "$name" 2>&1 | tail -1)" right "D11 $name: references of 3.4, 4.3 and 5.2 with their provenance, or why not"
done
is "$([ "$(du -sk "$SOURCE/expected" | cut -f1)" -le 15360 ] && echo small)" small "all references together are under 15 MB"

for tool in blender zstd; do
    have $tool || {
        skip "clean renders pass and damage does not" "$tool is not installed"
        finish
    }
done
case $(blender --version | head -1) in "Blender 3.4"*) ;; *)
    skip "clean renders pass and damage does not" "this is not Debian 12's Blender 3.4"
    finish
    ;;
esac

# --- damage: other noise than the reference's, then each kind of the corpus on it
build=$(dirname "$OAMQUAL_RELEASE")
[ -x "$build/tests/make_damage" ] || build=$(dirname "$OAMQUAL")
status=0
"$SOURCE/tests/damage/check_damage.py" --build "$build" --folder "$PWD/damage" --seeds 1 --rows rows \
    cornell textures volume >out 2>err || status=$?
exits 0 "clean renders are accepted, and all that is promised is found"

# count EXPRESSION: of the rows that it is true for, how many are accepted, and how many there are.
count() {
    python3 -c 'import json, sys
rows = [json.loads(line) for line in open("rows")]
mine = [r for r in rows if eval(sys.argv[1])]
print(sum(r["accepted"] for r in mine), "of", len(mine))' "$1"
}
is "$(count 'r["kind"] == "clean"')" "3 of 3" "D15: fresh renders pass"
is "$(count 'r["kind"] == "clean" and r["by"] == "noise-model"')" "3 of 3" "by the noise model, not by equal noise"
is "$(count 'r["kind"] == "salt" and r["strength"] == 0.02')" "9 of 9" "D10: 0.02 % of the pixels off pass"
is "$(count 'r["kind"] == "salt" and r["strength"] >= 2')" "0 of 18" "D10: 2 % do not, by their count"
is "$(count 'r["kind"] == "non-finite"')" "0 of 18" "NaN and infinite pixels never pass"
is "$(count 'r["kind"] == "empty"')" "0 of 9" "nor black, one colour or alpha 0"
is "$(count 'r["kind"] == "dark-corner" and r["strength"] >= 15' | cut -d' ' -f1)" 0 "nor a corner 15 % darker"
is "$(count 'r["kind"] == "shift" and r["strength"] >= 2 and r["scene"] == "textures"')" "0 of 8" "nor textures moved by 2 pixels"
is "$(count 'r["kind"] == "black-block" and r["strength"] >= 8' | cut -d' ' -f1)" 0 "nor black blocks of 8 pixels"

# --- D21: only the volume region is missing: the picture of the scene without its smoke
cat >without.py <<'END'
import json, pathlib, sys
source = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(source / "scenes")]
sys.dont_write_bytecode = True
from references.blender import Blender
from references.scene import Scene
folder = pathlib.Path.cwd() / "without"
folder.mkdir()
scene = Scene(sys.argv[2], source / "scenes/volume", {})
job = scene.job(folder, "no-glow", seed=scene.json["seed"] + 1103, edit="no-glow", scene="volume")
Blender("blender").render(folder, scene.unpack(folder), [job], script=source / "tests/damage/edits.py")
END
python3 without.py "$SOURCE" "$OAMQUAL_RELEASE" || exit 1
echo "no-glow 1 $PWD/without/no-glow.exr" |
    "$build/tests/make_damage" "$SOURCE/scenes/volume" "$SOURCE/expected/volume" 3.4 >row || exit 1
is "$(field row 'd["accepted"]')" False "D21: a missing volume is refused: $(field row 'd["why"]')"
run compare --fast --json without/no-glow.exr "$SOURCE/expected/volume/reference.exr" --limits "$SOURCE/expected/volume/limits.json" \
    --noise "$SOURCE/expected/volume/noise.exr"
exits 1 "D21: by oamqual compare as well"
finish
