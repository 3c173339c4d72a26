#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
. "$SOURCE/tests/cli/lib.sh"

# A tree with an empty file, a folder, a link, a hard link, names in UTF-8 and names that are none.
python3 - <<'PY'
import os, struct
def blend(header, size=3000):
    end = {b"_": 20, b"-": 24}.get(header[7:8], 32)
    return header + os.urandom(size) + b"ENDB" + bytes(end - 4)
os.makedirs("tree/tex/deep")
w = lambda name, data: open(name, "wb").write(data)
w(b"tree/scene.blend", blend(b"BLENDER-v304"))
w(b"tree/tex/a.png", os.urandom(300000))
w(b"tree/tex/deep/zero.bin", bytes(100000))
w(b"tree/empty", b"")
w("tree/tex/caf\u00e9.txt".encode(), b"composed")
os.symlink("tex/a.png", "tree/link.png")
os.symlink("../../scene.blend", "tree/tex/deep/up")
for name, header in dict(v279=b"BLENDER_V279", v290=b"BLENDER-v290", v405=b"BLENDER-v405",
                         v500=b"BLENDER17-01v0500").items():
    w("%s.blend" % name, blend(header))
PY
# The reference of docs/fingerprint.md, which shares nothing with the program.
sed -n '/^```python$/,/^```$/p' "$SOURCE/docs/fingerprint.md" | sed '/^```/d' >tree_digest.py
want=$(python3 tree_digest.py tree)

tree_of() { sed -n 's/^tree //p' out; }

same_tree() {
    run fingerprint "$1"
    is "$(tree_of)" "$want" "$1 has the tree digest of the folder"
}

# The tree digest is the same in every container and independent of order, time and owner.
same_tree tree
(cd tree && find . -print0 | sort -z -r | tar --null --no-recursion -T - --owner=7 --mtime=@0 -cf ../gnu.tar)
(cd tree && tar --format=ustar -cf ../ustar.tar -- *)
(cd tree && tar --format=pax -cf ../pax.tar -- *)
(cd tree && tar --format=v7 -cf ../v7.tar .)
(cd tree && zip -qry ../deflated.zip .)
(cd tree && zip -qry0 ../stored.zip -- *)
(cd tree && 7z a -snl ../solid.7z . >/dev/null)
(cd tree && 7z a -snl -ms=off -mx=0 ../stored.7z . >/dev/null)
(cd tree && 7z a -snl -tzip ../by7z.zip . >/dev/null)
for how in gzip bzip2 xz zstd lz4; do
    if have $how; then $how -qc <gnu.tar >gnu.tar.$how; same_tree gnu.tar.$how; else
        skip "gnu.tar.$how" "$how is not installed"; fi
done
for archive in gnu.tar ustar.tar pax.tar v7.tar deflated.zip stored.zip by7z.zip solid.7z stored.7z; do
    same_tree $archive
done
split -b 100000 gnu.tar part. && for part in part.*; do zstd -qc "$part"; done >frames.tar.zst
same_tree frames.tar.zst
(cd tree && tar -cf - --sparse .) >sparse.tar
same_tree sparse.tar
truncate -s 3000000 tree/sparse && printf x | dd of=tree/sparse bs=1 seek=1000000 conv=notrunc 2>/dev/null
want=$(python3 tree_digest.py tree)
(cd tree && tar -cf ../holes.tar --sparse . && tar --format=pax -cf ../holes-pax.tar --sparse .)
same_tree tree
same_tree holes.tar
same_tree holes-pax.tar
rm tree/sparse
want=$(python3 tree_digest.py tree)

# zip with data descriptors and zip64 fields, written as a stream.
python3 - <<'PY'
import os, sys, zipfile
class Pipe:
    def __init__(self, to): self.to = to
    def write(self, data): return self.to.write(data)
    def flush(self): pass
with open("stream.zip", "wb") as to, zipfile.ZipFile(Pipe(to), "w", zipfile.ZIP_DEFLATED) as out:
    for folder, folders, files in os.walk("tree"):
        for name in files + [f for f in folders if os.path.islink(os.path.join(folder, f))]:
            path = os.path.join(folder, name)
            info = zipfile.ZipInfo(os.path.relpath(path, "tree"))
            info.external_attr = os.lstat(path).st_mode << 16
            with out.open(info, "w", force_zip64=True) as entry:
                entry.write(os.readlink(path).encode() if os.path.islink(path) else open(path, "rb").read())
PY
same_tree stream.zip

