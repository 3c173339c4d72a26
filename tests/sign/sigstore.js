// SPDX-License-Identifier: Apache-2.0
// Envelopes checked and made by @sigstore/core of the npm registry: its encoding of what is signed, its Ed25519.
//   node sigstore.js MODULES check KEY.pub ENVELOPE...    a word for each: "good", or "bad" when the key did not sign this
//   node sigstore.js MODULES make KEY ENVELOPE NEW        the same body signed anew with KEY
"use strict";
const fs = require("fs");
const [modules, act, key, ...files] = process.argv.slice(2);
const { crypto, dsse } = require(require.resolve("@sigstore/core", { paths: [modules] }));
const nodeCrypto = require("crypto");

const keyText = fs.readFileSync(key, "utf8");
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const signedBytes = (envelope) => dsse.preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, "base64"));

function judge(envelope) {
    const message = signedBytes(envelope);
    const key = crypto.createPublicKey(keyText);
    // Ed25519 has no digest of its own to name.
    return envelope.signatures.some((s) => crypto.verify(message, key, Buffer.from(s.sig, "base64"), null)) ? "good" : "bad";
}

if (act === "check") {
    console.log(files.map((file) => judge(read(file))).join(" "));
} else {
    const envelope = read(files[0]);
    const sig = nodeCrypto.sign(null, signedBytes(envelope), keyText);
    fs.writeFileSync(files[1], JSON.stringify({ ...envelope, signatures: [{ keyid: "", sig: sig.toString("base64") }] }));
}
