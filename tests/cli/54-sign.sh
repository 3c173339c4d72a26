#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# keygen, sign and verify: what is covered, what is noticed, whose keys and envelopes are taken. Another implementation checks
# our envelope, and ours those that it makes (tests/sign/independent.py).
. "$SOURCE/tests/cli/lib.sh"
independent="$SOURCE/tests/sign/independent.py"

fake_node
FAKE_IMAGE=$SOURCE/expected/cornell/reference.exr FAKE_BLENDER=forged
export FAKE_IMAGE FAKE_BLENDER
"$OAMQUAL_RELEASE" qualify --node node -s "$SOURCE/scenes/cornell" -b "$SOURCE/tests/fakes/blender" --no-baseline \
    --sandbox none --probe strict --out run -q >out 2>err
[ -f run/record.json ] && pass "a record to sign" || fail "a record to sign" "$(cat err)"

# --- keys ---
mkdir keys
(umask 0; "$OAMQUAL" keygen keys/a >made 2>&1)
is "$(stat -c %a keys/a keys/a.pub | tr '\n' ' ')" "600 644 " "the private key is its owner's alone, whatever the umask"
is "$(openssl pkey -in keys/a -pubout)" "$(cat keys/a.pub)" "openssl reads both, and they are a pair"
is "$(sed -n 's/^id: //p' made)" "$(openssl pkey -pubin -in keys/a.pub -outform DER | sha256sum | cut -d' ' -f1)" \
    "the key's id is the digest of the public key"
before=$(sha256sum keys/a keys/a.pub)
run keygen keys/a
exits 3 "a key that is there is not replaced"
says 'keys/a: is there already' "and named"
ln -s nowhere keys/link
run keygen keys/link
exits 3 "a link is not followed"
[ ! -e keys/nowhere ] && [ ! -e keys/link.pub ] && pass "and nothing is written" || fail "and nothing is written" "$(ls keys)"
echo mine >keys/b.pub
run keygen keys/b
exits 3 "nor is a public key replaced"
is "$(cat keys/b.pub) $(ls keys)" "mine $(printf 'a\na.pub\nb.pub\nlink')" "and then there is no private one either"
is "$(sha256sum keys/a keys/a.pub)" "$before" "the first pair is as it was"
run keygen absent/key
exits 3 "no folder, no key"
run keygen run/key
exits 3 "no key is made in a record's folder"
says "does not belong into a record's folder" "and why"
"$OAMQUAL" keygen keys/other >/dev/null

