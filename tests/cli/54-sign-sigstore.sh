#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Envelopes of ours to @sigstore/core of the npm registry, and one of its to us. `make deps-test` installs it, the version and
# the digest that tests/sign/package-lock.json names.
. "$SOURCE/tests/cli/lib.sh"
modules=$SOURCE/build/sign

if ! have node || ! [ -f "$modules/node_modules/@sigstore/core/package.json" ]; then
    skip "an implementation of DSSE that is not ours" "node or @sigstore/core is missing: tests/sign/install-sigstore build/sign"
    finish
fi
sigstore() {
    node "$SOURCE/tests/sign/sigstore.js" "$modules" "$@" 2>&1 | tail -1
}

mkdir run
printf '{"schema": "oamqual-record/1", "attempts": [], "gcds": [], "files": []}\n' >run/record.json
echo "a report" >run/report.txt
"$OAMQUAL" keygen a >/dev/null && "$OAMQUAL" keygen b >/dev/null
run sign run --key a
exits 0 "a record is signed"
# What an implementation that reads only the signature, or only the body, would take.
python3 - <<'END'
import base64, json
d = json.load(open("run/record.json.dsse"))
body = bytearray(base64.b64decode(d["payload"]))
sig = bytearray(base64.b64decode(d["signatures"][0]["sig"]))
b64 = lambda b: base64.b64encode(bytes(b)).decode()
body[len(body) // 2] ^= 1
sig[20] ^= 1
signature = d["signatures"][0]
json.dump(dict(d, payload=b64(body)), open("payload.dsse", "w"))
json.dump(dict(d, payloadType=d["payloadType"] + "x"), open("type.dsse", "w"))
json.dump(dict(d, signatures=[dict(signature, sig=b64(sig))]), open("signature.dsse", "w"))
json.dump(dict(d, signatures=[dict(signature, keyid="another")]), open("keyid.dsse", "w"))
END
is "$(sigstore check a.pub run/record.json.dsse payload.dsse type.dsse signature.dsse keyid.dsse)" "good bad bad bad good" \
    "it takes ours, and none with another payload, type or signature; the key's id is only a hint"
is "$(sigstore check b.pub run/record.json.dsse)" bad "nor by another key"
for changed in payload type signature keyid; do
    run verify run --key a.pub --envelope $changed.dsse
    [ $changed = keyid ] && want=0 || want=1
    exits $want "verify says the same of another $changed"
done

run sign run --key b
is "$(sigstore check a.pub run/record.json.dsse) $(sigstore check b.pub run/record.json.dsse)" "good good" \
    "of two signatures it finds each"

sigstore make b run/record.json.dsse theirs.dsse
run verify run --key b.pub --envelope theirs.dsse
exits 0 "verify takes one that it signed"
run verify run --key a.pub --envelope theirs.dsse
exits 1 "and not by another key"
echo changed >run/report.txt
run verify run --key b.pub --envelope theirs.dsse
exits 1 "nor when a file of the record has changed"
finish
