#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records a node into a folder that `oamqual ... --node FOLDER` replays: what the kernel shows of its GPUs below /sys, and
# what HIP answers. It reads, never writes, needs no root and nothing but a POSIX shell and its usual tools; without
# oamqual beside it HIP's answers stay unknown. Read it before you run it: it is meant to be read.
#
# Not recorded: serial numbers, addresses of the network, names of users, processes. Each GPU's unique id is recorded, since
# devices are joined by it; --mask replaces ids and the host's name, each by the same made-up one everywhere.
set -u
LC_ALL=C
export LC_ALL
umask 022

usage() {
    cat <<'END'
usage: gather-node.sh [--mask] [--root DIR] [--hip-answers FILE] [--program FILE] FOLDER

  --mask              replace unique ids and the host's name; OAMQUAL_MASK_KEY, a text of your own, makes the same
                      replacements on every node and every time
  --root DIR          read below DIR instead of / (HIP is then not asked)
  --hip-answers FILE  take what 'oamqual hip-probe' printed from FILE
  --program FILE      ask this oamqual (default: in PATH, or beside this script)
  FOLDER              to be made; must not exist
END
}

fail() {
    echo "gather-node.sh: $1" >&2
    exit "${2:-3}"
}

mask='' root='' answers='' program='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --mask) mask=yes ;;
    --root | --hip-answers | --program)
        [ $# -gt 1 ] || fail "$1 needs a value" 2
        case $1 in
        --root) root=$2 ;;
        --hip-answers) answers=$2 ;;
        *) program=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*) fail "unknown option $1; see --help" 2 ;;
    *)
        [ -z "$out" ] || fail "more than one folder; see --help" 2
        out=$1
        ;;
    esac
    shift
done
[ -n "$out" ] || fail "no folder named; see --help" 2
[ ! -e "$out" ] || fail "$out exists"
[ -z "$root" ] || [ -d "$root" ] || fail "$root is no folder"
[ -z "$answers" ] || [ -r "$answers" ] || fail "$answers cannot be read"
mkdir -p "$out" || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 3' HUP INT TERM

# --- sysfs ------------------------------------------------------------------------------------------------

# The sizes that sysfs tells are not those of the content, so files are read, not copied. One that cannot be read is left
# out: then it is unknown in the replay, as it was here.
take() {
    [ -f "$root/$1" ] || return 0
    [ -d "$out/${1%/*}" ] || mkdir -p "$out/${1%/*}"
    cat "$root/$1" >"$out/$1" 2>/dev/null || rm -f "$out/$1"
}

# take_all PATTERN...: below the root
take_all() {
    for pattern; do
        for path in "$root"/$pattern; do
            take "${path#"$root"/}"
        done
    done
}

# A folder without a readable file still tells that the node is there.
take_kfd() {
    nodes=sys/class/kfd/kfd/topology/nodes
    take sys/class/kfd/kfd/topology/generation_id
    take sys/class/kfd/kfd/topology/system_properties
    for node in "$root/$nodes"/*; do
        [ -d "$node" ] || continue
        here=$nodes/${node##*/}
        mkdir -p "$out/$here"
        take_all "$here/properties" "$here/gpu_id" "$here/name" "$here/mem_banks/*/properties" \
            "$here/io_links/*/properties" "$here/p2p_links/*/properties"
    done
}

# Only GPUs of AMD's: display controllers and processing accelerators.
is_gpu() {
    [ "$(cat "$1/vendor" 2>/dev/null)" = 0x1002 ] || return 1
    case $(cat "$1/class" 2>/dev/null) in
    '' | 0x03* | 0x12*) return 0 ;;
    esac
    return 1
}

take_link() {
    [ -L "$root/$1" ] || return 0
    target=$(readlink "$root/$1")
    [ -d "$out/${1%/*}" ] || mkdir -p "$out/${1%/*}"
    ln -s "$2${target##*/}" "$out/$1"
}

take_pci() {
    for device in "$root"/sys/bus/pci/devices/*; do
        [ -d "$device" ] && is_gpu "$device" || continue
        here=sys/bus/pci/devices/${device##*/}
        for name in vendor device class revision subsystem_vendor subsystem_device numa_node local_cpulist unique_id uevent \
            mem_info_vram_total mem_info_vram_used gpu_busy_percent pcie_replay_count current_link_speed \
            current_link_width max_link_speed max_link_width current_compute_partition \
            available_compute_partition current_memory_partition vbios_version; do
            take "$here/$name"
        done
        take_link "$here/driver" ../../../../bus/pci/drivers/
        take_all "$here/ip_discovery/die/0/GC/0/*" "$here/ras/*_err_count" "$here/hwmon/hwmon*/name" \
            "$here/hwmon/hwmon*/temp*_label" "$here/hwmon/hwmon*/temp*_input" "$here/hwmon/hwmon*/power1_*"
    done
}

