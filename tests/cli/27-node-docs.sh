#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages on the node and on reconciling show what the program prints.
. "$SOURCE/tests/cli/lib.sh"

for page in node reconcile; do
    python3 "$SOURCE/tests/doc-examples" "$SOURCE/docs/$page.md" >checked 2>&1 || fail "$page.md is checked" "$(tail -5 checked)"
    while IFS= read -r line; do
        case $line in
        "ok "*) pass "${line#ok }" ;;
        "not ok "*) fail "${line#not ok }" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <checked
done

# A page that shows something else is found.
printf 'x\n```\n$ oamqual node --node tests/nodes/mi250x-blade --no-hip --preflight\nready\n```\n' >stale.md
is "$(python3 "$SOURCE/tests/doc-examples" stale.md | grep -c '^not ok')" 1 "a page that has gone stale is found"
printf 'nothing\n' >empty.md
is "$(python3 "$SOURCE/tests/doc-examples" empty.md | grep -c '^not ok')" 1 "so is one that shows nothing"
finish
