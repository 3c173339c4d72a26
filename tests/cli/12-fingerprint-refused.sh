#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile, damaged and mistaken input: one line that names the file, the entry and the reason, exit 3.
. "$SOURCE/tests/cli/lib.sh"

# refused FILE ENTRY REASON: ENTRY and REASON are extended patterns.
refused() {
    run fingerprint "$1"
    if [ "$status" = 3 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] &&
        grep -Eqa -- "^oamqual: $1: (after )?$2: .*$3|^oamqual: $1: $2.*$3" err; then
        pass "$1: $3"
    else
        fail "$1: $3" "exit status $status, wanted 3" "$(head -c 1500 err)" "$(head -c 500 out)"
    fi
}

accepted() {
    run fingerprint "$1"
    exits 0 "$2"
}

cat >make.py <<'PY'
import io, os, struct, sys, tarfile, zipfile, zlib

def tar(path, *entries):
    """entries: (name, type, target or content)."""
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as out:
        for name, kind, rest in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(rest)
                out.addfile(info, io.BytesIO(rest))
            else:
                info.linkname = rest
                out.addfile(info)

F, L, H, D = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
tar("absolute.tar", ("/etc/x", F, b"1"))
tar("dots.tar", ("a/../../x", F, b"1"))
tar("dots-inside.tar", ("a/../x", F, b"1"))
tar("dots-end.tar", ("a/..", D, ""))
tar("backslash.tar", ("a\\..\\..\\x", F, b"1"))
tar("backslash-absolute.tar", ("\\x", F, b"1"))
tar("drive.tar", ("C:\\x", F, b"1"))
tar("link-absolute.tar", ("l", L, "/etc/passwd"))
tar("link-out.tar", ("a/l", L, "../../x"))
tar("link-backslash.tar", ("l", L, "..\\..\\x"))
tar("link-empty-parent.tar", ("l", L, ".."))
tar("link-by-link.tar", ("p/q/d", L, "../.."), ("p/q/x", L, "d/../etc"))
tar("link-round.tar", ("a", L, "b"), ("b", L, "a"))
tar("link-through.tar", ("a", L, "b"), ("b/x", F, b"1"), ("a/x", F, b"2"))
tar("link-through-later.tar", ("a/x", F, b"2"), ("b/x", F, b"1"), ("a", L, "b"))
tar("file-through.tar", ("a", F, b"1"), ("a/x", F, b"2"))
tar("hard-forward.tar", ("h", H, "later"), ("later", F, b"1"))
tar("hard-nothing.tar", ("h", H, "nothing"))
tar("hard-out.tar", ("h", H, "../../etc/passwd"))
tar("hard-folder.tar", ("d", D, ""), ("h", H, "d"))
tar("hard-link.tar", ("f", F, b"1"), ("l", L, "f"), ("h", H, "l"))
tar("fifo.tar", ("p", tarfile.FIFOTYPE, ""))
tar("device.tar", ("c", tarfile.CHRTYPE, ""))
tar("block.tar", ("b", tarfile.BLKTYPE, ""))
tar("twice.tar", ("s.png", F, b"1"), ("a", F, b"1"), ("s.png", F, b"2"))
tar("twice-spelled.tar", ("a/b", F, b"1"), ("./a//b", F, b"1"))
tar("html.tar", ("ok.txt", F, b"1"), ("dir/page.blend", F, b"<!DOCTYPE html>\n<html><body>404</body></html>"))
tar("lfs.tar", ("lfs.BLEND", F, b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n" % (b"0" * 64)))
tar("empty.tar.blend.tar", ("empty.blend", F, b""))
tar("magic.tar", ("magic.blend", F, b"\x89PNG\r\n\x1a\n" + bytes(100)))
tar("short.tar", ("short.blend", F, b"BLENDER-v3"))
tar("unended.tar", ("unended.blend", F, b"BLENDER-v304" + bytes(5000)))
tar("strange.tar", ("strange.blend", F, b"BLENDER?v304" + bytes(5000) + b"ENDB" + bytes(20)))
tar("long.tar", ("x" * 256, F, b"1"))
tar("hard-blend.tar", ("a.dat", F, b"1"), ("b.blend", H, "a.dat"))
tar("fine.tar", ("textures/ok", F, b"1"), ("l", L, "textures/ok"), ("a/b/up", L, "../../l"), ("d", D, ""), ("d", D, ""))
# A hard link with data: pax allows it, other readers write through it.
with tarfile.open("base.tar", "w") as out:
    one = tarfile.TarInfo("f"); one.size = 4
    out.addfile(one, io.BytesIO(b"good"))
    two = tarfile.TarInfo("h"); two.type = H; two.linkname = "f"; two.size = 4
    two.pax_headers = {"comment": "makes it a pax archive"}
    body = two.tobuf(tarfile.PAX_FORMAT) + b"evil" + bytes(508)
    out.fileobj.write(body)
os.rename("base.tar", "hard-data.tar")

def zip_of(path, *names):
    with zipfile.ZipFile(path, "w") as out:
        for name in names:
            out.writestr(name, b"1")
zip_of("absolute.zip", "/etc/x")
zip_of("dots.zip", "../x")
zip_of("twice.zip", "a", "b", "./a")
with zipfile.ZipFile("link.zip", "w") as out:
    info = zipfile.ZipInfo("a/l"); info.external_attr = 0o120777 << 16; info.create_system = 3
    out.writestr(info, "../../x")
data = open("dots.zip", "rb").read().replace(b"../x", b"..\\x"); open("backslash.zip", "wb").write(data)
data = open("dots.zip", "rb").read().replace(b"../x", b"\\..\\"); open("backslash2.zip", "wb").write(data)
# The name in front of the data is another than in the directory.
zip_of("plain.zip", "abcd")
data = open("plain.zip", "rb").read()
open("two-names.zip", "wb").write(data.replace(b"abcd", b"abce", 1))
open("nul.zip", "wb").write(data.replace(b"abcd", b"a\0cd"))
open("front.zip", "wb").write(b"PK\3\4junk" + data)
open("behind.zip", "wb").write(data + b"junk")
at = data.index(b"PK\5\6")
open("other-disk.zip", "wb").write(data[:at + 4] + b"\1" + data[at + 5:])
open("bad-sum.zip", "wb").write(data.replace(b"abcd1", b"abcd2"))
# One stream of data under many names: little on disk, much when unpacked.
body = zlib.compressobj(9, zlib.DEFLATED, -15)
packed = body.compress(bytes(10 << 20)) + body.flush()
local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, zlib.crc32(bytes(10 << 20)), len(packed), 10 << 20, 1, 0) + b"x"
central = b"".join(b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 33, zlib.crc32(bytes(10 << 20)), len(packed), 10 << 20, 1, 0, 0, 0, 0, 0, 0) + b"x" for i in range(500))
start = len(local + packed)
open("overlap.zip", "wb").write(local + packed + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 500, 500, len(central), start, 0))
# Says 1 byte, gives 100000.
with zipfile.ZipFile("lies.zip", "w", zipfile.ZIP_DEFLATED) as out:
    out.writestr("abcd", bytes(100000))
