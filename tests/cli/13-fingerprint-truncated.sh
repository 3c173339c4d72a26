#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An archive cut off anywhere is never taken for a whole one: an error, or (when only padding is gone) the very
# same tree. Many cuts go through one run of the program.
. "$SOURCE/tests/cli/lib.sh"

cat >cut.py <<'PY'
import json, os, random, subprocess, sys
program, name, *extra = os.environ["OAMQUAL"], *sys.argv[1:]
data = open(name, "rb").read()
ask = lambda files: subprocess.run([program, "fingerprint", "--json"] + files, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
whole = ask([name])
if whole.returncode:
    sys.exit("%s itself: %s" % (name, whole.stderr.decode()))
tree = json.loads(whole.stdout)["tree_sha256"]
random.seed(name)
size = len(data)
points = {random.randrange(size) for _ in range(120)} | set(range(0, 64)) | set(range(size - 100, size))
points |= {p for p in range(512, size, 512) if p < 20 * 512 or p > size - 60 * 512}
points |= {int(p) for p in extra}
points = sorted(p for p in points if 0 <= p < size)
os.makedirs("cut", exist_ok=True)
files = ["cut/%08d" % p for p in points]
for path, p in zip(files, points):
    open(path, "wb").write(data[:p])
result = ask(files)
good = json.loads(result.stdout) if result.stdout.strip() else []
lines = result.stderr.decode().splitlines()
for path in files:
    os.unlink(path)
assert len(points) > 200 and result.returncode == 3, (len(points), result.returncode, result.stderr[-300:])
assert len(good) + len(lines) == len(files), (len(good), len(lines), len(files))
wrong = [g["source"] for g in good if g["tree_sha256"] != tree]
if wrong:
    sys.exit("taken for whole: " + " ".join(wrong))
silent = [l for l in lines if l.endswith(": ") or "(null)" in l]
if silent:
    sys.exit("without a reason: " + silent[0])
print(len(good))
PY

# A .blend as Blender writes it, compressed, and enough else that the cuts fall into everything.
mkdir -p tree/tex
if have blender; then
    blender -b --factory-startup --python-expr "import bpy
bpy.ops.wm.save_as_mainfile(filepath='$PWD/real.blend', compress=True)
bpy.ops.wm.save_as_mainfile(filepath='$PWD/plain.blend')" >blender.log 2>&1
    cp real.blend tree/scene.blend
    run fingerprint --json real.blend plain.blend
    exits 0 "Blender's own compressed .blend is read, its seek table too"
    is "$(field out 'd[0]["entries"][0]["blend"]["version"] + " " + d[0]["entries"][0]["blend"]["outer"]')" "3.4 zstd" "as 3.4 in zstd"
    is "$(field out 'd[0]["entries"][0]["blend"]["inner_sha256"]')" "$(zstd -dc real.blend | sha256sum | cut -c1-64)" \
        "its inner digest is that of zstd -dc"
    is "$(field out 'd[1]["entries"][0]["blend"]["inner_sha256"]')" "$(sha256sum <plain.blend | cut -c1-64)" "a plain one's its own"
else
    skip "a .blend by Blender" "blender is not installed"
fi
head -c 150000 /dev/urandom >tree/tex/noise.bin
head -c 100000 /dev/zero >tree/tex/zeros.bin
printf x >"tree/tex/$(printf 'caf\303\251')"
: >tree/zz-empty

(cd tree && tar -cf ../gnu.tar . && tar --format=pax -cf ../pax.tar . && zip -qr ../deflated.zip . && zip -qr0 ../stored.zip . &&
    7z a ../solid.7z . >/dev/null && 7z a -ms=off -mx=0 ../stored.7z . >/dev/null)
for how in gzip bzip2 xz zstd lz4; do
    have $how && $how -qc <gnu.tar >gnu.tar.$how
done
split -b 60000 gnu.tar part. && for part in part.*; do zstd -qc "$part"; done >frames.tar.zst
edges=$(sum=0; for part in part.*; do sum=$((sum + $(zstd -qc "$part" | wc -c))); echo $sum; done)
# A zip in a zip, stored: cut right behind the inner one, the file ends as a zip does.
mkdir nest && cp stored.zip nest/a.zip && printf x >nest/b && (cd nest && zip -q0 ../nested.zip a.zip b)
inner=$(python3 -c 'd = open("nested.zip", "rb").read(); i = d.index(b"PK\5\6"); print(i + 22)')

cut() {
    title="$1 cut anywhere is never another tree"
    if outcome=$(python3 cut.py "$@" 2>&1); then pass "$title"; else fail "$title" "$outcome"; fi
}

cut gnu.tar
cut pax.tar
for how in gzip bzip2 xz zstd lz4; do
    if [ -e gnu.tar.$how ]; then cut gnu.tar.$how; else skip "gnu.tar.$how" "$how is not installed"; fi
done
# shellcheck disable=SC2086 # one word a cut
cut frames.tar.zst $edges
cut deflated.zip
cut stored.zip
cut nested.zip "$inner"
cut solid.7z
cut stored.7z
if [ -e plain.blend ]; then cut plain.blend; fi
python3 -c 'import os; open("made.blend", "wb").write(b"BLENDER17-01v0500" + os.urandom(9000) + b"ENDB" + bytes(28))'
gzip -c made.blend >made-gzip.blend && zstd -qc made.blend >made-zstd.blend
cut made.blend
cut made-gzip.blend
cut made-zstd.blend

# The same cut inside an archive that is itself whole.
mkdir cutblend && for file in made made-gzip made-zstd; do
    rm -f cutblend/*
    head -c 5000 $file.blend >cutblend/scene.blend
    tar -czf cutblend.tar.gz cutblend
    run fingerprint cutblend.tar.gz
    exits 3 "$file.blend, cut, in a whole archive"
    says '^oamqual: cutblend.tar.gz: cutblend/scene.blend: .*truncated' "names the entry and the reason"
done

# The end mark of a tar: both blocks must be there.
size=$(stat -c %s gnu.tar)
end=$(python3 -c 'd = open("gnu.tar", "rb").read(); print((len(d.rstrip(b"\0")) + 511) // 512 * 512)')
head -c $((end + 1024)) gnu.tar >enough.tar
head -c $((end + 512)) gnu.tar >one-block.tar
head -c "$end" gnu.tar >no-block.tar
run fingerprint enough.tar
exits 0 "the two zero blocks are enough"
for file in one-block no-block; do
    run fingerprint $file.tar
    exits 3 "$file.tar is refused"
    says "ends without the two zero blocks" "$file.tar: the reason"
done
is "$((size > end + 1024))" 1 "the tar really had padding behind its end mark"
finish