# --- signing ---
run sign run
exits 2 "sign needs a key"
run verify run
exits 0 "not signed, and intact"
says '^Not signed' "which it says"
run verify run --key keys/a.pub
exits 1 "that is not enough when a key is asked for"
says 'agrees with itself and its files' "self-consistent and unsigned is told apart"
refuse() { # title, pattern, key
    run sign run --key "$3"
    exits 3 "$1"
    says "$2" "$1: says why"
    [ ! -e run/record.json.dsse ] || fail "$1: nothing is written"
}
refuse_mode() {
    chmod "$1" keys/a
    refuse "mode $1" 'chmod 600' keys/a
    chmod 600 keys/a
}
refuse_mode 640
refuse_mode 604
refuse_mode 620
openssl genpkey -algorithm ed25519 -aes256 -pass pass:word -out keys/locked 2>/dev/null
openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:1024 -out keys/rsa 2>/dev/null
cat keys/a keys/other >keys/two
head -2 keys/a >keys/cut
: >keys/empty
mkfifo keys/pipe
cp keys/a.pub keys/public
rm keys/link
chmod 600 keys/*
refuse "an encrypted key is not asked about" 'encrypted' keys/locked
refuse "a key of another kind" 'not an Ed25519 key' keys/rsa
refuse "two keys in a file" 'more in it than one key' keys/two
refuse "half a key" 'not a private key in PEM' keys/cut
refuse "an empty key" 'not a private key in PEM' keys/empty
refuse "a pipe for a key" 'keys/pipe' keys/pipe
refuse "a folder for a key" 'keys' keys
refuse "a public key" 'signs nothing' keys/public
refuse "no key" 'No such file' keys/absent
cp keys/a run/report.key && chmod 600 run/report.key
refuse "a key among the evidence" "does not belong into a record's folder" run/report.key
rm run/report.key
run sign run --key keys/a --output run/mine.dsse
exits 3 "an envelope among the evidence has the name of one"
run sign run --key keys/a --output absent/mine.dsse
exits 3 "no folder for the envelope"

run sign run --key keys/a
exits 0 "sign"
cp run/record.json.dsse first.dsse
files=$(find run -type f ! -name '*.dsse' | wc -l)
bytes=$(find run -type f ! -name '*.dsse' -printf '%s\n' | awk '{ n += $1 } END { print n }')
says "$files files, $bytes bytes" "says what is covered"
run verify run --key keys/a.pub
exits 0 "verify"
says "Covers .* $files files, $bytes bytes" "says it too"
run verify run/record.json --key keys/a.pub --json
exits 0 "by the record's own name, as JSON"
is "$(field out '[d["intact"], d["covered"]["files"], d["covered"]["bytes"], d["problems"]]')" "[True, $files, $bytes, []]" "the same"
run verify run
says '^There is a signature: not checked' "without a key a signature is not taken for good"
run verify run --key keys/other.pub
exits 1 "another key"
says 'NOT VERIFIED: not signed by this key' "is told"
run verify run --key keys/a
exits 3 "a private key is refused"
says 'only FILE.pub is needed' "with what is needed"
run verify run --envelope first.dsse
exits 2 "an envelope without a key"
if grep -rl -e "$(sed -n 2p keys/a)" run >found; then fail "no private key is in the evidence" "$(cat found)"; else pass "no private key is in the evidence"; fi

run sign run --key keys/a
is "$status $(cmp first.dsse run/record.json.dsse && echo same)" "0 same" "signing again changes nothing"
run sign run --key keys/other
exits 0 "a second signature"
for key in a other; do
    run verify run --key keys/$key.pub
    exits 0 "$key's is good"
    says '1 of 2 signatures' "$key's is one of two"
done
cp first.dsse run/record.json.dsse

# --- another implementation ---
if /usr/bin/python3 -c 'import securesystemslib, nacl' 2>/dev/null; then
    is "$(/usr/bin/python3 "$independent" check run/record.json.dsse keys/a.pub run 2>&1 | tail -1)" good "another implementation verifies ours"
    printf x >>run/report.html
    case $(/usr/bin/python3 "$independent" check run/record.json.dsse keys/a.pub run 2>&1 | tail -1) in
    good) fail "and would see a change" ;;
    *) pass "and would see a change" ;;
    esac
    truncate -s -1 run/report.html
    /usr/bin/python3 "$independent" make run theirs >made 2>&1 || fail "it makes envelopes" "$(cat made)"
    run verify run --key theirs/key.pub --envelope theirs/good.dsse
    exits 0 "we verify one that it made"
    for envelope in theirs/[0-9]-*.dsse; do
        name=$(basename "$envelope" .dsse)
        run verify run --key theirs/key.pub --envelope "$envelope"
        exits "${name%%-*}" "${name#?-}"
        [ "$status" != 3 ] || grep -q "^oamqual: $envelope" err || fail "${name#?-}: the file is named" "$(cat err)"
    done
    [ "$(ls theirs | wc -l)" -gt 40 ] && pass "some forty forms" || fail "some forty forms" "$(ls theirs)"
    run verify run --key theirs/key.pub --envelope theirs/0-member-added.dsse
    says 'no signature covers: note' "a member of the envelope that nobody signed is named"
else
    skip "another implementation" "python3-securesystemslib and python3-nacl are not installed"
fi
# openssl alone can check it too.
python3 - <<'END'
import base64, json
d = json.load(open("run/record.json.dsse"))
body = base64.b64decode(d["payload"])
kind = d["payloadType"].encode()
open("message", "wb").write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body))
open("signature", "wb").write(base64.b64decode(d["signatures"][0]["sig"]))
END
is "$(openssl pkeyutl -verify -rawin -in message -sigfile signature -pubin -inkey keys/a.pub 2>&1)" "Signature Verified Successfully" \
    "openssl verifies it"

# --- what is noticed ---
cp -r run sound
restore() { rm -rf run; cp -r sound run; }
noticed() { # title, pattern
    run verify run --key keys/a.pub
    [ "$status" = 1 ] || [ "$status" = 3 ] && pass "$1" || fail "$1" "exit status $status" "$(cat out err)"
    says "$2" "$1: named"
    restore
}
edit() { # old text, new text: in the record, once
    python3 - "$1" "$2" <<'END'
import sys
text = open("run/record.json").read()
assert sys.argv[1] in text, sys.argv[1]
open("run/record.json", "w").write(text.replace(sys.argv[1], sys.argv[2], 1))
END
}
edit '"class": "unknown",
      "why": "' '"class": "unknown",
      "why": "!'
noticed "a nested value" '^record.json: its content is not what was signed'
edit "$(sed -n '/"name": "oamqual",/,+1p' run/record.json)" "$(sed -n '/"name": "oamqual",/,+1p' run/record.json | tac)"
noticed "an order of keys" '^record.json: its content'
edit '"host": {' '"host": { "note": 1,'
noticed "an added key" '^record.json: its content'
edit '"deadline_seconds": 900' '"deadline_seconds": 900.0'
noticed "a number's form" '^record.json: its content'
echo >>run/record.json
noticed "one more line" '^record.json: its content'
picture=$(cd run && find attempts -name image.exr | sort | head -1)
printf x | dd of="run/$picture" bs=1 seek=900 conv=notrunc 2>/dev/null
noticed "a byte of a picture" "^$picture: its content"
rm "run/$picture"
noticed "a missing file" "^$picture: is missing"
ln -sf "$PWD/sound/$picture" "run/$picture"
noticed "a link in a file's place" "^$picture: not a file any more but a symbolic link"
echo x >run/attempts/new.txt
noticed "a new file" '^attempts/new.txt: not signed'
echo x >run/report.other.html
noticed "a new report" '^report.other.html: not signed'
echo x >>run/report.html
noticed "a changed report" '^report.html: its content'
ln -sf "$PWD/sound/record.json" run/record.json
run verify run
exits 1 "a link in the record's place, without a key"
says '^record.json: not a file but a symbolic link' "is named"
noticed "with one too" '^record.json: not a file any more but a symbolic link'
mkfifo run/attempts/pipe
noticed "a pipe" '^attempts/pipe: not signed'
mv run/report.html run/report.htm
noticed "a renamed file" '^report.html: is missing'
cp run/record.json run/record.json.evil.dsse.json
noticed "a file that is nearly called an envelope" '^record.json.evil.dsse.json: not signed'
cp "run/$picture" "run/references/$(basename "$(ls run/references/*.exr | head -1)")"
noticed "a file in another's place" '^references/.*: its content'

# A forger who makes record and digests agree is seen by the signature alone.
echo forged >run/attempts/forged.txt
edit '"files": [' "\"files\": [{\"path\": \"attempts/forged.txt\", \"bytes\": 7, \"sha256\": \"$(sha256sum <run/attempts/forged.txt | cut -d' ' -f1)\"},"
run verify run
exits 0 "without the key a forger's record is intact"
noticed "with it it is not" '^attempts/forged.txt: not signed'

# What contradicts itself is not signed.
echo x >>"run/$picture"
rm run/record.json.dsse
run sign run --key keys/a
exits 1 "changed evidence is not signed"
says "^$picture: its content is not what was recorded" "and named"
[ ! -e run/record.json.dsse ] && pass "nothing is written" || fail "nothing is written"
restore
rm run/record.json.dsse
edit '"render_worker": false' '"render_worker": true'
run sign run --key keys/a
exits 1 "a record that contradicts itself is not signed"
restore
echo '{}' >run/record.json
run sign run --key keys/a
exits 3 "nor is what is no record"
restore
echo again >run/report.more.html
run sign run --key keys/other
exits 3 "an envelope that covers something else is not replaced"
says 'covers something else' "and why"
is "$(cmp run/record.json.dsse first.dsse && echo same)" same "it is as it was"
run sign run --key keys/other --output run/record.json.second.dsse
exits 0 "another envelope beside it is"
run verify run --key keys/other.pub --envelope run/record.json.second.dsse
exits 0 "and verifies"

# --- what is no record, no key ---
run sign missing --key keys/other
exits 3 "a record that is not there is not signed"
says 'missing: there is no record' "and said to be missing"
for what in keys /dev/null; do
    run sign run --key $what
    exits 3 "$what is no key to sign with"
    says "$what: not a regular file" "and why"
    run verify run --key $what
    exits 3 "nor to check with"
    says "$what: not a regular file" "and why"
done
picture=$(find run -name image.exr | sort | head -1)
for what in "$picture" run/report.html; do
    run sign $what --key keys/other
    exits 3 "$what is not signed"
    says "$what: a signed record is called record.json" "for what it is, not for an envelope's name"
done
mkdir -p farm && echo '{"schema": "oamqual-record/2"}' >farm/record.json
run sign farm --key keys/other
exits 3 "a record of another form is not signed"
says 'is "oamqual-record/2", not "oamqual-record/1"' "and both are named"

rm -rf run && cp -r sound "r\$(x) 1"
run verify "r\$(x) 1" --key keys/a.pub
exits 0 "it moves with its folder, whatever that is called"
finish
