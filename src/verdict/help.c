/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/verdict.h"

static const struct verdict_help helps[VERDICT_COUNT] = {
	[VERDICT_ACCEPTED] = { "This GCD rendered this scene through Cycles HIP, and the picture "
			       "is the reference's picture.",
		"All twelve rungs are yes: among them Cycles' own line naming this device, a "
		"second "
		"source that saw this device at work, and pixels within the scene's limits.",
		"A supported gfx target, a kernel that loads, a healthy device.",
		"Nothing. Keep the record: it names scene, build, driver and limits." },
	[VERDICT_CPU_FALLBACK] = { "The GPU was asked for, the picture was rendered on the CPU, "
				   "and Blender exited 0.",
		"The worker's report of the device in use, or Cycles' log naming the CPU, with a "
		"picture written by this run.",
		"Cycles does not list the device (see the first rung that is not yes), no device "
		"is "
		"enabled in the preferences, or a device type is misspelt.",
		"Look at the strict attempt of the same GCD: it names the reason. On a farm, "
		"always pass "
		"`-- --cycles-device HIP` so that Blender refuses instead." },
	[VERDICT_WRONG_DEVICE] = { "The picture was rendered on another device than the one asked "
				   "for.",
		"A `Path tracing on` line that names another device, or a GPU in the control.",
		"A visibility mask of the job script or scheduler, equal Cycles ids of partitions.",
		"Unset HIP_VISIBLE_DEVICES and isolate by ROCR_VISIBLE_DEVICES=GPU-<unique id>." },
	[VERDICT_NOT_LISTED] = { "HIP works and enumerates the GCD, but Cycles does not offer it "
				 "as a render device.",
		"Cycles' device list from inside Blender, without this device.",
		"The gfx target is below this build's floor (4.3 and later need major 10; MI200 "
		"and MI300 "
		"are major 9), or there are neither prebuilt kernels nor hipcc: then no device is "
		"listed at all, whatever its architecture.",
		"Read the evidence line. With `Neither precompiled kernels nor HIPCC was found`: "
		"install the "
		"hipcc of your ROCm release, or a Blender with kernels. Otherwise use a Blender "
		"that "
		"lists the target (3.3 to 4.2 for gfx90a) or do not use this part as a render "
		"worker." },
	[VERDICT_HIP_MISSING] = { "No HIP runtime library can be loaded, by us or by this Blender.",
		"The loader's message for each name that was tried.",
		"ROCm is not installed, is elsewhere, or has a soname this Blender does not try.",
		"Compare the sonames present with those tried; install the runtime that matches "
		"the Blender "
		"release, or set LD_LIBRARY_PATH." },
	[VERDICT_HIP_NO_DEVICE] = { "The HIP runtime loads but has no device, or not this one.",
		"hipInit or hipGetDeviceCount's own code, or an enumeration without this address.",
		"No permission on /dev/kfd or the render nodes, a visibility mask, a container "
		"without "
		"devices, a driver that did not come up.",
		"Check the masks shown in the record, groups of /dev/kfd and /dev/dri/renderD*, "
		"and dmesg." },
	[VERDICT_NO_PERMISSION] = { "/dev/kfd exists and this user cannot open it.",
		"open(2)'s own error.",
		"The user is not in the group that owns the device, or a cgroup denies it.",
		"Add the user to the owning group shown in the evidence, or ask the scheduler for "
		"the GPU." },
	[VERDICT_DRIVER_TOO_OLD] = { "This Blender refuses the HIP driver version.",
		"Blender's line `Driver version is too old`, or its rule and the version found.",
		"Blender 5.0 and 5.1 need HIP 6.0, 5.2 needs ROCm 6.3.",
		"Upgrade ROCm or use an older Blender." },
	[VERDICT_BLENDER_WITHOUT_HIP] = { "This Blender is built without Cycles HIP.",
		"HIP is not among the device types that the build knows.",
		"A distribution's build options.", "Use another build." },
	[VERDICT_KERNEL_MISSING] = { "Cycles lists the device but has no kernel for its gfx target "
				     "and cannot compile one.",
		"Cycles' own line.",
		"No prebuilt kernel (gfx90a and gfx942 never had one) and no hipcc at run time.",
		"Install hipcc, or give a kernel cache with --kernel-cache." },
	[VERDICT_KERNEL_BUILD_FAILED] = { "Cycles compiled its kernel on the node, and the "
					  "compiler failed.",
		"The compiler's own error line.",
		"The compiler release: ROCm 5.2's clang stops with `unhandled SGPR spill to "
		"memory` on "
		"gfx90a; gfx942 has no texture instructions, so it cannot be built for at all.",
		"Try another ROCm release's hipcc, and record both releases: the compiler decides, "
		"not only "
		"Blender." },
	[VERDICT_KERNEL_LOAD_FAILED] = { "A kernel file is there and the device refused to load "
					 "it.",
		"Cycles' line with the HIP error.",
		"A file for another gfx target, Blender release or code object version; a stale "
		"cache.",
		"Delete the kernel cache (the record names it by digest) and run again." },
	[VERDICT_DEVICE_ERROR] = { "The device or its driver failed while it worked.",
		"A HIP error of launch or synchronisation, a memory access fault, a line of the "
		"kernel log, "
		"or a counter that rose, within this attempt's window.",
		"A kernel bug, a hardware fault, a reset.",
		"Repeat on this GCD and on its module mate. If only one fails, suspect the "
		"hardware." },
	[VERDICT_OUT_OF_MEMORY] = { "Memory ran out: the domain's, or the host's.",
		"Cycles' out-of-memory line, or a kill by the kernel's out-of-memory killer.",
		"The scene is larger than one domain (64 GB on MI250: never the module's 128), "
		"other "
		"processes, a small limit.",
		"Compare the scene's need with the domain's free memory in the record." },
	[VERDICT_IMAGE_INVALID] = { "An image was written, and it is no picture: black, "
				    "transparent, constant, not finite or of the "
				    "wrong shape.",
		"The pixels.",
		"Kernels that did nothing or the wrong thing, while every log line says success.",
		"Treat the backend as not working on this device; attach image and record to the "
		"report." },
	[VERDICT_IMAGE_DIFFERS] = { "The picture is a picture, and not the reference's within its "
				    "limits.",
		"Metrics with their limits, and the place of the worst tile.",
		"Miscompiled kernels (blocks, dark regions, missing volumes), missing files, other "
		"settings.",
		"Look at the difference picture. Compare with the CPU control of the same build: "
		"when that "
		"matches, the device is at fault." },
	[VERDICT_UNSTABLE] = { "Repeats of the same render differ by more than the limit.",
		"Comparisons between repeats.", "A marginal device or a race in the driver.",
		"Do not use the GCD; repeat with more repeats for a rate." },
	[VERDICT_NO_OUTPUT] = { "Blender ended without an error and wrote no image in this run.",
		"The output folder, new for this run, and the worker's report.",
		"A scene that cannot render (no camera), an output path that cannot be written.",
		"Read the attempt's stdout and worker report." },
	[VERDICT_NO_REFERENCE] = { "The picture is sound, and there is nothing to compare it with.",
		"No reference for this scene's tree digest.",
		"A scene of your own without expected results, or a scene that was changed.",
		"Make a reference on a trusted machine and pass it with --expected. Until then "
		"nothing about "
		"pixels is known." },
	[VERDICT_BAD_SCENE] = { "The scene archive or its .blend cannot be used.",
		"The reader's error with entry and reason.",
		"Truncated, encrypted or hostile archive, no .blend, an HTML page saved as .blend, "
		"a file newer "
		"than this Blender.",
		"Run `oamqual fingerprint` on it." },
	[VERDICT_BLENDER_FAILED] = { "Blender could not be started, or ended with an error that "
				     "none of the rungs explains.",
		"exec's error, or the exit status with the last error line.",
		"A broken installation, a missing library, a Python error.",
		"Run the command line of the attempt by hand: the record has it." },
	[VERDICT_CRASHED] = { "Blender was killed by a signal.",
		"The signal, and what was last said before it.",
		"A driver or runtime crash, two libLLVM in one process, the kernel's out-of-memory "
		"killer.",
		"Read the attempt's stderr; repeat with the control (CPU) to see whether HIP is "
		"involved." },
	[VERDICT_TIMED_OUT] = { "The attempt did not end before its deadline and was ended.",
		"Our own clock.",
		"A hanging driver or kernel, a compile that takes minutes, a deadline that is too "
		"short.",
		"Look how far it came (the ladder), then raise --deadline." },
	[VERDICT_INCONCLUSIVE] = { "Something that acceptance needs is not known, so nothing is "
				   "decided.",
		"The first rung that is unknown, and why.",
		"A missing second source (KFD process entries unreadable in a container), an "
		"interrupted run.",
		"Do what the evidence line says and run again. Inconclusive is never accepted." },
};

const struct verdict_help *verdict_help(enum verdict_id id)
{
	return &helps[id];
}
