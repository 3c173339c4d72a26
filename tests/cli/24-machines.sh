#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every machine of tests/nodes: its modules, NUMA nodes, counts and findings are those of its expected file.
. "$SOURCE/tests/cli/lib.sh"

python3 "$SOURCE/tests/nodes/check_machines.py" whole >checked 2>&1 || fail "the machines are checked" "$(tail -5 checked)"
while IFS= read -r line; do
    case $line in
    "ok "*) pass "${line#ok }" ;;
    "not ok "*) fail "${line#not ok }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <checked
finish
