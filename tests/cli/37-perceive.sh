#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SSIM, FLIP and HDR-FLIP against tests/image/oracle.py, which has them from the papers' formulas, and against what
# NVIDIA's own FLIP 1.7 program printed for the same files. SSIM to 1e-5, FLIP to 1e-5.
. "$SOURCE/tests/cli/lib.sh"

# Pictures are many pixels; the release build computes the same.
OAMQUAL=$OAMQUAL_RELEASE

/usr/bin/python3 "$SOURCE/tests/image/oracle.py" . >oracle.json
run compare a.exr b.exr --json
exits 3 "metrics are given without limits"
near() { # METRIC WANTED TITLE
    got=$(field out "d['comparison']['$1']")
    if python3 -c 'import sys; sys.exit(not abs(float(sys.argv[1]) - float(sys.argv[2])) <= 1e-5)' "$got" "$2"; then
        pass "$3: $got"
    else
        fail "$3" "got:  $got" "want: $2"
    fi
}
for metric in ssim flip hdr_flip; do
    near $metric "$(field oracle.json "d['$metric']")" "$metric is what the paper's formulas give"
done
# flip -r b.exr -t a.exr; flip -r b.png -t a.png
near hdr_flip 0.097256 "HDR-FLIP is what NVIDIA's program prints"
run compare a.png b.png --json
near flip 0.128325 "FLIP of 8-bit pictures is what NVIDIA's program prints"
is "$(field out 'd["comparison"]["hdr_flip"]')" None "and 8-bit pictures have no HDR-FLIP"
run compare a.exr a.exr --json
is "$(field out '(round(d["comparison"]["ssim"], 6), d["comparison"]["flip"], d["comparison"]["hdr_flip"])')" \
    "(1.0, 0.0, 0.0)" "equal pictures: 1, 0, 0"
is "$(field out 'd["comparison"]["psnr"]')" None "and no finite PSNR"
run compare a.exr b.exr --json --fast
is "$(field out '(d["comparison"]["ssim"], d["comparison"]["flip"])')" "(None, None)" "--fast leaves them out"
is "$(field out 'abs(d["comparison"]["psnr"] + 20 * __import__("math").log10(d["comparison"]["rms_error"])) < 1e-9')" \
    True "PSNR is of the RMS error, for a peak of 1"
finish
