# SPDX-License-Identifier: Apache-2.0
"""What a new reference changes: old, new and their difference as a picture, and a line of a table."""
import json
import subprocess


def old_provenance(folder):
    try:
        return json.loads((folder / "provenance.json").read_text())
    except (OSError, ValueError):
        return None


def still_holds(oamqual, old, provenance, image):
    """The old picture is of this scene, these settings and this Blender, and the new render has its noise."""
    before = old_provenance(old)
    if not before:
        return False
    keys = ("tree_sha256", "width", "height", "samples", "seed", "frame", "denoising", "reference_sha256")
    if any(before.get(k) != provenance[k] for k in keys[:-1]) or before.get("parameters", {}) != provenance["parameters"]:
        return False
    if before["blender"].get("binary_sha256") != provenance["blender"]["binary_sha256"]:
        return False
    run = subprocess.run([oamqual, "compare", "--fast", "--json", str(image), str(old / "reference.exr"), "--limits",
                          str(old / "limits.json")], stdout=subprocess.PIPE)
    return json.loads(run.stdout)["basis"] == "same-noise"


def show(oamqual, old, new, picture):
    """Writes `picture` (new, old, difference) when both can be compared. Returns words for the table."""
    if not (old / "reference.exr").is_file():
        return "new"
    picture.parent.mkdir(parents=True, exist_ok=True)
    run = subprocess.run([oamqual, "compare", "--fast", "--json", str(new), str(old / "reference.exr"), "--limits",
                          str(old / "limits.json"), "--difference", str(picture)], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    try:
        c = json.loads(run.stdout)["comparison"]
    except ValueError:
        return "changed; the old one cannot be read"
    if not c["compared"]:
        return "changed; cannot be compared: " + c["why"]
    return "max %.3g, mean %.3g, worst tile %.3g; %s" % (c["max_error"], c["mean_error"], c["tile_error"], picture)