# A hard link counts as the file that it names.
cp -r tree linked && ln linked/tex/a.png linked/tex/b.png
want=$(python3 tree_digest.py linked)
(cd linked && tar -cf ../linked.tar .)
same_tree linked.tar
is "$(tar -tvf linked.tar | grep -c ^h)" 1 "linked.tar really holds a hard link"

# One changed byte, one renamed file and one changed link each change it.
change() {
    rm -rf changed && cp -r tree changed && (cd changed && eval "$1")
    run fingerprint changed
    if [ "$(tree_of)" != "$(python3 tree_digest.py tree)" ]; then pass "changes the digest: $1"; else
        fail "changes the digest: $1"; fi
}
change 'printf x | dd of=tex/a.png bs=1 seek=5000 conv=notrunc 2>/dev/null'
change 'mv empty Empty'
change 'ln -sf scene.blend link.png'
change 'rm link.png && printf tex/a.png >link.png'

# Text and JSON agree with outside tools.
run fingerprint gnu.tar.gzip
exits 0 "a readable archive exits 0"
says "^file $(sha256sum <gnu.tar.gzip | cut -c1-64) $(stat -c %s gnu.tar.gzip) bytes$" "the file's own digest is sha256sum's"
says "^f +300000 $(sha256sum <tree/tex/a.png | cut -c1-64) tex/a.png$" "an entry has type, size, digest and path"
says '^l +9 [0-9a-f]{64} link.png -> tex/a.png$' "a link is listed with its target"
says '^  Blender 3.4, 64-bit, little-endian, plain$' "the .blend version is shown"
is "$(wc -c <err)" 0 "nothing on stderr"
run fingerprint gnu.tar.gzip --json
exits 0 "--json exits 0"
is "$(field out 'd["schema"]')" oamqual-manifest/1 "JSON names its schema"
is "$(field out 'd["container"] + " " + d["filter"]')" "tar gzip" "JSON names container and compression"
is "$(field out 'd["file_sha256"]')" "$(sha256sum <gnu.tar.gzip | cut -c1-64)" "JSON has the file digest"
is "$(field out '[e["sha256"] for e in d["entries"] if e["path"] == "tex/a.png"][0]')" \
    "$(sha256sum <tree/tex/a.png | cut -c1-64)" "JSON has the entry digest"
is "$(field out '[e["target"] for e in d["entries"] if e["path"] == "link.png"][0]')" tex/a.png "JSON has the link target"
is "$(field out '[e["blend"]["inner_sha256"] for e in d["entries"] if "blend" in e][0]')" \
    "$(sha256sum <tree/scene.blend | cut -c1-64)" "a plain .blend's inner digest is its own"
is "$(field out '[e["path"] for e in d["entries"]] == sorted(e["path"] for e in d["entries"])')" True "entries ascend"
run fingerprint --json tree
is "$(field out 'str(d["file_sha256"]) + str(bool(d["file_why"]))')" NoneTrue "a folder's file digest is null with a why"
run fingerprint --json gnu.tar deflated.zip
is "$(field out 'len(d)')" 2 "several archives make an array"

# .blend headers of every form, bare.
header() {
    run fingerprint --json "$1.blend"
    is "$(field out '"{version} {pointer_bytes} {endianness} {header_bytes} {format_version}".format(**d["entries"][0]["blend"])')" \
        "$2" "$1: $2"
}
header v279 "2.79 4 big 12 0"
header v290 "2.90 8 little 12 0"
header v405 "4.5 8 little 12 0"
header v500 "5.0 8 little 17 1"
is "$(field out 'd["container"] + " " + d["entries"][0]["path"]')" "blend v500.blend" "a bare .blend is one entry"

# Compressed .blend files: outer digests differ, the inner one is the same, in archives too.
inner() {
    run fingerprint --json "$1"
    is "$(field out '[e["blend"]["outer"] + " " + e["blend"]["inner_sha256"] for e in d["entries"] if "blend" in e][0]')" \
        "$2 $(sha256sum <v405.blend | cut -c1-64)" "$1: inner digest under $2"
}
mkdir zipped && gzip -c v405.blend >zipped/A.BLEND && tar -czf zipped.tar.gz zipped
gzip -c v405.blend >gz.blend
split -b 1000 v405.blend piece. && for piece in piece.*; do zstd -qc "$piece"; done >zst.blend
printf '\136\052\115\030\004\000\000\000abcd' >>zst.blend # a skippable frame, as the seek table is one
inner v405.blend plain
inner gz.blend gzip
inner zst.blend zstd
inner zipped.tar.gz gzip
finish
