#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""False alarms and finds of the references in expected/: clean renders, each with a seed that neither made the noise model
nor its limits, must all be accepted; damage of each kind, made from such a render, is counted by strength.

Renders stay in FOLDER (default build/damage) and are used again. Exits 1 on a false alarm, or when damage passes that
PROMISE says is found. --write puts the tables into a page, between its markers.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(SOURCE / "scenes"), str(SOURCE / "tests/damage")]

from references.blender import Blender, Skipped  # noqa: E402
from references.scene import Scene  # noqa: E402

CLEAN_SEEDS = range(1001, 1017)  # beyond the scene's own seed
DAMAGED = 2  # of them are damaged

# From this strength on every damaged picture of every scene is refused, where the kind applies.
PROMISE = {
    "dark-corner": 15, "gain": 3, "cast": 3, "banding": 5, "clipped": 2, "black-block": 8, "magenta-block": 8,
    "neighbour-block": 32, "shift": 2, "shift-part": 2, "missing-rows": 4, "blur": 2, "salt": 5, "non-finite": 1,
    "empty": 1, "thin": 1, "half-samples": 50, "no-smoke": 1, "no-amber": 1, "no-glow": 1,
}


def edits_of(name):
    """The table in edits.py, which only Blender can import."""
    text = (SOURCE / "tests/damage/edits.py").read_text()
    row = re.search(r'(?m)^    "%s": \{(.*)\},$' % name, text)
    return re.findall(r'"([\w-]+)": ', row.group(1)) if row else []


