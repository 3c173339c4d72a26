#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oamqual compare: verdicts and exit status, and its numbers against those of idiff on files made by oiiotool.
. "$SOURCE/tests/cli/lib.sh"

for tool in oiiotool idiff; do
    have $tool || {
        skip "compare" "$tool (openimageio-tools) is not installed"
        finish
    }
done

corners=topleft=.1,.1,.2,1:topright=.9,.2,.1,1:bottomleft=.1,.8,.4,1:bottomright=.9,.9,.7,1
oiiotool --create 160x120 4 --fill:$corners 160x120 -d float --compression zip -o a.exr
oiiotool a.exr --noise:type=gaussian:mean=0:stddev=.01:seed=5 -d float -o noisy.exr
cat >limits.json <<'END'
{"schema": "oamqual-limits/1", "pixel_limit": 0.02, "share_over": 0.005, "mean_error": 0.0005,
 "rms_error": 0.004, "tile_error": 0.003, "calibration": "chosen for this test"}
END

# --- verdicts and exit status
run compare a.exr a.exr --limits limits.json
exits 0 "a picture is accepted against itself"
is "$(head -1 out)" accepted "and the verdict is the first word"
run compare noisy.exr a.exr --limits limits.json
exits 1 "a noisy picture is not accepted"
says '^image-differs: .*over the limit' "the verdict and the limit are named"
run compare noisy.exr a.exr
exits 3 "without limits nothing is judged"
says '^no-reference: no limits' "and that is said"
says '^RMS error' "but the metrics are printed"
run compare a.exr a.exr
exits 3 "not even equal pictures are accepted without limits"
run compare a.exr
exits 2 "one picture is a usage error"
run compare a.exr noisy.exr a.exr --limits limits.json
exits 0 "D09: of two references one is enough"
run compare a.exr a.exr --no-such
exits 2 "an unknown option too"
run compare --help
exits 0 "--help"
says 'IMAGE REFERENCE' "--help names the operands"
run compare absent.exr a.exr --limits limits.json
exits 3 "an absent picture"
says 'absent\.exr: No such file' "the file and the reason are named"
one_line "in one line"
is "$(wc -c <out)" 0 "and no verdict is printed"
sed 's/0.004/-1/' limits.json >negative.json
run compare a.exr a.exr --limits negative.json
exits 3 "a negative limit"
says 'negative\.json: "rms_error" is -1' "is refused with its name"

# --- the numbers, against idiff
agree() { # TITLE IMAGE REFERENCE
    run compare "$2" "$3" --limits limits.json --json
    # idiff prints metrics only of pictures that fail it.
    { idiff -fail 1e-9 "$2" "$3"; idiff -fail 0.02 "$2" "$3"; } >idiff.out
    if python3 - "$4" >why 2>&1 <<'END'
import json, re, sys
c = json.load(open("out"))["comparison"]
text = open("idiff.out").read()
number = r"([-+.\de]+)"
def theirs(name):
    return float(re.search(name + r"\s*=\s*" + number, text).group(1))
for key, name in (("max_error", "Max error"), ("mean_error", "Mean error"), ("rms_error", "RMS error")):
    ours, want = c[key], theirs(name)
    assert want > 0 and abs(ours - want) <= 2e-5 * want, (key, ours, want)
x, y = map(int, re.search(r"@ \((\d+), (\d+)", text).groups())
assert c["max_at"] == [x, y], (c["max_at"], x, y)
over = re.search(r"(\d+) pixels \([^)]*\) over 0\.02", text)
pixels = int(sys.argv[1])
assert round(c["share_over"] * pixels) == (int(over.group(1)) if over else 0), (c["share_over"], over)
END
    then pass "idiff agrees: $1"; else fail "idiff agrees: $1" "$(cat why idiff.out)"; fi
}
oiiotool a.exr --addc .01,0,.03,0 -d float -o shifted.exr
oiiotool --create 1x1 4 --fill:color=4,4,4,1 1x1 a.exr --paste +31+77 -d float -o dot.exr
oiiotool a.exr -d half -o half.exr
agree "gaussian noise" noisy.exr a.exr 19200
agree "two channels shifted" shifted.exr a.exr 19200
agree "one pixel far off" dot.exr a.exr 19200
agree "half against float" half.exr a.exr 19200
for scene in cornell glass; do
    reference=$SOURCE/expected/$scene/reference.exr
    oiiotool "$reference" --mulc 1.03,1,.98,1 -d float -o "$scene.exr"
    agree "$scene, tinted" "$scene.exr" "$reference" \
        $([ $scene = cornell ] && echo 16384 || echo 15360)
