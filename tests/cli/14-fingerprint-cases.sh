#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cases of public reports on archives and .blend files, by their ids C01 to C26. What needs many cuts or spellings is in the
# tests beside this one; C25 and C27 are in 15-fingerprint-needs.sh.
. "$SOURCE/tests/cli/lib.sh"

# refused CASE FILE REASON: exit status 3, one line that names file and reason, no digest.
refused() {
    run fingerprint "$2"
    if [ "$status" = 3 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -Eqa "^oamqual: $2: .*$3" err; then
        pass "$1 $2: $3"
    else
        fail "$1 $2: $3" "exit status $status, wanted 3" "$(head -c 1500 err)" "$(head -c 500 out)"
    fi
}

# accepted CASE FILE TITLE
accepted() {
    run fingerprint "$2"
    exits 0 "$1 $2: $3"
}

tree_of() { sed -n 's/^tree //p' out; }

cat >make.py <<'PY'
import io, os, struct, tarfile, zipfile, zlib
F, L, H, D = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n" % (b"0" * 64)

def tar(path, *entries, form=tarfile.GNU_FORMAT):
    with tarfile.open(path, "w", format=form, encoding="utf-8", errors="surrogateescape") as out:
        for name, kind, rest, *mode in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.mode = mode[0] if mode else 0o644
            if kind == F:
                info.size = len(rest)
                out.addfile(info, io.BytesIO(rest))
            else:
                info.linkname = rest
                out.addfile(info)

# C01 a hard link that carries a body, pointing outside.
with tarfile.open("c01.tar", "w") as out:
    one = tarfile.TarInfo("h"); one.type = H; one.linkname = "../../x"; one.size = 4
    out.fileobj.write(one.tobuf(tarfile.PAX_FORMAT) + b"evil" + bytes(508))
# C02 a link, then entries below it and below a name that only begins like it.
tar("c02.tar", ("a", L, "/tmp"), ("a/x", F, b"1"), ("ab/..", D, ""))
tar("c02-inside.tar", ("a", L, "b"), ("b", D, ""), ("a/x", F, b"1"))
tar("c02-prefix.tar", ("a", L, "b"), ("b", D, ""), ("ab/x", F, b"1"))
tar("c03-absolute.tar", ("l", L, "/etc"))
tar("c03-out.tar", ("l", L, "../.."))
tar("c03-in.tar", ("textures/ok", F, b"1"), ("l", L, "textures/ok"))
tar("c05.tar", ("caf\u00e9", F, b"1"), form=tarfile.PAX_FORMAT)
tar("c05-bytes.tar", ("latin-\udce9", F, b"1"))
tar("c12-modes.tar", ("run", F, b"1", 0o755)); tar("c12-plain.tar", ("run", F, b"1", 0o644))
tar("c14.tar", ("Tex/A.png", F, b"1"), ("tex/a.png", F, b"2"), ("stra\u00dfe", F, b"1"), ("STRASSE", F, b"2"),
    ("caf\u00e9", F, b"1"), ("cafe\u0301", F, b"2"), ("Tex/other", F, b"3"))
tar("c14-file-folder.tar", ("a", F, b"1"), ("a", D, ""))
tar("c14-file-below.tar", ("a", F, b"1"), ("a/b", F, b"1"))
tar("c15.tar", ("s.blend", F, b"BLENDER-v304" + bytes(9) + b"ENDB" + bytes(20)), ("s.blend", F, b"BLENDER-v305" + bytes(9) + b"ENDB" + bytes(20)))
tar("c26-texture.tar", ("tex/wood.png", F, LFS), ("tex/page.exr", F, b"<!DOCTYPE html><html></html>"), ("readme.html", F, b"<html></html>"))
open("c26.blend", "wb").write(LFS); open("c26.zip", "wb").write(LFS)
open("c26-page.blend", "wb").write(b"<!DOCTYPE html>\n<html><body>404</body></html>")
tar("c26-inside.tar", ("a/scene.blend", F, LFS))
# C09 a whole tar that ends at a block's edge, without its end mark.
data = open("c03-in.tar", "rb").read()
open("c09-edge.tar", "wb").write(data[:512 * 3])
open("c09-first.tar", "wb").write(data[:512 * 2]); open("c09-second.tar", "wb").write(data[512 * 2:])

def entry(name, content, method=0, host=3, flags=0, local_extra=b"", extra=b"", packed=None, local_sizes=None, sizes=None):
    packed = content if packed is None else packed
    head = lambda s: struct.pack("<HHHHIIIHH", flags, method, 0, 33, zlib.crc32(content), s[0], s[1], len(name), 0)
    true = (len(packed), len(content))
    local = head(local_sizes or true)[:-2] + struct.pack("<H", len(local_extra))
    central = head(sizes or true)[:-2] + struct.pack("<H", len(extra))
    return dict(local=b"PK\3\4" + struct.pack("<H", 45) + local + name + local_extra, packed=packed,
                central=b"PK\1\2" + struct.pack("<BBH", 45, host, 45) + central + struct.pack("<HHHI", 0, 0, 0, 0o100644 << 16 if host == 3 else 0x20),
                tail=name + extra)

def make_zip(path, entries, zip64_end=False, offsets=None):
    body, directory = b"", b""
    for number, e in enumerate(entries):
        at = offsets[number] if offsets else len(body)
        if not offsets:
            body += e["local"] + e["packed"]
        directory += e["central"] + struct.pack("<I", at) + e["tail"]
    if offsets:
        body = entries[0]["body"]
    end = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    if zip64_end:
        end64 = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, len(entries), len(entries), len(directory), len(body))
        directory += end64 + b"PK\6\7" + struct.pack("<IQI", 0, len(body) + len(directory), 1)
        end = struct.pack("<HHHHIIH", 0xffff, 0xffff, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    open(path, "wb").write(body + directory + b"PK\5\6" + end)

unicode_extra = lambda name, new: struct.pack("<HHBI", 0x7075, 5 + len(new), 1, zlib.crc32(name)) + new
make_zip("c06.zip", [entry(b"caf\x82", b"1", extra=unicode_extra(b"caf\x82", "caf\u00e9".encode())),
                     entry(b"other", b"2", extra=unicode_extra(b"another", b"wrong"))])
# C11 every number of the end record at all ones, and sizes only in the zip64 field of the local header.
full = 0xffffffff
zip64 = lambda *numbers: struct.pack("<HH", 1, 8 * len(numbers)) + b"".join(struct.pack("<Q", n) for n in numbers)
make_zip("c11-end.zip", [entry(b"a", b"twelve bytes")], zip64_end=True)
make_zip("c11-local.zip", [entry(b"a", b"twelve bytes", local_sizes=(full, full), local_extra=zip64(12, 12))])
make_zip("c11-both.zip", [entry(b"a", b"twelve bytes", local_sizes=(full, full), local_extra=zip64(12, 12), sizes=(full, full),
                                extra=zip64(12, 12))], zip64_end=True)
make_zip("c11-plain.zip", [entry(b"a", b"twelve bytes")])
make_zip("c11-short.zip", [entry(b"a", b"twelve bytes", sizes=(full, full), extra=zip64(12))])
# C16 the system that wrote the name decides what a backslash is.
make_zip("c16.zip", [entry(b"textures\\foo.png", b"1", host=0), entry(b"unix\\name", b"2", host=3)])
make_zip("c16-dos.zip", [entry(b"..\\..\\x", b"1", host=0)])
make_zip("c16-unix.zip", [entry(b"..\\..\\x", b"1", host=3)])
# C17 each entry's data hold the next entry's header, quoted in a stored block of deflate, down to one kernel.
pack = zlib.compressobj(9, zlib.DEFLATED, -15)
inner = bytes(1 << 20); kernel = pack.compress(inner) + pack.flush()
chain, content, stream, offsets = [], inner, kernel, []
for number in range(100):
    e = entry(b"%02d" % number, content, method=8, packed=stream)
    chain.insert(0, e)
    quoted = e["local"]
    stream = b"\0" + struct.pack("<HH", len(quoted), len(quoted) ^ 0xffff) + quoted + stream
    content = quoted + content
body = chain[0]["local"] + chain[0]["packed"]
chain[0]["body"] = body
make_zip("c17.zip", chain, offsets=[body.index(e["local"]) for e in chain])
# C18 to C20: false sizes.
deflate = zlib.compressobj(9, zlib.DEFLATED, -15); big = bytes(5 << 20)
packed = deflate.compress(big) + deflate.flush()
make_zip("c18.zip", [entry(b"a", big, method=8, packed=packed, local_sizes=(len(packed), 1), sizes=(len(packed), 1))])
make_zip("c20.zip", [entry(b"a", big, method=8, packed=packed, sizes=(full, full), extra=zip64(len(big), 2 ** 64 - 1))])
with zipfile.ZipFile("c19.zip", "w", zipfile.ZIP_DEFLATED) as out:
    out.writestr("zeros", bytes(20000))
# The directory and what stands in front of the data disagree.
make_zip("disagree.zip", [entry(b"a", b"12345678", local_sizes=(4, 4))])
# C12 sizes behind the data.
class Pipe:
    def __init__(self, to): self.to = to
    def write(self, data): return self.to.write(data)
    def flush(self): pass
with open("c12.zip", "wb") as to, zipfile.ZipFile(Pipe(to), "w", zipfile.ZIP_DEFLATED) as out:
    out.writestr("run", b"1")
with zipfile.ZipFile("c12-known.zip", "w") as out:
    out.writestr("run", b"1")
def blend(header):
    return header + bytes(range(256)) * 8 + b"ENDB" + bytes(28 if header[7:9] == b"17" else 20)
for version, header in (("v279", b"BLENDER-v279"), ("v290", b"BLENDER-v290"), ("v304", b"BLENDER-v304"), ("v405", b"BLENDER-v405"),
                        ("v500", b"BLENDER17-01v0500")):
    open(version + ".blend", "wb").write(blend(header))
rar5 = b"Rar!\x1a\7\1\0" + bytes(range(200))
open("c08.rar", "wb").write(rar5[:100]); open("c13.rar", "wb").write(b"Rar!\x1a\7\0" + bytes(range(7, 100)))
PY
python3 make.py || fail "the archives are made"

refused C01 c01.tar 'h: .*hard link'
refused C02 c02.tar 'a: a symbolic link to an absolute path'
refused C02 c02-inside.tar 'a/x: .*goes through a symbolic link'
accepted C02 c02-prefix.tar "a name that only begins like a link's is not below it"
refused C03 c03-absolute.tar 'l: a symbolic link to an absolute path'
refused C03 c03-out.tar 'l: a symbolic link that leaves the archive'
accepted C03 c03-in.tar "a link that stays inside is fine"

accepted C05 c05.tar "a UTF-8 name of a pax tar in the C locale"
says "^f .* caf$(printf '\303\251')\$" "C05 its bytes are kept"
is "$(wc -c <err)" 0 "C05 without a word of libarchive"
accepted C05 c05-bytes.tar "a name that is no text"
says '^note name-not-utf8: .*: latin-\\xe9$' "C05 is kept, with a note"

run fingerprint --json c06.zip
is "$(field out '[(e["path"], e.get("stored_name")) for e in d["entries"]]')" "[('caf$(printf '\303\251')', 'caf\\\\x82'), ('other', None)]" \
    "C06 the Unicode path counts when its sum fits, and both names are recorded"
is "$(field out '[n["paths"] for n in d["notes"] if n["id"] == "two-names"]')" "[['caf$(printf '\303\251')']]" "C06 with a note"

head -c 60 c03-in.tar >cut.tar && gzip -c c03-in.tar | head -c 60 >c07.tar.gz
refused C07 c07.tar.gz 'truncated'
if grep -q '(null)' err; then fail "C07 no (null)" "$(cat err)"; else pass "C07 no (null)"; fi
refused C07 cut.tar 'not a scene archive|truncated'
refused C08 c08.rar 'a RAR archive, which is not read here'

if have zstd; then
    zstd -qc c09-edge.tar >c09-edge.tar.zst
    zstd -qc c09-first.tar >c09-frame.tar.zst
    zstd -qc c09-second.tar >second.zst && cat c09-frame.tar.zst second.zst >c09-whole.tar.zst
    head -c $(($(stat -c %s c09-whole.tar.zst) - 1)) c09-whole.tar.zst >c09-byte.tar.zst
    # More than one block: 128 KiB is a block's most.
    mkdir blocks && head -c 500000 /dev/urandom >blocks/noise && tar -cf blocks.tar blocks && zstd -qc blocks.tar >blocks.tar.zst
    head -c $((4 + 1 + 1 + 4 + 3 + 131072)) blocks.tar.zst >c09-block.tar.zst
    refused C09 c09-edge.tar 'ends without the two zero blocks'
    refused C09 c09-edge.tar.zst 'ends without the two zero blocks'
    refused C09 c09-frame.tar.zst 'truncated'
    refused C09 c09-byte.tar.zst 'truncated'
    refused C09 c09-block.tar.zst 'truncated'
    accepted C09 c09-whole.tar.zst "two whole frames are a whole archive"
else
    skip "C09 truncated zstd" "zstd is not installed"
fi

accepted C11 c11-plain.zip "a plain zip"
want=$(tree_of)
for how in end local both; do
    accepted C11 c11-$how.zip "legal zip64"
    is "$(tree_of)" "$want" "C11 c11-$how.zip: the same tree"
done
refused C11 c11-short.zip 'a zip64 number is missing'
accepted C12 c12-known.zip "sizes in front of the data"
want=$(tree_of)
accepted C12 c12.zip "a data descriptor"
is "$(tree_of)" "$want" "C12 the same tree as with sizes in front"
says "^f +1 $(printf 1 | sha256sum | cut -c1-64) run$" "C12 and the size that was read"
accepted C12 c12-modes.tar "an executable file"
is "$(tree_of)" "$want" "C12 modes are no part of the identity"

printf secret >secret.txt
zip -qP password c13.zip secret.txt
7z a -ppassword c13.7z secret.txt >/dev/null
7z a -ppassword -mhe=on c13-names.7z secret.txt >/dev/null
refused C13 c13.zip 'secret.txt: encrypted, so it cannot be fingerprinted'
refused C13 c13.7z 'secret.txt: encrypted, so it cannot be fingerprinted'
refused C13 c13-names.7z 'encrypted, so it cannot be fingerprinted'
refused C13 c13.rar 'a RAR archive, which is not read here'

accepted C14 c14.tar "colliding names are distinct here"
run fingerprint --json c14.tar
is "$(field out 'sorted(sorted(n["paths"]) for n in d["notes"] if n["id"] == "collision") == sorted([["Tex", "tex"], ["Tex/A.png", "tex/a.png"], ["STRASSE", "stra\u00dfe"], ["cafe\u0301", "caf\u00e9"]])')" \
    True "C14 and each group is listed"
refused C14 c14-file-folder.tar 'a: appears twice'
refused C14 c14-file-below.tar 'a/b: a path that goes through a file'
refused C15 c15.tar 's.blend: appears twice'

accepted C16 c16.zip "backslashes"
says '^f .* textures/foo.png$' "C16 an MS-DOS name's are separators"
says '^f .* unix\\name$' "C16 a Unix name's are characters"
says '^note backslash-in-name: .*: unix\\name$' "C16 with a note"
refused C16 c16-dos.zip 'leaves the archive'
refused C16 c16-unix.zip 'leaves the archive'

refused C17 c17.zip 'run into those of another entry'
refused C18 c18.zip 'a: .*(truncated or damaged|bad)'
accepted C19 c19.zip "20 kB of zeros are no bomb"
refused C20 c20.zip 'run into the directory'
refused disagreeing disagree.zip '.'

# blend FILE EXPRESSION WANT TITLE
blend() {
    run fingerprint --json "$1"
    is "$(field out "(lambda b: ($2))(d['entries'][0]['blend'])")" "$3" "$4"
}
blend v500.blend 'b["version"], b["endianness"], b["header_bytes"], b["pointer_bytes"]' "('5.0', 'little', 17, 8)" "C21 Blender 5's header"
gzip -c v304.blend >v304-gzip.blend && zstd -qc v304.blend >v304-zstd.blend
sum=$(sha256sum <v304.blend | cut -c1-64)
for outer in plain gzip zstd; do
    file=v304-$outer.blend; [ $outer = plain ] && file=v304.blend
    blend $file 'b["outer"], b["inner_sha256"]' "('$outer', '$sum')" "C22 $outer: the same inner digest"
    is "$(field out 'd["entries"][0]["sha256"]')" "$(sha256sum <$file | cut -c1-64)" "C22 $outer: and the file's own"
done
blend v279.blend 'b["version"]' 2.79 "C23 279 is 2.79"
blend v290.blend 'b["version"]' 2.90 "C23 290 is 2.90"
blend v304.blend 'b["version"]' 3.4 "C23 304 is 3.4"
blend v405.blend 'b["version"]' 4.5 "C23 405 is 4.5"
run fingerprint v405.blend
old=$(tree_of)
says '^  Blender 4.5' "C24 the version that wrote it is noted"
run fingerprint v500.blend
says '^  Blender 5.0' "C24 and after it was saved again the newer one"
if [ "$(tree_of)" != "$old" ]; then pass "C24 under another fingerprint"; else fail "C24 under another fingerprint"; fi

refused C26 c26.blend 'a git-lfs pointer \(the real file was not fetched\) \(starts 76657273696f6e20'
refused C26 c26.zip 'a git-lfs pointer'
refused C26 c26-inside.tar 'a/scene.blend: not a .blend file: a git-lfs pointer'
refused C26 c26-page.blend 'an HTML or XML page \(starts 3c21'
accepted C26 c26-texture.tar "stand-ins for textures"
says '^note git-lfs-pointer: .*: tex/wood.png$' "C26 a pointer in the place of a texture is noted"
says '^note html-page: .*: tex/page.exr$' "C26 and a page in the place of one; a page by its own name is not"
finish