data = open("lies.zip", "rb").read()
open("lies.zip", "wb").write(data.replace(struct.pack("<I", 100000), struct.pack("<I", 1)))
# A tar with more behind its end, and one whose last header has a wrong sum.
data = open("fine.tar", "rb").read()
open("behind.tar", "wb").write(data + b"x" * 512)
open("empty-name.tar", "wb").write(b"")
head = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT)); head[0] = 0
head[148:156] = b"        "; head[148:156] = b"%06o\0 " % sum(head)
open("empty-name.tar", "wb").write(bytes(head) + bytes(10240))
PY
python3 make.py

refused absolute.tar /etc/x 'absolute path'
refused dots.tar a/../../x 'leaves the archive'
refused dots-inside.tar a/../x 'leaves the archive'
refused dots-end.tar 'a/..' 'leaves the archive'
refused backslash.tar 'a\\..\\..\\x' 'leaves the archive'
refused backslash-absolute.tar '\\x' 'absolute path'
refused drive.tar 'C:\\x' 'absolute path'
refused empty-name.tar '' 'empty name'
refused link-absolute.tar l 'link to an absolute path'
refused link-out.tar a/l 'link that leaves the archive'
refused link-backslash.tar l 'link that leaves the archive'
refused link-empty-parent.tar l 'link that leaves the archive'
refused link-by-link.tar p/q/x 'leaves the archive by way of another link'
refused link-round.tar a 'round'
refused link-through.tar a/x 'goes through a symbolic link'
refused link-through-later.tar a/x 'goes through a symbolic link'
refused file-through.tar a/x 'goes through a file'
refused hard-forward.tar h 'hard link to what is not a file earlier'
refused hard-nothing.tar h 'hard link to what is not a file earlier'
refused hard-out.tar h 'hard link target: a path that leaves'
refused hard-folder.tar h 'hard link to what is not a file earlier'
refused hard-link.tar h 'hard link to what is not a file earlier'
refused hard-data.tar h 'hard link that carries 4 bytes'
refused hard-blend.tar b.blend 'hard link named .blend'
refused fifo.tar p 'fifo'
refused device.tar c 'character device'
refused block.tar b 'block device'
refused twice.tar s.png 'appears twice'
refused twice-spelled.tar a/b 'appears twice'
refused long.tar 'xxx.*' 'more than a file system takes'
refused behind.tar 'l|d|after d' 'more data follows the last entry'
accepted fine.tar "links inside, and a folder named twice, are fine"