done

# --- what may not be compared
oiiotool a.exr --resize 80x60 -o small.exr
run compare small.exr a.exr --limits limits.json
exits 1 "D02: another size"
says '^image-invalid: .*80x60, not 160x120' "D02: is named before any metric"
is "$(grep -c error out)" 0 "D02: and there is no metric"
oiiotool a.exr --ch R,G,B -o rgb.exr
run compare rgb.exr a.exr --limits limits.json
exits 1 "D03: RGB against RGBA"
says '^image-invalid: channels differ: the picture has no channel A' "D03: the missing channel is named"
run compare a.exr rgb.exr --limits limits.json
exits 1 "D03: RGBA against RGB"

# --- windows and order
oiiotool --create 90x90 4 --fill:$corners 90x90 --origin +10+10 --fullsize 200x200+0+0 -d float -o window.exr
oiiotool window.exr --croptofull -d float -o full.exr
is "$(oiiotool --info -v window.exr | grep -c 'pixel data origin')" 1 "D04: the data window is smaller than the display"
run compare window.exr full.exr --limits limits.json
exits 0 "D04: the same picture saved both ways is accepted"
run compare full.exr window.exr --limits limits.json
exits 0 "D04: either way round"
oiiotool --create 90x90 4 --fill:$corners 90x90 --origin +12+10 --fullsize 200x200+0+0 -d float -o moved.exr
run compare moved.exr full.exr --limits limits.json
exits 1 "D03: a shifted data window differs"
oiiotool --create 300x300 4 --fill:$corners 300x300 --origin -50-50 --fullsize 200x200+0+0 -d float -o over.exr
oiiotool over.exr --cut 200x200+0+0 -d float -o cut.exr
run compare over.exr cut.exr --limits limits.json
exits 0 "D04: overscan outside the display window is left out"
oiiotool a.exr --ch A,B,G,R -d float -o abgr.exr
run compare abgr.exr a.exr --limits limits.json
exits 0 "D06: channels in another order"
oiiotool a.exr --attrib:type=string Software other --attrib DateTime "2001:01:01 00:00:00" -o stamped.exr
run compare stamped.exr a.exr --limits limits.json
exits 0 "D08: other metadata, same pixels"
oiiotool a.exr rgb.exr --siappend -d float -o parts.exr
run compare parts.exr a.exr --limits limits.json
exits 3 "D05: of two parts with colours none is guessed"

# --- half, infinity, emptiness
run compare half.exr a.exr --limits limits.json
exits 0 "D16: rounding to half is within the limits"
oiiotool a.exr --addc 70000,0,0,0 -d half -o inf.exr
run compare inf.exr a.exr --limits limits.json
exits 1 "D16: 70000 stored as half"
says '^image-invalid: [0-9]+ samples are NaN or infinite' "D16: is infinite and said to be"
run compare a.exr inf.exr --limits limits.json
exits 3 "D16: an infinite reference judges nothing"
says '^no-reference: ' "D16: and is no reference"
oiiotool a.exr --mulc 0,0,0,1 -d float -o black.exr
run compare black.exr a.exr --limits limits.json
exits 1 "D13: a black picture"
says '^image-invalid: the picture is black' "D13: is called black"
run compare black.exr black.exr --limits limits.json
exits 3 "D13: black against black judges nothing"
oiiotool a.exr --mulc 1,1,1,0 -d float -o clear.exr
run compare clear.exr a.exr --limits limits.json
exits 1 "D19: alpha 0 everywhere, colours equal"
says '^image-invalid: alpha is 0 everywhere' "D19: is named"
oiiotool black.exr --create 160x120 1 --fill:top=1e10:bottom=1e11 160x120 --chnames Z --chappend -d float -o deep.exr
oiiotool a.exr deep.exr --ch Z --chappend -d float -o good-z.exr
run compare deep.exr good-z.exr --limits limits.json
exits 1 "D12: black colours beside a filled depth channel"
says '^image-invalid: the picture is black' "D12: are black, and 1e11 is no infinity"
oiiotool a.exr -d uint8 -o a8.png
oiiotool a.exr -d uint16 -o a16.png
# The pictures differ by up to half a step of 1/255, at white 0.0045 in linear light: a mean error of 0.00133.
sed 's/0.0005/0.0001/; s/0.004/0.0001/; s/0.003/0.0001/; s/0.005/0/; s/0.02/0.0001/' limits.json >strict.json
run compare a8.png a16.png --limits strict.json
exits 0 "D17: 8 bit against 16 bit agree but for their steps"
says '^the picture is uint8, the reference uint16' "D17: and the depths are noted"
oiiotool a.exr --addc .004,.004,.004,0 -d uint8 -o brighter8.png
run compare brighter8.png a16.png --limits strict.json
exits 1 "D17: more than the steps is still found"
run compare a8.png brighter8.png --limits strict.json
exits 1 "D17: and between pictures of one depth nothing is allowed for"
run compare a16.png a.exr --limits limits.json
exits 0 "D18: a 16-bit sRGB PNG of a linear EXR is the same picture"

