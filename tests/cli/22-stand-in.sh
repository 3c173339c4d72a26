#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stand-in runtime: visibility variables, its configuration, counters and KFD entries.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/nodes/stage.sh"
PATH="/usr/bin:$PATH"

unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL

# What a caller sees, without the program's start time: buses in order, or the call that failed.
cat >list.c <<'C'
#include <stdio.h>
#include "simhip/api.h"

int main(void)
{
	int rc = hipInit(0), count = 0, i;
	char bdf[64] = "";

	if (rc) {
		printf("init %d\n", rc);
		return 0;
	}
	hipGetDeviceCount(&count);
	for (i = 0; i < count; i++) {
		hipDeviceGetPCIBusId(bdf, sizeof(bdf), i);
		printf("%s%.2s", i ? " " : "", bdf + 5);
	}
	putchar('\n');
	return 0;
}
C
stage 5
cc -w -DSIMHIP_ABI=5 -I"$SOURCE/src" -o list list.c -Llib -l:libamdhip64.so.5 || fail "a program links against the stand-in"

# probe WANT TITLE [VAR=VALUE...]
probe() {
    want=$1
    title=$2
    shift 2
    LD_LIBRARY_PATH="$PWD/lib" OAMQUAL_SIM="$PWD/sim.conf" env "$@" ./list >out 2>err
    is "$(cat out)" "$want" "$title"
}

for abi in 5 6 7; do
    stage $abi
    on_stage "$OAMQUAL" hip-probe --hip-library "$PWD/lib/libamdhip64.so.$abi" >out 2>err
    is "$(field out '[x["bdf"] for x in d["devices"]]')" "['0000:c1:00.0', '0000:c6:00.0']" "ABI $abi: both"
    is "$(field out 'd["layout"]')" "$([ $abi = 5 ] && echo R0000 || echo R0600)" "ABI $abi: its layout"
    is "$(field out '[x["uuid"] for x in d["devices"]]')" "['67c63ac3c3c637f9', 'f7c63ac3c3c637f9']" "ABI $abi: 16 hex digits"
    is "$(field out 'd["devices"][0]["total"], d["devices"][0]["free"]')" "(68702699520, 68685922304)" "ABI $abi: memory"
done

stage 5
probe "c6" "ROCR by index" ROCR_VISIBLE_DEVICES=1
probe "c6 c1" "ROCR sets the order" ROCR_VISIBLE_DEVICES=1,0
probe "c6" "ROCR by uuid" ROCR_VISIBLE_DEVICES=GPU-f7c63ac3c3c637f9
probe "c6" "uuid in capitals" ROCR_VISIBLE_DEVICES=GPU-F7C63AC3C3C637F9
probe "c1" "ROCR stops at the first entry that is none" ROCR_VISIBLE_DEVICES=0,7,1
probe "init 101" "also when that is the first" ROCR_VISIBLE_DEVICES=GPU-0000000000000000,0
probe "init 101" "ROCR set to nothing hides all" ROCR_VISIBLE_DEVICES=
probe "c1 c6" "ROCR takes no heed of blanks" "ROCR_VISIBLE_DEVICES=0, 1"
probe "c6" "ROCR by the first digits of one uuid" ROCR_VISIBLE_DEVICES=gpu-f7
probe "init 101" "a uuid without digits names none" ROCR_VISIBLE_DEVICES=GPU-
probe "init 101" "nor does a longer one" ROCR_VISIBLE_DEVICES=GPU-f7c63ac3c3c637f90
probe "c6" "ROCR by a hexadecimal index" ROCR_VISIBLE_DEVICES=0x1
probe "c1" "a repeat ends ROCR's list" ROCR_VISIBLE_DEVICES=0,0,1
probe "init 101" "an empty entry ends it" ROCR_VISIBLE_DEVICES=,1
probe "c6" "HIP by index" HIP_VISIBLE_DEVICES=1
probe "c6" "CUDA's variable too" CUDA_VISIBLE_DEVICES=1
probe "c1" "HIP's goes before CUDA's" HIP_VISIBLE_DEVICES=0 CUDA_VISIBLE_DEVICES=1
probe "c1 c6" "HIP set to nothing is unset" HIP_VISIBLE_DEVICES=
probe "init 101" "HIP -1 hides all" HIP_VISIBLE_DEVICES=-1
probe "c6" "HIP counts what ROCR left" ROCR_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=0
probe "init 101" "and no more" ROCR_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=1
probe "c1 c6" "HIP skips a repeat" HIP_VISIBLE_DEVICES=0,0,1
probe "c6" "HIP by uuid" HIP_VISIBLE_DEVICES=GPU-f7c63ac3c3c637f9
probe "init 101" "HIP takes no part of one" HIP_VISIBLE_DEVICES=GPU-f7
probe "init 101" "nor another form of an index" HIP_VISIBLE_DEVICES=01
probe "c1" "HIP stops at the first entry that is none" HIP_VISIBLE_DEVICES=0,x,1

probe "init 101" "without a configuration: a machine without devices" OAMQUAL_SIM=

stage 5 "fault 0000:c1:00.0 no-device"
probe "c6" "a fault of one device leaves the other" X=1

# A misspelt line is never a silent pass.
while IFS= read -r line; do
    stage 5 "$line"
    probe "init 999" "refused: $line" X=1
    says '^simulated HIP runtime: .*sim.conf' "with a line that names the file"
done <<'LIST'
fault * lauch-error
fault 0000:ff:00.0 load-error
driver_version many
nonsense 1
gpu_id 7
LIST

# --- a program of our own on it ---
cat >use.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "simhip/api.h"

