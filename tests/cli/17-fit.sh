#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual node --fit: do the weights of an artifact, and a context's key-value cache, fit one memory domain? The files are
# written here byte by byte and the sizes are computed from their shapes, apart from the program.
. "$SOURCE/tests/cli/lib.sh"

blade="$SOURCE/tests/nodes/mi250x-blade"

# Data that nobody reads is left as a hole: a file of 140 GB takes no room.
cat >make.py <<'END'
import json, os, struct, sys

BITS = {"F32": 32, "F16": 16, "BF16": 16, "I8": 8, "F8_E4M3": 8, "F4": 4}
BLOCKS = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q6_K": (14, 256, 210)}


def product(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def safetensors(path, tensors, cut=0):
    at, header = 0, {"__metadata__": {"format": "pt"}}
    for name, dtype, shape in tensors:
        size = product(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.truncate(8 + len(text) + at - cut)
    return at


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def gguf(path, tensors, keys, version=3, cut=0):
    infos, at, weights = b"", 0, 0
    for name, kind, shape in tensors:
        code, block, size = BLOCKS[kind]
        size = product(shape) // block * size
        infos += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", d) for d in shape) + struct.pack("<IQ", code, at)
        weights += size
        at = (at + size + 31) // 32 * 32
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    for key, value in keys.items():
        head += text(key)
        if isinstance(value, str):
            head += struct.pack("<I", 8) + text(value)
        elif isinstance(value, list):
            head += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(v) for v in value)
        else:
            head += struct.pack("<II", 4, value)
    head += infos
    head += bytes(-len(head) % 32)
    with open(path, "wb") as f:
        f.write(head)
        f.truncate(len(head) + at - cut)
    return weights


def model(layers, kv, length, more=None):
    return {"general.architecture": "llama", "tokenizer.ggml.tokens": ["a", "b", "<s>"], "llama.block_count": layers,
            "llama.embedding_length": 8192, "llama.attention.head_count": 64, "llama.attention.head_count_kv": kv,
            "llama.attention.key_length": length, "llama.attention.value_length": length, **(more or {})}


sizes = {
    # 70e9 parameters of 2 bytes: 140 GB, more than a domain and more than a module.
    "seventy": safetensors("seventy.safetensors", [("w%d" % i, "BF16", [10000, 1000000]) for i in range(7)]),
    # 31e9 of 2 bytes: 62 GB fit a domain of 64 GiB less 16 MiB, and 35e9 of 2 bytes do not, though a module holds them.
    "thirty": safetensors("thirty.safetensors", [("w", "F16", [31000, 1000000]), ("n", "F32", [8192])]),
    "module": safetensors("module.safetensors", [("w", "F16", [35000, 1000000])]),
    "mixed": safetensors("mixed.safetensors", [("a", "BF16", [3, 5]), ("b", "F8_E4M3", [7]), ("c", "F4", [4, 3]), ("d", "I8", [])]),
    # Mixtral's stored 47e9 parameters decide, not the 13e9 that are active.
    "mixtral16": gguf("mixtral16.gguf", [("w", "F16", [1000, 47000000])], model(32, 8, 128)),
    "mixtral4": gguf("mixtral4.gguf", [("w", "Q4_K", [256 * 1000, 183600]), ("n", "F32", [4096])], model(32, 8, 128)),
    "big": gguf("big.gguf", [("w", "Q4_0", [320, 200000000 // 2]), ("v", "Q6_K", [256, 1000]), ("u", "Q8_0", [32, 3])], model(80, 8, 128), 2),
    "nokv": gguf("nokv.gguf", [("w", "F32", [10])], {"general.architecture": "llama"}),
}
safetensors("cut.safetensors", [("w", "F16", [100])], cut=1)
gguf("cut.gguf", [("w", "F16", [100])], model(1, 1, 1), cut=65)
os.mkdir("sharded")
sizes["sharded"] = safetensors("sharded/model-00001-of-00002.safetensors", [("a", "BF16", [1000])]) \
    + safetensors("sharded/model-00002-of-00002.safetensors", [("b", "F32", [1000])])
json.dump({"metadata": {"total_size": 6000}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}},
          open("sharded/model.safetensors.index.json", "w"))
json.dump({"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 512}, open("sharded/config.json", "w"))
json.dump(sizes, open("sizes.json", "w"))
END
python3 make.py || { fail "the artifacts could be written"; finish; }

size() { field sizes.json "d['$1']"; }

# --- weights against one domain ---
run node --node "$blade" --fit seventy.safetensors
exits 1 "140 GB of weights do not fit a domain of 64 GiB"
is "$(size seventy)" 140000000000 "70e9 parameters of 2 bytes"
says '^weights +BF16 +70000000000 elements x 2 B = 140000000000 B$' "the arithmetic is shown"
says '^fits one domain: no \(0 of 8 hold it; weights alone, no context was stated\)$' "the answer"
says 'distributed case of its own.*no sum of domains is formed' "splitting is another case"
says 'a capacity statement, never a support statement' "and what fitting means"
says 'SIMULATED' "a replayed node is marked"
is "$(grep -c '^0000:.*fits: no (71314077696 bytes too many)$' out)" 8 "each domain is judged alone, by 140000000000 - 68685922304"
if grep -Eq '549[0-9]{9}|137[0-9]{9}' out; then fail "no sum of domains stands anywhere" "$(cat out)"; else pass "no sum of domains stands anywhere"; fi

run node --node "$blade" --fit module.safetensors --json
exits 1 "70 GB fit a module's 128 GB and no domain"
is "$(field out 'd["fits_one_domain"], d["needed_bytes"], sorted({x["fits"] for x in d["domains"]})')" \
    "('no', $(size module), ['no'])" "as JSON"

run node --node "$blade" --fit thirty.safetensors --json
exits 0 "62 GB fit"
is "$(field out 'd["artifact"]["weight_bytes"], d["artifact"]["tensors"], d["artifact"]["elements"]')" "($(size thirty), 2, 31000008192)" \
    "with the size that the shapes give"
is "$(field out '(x := d["domains"][0], x["bdf"], x["basis"], x["capacity_bytes"]["value"], x["capacity_bytes"]["class"])[1:]')" \
    "('0000:c1:00.0', 'free', 68685922304, 'simulated')" "compared with what is free, named and classed"
is "$(field out 'd["artifact"]["files"][0]["sha256"]["class"], d["working_buffers"]["class"], d["cache"]["context"]["class"]')" \
    "('unknown', 'unknown', 'unknown')" "what was not read or asked is unknown"
run node --node "$blade" --fit thirty.safetensors --fit-margin 8GB
exits 1 "a margin of 8 GB is not left"
run node --node "$blade" --fit thirty.safetensors --fit-margin 5%
exits 0 "5 % are"
run node --node "$blade" --fit thirty.safetensors --fit-margin 6685889537
exits 1 "more than 68685922304 - 62000032768 is not"
run node --node "$blade" --fit thirty.safetensors --fit-margin 6685889536
exits 0 "that much is"
run node --node "$blade" --fit thirty.safetensors --fit-margin 6GiB
exits 0 "6 GiB are"

run node --node "$blade" --no-hip --fit thirty.safetensors
exits 0 "without HIP the total of KFD counts"
says 'simulated total 68702699520 B .*\[KFD, total; what is free is unknown\]' "and is named"
cp -r "$blade" bare && rm -r bare/sys/class/kfd/kfd/topology/nodes/*/mem_banks
run node --node bare --no-hip --fit thirty.safetensors
exits 0 "without KFD's banks the published size counts"
says 'published 64000000000 B .*\[catalogue: MI250X, spec\] - 62000032768  fits: yes' "as published, in 10^9"
sed -i 's/^device_id .*/device_id 29711/' bare/sys/class/kfd/kfd/topology/nodes/*/properties
run node --node bare --no-hip --fit thirty.safetensors
exits 3 "an MI210 of unknown size cannot be judged"
says 'fits: unknown' "and says so"

# --- the mixture of types ---
run node --node "$blade" --fit mixed.safetensors --json
is "$(field out '{t["type"]: t["bytes"] for t in d["artifact"]["types"]}')" "{'BF16': 30, 'F8_E4M3': 7, 'F4': 6, 'I8': 1}" \
    "bytes by type"
is "$(field out 'd["artifact"]["weight_bytes"]')" "$(size mixed)" "and together"

# --- GGUF: stored parameters, quantization, cache ---
run node --node "$blade" --fit mixtral16.gguf --context 0
exits 1 "47e9 stored parameters of 2 bytes do not fit, whatever is active"
run node --node "$blade" --fit mixtral4.gguf --context 32768
exits 0 "in 4 bits they do"
says '^weights +Q4_K +47001600000 elements / 256 x 144 B = 26438400000 B$' "blocks are counted"
says '^kv cache +2 x 32 layers x 8 kv heads x 128 x 32768 tokens x 16 bits / 8 = 4294967296 B' "and the cache, factor by factor"
says "^needed +$(($(size mixtral4) + 4294967296)) B" "and the sum"
run node --node "$blade" --fit big.gguf --context 131072 --json
exits 0 "18 GB and a cache of 43 GB fit"
is "$(field out 'd["cache"]["bytes"]["value"], d["needed_bytes"]')" \
    "(42949672960, $(($(size big) + 42949672960)))" "2 x 80 x 8 x 128 x 131072 x 2"
is "$(field out 'd["artifact"]["version"], d["artifact"]["architecture"]["value"], d["cache"]["bytes"]["class"]')" \
    "(2, 'llama', 'declared')" "a file of version 2; its metadata declares"
run node --node "$blade" --fit big.gguf --context 262144
exits 1 "twice the context does not"
run node --node "$blade" --fit big.gguf --context 262144 --kv-bits 8.5
exits 0 "but in 8.5 bits"
says ' x 262144 tokens x 8.5 bits / 8 = 45634027520 B' "2 x 80 x 8 x 128 x 262144 x 8.5 / 8"
run node --node "$blade" --fit big.gguf --context 262144 --kv-bits 4.5 --json
is "$(field out 'd["cache"]["bytes"]["value"]')" 24159191040 "and in 4.5"
run node --node "$blade" --fit nokv.gguf --context 10
exits 3 "metadata that does not tell layers cannot be judged"
says "kv cache +unknown \(the file's metadata does not tell block_count\)" "and says what is missing"
run node --node "$blade" --fit nokv.gguf --context 0
exits 0 "without a context there is no cache"
run node --node "$blade" --fit seventy.safetensors --context 10
exits 1 "an unknown cache does not rescue weights that are too large"

# --- several files ---
run node --node "$blade" --fit sharded --context 100 --digest --json
exits 0 "a folder with an index"
is "$(field out 'd["artifact"]["weight_bytes"], d["cache"]["bytes"]["value"]')" "($(size sharded), 204800)" \
    "its files together, and the cache of config.json: 2 x 4 x 2 x 64 x 100 x 2"
is "$(field out '[f["sha256"] for f in d["artifact"]["files"]]')" \
    "['$(sha256sum <sharded/model-00001-of-00002.safetensors | cut -c1-64)', '$(sha256sum <sharded/model-00002-of-00002.safetensors | cut -c1-64)']" \
    "digests as sha256sum gives them"
rm sharded/model-00002-of-00002.safetensors
run node --node "$blade" --fit sharded
exits 3 "a missing file"
one_line "is one line"
says 'model-00002-of-00002.safetensors: No such file' "that names it"

# --- bad input ---
for file in cut.safetensors cut.gguf make.py sizes.json /dev/null absent; do
    run node --node "$blade" --fit "$file"
    exits 3 "$file is refused"
    one_line "in one line"
    is "$(wc -c <out)" 0 "and nothing on stdout"
done
mkfifo pipe.gguf
run node --node "$blade" --fit pipe.gguf
exits 3 "a pipe does not hang"
printf '\n{}x' >"$(printf 'a\033[31m.gguf')"
run node --node "$blade" --fit "$(printf 'a\033[31m.gguf')"
exits 3 "a hostile name"
if grep -q "$(printf '\033')" out err; then fail "is not echoed raw"; else pass "is not echoed raw"; fi
for words in '--context 5' '--kv-bits 8' '--fit-margin 5' '--digest' '--fit nokv.gguf --context -1' '--fit nokv.gguf --context 1x' \
    '--fit nokv.gguf --kv-bits 0' '--fit nokv.gguf --kv-bits 4.3' '--fit nokv.gguf --kv-bits 65' '--fit nokv.gguf --fit-margin 101%' \
    '--fit nokv.gguf --fit-margin 5TB' '--fit nokv.gguf --fit-margin -5' '--fit nokv.gguf --fit-margin 99999999999999999GB'; do
    # shellcheck disable=SC2086
    run node --node "$blade" $words
    exits 2 "node $words is a usage error"
done
mkdir -p empty/sys
run node --node empty --fit nokv.gguf
exits 3 "a node without GPUs cannot be judged"
says 'fits one domain: unknown \(no GPU domain is known\)' "and says why"
finish
