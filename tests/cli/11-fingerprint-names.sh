#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names as bytes: the same in every locale, from every container that can store them.
. "$SOURCE/tests/cli/lib.sh"

python3 - <<'PY'
import io, os, struct, tarfile, zipfile, zlib
names = ["plain".encode(), "caf\u00e9".encode(), "cafe\u0301".encode(), "\u65e5\u672c/\u8a9e".encode(), b"latin-\xe9\xff", b"ctrl-\x1b[31m\n\x07", b"back\\slash"]
os.makedirs(b"tree/\xe6\x97\xa5\xe6\x9c\xac")
for name in names:
    open(b"tree/" + name, "wb").write(name)
for label, form in dict(pax=tarfile.PAX_FORMAT, gnu=tarfile.GNU_FORMAT, ustar=tarfile.USTAR_FORMAT).items():
    with tarfile.open(label + ".tar", "w", format=form, encoding="utf-8", errors="surrogateescape") as out:
        for name in names:
            info = tarfile.TarInfo(os.fsdecode(name))
            info.size = len(name)
            out.addfile(info, io.BytesIO(name))

def make_zip(path, entries):
    """entries: name, flags, host, extra, content - written by hand: Python's zipfile re-codes names."""
    body, central = b"", b""
    for name, flags, host, extra, content in entries:
        crc, offset = zlib.crc32(content), len(body)
        common = struct.pack("<HHHHIIIHH", flags, 0, 0, 33, crc, len(content), len(content), len(name), len(extra))
        body += b"PK\3\4" + struct.pack("<H", 20) + common + name + extra + content
        central += b"PK\1\2" + struct.pack("<BBH", 20, host, 20) + common + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16 if host == 3 else 0x20, offset) + name + extra
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(central), len(body), 0)
    open(path, "wb").write(body + central + end)

utf8 = lambda n: 0x800 if n.isascii() or n != b"latin-\xe9\xff" else 0
make_zip("flagged.zip", [(n, utf8(n), 3, b"", n) for n in names])
make_zip("unflagged.zip", [(n, 0, 3, b"", n) for n in names])
make_zip("backslash.zip", [(b"textures\\foo.png", 0, 0, b"", b"1"), (b"unix\\name", 0, 3, b"", b"2")])
right = b"\x01" + struct.pack("<I", zlib.crc32(b"caf\x82")) + "caf\u00e9".encode()
wrong = b"\x01" + struct.pack("<I", 1) + "wrong".encode()
extra = lambda d: struct.pack("<HH", 0x7075, len(d)) + d
make_zip("unicode.zip", [(b"caf\x82", 0, 0, extra(right), b"1"), (b"other", 0, 0, extra(wrong), b"2")])
PY
(cd tree && zip -qr ../infozip.zip . && tar -cf ../tool.tar .)

tree_of() { sed -n 's/^tree //p' out; }
run fingerprint tree
want=$(tree_of)
is "$(wc -c <err)" 0 "the folder is read without a word"
is "$(grep -c '^f' out)" 7 "all seven names are listed"
says '^f .* latin-\\xe9\\xff$' "bytes that are not UTF-8 are escaped"
says '^f .* ctrl-\\x1b\[31m\\x0a\\x07$' "control bytes are escaped"
if grep -q "$(printf '\033')" out; then fail "no raw escape reaches the terminal"; else
    pass "no raw escape reaches the terminal"; fi
for locale in C C.UTF-8 POSIX; do
    for archive in tree pax.tar gnu.tar ustar.tar tool.tar flagged.zip unflagged.zip; do
        status=0
        LC_ALL=$locale "$OAMQUAL" fingerprint $archive >out 2>err || status=$?
        is "$status $(tree_of)" "0 $want" "$archive under $locale: every byte of every name"
    done
done
run fingerprint --json flagged.zip
is "$(field out '[bytes.fromhex(e["path_hex"]) for e in d["entries"] if "path_hex" in e]')" "[b'latin-\\xe9\\xff']" \
    "a name that is not UTF-8 stands in hex as well"

# The zip tool escapes nothing and flags what it likes; what it stored is what is read.
run fingerprint infozip.zip
exits 0 "Info-ZIP's archive is read"
# An MS-DOS name has backslashes for slashes, a Unix name has them for themselves.
run fingerprint backslash.zip
says '^f .* textures/foo.png$' "backslashes of an MS-DOS zip are slashes"
says '^f .* unix\\name$' "a backslash of a Unix zip is a character"
# The Unicode path of Info-ZIP counts only when it belongs to the name.
run fingerprint unicode.zip
says "^f .* caf$(printf '\303\251')\$" "a Unicode path with the right sum is used"
says '^f .* other$' "a Unicode path with a wrong sum is not"

# 7z stores UTF-16.
mkdir seven && for name in plain "$(printf 'caf\303\251')"; do printf x >"seven/$name"; done
(cd seven && 7z a ../seven.7z . >/dev/null)
run fingerprint seven
want=$(tree_of)
for locale in C C.UTF-8; do
    LC_ALL=$locale "$OAMQUAL" fingerprint seven.7z >out 2>err
    is "$(tree_of)" "$want" "seven.7z under $locale"
done
finish
