#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual cost against the same sums in Python; what is unknown stays unknown.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/records.sh"

# Two dies of a module as amdgpu shows them: the first has the meter, the second gives 0.
add_meter() {
    for die in c1:250000000 c6:0; do
        mkdir -p "node/sys/bus/pci/devices/0000:${die%:*}:00.0/hwmon/hwmon3"
        echo "${die#*:}" >"node/sys/bus/pci/devices/0000:${die%:*}:00.0/hwmon/hwmon3/power1_average"
    done
}
change_node=add_meter
make_record faithful faithful faithful
is "$(field run/record.json "sorted({(a['device']['bdf'][5:7], a['power_w']['value'], a['power_w']['class']) for a in d['attempts'] if a['device']}, key=str)")" \
    "[('c1', 250.0, 'simulated'), ('c6', 250.0, 'simulated'), ('c9', None, 'unknown')]" "power is sampled while a GCD renders, its mate's meter too"
is "$(field run/record.json "[a['power_w'] for a in d['attempts'] if not a['device']]")" "[None]" "and not of the control"
run cost --json --per-kwh 1 --node-per-hour 0 run
is "$(field out "[r['watts']['value'] and round(r['watts']['value'], 6) for r in d['records'][0]['scenes'][0]['rows']]")" "[None, 250.0, 250.0, None, None]" \
    "a module's power is each die's alone; all at once it is unknown when one module's is"
change_node=

make_record faithful silent faithful
POWER='
for a in d["attempts"]:
    if a["device"]:
        a["power_w"] = {"value": 300 + 10 * a["number"], "class": "observed", "from": "hwmon power1_average of the module"}
d["modules"] = {"value": [{"gcds": [g["bdf"] for g in d["gcds"]][:2], "basis": "link-width", "why": "x4"},
                          {"gcds": [d["gcds"][2]["bdf"]], "basis": "single", "why": "alone"}], "class": "observed", "from": "kfd"}
'
variant run plain blade "observed(d)
for a in d['attempts']: a.pop('power_w')"
variant run metered blade "observed(d)$POWER"
variant run slower other "observed(d)$POWER
for a in d['attempts']:
    if a['ending']: a['ending']['wall_seconds'] *= 2"
variant run elsewhere third "observed(d)
d['scenes'][0]['settings']['samples'] *= 2"

# --- what is not declared is unknown ---
run cost plain
exits 0 "a record and no price"
says 'cost unknown: node_per_hour is not declared' "no price, no cost"
says 'power unknown: the record has no samples of power, and gcd_watts is not declared' "nor a power"
run cost --json plain
is "$(field out "{r[k]['class'] for r in d['records'][0]['scenes'][0]['rows'] for k in ('watts', 'cost_per_hour', 'cost_per_accepted_frame')}")" \
    "{'unknown'}" "each with its class"
is "$(field out "d['prices']['pue']['why']")" "not declared, taken as 1" "what is assumed is said"

variant run claimed blade "observed(d)$POWER
for a in d['attempts']:
    if a['device']: a['power_w']['class'] = 'published'"
run cost --json claimed
is "$(field out "{r['watts']['class'] for r in d['records'][0]['scenes'][0]['rows']}")" "{'unknown'}" "a published power is no measured one"

# --- the sums ---
cat >prices.json <<'END'
{"schema": "oamqual-prices/1", "currency": "EUR", "node_per_hour": 4.5, "per_kwh": 0.3, "cpu_watts": 700, "pue": 1.25,
 "claims": [{"text": "7 times faster <than> a CPU", "source": "a brochure"}]}
END
run cost --json --prices prices.json metered
exits 0 "with prices and measured power"
cp out cost.json
python3 - >checks <<'END'
import json

record = json.load(open("metered/record.json"))
rows = {r["device"]: r for r in json.load(open("cost.json"))["records"][0]["scenes"][0]["rows"]}
bdfs = [g["bdf"] for g in record["gcds"]]
workers = [g["bdf"] for g in record["gcds"] if g["render_worker"]]
assert list(rows) == ["cpu"] + bdfs + ["all-gcds"] and len(workers) == 2


def near(got, want):
    assert abs(got - want) <= 1e-9 * abs(want), (got, want)


def attempts(of):
    return [a for a in record["attempts"] if a["run"] and of(a)]


def walls(some):
    return sum(a["ending"]["wall_seconds"] for a in some)


def good(some):
    return sum(a["verdict"] == "accepted" for a in some)


def is_on(a, bdf, together):
    return a["probe"] != "control" and a["device"]["bdf"] == bdf and a["together"] == together


def check(row, rate, watts, share):
    near(row["accepted_frames_per_hour"]["value"], rate)
    near(row["watts"]["value"], watts)
    near(row["cost_per_accepted_frame"]["value"], (4.5 * share + watts / 1000 * 1.25 * 0.3) / rate)
    assert row["cost_per_accepted_frame"]["class"] == "declared"