refused absolute.zip /etc/x 'absolute path'
refused dots.zip ../x 'leaves the archive'
refused backslash.zip '..\\x' 'leaves the archive'
refused backslash2.zip '\\..\\' 'absolute path'
refused link.zip a/l 'link that leaves the archive'
refused twice.zip a 'appears twice'
refused two-names.zip abcd 'another name in front of its data'
refused nul.zip zip 'NUL byte'
refused front.zip zip 'does not fit the file'
refused behind.zip zip 'end record is missing'
refused other-disk.zip zip 'truncated or damaged'
refused bad-sum.zip abcd 'bad CRC'
refused overlap.zip x 'share the same data'
refused lies.zip abcd 'truncated or damaged'

# .blend files that are something else.
refused html.tar dir/page.blend 'not a .blend file: an HTML'
refused lfs.tar lfs.BLEND 'not a .blend file: a git-lfs pointer'
refused empty.tar.blend.tar empty.blend 'not a .blend file: empty'
refused magic.tar magic.blend 'not a .blend file: a PNG picture \(starts 89504e470d0a1a0a'
refused short.tar short.blend 'truncated .blend: ends after 10 bytes'
refused unended.tar unended.blend 'truncated .blend: ends after 5012 bytes'
refused strange.tar strange.blend 'header of a form that is not known: .*424c454e4445523f'

# Not archives at all.
printf '<html><body>404 Not Found</body></html>' >page.zip
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n' >pointer.tar.gz
printf 'Rar!\032\007\001\000abc' >old.rar
printf '\001\002\003\004' >odd.bin
: >empty.zip
gzip -c page.zip >page.tar.gz
tar -cf fine2.tar make.py && gzip -c fine2.tar | gzip -c >twice.tar.gz
refused page.zip 'not a scene archive' 'an HTML'
refused pointer.tar.gz 'not a scene archive' 'a git-lfs pointer'
refused old.rar 'not a scene archive' 'a RAR archive'
refused odd.bin 'not a scene archive' '01020304'
refused empty.zip 'not a scene archive' 'empty'
refused page.tar.gz 'not a scene archive' 'an HTML.* inside gzip'
refused twice.tar.gz 'compressed' 'more than once'
refused missing.tar 'cannot open' 'No such file'
mkfifo pipe.tar
refused pipe.tar 'neither a file' 'nor a folder'

# Encrypted.
printf secret >secret.txt
zip -qP password encrypted.zip secret.txt
7z a -ppassword encrypted.7z secret.txt >/dev/null
7z a -ppassword -mhe=on hidden.7z secret.txt >/dev/null
7z a -tzip -ppassword -mem=AES256 aes.zip secret.txt >/dev/null
refused encrypted.zip secret.txt 'encrypted'
refused aes.zip secret.txt 'encrypted'
refused encrypted.7z secret.txt 'encrypted'
refused hidden.7z 7z 'encrypted'

# A folder is held to the same rules.
mkdir -p folder-fifo folder-link folder-out/sub folder-socket && mkfifo folder-fifo/p
ln -s /etc/passwd folder-link/l
ln -s ../../x folder-out/sub/l
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("folder-socket/s")'
refused folder-fifo p 'fifo'
refused folder-link l 'absolute path'
refused folder-out sub/l 'leaves the archive'
refused folder-socket s 'socket'
mkdir folder-deep && (cd folder-deep && i=0 && while [ $i -lt 250 ]; do mkdir d && cd d || exit; i=$((i + 1)); done)
refused folder-deep 'd/.*' 'nested more than'

# A name of escapes stays one harmless line; one bad archive does not hide the good ones.
python3 -c 'import tarfile
with tarfile.open("escape.tar", "w") as out: out.addfile(tarfile.TarInfo("/\x1b[2J\n\x07"))'
refused escape.tar '/\\x1b\[2J\\x0a\\x07' 'absolute path'
run fingerprint fine.tar dots.tar
exits 3 "one of two is unreadable: 3"
says '^tree [0-9a-f]{64}$' "the readable one is listed all the same"
one_line "and the other one has its line"
run fingerprint --json dots.tar
exits 3 "--json of an unreadable archive exits 3"
is "$(wc -c <out)" 0 "and prints nothing half"
run fingerprint
exits 2 "no archive is a usage error"
run fingerprint --frobnicate fine.tar
exits 2 "an unknown option is a usage error"
finish
