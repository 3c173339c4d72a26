# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests that run something on the stand-in runtime without the program's help.
#
#   stage ABI [LINE...]    makes lib/, state/ and sim.conf in the current folder: two GCDs, and the lines behind
#   on_stage COMMAND...    runs it there; the caller sets the visibility variables and PATH
stage() {
    abi=$1
    shift
    rm -rf lib state
    mkdir -p lib state
    ln -s "$OAMQUAL_SIMHIP/libamdhip64.so.$abi" "lib/libamdhip64.so.$abi"
    ln -s "libamdhip64.so.$abi" lib/libamdhip64.so
    {
        printf 'driver_version %s\nruntime_version 50221153\nstate %s/state\n' "${DRIVER:-50221153}" "$PWD"
        for line in "$@"; do printf '%s\n' "$line"; done
        for device in "c1 67c63ac3c3c637f9 4101 4" "c6 f7c63ac3c3c637f9 4102 5"; do
            # shellcheck disable=SC2086
            set -- $device
            printf 'device 0000:%s:00.0\nunique_id %s\ngpu_id %s\nkfd_node %s\n' "$1" "$2" "$3" "$4"
            printf 'gcn_arch gfx90a:sramecc+:xnack-\nname AMD Instinct MI250X\nmultiprocessors 110\n'
            printf 'total_bytes 68702699520\nfree_bytes 68685922304\nclock_khz 1700000\n'
        done
    } >sim.conf
}

on_stage() {
    LD_LIBRARY_PATH="$PWD/lib" OAMQUAL_SIM="$PWD/sim.conf" "$@"
}
