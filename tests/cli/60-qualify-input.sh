#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input: one clear line that names the file and the reason, the right exit status, nothing half written.
. "$SOURCE/tests/cli/lib.sh"

python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1
FAKE=$SOURCE/tests/fakes/blender
export FAKE_BLENDER=silent

refuses() { # status pattern title, then arguments
    want=$1 pattern=$2 title=$3
    shift 3
    rm -rf run
    run qualify --node node --out run -b "$FAKE" --no-baseline -q "$@"
    exits "$want" "$title: exit $want"
    says "$pattern" "$title: says what and why"
    one_line "$title: in one line"
    if [ -e run ]; then fail "$title: nothing is left" "$(find run)"; else pass "$title: nothing is left"; fi
}

cp "$SOURCE/scenes/cornell/cornell.tar.zst" good.tar.zst
head -c 20000 good.tar.zst >cut.tar.zst
mkdir plain
tar --zstd -xf good.tar.zst -C plain
echo text >plain/readme.txt
(cd plain && zip -q -P secret ../secret.zip cornell.blend && zip -q ../noblend.zip readme.txt)
python3 - <<'PY'
import io, tarfile
def make(name, member, **kind):
    with tarfile.open(name, "w") as tar:
        info = tarfile.TarInfo(member)
        for key, value in kind.items():
            setattr(info, key, value)
        data = b"" if kind else b"x"
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
        tar.add("plain/cornell.blend", "cornell.blend")
make("dots.tar", "../outside")
make("absolute.tar", "/tmp/oamqual-outside")
make("link.tar", "l", type=tarfile.SYMTYPE, linkname="../../etc")
with tarfile.open("through.tar", "w") as tar:
    info = tarfile.TarInfo("l")
    info.type, info.linkname = tarfile.SYMTYPE, "."
    tar.addfile(info)
    info = tarfile.TarInfo("l/x")
    info.size = 1
    tar.addfile(info, io.BytesIO(b"x"))
    tar.add("plain/cornell.blend", "cornell.blend")
PY
echo '<!DOCTYPE html><html><body>404</body></html>' >page.blend
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n' >pointer.blend

refuses 3 'absent\.tar: .*[Nn]o such file' "a missing archive" -s absent.tar
refuses 3 'cut\.tar\.zst: .*' "a truncated archive" -s cut.tar.zst
refuses 3 'secret\.zip: .*encrypted' "an encrypted zip" -s secret.zip
refuses 3 'dots\.tar: .*\.\.' "a path with .." -s dots.tar
refuses 3 'absolute\.tar: .*absolute' "an absolute path" -s absolute.tar
refuses 3 'link\.tar: .*l' "a link that leaves" -s link.tar
refuses 3 'through\.tar: .*link' "a path through a link" -s through.tar
refuses 3 'noblend\.zip: .*\.blend' "an archive without a .blend" -s noblend.zip
refuses 3 'page\.blend: .*HTML' "an HTML page" -s page.blend
refuses 3 'pointer\.blend: .*git-lfs' "a git-lfs pointer" -s pointer.blend
if [ -e /tmp/oamqual-outside ] || [ -e ../outside ]; then fail "nothing was written outside"; else
    pass "nothing was written outside"; fi

mkdir spec
cp good.tar.zst spec/
echo '{"schema": "oamqual-scene/1", "name": "x", "archive": "good.tar.zst", "samples": 0}' >spec/scene.json
refuses 3 'spec/scene\.json: "samples"' "a scene.json with a wrong number" -s spec
echo '{"schema": "oamqual-scene/1", "archive": "good.tar.zst", "tree_sha256": "00"}' >spec/scene.json
refuses 3 'good\.tar\.zst: its tree digest' "an archive that is not the declared one" -s spec
refuses 2 'size takes' "a wrong size" -s good.tar.zst --size big
refuses 2 'jobs takes a whole number' "a wrong number" --jobs 0
refuses 2 'probe takes' "a wrong probe" --probe lenient
refuses 2 'unknown option' "an unknown option" --frobnicate
refuses 2 'unexpected argument' "an argument too many" scene.blend
refuses 3 'no such GCD' "a GCD that is not there" --gcd 0000:77:00.0
refuses 3 '/nonexistent/blender' "a missing Blender" -b /nonexistent/blender
refuses 3 'version' "a Blender that is none" -b /bin/true
refuses 3 'not-a-folder' "a kernel cache that is none" --kernel-cache not-a-folder
refuses 3 'absent-node' "a node that is not there" --node absent-node

cp -r node broken
echo '{"schema": "oamqual-node/1", "name": ' >broken/node.json
refuses 3 'broken/node\.json:.*not valid JSON' "a broken node.json" --node broken
echo '{"schema": "oamqual-node/1", "name": "x", "surprise": 1}' >broken/node.json
refuses 3 'broken/node\.json: .*surprise' "a node.json with an unknown key" --node broken

mkdir full
echo precious >full/file
run qualify --node node --out full -b "$FAKE" -q
exits 3 "an out folder with content is refused"
is "$(ls full)" file "and left as it was"
mkdir empty
run qualify --node node --out empty -b /nonexistent/blender -q
exits 3 "an empty out folder is used"
is "$(ls empty)" "" "and is empty again after a refusal"
run qualify --node node --out /proc/oamqual -b "$FAKE" -q
exits 3 "an out folder that cannot be made"
says '/proc/oamqual' "is named"
odd=$(printf 'odd\377')
run qualify --node node --out "$odd" -b "$FAKE" -q
exits 3 "an out folder whose path is not UTF-8"
says 'odd\\xff: its path is not UTF-8' "is refused by name"
if [ -e "$odd" ]; then fail "and not made"; else pass "and not made"; fi
echo >plain-file
run qualify --node node --out plain-file/run -b "$FAKE" -q
exits 3 "a file in the way of the out folder"
one_line "is said in one line"

# A full disk, for real: a file system of 200 KiB, then one of 2.6 MB.
mkdir small
if mount -t tmpfs -o size=200k tmpfs small 2>/dev/null; then
    run qualify --node node --out small/run -b "$FAKE" -q --no-baseline
    exits 3 "a full disk while scenes are unpacked is exit 3"
    says 'small/run.*No space left on device' "and names the path and ENOSPC"
    is "$(ls small)" "" "and nothing half written stays"
    umount small
    mount -t tmpfs -o size=2600k tmpfs small
    export FAKE_BLENDER=hostile
    run qualify --node node --out small/run -b "$FAKE" -q --no-baseline -s "$SOURCE/scenes/cornell" --jobs 1
    exits 3 "a full disk while the record is written is exit 3"
    says 'No space left on device' "and says so"
    if [ -e small/run/record.json ]; then fail "no half-written record"; else pass "no half-written record"; fi
    umount small
else
    skip "a full disk" "mounting a tmpfs needs root and CAP_SYS_ADMIN"
fi
run qualify --node node --out run2 -b "$FAKE" -q --no-baseline -s "$SOURCE/scenes/cornell" --json
is "$status" 1 "the same input without a fault is judged"
if python3 -c 'import json; json.load(open("out"))'; then pass "--json prints the record"; else fail "--json prints the record"; fi
status=0
"$OAMQUAL" qualify --node node --out run3 -b "$FAKE" -q --no-baseline -s "$SOURCE/scenes/cornell" >/dev/full 2>err || status=$?
exits 3 "standard output that cannot be written is exit 3"
finish
