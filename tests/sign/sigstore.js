// SPDX-License-Identifier: Apache-2.0
// Envelopes checked and made by @sigstore/core of the npm registry: its pre-authentication encoding, its signatures.
//   node sigstore.js MODULES check ENVELOPE KEY.pub        prints "good", or "bad" when the signature is not the key's
//   node sigstore.js MODULES make KEY ENVELOPE NEW         the same body signed anew with KEY
"use strict";
const fs = require("fs");
const [modules, act, ...files] = process.argv.slice(2);
const { crypto, dsse } = require(require.resolve("@sigstore/core", { paths: [modules] }));
const nodeCrypto = require("crypto");

if (act === "check") {
    const envelope = JSON.parse(fs.readFileSync(files[0], "utf8"));
    const key = crypto.createPublicKey(fs.readFileSync(files[1], "utf8"));
    const message = dsse.preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, "base64"));
    // Ed25519 has no digest of its own to name.
    const good = envelope.signatures.some((s) => crypto.verify(message, key, Buffer.from(s.sig, "base64"), null));
    console.log(good ? "good" : "bad");
} else {
    const envelope = JSON.parse(fs.readFileSync(files[1], "utf8"));
    const message = dsse.preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, "base64"));
    const sig = nodeCrypto.sign(null, message, fs.readFileSync(files[0], "utf8"));
    fs.writeFileSync(files[2], JSON.stringify({ ...envelope, signatures: [{ keyid: "", sig: sig.toString("base64") }] }));
}