#define TRY(call) do { int rc_ = (call); if (rc_) { printf(#call " = %d\n", rc_); return 1; } } while (0)

int main(int argc, char **argv)
{
	struct hip_array_descriptor shape = { 3, 2, HIP_FORMAT_FLOAT, 4 };
	struct hip_memcpy2d in = { 0 }, back = { 0 };
	void *context, *module, *kernel, *big = NULL, *small = NULL;
	unsigned char bytes[96], again[96];
	size_t free_bytes, total, base_bytes;
	struct sim_array *array;
	void *base;
	int i;

	TRY(hipInit(0));
	TRY(hipCtxCreate(&context, 0, 0));
	TRY(hipMalloc(&small, 1 << 20));
	TRY(hipMalloc(&big, 3UL << 30));
	TRY(hipMemsetD8(big, 0, 3UL << 30));
	TRY(hipMemGetInfo(&free_bytes, &total));
	printf("free %zu\n", free_bytes);
	printf("too much %d\n", hipMalloc(&base, 68685922304));
	TRY(hipMemGetAddressRange(&base, &base_bytes, (char *)big + 5));
	printf("range %d %zu\n", base == big, base_bytes);
	TRY(hipModuleLoadData(&module, "stub"));
	TRY(hipModuleGetFunction(&kernel, module, "k"));
	for (i = 0; i < 3; i++)
		TRY(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
	for (i = 0; i < 96; i++)
		bytes[i] = (unsigned char)i;
	TRY(hipArrayCreate(&array, &shape));
	in.src_type = MEMORY_HOST;
	in.src_host = bytes;
	in.src_pitch = 48;
	in.dst_type = MEMORY_ARRAY;
	in.dst_array = array;
	in.width_bytes = 48;
	in.height = 2;
	TRY(hipMemcpyParam2D(&in));
	memset(again, 0, 96);
	back.src_type = MEMORY_ARRAY;
	back.src_array = array;
	back.dst_type = MEMORY_HOST;
	back.dst_host = again;
	back.dst_pitch = 48;
	back.width_bytes = 48;
	back.height = 2;
	TRY(hipMemcpyParam2D(&back));
	printf("array %d\n", memcmp(bytes, again, 96));
	TRY(hipArrayDestroy(array));
	printf("pid %ld\n", (long)getpid());
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "killed") == 0)
		raise(SIGKILL);
	TRY(hipFree(big));
	printf("twice %d\n", hipFree(big));
	TRY(hipFree(small));
	TRY(hipModuleUnload(module));
	return 0;
}
C
stage 5
cc -w -DSIMHIP_ABI=5 -I"$SOURCE/src" -o use use.c -Llib -l:libamdhip64.so.5 || fail "a program links against the stand-in"
status=0
on_stage ./use killed >said 2>&1 || status=$?
is "$status" 137 "killed in the midst"
pid=$(sed -n 's/^pid //p' said)
is "$(cat state/kfd/proc/"$pid"/vram_4101)" 3223322624 "KFD's entry: 3 GiB, 1 MiB and a module's 1 MiB"
is "$(cat state/kfd/proc/"$pid"/vram_4102)" 0 "and nothing on the other device"
is "$(sed -n 1p said)" "free 65463648256" "they are off the free memory"
is "$(sed -n 2p said)" "too much 2" "more than is free is out of memory"
is "$(sed -n 3p said)" "range 1 3221225472" "an address finds its allocation"
is "$(sed -n 4p said)" "array 0" "an array keeps what is copied"
is "$(python3 -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
print(data[:7].decode(), *struct.unpack_from("<II", data, 8), data[16:28].decode(), *struct.unpack_from("<5Q", data, 40))
' state/"$pid".counters)" "OAMSIM1 2 80 0000:c1:00.0 3 4 1 1 3223322720" "the counters outlive the kill"

status=0
on_stage ./use >said 2>&1 || status=$?
is "$status" 0 "to its end"
pid=$(sed -n 's/^pid //p' said)
is "$(tail -n 1 said)" "twice 1" "freed twice is an error"
is "$(ls state/kfd/proc | grep -c "^$pid\$")" 0 "KFD's entry goes with the process"

# play FAULT PATTERN TITLE
play() {
    stage 5 "$1"
    status=0
    on_stage timeout -s KILL 3 ./use >said 2>&1 || status=$?
    if { cat said; echo "status $status"; } | grep -Eq "$2"; then pass "$3"; else fail "$3" "$(cat said)" "status $status"; fi
}
play "fault * load-error" 'hipModuleLoadData.* = 209' "load-error"
play "fault * load-error 1" 'status 0' "load-error after the first load passes one load"
play "fault * launch-error" 'hipModuleLaunchKernel.* = 719' "launch-error"
play "fault * device-lost 2" 'hipModuleLaunchKernel.* = 100' "device-lost in the third launch"
play "fault * device-lost 3" 'status 0' "and not before"
play "fault * out-of-memory" 'hipMalloc\(&big.* = 2' "out-of-memory"
play "fault * launch-hang" 'status 137' "launch-hang"
play "fault * init-hang" 'status 137' "init-hang"
play "fault * init-crash" 'status 139' "init-crash"
play "fault * init-error" 'hipInit\(0\) = 999' "init-error"
play "fault * launch-crash" 'Memory access fault by GPU node-4 \(Agent handle: 0x[0-9a-f]+\) on address 0x[0-9a-f]+\. Reason: Page not present' \
    "launch-crash prints the runtime's line"
play "fault * launch-crash" 'status 134' "and aborts"
play "fault 0000:c6:00.0 launch-error" 'status 0' "a fault of another device is not played here"

finish
