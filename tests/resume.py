#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a qualification and resumes it, again and again: every time the final record must be the one of an undisturbed run.

usage: resume.py OAMQUAL random N SEED -- QUALIFY-ARGUMENTS...      N kills of the whole program at random moments
       resume.py OAMQUAL every CALL -- QUALIFY-ARGUMENTS...         a kill at every CALL (write, rename, fsync ...) it makes

The moment is the kernel's for `every` (strace delivers SIGKILL at the n-th call) and a clock's for `random`. One run may
be killed several times before it comes to its end. Prints TAP; a run that differs prints where.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

# What two runs of the same thing never share: times, process ids, sizes of a process, and digests of what holds those.
VOLATILE = {"started", "ended", "resumed", "seconds", "wall_seconds", "user_seconds", "system_seconds", "max_rss_kib", "pid",
            "render_seconds", "at", "text", "sha256", "bytes", "lines", "vram_peak_bytes", "health", "host", "system",
            "free", "vram_free", "hip_free_bytes"}


def stable(value):
    if isinstance(value, dict):
        return {k: stable(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, list):
        return [stable(v) for v in value]
    return value


def canonical(record):
    """The record without what is a matter of time; evidence that quotes a time is cut there."""
    record = stable(record)
    for attempt in record["attempts"]:
        for group in [attempt["process"]] + [r["facts"] for r in attempt["rungs"]]:
            for fact in group:
                fact["evidence"] = fact["evidence"].split(" after ")[0].split("; KFD saw")[0].split(" (")[0]
        if attempt["decided_by"]:
            attempt["decided_by"]["evidence"] = attempt["decided_by"]["evidence"].split(" after ")[0]
        if attempt["log"]:
            attempt["log"]["events"] = sorted(e["event"] for e in attempt["log"]["events"])
    for gcd in record["gcds"]:
        if gcd.get("evidence"):
            gcd["evidence"] = gcd["evidence"].split(" after ")[0].split("; KFD saw")[0].split(" (")[0]
    # The stand-in names its files by process.
    record["files"] = [f for f in record["files"] if not f["path"].startswith("node/")]
    return record


def differences(a, b, where=""):
    if type(a) is not type(b):
        return ["%s: %r, not %r" % (where, a, b)]
    if isinstance(a, dict):
        return [d for k in sorted(set(a) | set(b)) for d in differences(a.get(k), b.get(k), "%s.%s" % (where, k))]
    if isinstance(a, list):
        if len(a) != len(b):
            return ["%s: %d items, not %d" % (where, len(a), len(b))]
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, "%s[%d]" % (where, i))]
    return [] if a == b else ["%s: %r, not %r" % (where, a, b)]


class Runs:
    def __init__(self, program, arguments):
        self.program, self.arguments = program, arguments
        self.out = pathlib.Path("killed").resolve()
        self.begin = [program, "qualify", *arguments, "--quiet", "--out", str(self.out)]
        self.again = [program, "qualify", "--resume", str(self.out), "--quiet"]

    def start(self, command, **more):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def undisturbed(self):
        shutil.rmtree(self.out, ignore_errors=True)
        begin = time.monotonic()
        status = subprocess.run(self.begin, stdin=subprocess.DEVNULL, capture_output=True).returncode
        return status, self.record(), time.monotonic() - begin

    def record(self):
        path = self.out / "record.json"
        return canonical(json.loads(path.read_text())) if path.exists() else None

    def command(self):
        """To resume, unless it was killed before it had written down what it was asked."""
        if (self.out / "state.json").exists():
            return self.again
        shutil.rmtree(self.out, ignore_errors=True)
        return self.begin

    def finish(self):
        done = subprocess.run(self.command(), stdin=subprocess.DEVNULL, capture_output=True)
        return done.returncode, done.stderr.decode(errors="replace")


def leftovers(out):
    """Temporary files in the folder that would be half written."""
    return [str(p) for p in out.rglob("*.tmp-*")]


def report(number, runs, wanted, kills, what):
    status, said = runs.finish()
    found = runs.record()
    problems = ["no record: exit status %d: %s" % (status, said)] if found is None else differences(found, wanted[1])
    if status != wanted[0]:
        problems.append("exit status %d, not %d: %s" % (status, wanted[0], said))
    check = subprocess.run([runs.program, "verify", str(runs.out)], capture_output=True)
    if check.returncode != 0:
        problems.append("verify: " + check.stdout.decode(errors="replace") + check.stderr.decode(errors="replace"))
    print("%sok %d - %s: %s" % ("not " if problems else "", number, what, "same record after %d kills" % kills))
    for problem in problems[:12]:
        print("# " + problem[:400].replace("\n", " "))
    sys.stdout.flush()
    return not problems


def kill_at_random(runs, wanted, seconds, count, seed):
    choose = random.Random(seed)
    number = killed = good = 0
    while killed < count:
        shutil.rmtree(runs.out, ignore_errors=True)
        times = 0
        for _ in range(choose.randint(1, 3)):
            child = runs.start(runs.command())
            try:
                child.wait(choose.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                times += 1
            child.stderr.close()
        killed += times
        number += 1
        good += report(number, runs, wanted, times, "run %d" % number)
    return number, good


def kill_at_every(runs, wanted, call):
    number = good = 0
    while True:
        shutil.rmtree(runs.out, ignore_errors=True)
        trace = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=" + call,
                 "-e", "inject=%s:signal=KILL:when=%d" % (call, number + 1)]
        done = subprocess.run(trace + runs.begin, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode not in (-9, 137):
            break
        number += 1
        good += report(number, runs, wanted, 1, "%s %d" % (call, number))
    return number, good


def main():
    program, how, *rest = sys.argv[1:]
    split = rest.index("--")
    options, arguments = rest[:split], rest[split + 1:]
    runs = Runs(os.path.abspath(program), arguments)
    status, record, seconds = runs.undisturbed()
    if record is None:
        sys.exit("the undisturbed run left no record: exit status %d" % status)
    again = runs.undisturbed()
    noise = differences(again[1], record)
    if noise:
        sys.exit("two undisturbed runs differ: " + "; ".join(noise[:8]))
    if how == "random":
        number, good = kill_at_random(runs, (status, record), seconds, int(options[0]), int(options[1]))
    else:
        number, good = kill_at_every(runs, (status, record), options[0])
    print("1..%d" % number)
    shutil.rmtree(runs.out, ignore_errors=True)
    return 0 if number and good == number else 1


if __name__ == "__main__":
    sys.exit(main())
