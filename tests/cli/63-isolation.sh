#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a Blender that is not to be trusted can reach, with the sandbox and without: the second shows that the attempts
# of the first were real ones.
. "$SOURCE/tests/cli/lib.sh"

python3 "$SOURCE/tests/nodes/make_nodes.py" --variant one-gcd --out node >/dev/null || exit 1
cp -r "$SOURCE/scenes/cornell" scene
export FAKE_BLENDER=spy FAKE_SECRET="$PWD/secret.txt" FAKE_PORT FAKE_PID=$$ FAKE_SCENE FAKE_REFERENCE
echo secret >secret.txt

# Somebody who listens on the host.
python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    s.accept()[0].close()' >port &
listener=$!
trap 'kill $listener 2>/dev/null' EXIT
while ! [ -s port ]; do sleep 0.05; done
FAKE_PORT=$(cat port)

spy() { # sandbox mode
    rm -rf run
    FAKE_SCENE=$PWD/run/scenes/cornell/cornell.blend
    FAKE_REFERENCE=$PWD/run/references/cornell.exr
    run qualify --node node --out run -s scene -b "$SOURCE/tests/fakes/blender" --probe strict --no-baseline -q \
        --sandbox "$1"
}
spied() {
    field run/record.json "[a['worker']['spied']['$1'] for a in d['attempts'] if a['probe'] == 'strict'][0]" 2>&1
}

if ! have bwrap; then
    skip "the sandbox" "bwrap (bubblewrap) is not installed"
else
    spy require
    exits 1 "judged in the sandbox"
    is "$(field run/record.json "d['isolation']['sandbox']")" True "which the record says"
    while IFS='|' read -r act want; do
        is "$(spied "$act")" "$want" "in the sandbox: $act: $want"
    done <<'TABLE'
read a file of the host|FileNotFoundError
read the users|FileNotFoundError
write into the system|OSError
write over the scene|OSError
write over the reference|FileNotFoundError
reach the network|ConnectionRefusedError
see other processes|only its own
write into its own folder|done
TABLE
    is "$(spied "write beside the run")" done "in the sandbox: what it writes beside its folder goes nowhere"
    if [ -e run/attempts/x ]; then fail "nothing is left of it"; else pass "nothing is left of it"; fi
fi

spy none
is "$(field run/record.json "d['isolation']['sandbox'], d['isolation']['sandbox_why']")" \
    "(False, 'left out by --sandbox none')" "without a sandbox the record says so"
for act in "read a file of the host" "read the users" "write beside the run" "reach the network" "see other processes"; do
    is "$(spied "$act")" done "without it, as a control: $act"
done

# bwrap is there and may not be used: said, and fatal only when it is required.
mkdir bin
printf '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n' >bin/bwrap
chmod +x bin/bwrap
path=$PATH
PATH=$PWD/bin:$path
spy auto
is "$(field run/record.json "d['isolation']['sandbox_why']")" \
    "bwrap is installed and cannot be used here: bwrap: No permissions to create new namespace" "a forbidden bwrap is told"
spy require
exits 3 "and --sandbox require does not go on without it"
says 'No permissions to create new namespace' "saying why"
if [ -e run ]; then fail "and leaves nothing"; else pass "and leaves nothing"; fi
PATH=$path
run qualify --node node --out run2 --sandbox perhaps
exits 2 "an unknown mode is refused"

# The tool is killed outright: no child, no grandchild outlives it.
killed() { # sandbox mode, fake, pattern of what must be gone
    rm -rf run
    FAKE_BLENDER=$2
    "$OAMQUAL" qualify --node node --out run -s scene -b "$SOURCE/tests/fakes/blender" --probe strict --no-baseline -q \
        --sandbox "$1" >out 2>err &
    tool=$!
    waited=0
    while ! pgrep -f "$3" >/dev/null && [ $waited -lt 200 ]; do sleep 0.1; waited=$((waited + 1)); done
    if ! pgrep -f "$3" >/dev/null; then fail "$2 began"; return; fi
    kill -9 $tool
    wait $tool 2>/dev/null
    waited=0
    while pgrep -f "$3" >/dev/null && [ $waited -lt 50 ]; do sleep 0.1; waited=$((waited + 1)); done
    if pgrep -f "$3" >/dev/null; then
        fail "$4" "$(pgrep -af "$3")"
        pkill -9 -f "$3"
    else
        pass "$4"
    fi
}
killed none hang "^/usr/bin/python3 $SOURCE/tests/fakes/blender.*$PWD/run" "killed without a sandbox: the renderer is gone"
if have bwrap; then
    killed require daemon-hang '^/bin/sleep 597$' "killed with a sandbox: a grandchild in a session of its own is gone"
    killed require hang "tests/fakes/blender.*$PWD/run" "and so is a renderer that ignores SIGTERM"
fi
finish