# --- damaged files
whole=$(wc -c <a.exr)
head -c $((whole * 2 / 3)) a.exr >partial.exr
run compare partial.exr a.exr --limits limits.json
exits 3 "D20: a truncated EXR"
says 'partial\.exr: .*truncated' "D20: is an error, not a partial comparison"
one_line "D20: of one line"
head -c $(($(wc -c <a8.png) - 12)) a8.png >partial.png
run compare partial.png a8.png --limits limits.json
exits 3 "D20: a PNG that lacks only its end"
one_line "D20: one line as well"
run compare a.exr partial.exr --limits limits.json
exits 3 "D20: a truncated reference"
printf '<html>not found</html>' >page.exr
run compare page.exr a.exr --limits limits.json
exits 3 "a web page named .exr"
says 'page\.exr: not an OpenEXR or PNG picture' "is named"

# window FILE NAME LEFT TOP RIGHT BOTTOM: a.exr with another window written into its header.
window() {
    python3 - "$@" <<'END'
import struct, sys
data = bytearray(open("a.exr", "rb").read())
name = sys.argv[2].encode() + b"\0box2i\0"
at = data.index(name) + len(name) + 4
data[at:at + 16] = struct.pack("<4i", *map(int, sys.argv[3:7]))
open(sys.argv[1], "wb").write(data)
END
}
window huge.exr dataWindow 0 0 1000000000 1000000000
run compare huge.exr a.exr --limits limits.json
exits 3 "a data window of 10^18 pixels"
window huge.exr displayWindow 0 0 1000000000 1000000000
run compare huge.exr a.exr --limits limits.json
exits 3 "a display window of 10^18 pixels"
says 'huge\.exr: declares .*more than 2\^28 samples' "is refused before memory is asked for"
window turned.exr dataWindow 100 100 0 0
run compare turned.exr a.exr --limits limits.json
exits 3 "a window that ends before it begins"
window taller.exr dataWindow 0 0 159 239
run compare taller.exr a.exr --limits limits.json
exits 3 "D20: a window that promises more rows than the file holds"

# --- outputs
run compare noisy.exr a.exr --limits limits.json --difference panels.png
exits 1 "--difference leaves the verdict"
is "$(oiiotool --info panels.png | sed 's/^[^:]*: *//;s/ *png$//')" "488 x  120, 3 channel, uint8" "three panels and two gaps"
oiiotool panels.png --cut 160x120+0+0 -o left.png
oiiotool noisy.exr --ch R,G,B --clamp:min=0:max=1 --colorconvert linear sRGB -d uint8 -o want.png
if idiff -fail 0.004 left.png want.png >idiff.out; then pass "the left panel is the picture in sRGB"; else
    fail "the left panel is the picture in sRGB" "$(cat idiff.out)"
fi
run compare a.exr a.exr --limits limits.json --difference no/such/folder.png
exits 3 "a difference that cannot be written"
says 'no/such/folder\.png' "names its path"
run compare small.exr a.exr --limits limits.json --difference none.png
exits 1 "no difference of pictures that cannot be compared"
[ ! -e none.png ] && pass "and no file" || fail "and no file"
run compare noisy.exr a.exr --limits limits.json --json
exits 1 "--json has the same exit status"
is "$(field out 'd["schema"]')" oamqual-comparison/1 "the schema is named"
is "$(field out '(d["verdict"], d["comparison"]["within"], d["check"]["finite"])')" \
    "('image-differs', False, 'yes')" "verdict, comparison and check"
run compare inf.exr a.exr --limits limits.json --json
is "$(field out '(d["verdict"], d["comparison"]["compared"], d["comparison"]["rms_error"])')" \
    "('image-invalid', False, None)" "what was not measured is null"
LC_ALL=de_DE.UTF-8 run compare noisy.exr a.exr --limits limits.json --json
is "$(field out 'd["comparison"]["limits"]["rms_error"]')" 0.004 "numbers keep their point in any locale"
finish