control = attempts(lambda a: a["probe"] == "control")
check(rows["cpu"], 3600 * good(control) / walls(control), 700, 1)
assert rows["cpu"]["watts"]["class"] == "declared"
for bdf in bdfs:
    own = attempts(lambda a: is_on(a, bdf, False))
    assert (rows[bdf]["frames"], rows[bdf]["accepted"]) == (len(own), good(own))
    if bdf in workers:
        joules = sum(a["power_w"]["value"] * a["ending"]["wall_seconds"] for a in own)
        check(rows[bdf], 3600 * good(own) / walls(own), joules / walls(own), 1 / 3)
        assert rows[bdf]["watts"]["class"] == "observed"
    else:
        assert rows[bdf]["frames"] == 2 and rows[bdf]["accepted_frames_per_hour"]["value"] == 0
        assert rows[bdf]["cost_per_accepted_frame"]["why"] == "not accepted: no-output"
rate = watts = 0
for bdf in workers:  # of two modules
    own = attempts(lambda a: is_on(a, bdf, True))
    rate += 3600 * good(own) / walls(own)
    watts += sum(a["power_w"]["value"] * a["ending"]["wall_seconds"] for a in own) / walls(own)
check(rows["all-gcds"], rate, watts, 1)
print("sound")
END
is "$(cat checks)" sound "rates, power and costs are those of the attempts"

# Both dies of a module: its meter counts once.
variant metered mates blade 'd["modules"]["value"] = [{"gcds": [g["bdf"] for g in d["gcds"]], "basis": "link-width", "why": "x4"}]'
run cost --json --prices prices.json mates
is "$(field out "round(d['records'][0]['scenes'][0]['rows'][-1]['watts']['value'], 9)")" \
    "$(field mates/record.json "float(next(a['power_w']['value'] for a in d['attempts'] if a['together'] and a['device']['bdf'] == d['gcds'][0]['bdf']))")" \
    "the power of a module with two GCDs at work is counted once"

run cost --prices prices.json metered
says '^cpu  .* 700 \(declared\) W  [0-9.e-]+ \(declared\) EUR a frame$' "a cost has its currency"
says 'claimed, not measured and not used: 7 times faster <than> a CPU \(a brochure\)' "a claim is printed as a claim"
sed 's/, *$//; /claims/d' prices.json | sed '$s/$/}/; s/"pue": 1.25$/"pue": 1.25/' >unclaimed.json
run cost --json --prices unclaimed.json metered
is "$(field out "d['records']")" "$(field cost.json "d['records']")" "and changes no number"
run cost --json --prices prices.json --node-per-hour 0 --per-kwh 0 plain
is "$(field out "d['records'][0]['scenes'][0]['rows'][1]['cost_per_accepted_frame']['value']")" 0.0 "energy for nothing needs no power; options stand over the file"

# --- two records ---
run cost --json --prices prices.json metered slower
exits 0 "two records"
python3 - >checks <<'END'
import json

for row in json.load(open("out"))["comparison"]:
    assert abs(row["accepted_frames_per_hour"]["value"] - 0.5) < 1e-9 and abs(row["cost_per_accepted_frame"]["value"] - 2) < 1e-9, row
    print(row["device"])
END
is "$(tr '\n' ' ' <checks)" "cpu all-gcds " "twice the time: half the frames, twice the cost"
run cost --prices prices.json metered elsewhere
says 'ratio unknown: the settings differ' "other settings are other frames"
run cost --prices prices.json metered run
says 'ratio unknown: a simulated record has no speed' "no ratio comes from a simulated record"
is "$(grep -c '^SIMULATED 0000:' out)" 3 "whose rows are marked"
run cost --json --prices prices.json --gcd-watts 500 run
is "$(field out "d['records'][0]['scenes'][0]['rows'][1]['cost_per_accepted_frame']['class']")" simulated "and whose costs are simulated"

# --- what is refused ---
run cost
exits 2 "no record"
run cost plain plain plain
exits 2 "three records"
for wrong in '--per-kwh -1' '--per-kwh nan' '--pue 0.9' '--cpu-watts 1e999' '--node-per-hour 5EUR' '--gcd-watts 0x10'; do
    # shellcheck disable=SC2086 # words
    run cost $wrong plain
    exits 2 "$wrong"
done
for wrong in '{"schema": "oamqual-prices/2"}' '{"schema": "oamqual-prices/1", "per_kwh": "0.3"}' \
    '{"schema": "oamqual-prices/1", "per_khw": 0.3}' '{"schema": "oamqual-prices/1", "pue": 0.5}' \
    '{"schema": "oamqual-prices/1", "claims": [{"text": "x"}]}' '{"schema": "oamqual-prices/1", "cpu_watts": -3}' '[1' ''; do
    echo "$wrong" >wrong.json
    run cost --prices wrong.json plain
    exits 3 "a price file of $wrong"
    one_line "is refused in one line"
    says 'wrong.json' "that names it"
done
variant metered huge huge "
for a in d['attempts']:
    a['ending']['wall_seconds'], a['power_w'] = 1e308, {'value': -1e308, 'class': 'observed', 'from': 'x'}"
run cost --json --prices prices.json huge
exits 0 "numbers that no clock and no meter gives"
is "$(field out "{r[k]['class'] for r in d['records'][0]['scenes'][0]['rows'] for k in ('accepted_frames_per_hour', 'cost_per_accepted_frame')}")" \
    "{'unknown'}" "are unknown"
variant plain liar liar "d['gcds'][1].update(verdict='accepted', render_worker=True)"
run cost liar
exits 3 "a record that contradicts itself has no costs"
finish
