# SPDX-License-Identifier: Apache-2.0
"""Records as `diff` and `history` read them, made of few words. What a record must say so as not to contradict itself is worked
out here once more, independently of the program."""
import json
import pathlib

CARDS = [("0000:c1:00.0", "0x1111111111111111"), ("0000:c6:00.0", "0x2222222222222222")]
CASES = [("strict", False), ("as-farm", False), ("strict", True)]


def fact(value, source="kfd"):
    if value is None:
        return {"value": None, "class": "unknown", "why": "nobody could read it"}
    return {"value": value, "class": "simulated", "from": source}


def rung(number):
    return {"rung": number, "name": "rung-%d" % number}


def attempt(number, scene, probe, together, card, verdict="accepted", seconds=10.0, memory=2 << 30, repeat=1, at=11):
    good = verdict == "accepted"
    return {"number": number, "scene": scene, "probe": probe, "together": together, "repeat": repeat, "skipped": None,
            "device": {"bdf": card[0], "unique_id": card[1], "gfx_target": "gfx90a"} if card else None,
            "source": "simulated" if card else "observed", "verdict": verdict, "why": verdict,
            "decided_by": None if good else {"fact": "x", "rung": rung(at), "evidence": "because of " + verdict},
            "first_rung_not_yes": None if good else rung(at),
            "rungs": [dict(rung(1), answer="yes", facts=[])] + ([] if good else [dict(rung(at), answer="no", facts=[])]),
            "process": [], "counters": [], "ending": {"pid": 1000 + number, "wall_seconds": seconds + 1},
            "timing": {"started": None, "render_seconds": seconds, "kernel_compile_seconds": None},
            "vram_peak_bytes": fact(memory) if card else None, "folder": "attempts/%03d" % number}


def gcd(card, attempts, scenes):
    mine = [a for a in attempts if a["device"] and a["device"]["bdf"] == card[0]]
    bad = [a for a in mine if a["verdict"] != "accepted"]
    decider = next((a for a in bad if a["probe"] == "strict"), bad[0] if bad else None)
    missing = None
    for scene in scenes:
        for probe, together in CASES:
            if not any(a["verdict"] == "accepted" for a in mine
                       if (a["scene"], a["probe"], a["together"]) == (scene, probe, together)):
                missing = missing or "scene %s, probe %s, %s: not accepted, or not run" % (
                    scene, probe, "all GCDs at once" if together else "alone")
    verdict = decider["verdict"] if decider else "inconclusive" if missing else "accepted"
    return {"bdf": card[0], "verdict": verdict, "render_worker": verdict == "accepted", "attempts": len(mine),
            "accepted_attempts": len(mine) - len(bad), "missing_case": missing,
            "decided_by_attempt": decider["number"] if decider else None,
            "decided_at": decider["decided_by"]["rung"] if decider else None,
            "first_rung_not_yes": decider["first_rung_not_yes"] if decider else None,
            "evidence": decider["decided_by"]["evidence"] if decider else missing or
            "every scene that was not skipped, by both probes, alone and together"}


def record(started="2026-11-01T00:00:00Z", node="n1", cards=CARDS, scenes=("cornell",), repeats=1, verdicts=None, seconds=None,
           memory=None, driver="6.3.6", kernel="6.1.0", blender="4.3.2", rocm="6.3.0", limits=0.02, tree="a" * 64,
           findings=(), interrupted=False, source="simulated"):
    """`verdicts`: (address, scene, probe, together) or address -> verdict; `seconds`, `memory`: a function of the same four and
    the repeat, or a number."""
    attempts = []

    def value(given, default, *case):
        return default if given is None else given(*case) if callable(given) else given

    for scene in scenes:
        attempts.append(attempt(len(attempts) + 1, scene, "control", False, None))
        for card in cards:
            for probe, together in CASES:
                for repeat in range(1, repeats + 1):
                    case = (card[0], scene, probe, together)
                    verdict = (verdicts or {}).get(case, (verdicts or {}).get(card[0], "accepted"))
                    attempts.append(attempt(len(attempts) + 1, scene, probe, together, card, verdict,
                                            value(seconds, 10.0, *case, repeat), value(memory, 2 << 30, *case, repeat), repeat))
    gpus = [{"bdf": fact(bdf), "unique_id": fact(uid), "gfx_target": fact("gfx90a"), "vram_total": fact(64 << 30),
             "kfd_gpu_id": fact(len(node) + i), "hip_index": fact(i)} for i, (bdf, uid) in enumerate(cards)]
    return {"schema": "oamqual-record/1", "source": source, "tool": {"name": "oamqual", "version": "0.1.0", "commit": "c"},
            "run": {"started": started, "ended": started, "interrupted": interrupted, "command": ["qualify", started],
                    "repeats": repeats, "suite": "basic", "deadline_seconds": 900, "inherited": []},
            "node": {"name": node, "source": source, "gpus": gpus, "hip": {"state": fact("answered")}},
            "system": {"kernel": fact(kernel), "amdgpu_driver": fact(driver), "rocm_release": fact(rocm)},
            "host": {}, "blender": {"version": blender, "sha256": blender * 3, "path": "/" + started},
            "scenes": [{"name": s, "tree_sha256": tree, "settings": {"samples": 16}, "skipped": None,
                        "references": [{"name": "", "blender": "4.3", "sha256": "b" * 64, "path": "/" + started,
                                        "limits": {"pixel_limit": limits}}]} for s in scenes],
            "gcds": [gcd(card, attempts, scenes) for card in cards], "attempts": attempts, "counts": {"masks": []},
            "findings": [dict(zip(("code", "weight", "subject", "text"), f), remedy=None) for f in findings],
            "files": [{"path": started, "bytes": 1, "sha256": "0" * 64}]}


def write(path, made):
    folder = pathlib.Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "record.json").write_text(json.dumps(made, indent=1))