# A link to the device, as in sysfs: through it where the device was recorded.
take_drm() {
    for node in "$root"/sys/class/drm/renderD*; do
        [ -d "$node" ] || continue
        here=sys/class/drm/${node##*/}
        mkdir -p "$out/$here"
        take "$here/dev"
        if [ -r "$node/device/vendor" ]; then
            take_link "$here/device" ../../../bus/pci/devices/
        else
            take_link "$here/device" ../../../
        fi
    done
}

take_surroundings() {
    take_all 'sys/devices/system/node/node[0-9]*/cpulist' 'opt/rocm/.info/version*'
    for name in sys/devices/system/node/online sys/devices/system/cpu/online sys/module/amdgpu/version \
        sys/module/amdgpu/srcversion sys/class/dmi/id/product_name sys/class/dmi/id/sys_vendor \
        sys/class/dmi/id/chassis_type sys/class/dmi/id/bios_version proc/sys/kernel/osrelease etc/os-release; do
        take "$name"
    done
    # One processor speaks for all, and the total for the memory.
    if [ -r "$root/proc/cpuinfo" ]; then
        mkdir -p "$out/proc"
        sed '/^$/q' "$root/proc/cpuinfo" >"$out/proc/cpuinfo"
    fi
    if [ -r "$root/proc/meminfo" ]; then
        mkdir -p "$out/proc"
        sed -n '/^MemTotal:/p' "$root/proc/meminfo" >"$out/proc/meminfo"
    fi
    # It may name a job or a user.
    [ -n "$mask" ] || [ ! -r "$root/proc/self/cgroup" ] || take_cgroup
}

take_cgroup() {
    mkdir -p "$out/proc/self"
    cat "$root/proc/self/cgroup" >"$out/proc/self/cgroup"
}

host_name() {
    for file in "$root/proc/sys/kernel/hostname" "$root/etc/hostname"; do
        [ -r "$file" ] && head -n 1 "$file" && return
    done
    echo unnamed
}

# --- HIP -------------------------------------------------------------------------------------------------

find_program() {
    [ -z "$program" ] || return 0
    beside=$(cd "$(dirname "$0")" && pwd)
    program=$(command -v oamqual) || for place in "$beside/oamqual" "$beside/../../bin/oamqual"; do
        if [ -x "$place" ]; then
            program=$place
            break
        fi
    done
}

# A driver may hang when it is asked, and then this must end all the same.
ask_hip() {
    limit=''
    ! command -v timeout >/dev/null || limit='timeout -k 5 30'
    # shellcheck disable=SC2086
    $limit "$program" hip-probe >"$work/answers" 2>/dev/null || : >"$work/answers"
}

get_answers() {
    : >"$work/answers"
    if [ -n "$answers" ]; then
        cat "$answers" >"$work/answers"
    elif [ -z "$root" ]; then
        find_program
        [ -z "$program" ] || ask_hip
    fi
}

# The probe prints one member a line, so lines are enough to read it. Nothing is made up: a device with an unknown member, or
# another state than these three, leaves HIP out of node.json.
write_description() {
    awk -v name="$1" -v provenance="$2" '
    function token(line) {
        sub(/^ *"[a-z_]*": /, "", line)
        sub(/,$/, "", line)
        return line
    }
    function flush_device() {
        if (!open_device) return
        if (bdf == "null" || uuid == "null" || arch == "null" || label == "null" || total == "null" || rest == "null")
            incomplete = 1
        devices = devices (devices == "" ? "" : ",") "\n      {\"bdf\": " tolower(bdf) ", \"unique_id\": \"0x" \
            substr(uuid, 2) ", \"gcn_arch\": " arch ",\n       \"name\": " label ", \"total_bytes\": " total \
            ", \"free_bytes\": " rest "}"
        open_device = 0
    }
    /^  "state": / { state = token($0) }
    /^  "library": / { library = token($0) }
    /^  "driver_version": / { driver = token($0) }
    /^  "runtime_version": / { runtime = token($0) }
    /^  "devices": \[/ { inside = 1 }
    inside && /^    \{/ { flush_device(); open_device = 1; bdf = uuid = arch = label = total = rest = "null" }
    inside && /^      "bdf": / { bdf = token($0) }
    inside && /^      "uuid": / { uuid = token($0) }
    inside && /^      "gcn_arch": / { arch = token($0) }
    inside && /^      "name": / { label = token($0) }
    inside && /^      "total": / { total = token($0) }
    inside && /^      "free": / { rest = token($0) }
    inside && /^  \]/ { flush_device(); inside = 0 }
    END {
        flush_device()
        soname = ""
        if (match(library, /libamdhip64\.so\.[5-7]/)) soname = substr(library, RSTART + RLENGTH - 1, 1)
        if (driver == "null" || driver == "") driver = 0
        if (runtime == "null" || runtime == "") runtime = 0
        usable = state == "\"missing\"" || ((state == "\"answered\"" || state == "\"no-device\"") && soname != "" && !incomplete)
        print "{\n  \"schema\": \"oamqual-node/1\","
        print "  \"name\": \"" name "\","
        print "  \"derived\": false,"
        printf "  \"provenance\": \"%s%s\"", provenance, usable ? "" : "; HIP did not answer or was not asked"
        if (usable)
            printf ",\n  \"hip\": {\n    \"sonames\": [%s],\n    \"driver_version\": %s,\n    \"runtime_version\": %s,\n    \"devices\": [%s]\n  }", \
                state == "\"missing\"" ? "" : soname, driver, runtime, devices
        print "\n}"
    }' "$work/answers" >"$out/node.json"
}

# Into JSON go letters, digits and a few signs only.
plain() {
    printf '%s' "$1" | tr -c 'A-Za-z0-9._-' '_' | cut -c 1-200
}

# --- masks -----------------------------------------------------------------------------------------------

# Every id as 16 hex digits, one a line. KFD writes decimal numbers, all others hex ones.
list_ids() {
    {
        find "$out/sys/class/kfd" -name properties -exec sed -n -e 's/^unique_id //p' -e 's/^hive_id //p' {} + 2>/dev/null |
            while read -r id; do printf '%016x\n' "$id"; done
        find "$out/sys/bus/pci" -name unique_id -exec cat {} + 2>/dev/null | sed 's/^0x//' |
            while read -r id; do printf '%016x\n' "0x$id"; done
        sed -n 's/.*"unique_id": "0x\([0-9a-fA-F]*\)".*/\1/p' "$out/node.json" |
            while read -r id; do printf '%016x\n' "0x$id"; done
    } 2>/dev/null | sort -u | grep -v '^0*$'
}

# 64 bits that nobody without the key can turn back.
made_up() {
    printf '%s %s' "$key" "$1" | sha256sum | cut -c 1-16
}

# One line of sed for each way to write an id, and one pattern for the search that follows.
write_rules() {
    : >"$work/rules"
    : >"$work/originals"
    : >"$work/anywhere"
    list_ids >"$work/ids"
    while read -r id; do
        new=$(made_up "$id")
        decimal=$(printf '%u' "0x$id")
        short=$(printf '%s' "$id" | sed 's/^0*//')
        upper=$(printf '%s' "$id" | tr a-f A-F)
        {
            printf 's/^unique_id %s$/unique_id %s/\n' "$decimal" "$(printf '%u' "0x$new")"
            printf 's/^hive_id %s$/hive_id %s/\n' "$decimal" "$(printf '%u' "0x$new")"
            printf 's/%s/%s/g\n' "$id" "$new" "$upper" "$new"
            # A short one would be found within other numbers.
            [ ${#short} -lt 9 ] || printf 's/^\\(0x\\)*0*%s$/\\1%s/\n' "$short" "$new"
        } >>"$work/rules"
        printf '%s\n%s\n%s\n' "$short" "$decimal" "$(printf '%s' "$short" | tr a-f A-F)" >"$work/spellings"
        cat "$work/spellings" >>"$work/anywhere"
        [ ${#short} -lt 9 ] || cat "$work/spellings" >>"$work/originals"
    done <"$work/ids"
}

mask_files() {
    command -v sha256sum >/dev/null || fail "--mask needs sha256sum"
    key=${OAMQUAL_MASK_KEY:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
    write_rules
    [ -s "$work/anywhere" ] || return 0
    find "$out" -type f -exec grep -lF -f "$work/anywhere" {} + >"$work/files"
    while read -r file; do
        sed -f "$work/rules" "$file" >"$work/file" && cat "$work/file" >"$file"
    done <"$work/files"
    [ -s "$work/originals" ] || return 0
    left=$(find "$out" -type f -exec grep -lF -f "$work/originals" {} + | head -n 1)
    [ -z "$left" ] || fail "$left still holds an original id: the folder is not fit to be given away"
}

# --- all -------------------------------------------------------------------------------------------------

take_kfd
take_pci
take_drm
take_surroundings
get_answers
host=$(host_name)
name=$(plain "$host")
provenance="Recorded by gather-node.sh"
if [ -n "$mask" ]; then
    key=${OAMQUAL_MASK_KEY:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
    OAMQUAL_MASK_KEY=$key
    name=node-$(made_up "$host" | cut -c 1-8)
    provenance="$provenance; ids and name are masked"
fi
write_description "$name" "$provenance"
[ -z "$mask" ] || mask_files
count=$(find "$out" -type f | wc -l)
echo "$out: $((count)) files; replay it with: oamqual node --node $out" >&2