def jobs_of(scene, folder, seeds):
    """(line of the list, job) of each render; one seed alone: no other renders."""
    seed = scene.json["seed"]
    path = lambda name: folder / (name + ".exr")
    rows = [("clean %s" % path("clean-%d" % n), scene.job(folder, "clean-%d" % n, seed=seed + n)) for n in seeds]
    if len(rows) == 1:
        return rows
    rows.append(("half-samples 50 %s" % path("half"),
                 scene.job(folder, "half", seed=seed + 1101, samples=scene.json["samples"] // 2)))
    if scene.name == "motion":
        rows.append(("other-frame 1 %s" % path("frame"),
                     scene.job(folder, "frame", seed=seed + 1102, frame=scene.json["frame"] + 1)))
    for i, name in enumerate(edits_of(scene.name)):
        rows.append(("%s 1 %s" % (name, path(name)),
                     scene.job(folder, name, seed=seed + 1103 + i, edit=name, scene=scene.name)))
    return rows


def renders(blender, scene, folder, seeds):
    """The lines of the list; renders what is not there, or was of another scene or Blender."""
    rows = jobs_of(scene, folder, seeds)
    stamp = folder / "jobs.json"
    made = json.loads(stamp.read_text()) if stamp.exists() else {}
    maker = [scene.tree, str(blender.binary), blender.binary.stat().st_size]
    wanted = {job["output"]: [maker, job] for _, job in rows}
    missing = [job for _, job in rows if made.get(job["output"]) != wanted[job["output"]]]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / "scene", ignore_errors=True)
        blend = scene.unpack(folder)
        plain = [job for job in missing if "edit" not in job]
        if plain:
            blender.render(folder, blend, plain)
        # An edit stays, so each has a process of its own.
        for job in (job for job in missing if "edit" in job):
            blender.render(folder, blend, [job], script=SOURCE / "tests/damage/edits.py")
        stamp.write_text(json.dumps({**made, **wanted}))
    return [line for line, _ in rows]


def judge(args, scene, series, lines):
    lines = lines + ["damage" + line[len("clean"):] for line in lines[:DAMAGED]]
    run = subprocess.run([str(args.build / "tests/make_damage"), str(SOURCE / "scenes" / scene.name),
                          str(args.expected / scene.name), series], input="\n".join(lines) + "\n",
                         stdout=subprocess.PIPE, text=True, check=True)
    return [{**json.loads(line), "scene": scene.name, "series": series} for line in run.stdout.splitlines()]


def measure(args):
    found = []
    for path in args.blender or ["blender"]:
        blender = Blender(path)
        series = blender.version().rsplit(".", 1)[0]
        for name in args.names or sorted(p.parent.name for p in SOURCE.glob("scenes/*/scene.json")):
            scene = Scene(str(args.build / "oamqual"), SOURCE / "scenes" / name, {})
            try:
                rows = judge(args, scene, series, renders(
                    blender, scene, args.folder / (name + "-" + series), CLEAN_SEEDS[:args.seeds]))
            except Skipped as why:
                print("%s %s: skipped: %s" % (name, series, why), file=sys.stderr)
                continue
            found += rows
            clean = [r for r in rows if r["kind"] == "clean"]
            print("%s %s: %d clean, %d refused, at most %.2f of a limit; %d damaged, %d passed" % (
                name, series, len(clean), sum(not r["accepted"] for r in clean), max(r["over"] for r in clean),
                len(rows) - len(clean), sum(r["accepted"] for r in rows) - sum(r["accepted"] for r in clean)),
                file=sys.stderr, flush=True)
    return found


# --- tables -------------------------------------------------------------------------------------------------------


def strengths(rows):
    """{kind: {strength: [rows]}} of the damaged ones, in the order of the corpus."""
    table = collections.OrderedDict()
    for row in rows:
        if row["kind"] != "clean":
            table.setdefault(row["kind"], {}).setdefault(row["strength"], []).append(row)
    return table


def number(value):
    return "%g" % value


def kinds_table(rows):
    lines = ["| kind | strength: found of made | every one from |", "|---|---|---|"]
    for kind, by_strength in strengths(rows).items():
        unit = next(iter(by_strength.values()))[0]["unit"]
        cells = ["%s: %d/%d" % (number(s), sum(not r["accepted"] for r in made), len(made))
                 for s, made in sorted(by_strength.items())]
        lines.append("| %s | %s | %s |" % (kind, ", ".join(cells), words(all_from(by_strength), unit)))
    return lines


def words(strength, unit):
    return "not within these" if strength is None else (number(strength) + " " + unit).strip()


def all_from(by_strength):
    """The least strength from which on every picture is refused, or None."""
    least = None
    for strength, made in sorted(by_strength.items(), reverse=True):
        if any(r["accepted"] for r in made):
            break
        least = strength
    return least


def scenes_table(rows):
    kinds = [k for k in ("dark-corner", "gain", "cast", "banding", "black-block", "neighbour-block", "shift", "shift-part",
                         "blur", "clipped", "salt", "missing-rows") if any(r["kind"] == k for r in rows)]
    lines = ["| scene | Blender | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 2) + "|"]
    for key in sorted({(r["scene"], r["series"]) for r in rows}):
        mine = strengths(r for r in rows if (r["scene"], r["series"]) == key)
        cells = [("n/a" if k not in mine else number(all_from(mine[k])) if all_from(mine[k]) is not None else "-") for k in kinds]
        lines.append("| %s | %s | " % key + " | ".join(cells) + " |")
    return lines


def edits_table(rows):
    lines = ["| scene | rendered without | " + " | ".join(sorted({r["series"] for r in rows})) + " |", "|---|---|"]
    series = sorted({r["series"] for r in rows})
    lines[1] += "---|" * len(series)
    for scene in sorted({r["scene"] for r in rows}):
        for kind in (*edits_of(scene), "other-frame", "half-samples"):
            mine = {r["series"]: r for r in rows if r["scene"] == scene and r["kind"] == kind}
            if mine:
                lines.append("| %s | %s | %s |" % (scene, kind, " | ".join(
                    "n/a" if s not in mine else "passes" if mine[s]["accepted"] else "found" for s in series)))
    return lines


def clean_table(rows):
    clean = [r for r in rows if r["kind"] == "clean"]
    lines = ["| Blender | scenes | clean pairs | refused | nearest to a limit |", "|---|---|---|---|---|"]
    for series in (*sorted({r["series"] for r in clean}), None):
        mine = [r for r in clean if series in (None, r["series"])]
        worst = max(mine, key=lambda r: r["over"])
        lines.append("| %s | %d | %d | %d | %.2f (%s) |" % (
            series or "all", len({r["scene"] for r in mine}), len(mine), sum(not r["accepted"] for r in mine),
            worst["over"], worst["scene"]))
    return lines


TABLES = {"clean": clean_table, "kinds": kinds_table, "scenes": scenes_table, "edits": edits_table}


def write(page, rows):
    text = page.read_text()
    for name, make in TABLES.items():
        block = "<!-- %s: check_damage.py --write -->" % name
        text = re.sub(re.escape(block) + r"\n(?:\|.*\n)*", lambda _: block + "\n" + "\n".join(make(rows)) + "\n", text)
    page.write_text(text)


def broken(rows):
    """False alarms, and damage that passed although it is promised to be found."""
    wrong = ["%s %s: clean and refused: %s (%s)" % (r["scene"], r["series"], r["picture"], r["why"])
             for r in rows if r["kind"] == "clean" and not r["accepted"]]
    wrong += ["%s %s: %s %g (%d) passed as %s" % (r["scene"], r["series"], r["kind"], r["strength"], r["variant"], r["by"])
              for r in rows if r["accepted"] and r["strength"] >= PROMISE.get(r["kind"], 1e9)]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="holds oamqual and tests/make_damage")
    parser.add_argument("--blender", action="append", metavar="PATH")
    parser.add_argument("--expected", type=pathlib.Path, default=SOURCE / "expected")
    parser.add_argument("--folder", type=pathlib.Path, default=SOURCE / "build/damage")
    parser.add_argument("--seeds", type=int, default=len(CLEAN_SEEDS), help="clean renders of each scene and Blender")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--rows", type=pathlib.Path, metavar="FILE", help="keep every row as JSON lines")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    rows = measure(args)
    if args.rows:
        args.rows.write_text("".join(json.dumps(r) + "\n" for r in rows))
    if args.write:
        write(args.write, rows)
    else:
        for make in TABLES.values():
            print("\n".join(make(rows)) + "\n")
    wrong = broken(rows)
    print("\n".join(wrong) or "no false alarm, and all that is promised is found", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
