#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Envelopes checked and made without oamqual: keys and signatures by Debian's python3-securesystemslib (over PyNaCl), the
signed bytes after the text of DSSE 1.0 (protocol.md), the statement after in-toto's spec/v1/statement.md.

    independent.py check ENVELOPE KEY.pub FOLDER   prints "good" or the first thing that is wrong
    independent.py make FOLDER OUT                 OUT/key.pub, OUT/good.dsse over FOLDER and OUT/<status>-<name>.dsse: what
                                                   `oamqual verify` must end with
"""
import base64
import hashlib
import json
import pathlib
import sys

from securesystemslib.keys import generate_ed25519_key
from securesystemslib.signer import Signature, SSlibKey, SSlibSigner

TYPE = "application/vnd.in-toto+json"
# RFC 8410: SEQUENCE { SEQUENCE { OID 1.3.101.112 }, BIT STRING of 32 bytes }
SPKI = bytes.fromhex("302a300506032b6570032100")


def signed_bytes(kind, body):
    kind = kind.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)


# The example of protocol.md.
assert signed_bytes("http://example.com/HelloWorld", b"hello world") == \
    b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def read_public(path):
    lines = pathlib.Path(path).read_text().split("\n")
    assert lines[0] == "-----BEGIN PUBLIC KEY-----" and lines[2:] == ["-----END PUBLIC KEY-----", ""], lines
    der = base64.b64decode(lines[1], validate=True)
    assert der[:12] == SPKI and len(der) == 44
    return SSlibKey(hashlib.sha256(der).hexdigest(), "ed25519", "ed25519", {"public": der[12:].hex()})


def files(folder):
    """name -> SHA-256 of what must be covered."""
    found = {}
    for path in pathlib.Path(folder).rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_file() and not path.is_symlink() and not name.endswith(".dsse"):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def check(envelope, public, folder):
    envelope = json.load(open(envelope))
    assert sorted(envelope) == ["payload", "payloadType", "signatures"], sorted(envelope)
    assert envelope["payloadType"] == TYPE
    body = base64.b64decode(envelope["payload"], validate=True)
    key = read_public(public)
    assert envelope["signatures"][0]["keyid"] == key.keyid
    raw = base64.b64decode(envelope["signatures"][0]["sig"], validate=True)
    key.verify_signature(Signature(key.keyid, raw.hex()), signed_bytes(TYPE, body))
    statement = json.loads(body)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:oamqual:evidence:v1"
    subjects = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
    assert len(subjects) == len(statement["subject"])
    assert subjects == files(folder), set(subjects.items()) ^ set(files(folder).items())
    assert statement["predicate"]["files"] == len(subjects)
    return "good"


def statement_of(subjects, **changes):
    statement = {"_type": "https://in-toto.io/Statement/v1",
                 "subject": [{"name": n, "digest": {"sha256": d}} for n, d in subjects],
                 "predicateType": "urn:oamqual:evidence:v1", "predicate": {}}
    statement.update(changes)
    return json.dumps(statement, indent=3).encode()


class Maker:
    def __init__(self, folder, out):
        self.out = pathlib.Path(out)
        self.out.mkdir()
        self.keys = [generate_ed25519_key(), generate_ed25519_key()]
        self.subjects = sorted(files(folder).items())
        der = SPKI + bytes.fromhex(self.keys[0]["keyval"]["public"])
        (self.out / "key.pub").write_text("-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" %
                                          base64.b64encode(der).decode())

    def signature(self, body, kind=TYPE, key=0):
        made = SSlibSigner(self.keys[key]).sign(signed_bytes(kind, body))
        return {"keyid": made.keyid, "sig": base64.b64encode(bytes.fromhex(made.signature)).decode()}

    def envelope(self, body, kind=TYPE, **changes):
        made = {"payload": base64.b64encode(body).decode(), "payloadType": kind, "signatures": [self.signature(body, kind)]}
        made.update(changes)
        return made

    def text(self, name, text):
        (self.out / (name + ".dsse")).write_text(text)

    def write(self, name, envelope):
        self.text(name, json.dumps(envelope))


def flipped(text, at):
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]


def make(folder, out):
    m = Maker(folder, out)
    body = statement_of(m.subjects)
    good = m.envelope(body)
    mine, other = m.signature(body), m.signature(body, key=1)
    sig = mine["sig"]
    m.write("good", good)
    # Sound, in another form.
    m.write("0-two-signatures", dict(good, signatures=[other, mine]))
    m.write("0-another-keyid", dict(good, signatures=[dict(mine, keyid="somebody else")]))
    m.write("0-no-keyid", dict(good, signatures=[{"sig": sig}]))
    m.write("0-url-safe", dict(good, payload=base64.urlsafe_b64encode(body).decode(),
                               signatures=[dict(mine, sig=sig.replace("+", "-").replace("/", "_"))]))
    m.write("0-member-added", dict(good, note="not signed"))
    m.write("0-other-order-of-subjects", m.envelope(statement_of(m.subjects[::-1])))
    # Judged, and not what the key signed.
    m.write("1-another-key", dict(good, signatures=[other]))
    m.write("1-keyid-of-ours", dict(good, signatures=[dict(other, keyid=mine["keyid"])]))
    m.write("1-signature-bit", dict(good, signatures=[dict(mine, sig=flipped(sig, 5))]))
    m.write("1-signature-short", dict(good, signatures=[dict(mine, sig=sig[:40])]))
    m.write("1-signature-empty", dict(good, signatures=[dict(mine, sig="")]))
    m.write("1-payload-bit", dict(good, payload=flipped(good["payload"], 100)))
    m.write("1-payload-written-anew", dict(good, payload=base64.b64encode(json.dumps(json.loads(body)).encode()).decode()))
    m.write("1-payload-type-changed", dict(good, payloadType="application/json"))
    m.write("1-payload-type-signed", m.envelope(body, "application/json"))
    # Signed by the key, and not for this evidence.
    m.write("1-another-predicate", m.envelope(statement_of(m.subjects, predicateType="https://slsa.dev/provenance/v1")))
    m.write("1-another-statement", m.envelope(statement_of(m.subjects, _type="https://in-toto.io/Statement/v0.1")))
    m.write("1-no-json", m.envelope(b"good morning"))
    m.write("1-duplicate-keys", m.envelope(body.replace(b'"predicate": {}', b'"predicate": {}, "subject": []')))
    m.write("1-nothing", m.envelope(b""))
    m.write("1-a-list", m.envelope(b"[]"))
    m.write("1-no-subjects", m.envelope(statement_of([])))
    m.write("1-one-subject-less", m.envelope(statement_of(m.subjects[1:])))
    m.write("1-without-the-record", m.envelope(statement_of([s for s in m.subjects if s[0] != "record.json"])))
    m.write("1-one-subject-more", m.envelope(statement_of(m.subjects + [("gone.txt", "0" * 64)])))
    m.write("1-subject-twice", m.envelope(statement_of(m.subjects + m.subjects[:1])))
    m.write("1-subject-outside", m.envelope(statement_of(m.subjects + [("../../etc/passwd", "0" * 64)])))
    m.write("1-digest-in-capitals", m.envelope(statement_of([(n, d.upper()) for n, d in m.subjects])))
    m.write("1-digest-of-another-kind", m.envelope(statement_of([], subject=[{"name": "record.json",
                                                                              "digest": {"sha1": "0" * 40}}])))
    # No envelope.
    m.write("3-payload-cut", dict(good, payload=good["payload"][:-3]))
    m.write("3-payload-line-break", dict(good, payload=good["payload"][:76] + "\n" + good["payload"][76:]))
    m.write("3-signature-cut", dict(good, signatures=[dict(mine, sig=sig[:-3])]))
    m.write("3-no-signatures", dict(good, signatures=[]))
    m.write("3-signatures-no-list", dict(good, signatures={"0": mine}))
    m.write("3-signature-no-object", dict(good, signatures=[sig]))
    m.write("3-signature-without-sig", dict(good, signatures=[{"keyid": ""}]))
    m.write("3-too-many", dict(good, signatures=[mine] * 65))
    m.write("3-payload-no-text", dict(good, payload=5))
    m.write("3-no-type", {k: v for k, v in good.items() if k != "payloadType"})
    text = json.dumps(good)
    m.text("3-cut", text[:-40])
    m.text("3-trailing", text + "{}")
    m.text("3-two-payloads", text[:-1] + ', "payload": "' + good["payload"] + '"}')
    m.text("3-two-sigs", text.replace('"sig": ', '"sig": "", "sig": '))
    m.text("3-empty", "")
    m.text("3-list", "[" + text + "]")
    m.text("3-nul", text.replace("in-toto", "in\\u0000toto"))


if __name__ == "__main__":
    if sys.argv[1] == "check":
        print(check(*sys.argv[2:]))
    else:
        make(*sys.argv[2:])
