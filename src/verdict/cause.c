/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/cause.h"

#include <string.h>

/* clang-format off */
static const struct remedy_help remedies[REMEDY_COUNT] = {
	[REMEDY_NONE] = { "none", "Nothing is to be done." },
	[REMEDY_CHANGE_BLENDER] = { "change-blender",
		"Use a Blender release or build that takes this: `oamqual predict GFX` shows which releases admit the target." },
	[REMEDY_BUILD_KERNEL] = { "build-kernel",
		"Build the kernel for this gfx target with a hipcc that can, and pass it with --kernel-cache." },
	[REMEDY_ADD_COMPILER] = { "add-compiler",
		"Put the hipcc of a matching ROCm release into the PATH of the render user, or use a build with kernels." },
	[REMEDY_CHANGE_COMPILER] = { "change-compiler",
		"Compile with another ROCm release's hipcc and record it beside Blender's: the compiler decides, not only Blender." },
	[REMEDY_INSTALL_HIP_RUNTIME] = { "install-hip-runtime",
		"Install a HIP runtime whose library name this Blender tries, or lead the loader to it with LD_LIBRARY_PATH." },
	[REMEDY_UPDATE_DRIVER] = { "update-driver",
		"Install a ROCm release that this Blender accepts, or use an older Blender." },
	[REMEDY_CHECK_DRIVER] = { "check-driver",
		"See whether amdgpu and KFD came up for the device: `oamqual node`, then the kernel's log." },
	[REMEDY_FIX_PERMISSIONS] = { "fix-permissions",
		"Let the render user open the device files: its groups, the container's devices, the job's allocation." },
	[REMEDY_FIX_MASK] = { "fix-mask",
		"Correct the variable that hides devices; use ROCR_VISIBLE_DEVICES with unique ids and no second mask." },
	[REMEDY_FIX_DEVICE_CHOICE] = { "fix-device-choice",
		"Choose the device in every render: `-- --cycles-device HIP`, spelt so, after the `--`; stored preferences do not do." },
	[REMEDY_CLEAR_KERNEL_CACHE] = { "clear-kernel-cache",
		"Remove the kernel file (the record names it by digest) and let this Blender build its own." },
	[REMEDY_CHECK_HARDWARE] = { "check-hardware",
		"Repeat on this GCD and on its module mate; if only one fails, take it out of service and ask the vendor." },
	[REMEDY_REDUCE_SCENE] = { "reduce-scene",
		"Give the scene more memory or need less: one domain's memory counts, never the module's." },
	[REMEDY_FIX_SCENE] = { "fix-scene", "Repair the scene: it would fail on every device." },
	[REMEDY_FIX_OUTPUT] = { "fix-output", "Make the output folder writable, with room enough." },
	[REMEDY_MAKE_REFERENCE] = { "make-reference",
		"Render the reference on a CPU that is trusted and pass it with --expected." },
	[REMEDY_RAISE_DEADLINE] = { "raise-deadline",
		"Give it more time with --deadline, or a warm kernel cache with --kernel-cache." },
	[REMEDY_REPAIR_BLENDER] = { "repair-blender", "Run the attempt's command by hand and repair the installation." },
	[REMEDY_REPEAT_RUN] = { "repeat-run", "Run it again; what ended it says nothing about the device." },
	[REMEDY_COMPLETE_EVIDENCE] = { "complete-evidence",
		"Do what the evidence line says, so that the missing source can be read, and run again." },
	[REMEDY_NARROW_DOWN] = { "narrow-down",
		"Several explanations remain and none is proven: rule the candidates out one by one." },
	[REMEDY_NOT_A_RENDER_WORKER] = { "not-a-render-worker",
		"Do not use this device with this backend as a render worker; keep the record as the reason." },
};

static const struct cause_help causes[CAUSE_COUNT] = {
	[CAUSE_SCENE_UNREADABLE] = { "scene-unreadable", "Blender cannot read the scene file.", REMEDY_FIX_SCENE },
	[CAUSE_SCENE_NEWER] = { "scene-newer-than-blender",
		"The scene was written by a newer Blender and would lose data.", REMEDY_CHANGE_BLENDER },
	[CAUSE_FILE_MISSING] = { "external-file-missing",
		"A file that the scene refers to is not there; missing textures render pink or black.", REMEDY_FIX_SCENE },
	[CAUSE_NO_CAMERA] = { "scene-without-camera", "The scene has no camera, so there is nothing to render.", REMEDY_FIX_SCENE },
	[CAUSE_DISPLAY_NEEDED] = { "display-needed",
		"Blender wanted a display: the scene's engine is not Cycles. No GPU finding.", REMEDY_FIX_SCENE },
	[CAUSE_DENOISER_MISSING] = { "denoiser-missing",
		"The scene asks for denoising and this build has no OpenImageDenoise. No GPU finding.", REMEDY_CHANGE_BLENDER },
	[CAUSE_NOT_IN_KFD] = { "device-not-in-kfd", "KFD's topology does not have the device.", REMEDY_CHECK_DRIVER },
	[CAUSE_DEVICE_FILE_CLOSED] = { "device-file-closed", "/dev/kfd cannot be opened by this user here.", REMEDY_FIX_PERMISSIONS },
	[CAUSE_RENDER_NODE_CLOSED] = { "render-node-closed",
		"The GPU's render node cannot be opened by this user here.", REMEDY_FIX_PERMISSIONS },
	[CAUSE_HIP_ABSENT] = { "hip-runtime-absent", "There is no libamdhip64 in any folder that was looked into.", REMEDY_INSTALL_HIP_RUNTIME },
	[CAUSE_HIP_DOES_NOT_LOAD] = { "hip-library-does-not-load",
		"A libamdhip64 is there and the loader refuses it.", REMEDY_INSTALL_HIP_RUNTIME },
	[CAUSE_HIP_INIT_FAILED] = { "hip-init-failed",
		"hipInit failed: the runtime does not come up. Not a matter of the architecture.", REMEDY_CHECK_DRIVER },
	[CAUSE_HIP_NO_DEVICE] = { "hip-has-no-device", "The HIP runtime loads and has no device.", REMEDY_CHECK_DRIVER },
	[CAUSE_MASKED] = { "device-hidden-by-mask",
		"A variable of the environment hides the device from the HIP runtime.", REMEDY_FIX_MASK },
	[CAUSE_MASKED_TWICE] = { "masked-twice",
		"ROCR_VISIBLE_DEVICES acts first and re-bases the indices that HIP_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES or "
		"GPU_DEVICE_ORDINAL then choose from.", REMEDY_FIX_MASK },
	[CAUSE_NOT_ENUMERATED] = { "device-not-enumerated", "HIP enumerates devices, not this one.", REMEDY_NARROW_DOWN },
	[CAUSE_BLENDER_NOT_STARTED] = { "blender-not-started", "Blender could not be started.", REMEDY_REPAIR_BLENDER },
	[CAUSE_BLENDER_WITHOUT_HIP] = { "built-without-hip", "This Blender was built without Cycles HIP.", REMEDY_CHANGE_BLENDER },
	[CAUSE_LIBRARY_NOT_TRIED] = { "library-not-loadable-by-blender",
		"This Blender finds no HIP library under the names that it tries, whatever else is installed.", REMEDY_INSTALL_HIP_RUNTIME },
	[CAUSE_DRIVER_TOO_OLD] = { "hip-driver-too-old", "This Blender refuses the HIP driver version.", REMEDY_UPDATE_DRIVER },
	[CAUSE_NO_KERNELS_NO_COMPILER] = { "neither-kernels-nor-compiler",
		"The build carries no kernels and finds no hipcc: then Cycles HIP lists no device, whatever its architecture.",
		REMEDY_ADD_COMPILER },
	[CAUSE_BELOW_FLOOR] = { "architecture-below-floor",
		"The target's compute capability is below what this release takes; Cycles hides it without a log line.",
		REMEDY_CHANGE_BLENDER },
	[CAUSE_ARCHITECTURE_REFUSED] = { "architecture-refused", "Cycles said that it does not take this architecture.", REMEDY_CHANGE_BLENDER },
	[CAUSE_OTHER_LISTED] = { "other-device-listed",
		"Cycles lists HIP devices, none at this address: the attempt reached another device.", REMEDY_FIX_MASK },
	[CAUSE_NOT_LISTED] = { "device-not-listed", "Cycles does not offer the device.", REMEDY_NARROW_DOWN },
	[CAUSE_NO_DEVICE_OF_TYPE] = { "no-device-of-type", "Cycles was asked for a device type of which it lists none.", REMEDY_NARROW_DOWN },
	[CAUSE_NO_COMPILER] = { "no-compiler", "No kernel for the target and no hipcc at run time.", REMEDY_ADD_COMPILER },
	[CAUSE_KERNEL_NOT_SHIPPED] = { "kernel-not-shipped", "The build's kernels do not include the target.", REMEDY_BUILD_KERNEL },
	[CAUSE_NO_KERNEL] = { "no-kernel-for-target", "There is no kernel for the gfx target and none was built.", REMEDY_BUILD_KERNEL },
	[CAUSE_SPILLS] = { "compiler-cannot-spill",
		"The compiler ran out of registers and could not spill them (`unhandled SGPR spill`).", REMEDY_CHANGE_COMPILER },
	[CAUSE_NO_TEXTURES] = { "target-without-textures",
		"The target has no image instructions, so the kernel's texture calls cannot be compiled for it at all.",
		REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_BUILD_FAILED] = { "kernel-does-not-build", "The kernel could not be compiled for the gfx target.", REMEDY_CHANGE_COMPILER },
	[CAUSE_KERNEL_FROM_CACHE] = { "kernel-from-cache",
		"The kernel was taken from the cache, which Cycles does not check: it may be of another build.", REMEDY_CLEAR_KERNEL_CACHE },
	[CAUSE_KERNEL_REFUSED] = { "kernel-refused", "The device refused to load the kernel file.", REMEDY_CLEAR_KERNEL_CACHE },
	[CAUSE_DEVICE_TYPE_MISSPELT] = { "device-type-misspelt",
		"Blender did not know the word after --cycles-device and went on with the CPU.", REMEDY_FIX_DEVICE_CHOICE },
	[CAUSE_PREFERENCES_RESET] = { "preferences-reset",
		"The device is listed, and no device is enabled in the preferences: factory settings choose none.", REMEDY_FIX_DEVICE_CHOICE },
	[CAUSE_STORED_ID_ABSENT] = { "stored-device-id-absent",
		"The preferences enable a device id that this node does not have, as after copying them from another node.",
		REMEDY_FIX_DEVICE_CHOICE },
	[CAUSE_IDS_NOT_UNIQUE] = { "device-ids-not-unique",
		"Devices share one Cycles id, which has no PCI function: no partition can be addressed by it.", REMEDY_FIX_MASK },
	[CAUSE_CPU_BESIDE_GPU] = { "cpu-beside-gpu", "CPU and GPU rendered together, which proves nothing about the GPU.", REMEDY_FIX_DEVICE_CHOICE },
	[CAUSE_RENDERED_ON_CPU] = { "rendered-on-cpu", "The CPU rendered what the GPU was asked for.", REMEDY_FIX_DEVICE_CHOICE },
	[CAUSE_RENDERED_ELSEWHERE] = { "rendered-elsewhere", "Another device rendered than the one asked for.", REMEDY_FIX_MASK },
	[CAUSE_WITNESSES_DISAGREE] = { "witnesses-disagree",
		"Cycles' line says that the device rendered, and a second source saw nothing of it.", REMEDY_COMPLETE_EVIDENCE },
	[CAUSE_MEMORY_FAULT] = { "memory-fault", "A GPU touched memory that is not mapped for it.", REMEDY_CHECK_HARDWARE },
	[CAUSE_HIP_CALL_FAILED] = { "hip-call-failed", "A call of the HIP runtime failed while it worked.", REMEDY_CHECK_HARDWARE },
	[CAUSE_KERNEL_LOG_LINE] = { "kernel-log-line", "The kernel's log accuses the device within the attempt's window.", REMEDY_CHECK_HARDWARE },
	[CAUSE_COUNT_GREW] = { "error-count-grew", "A count of memory errors grew, or began anew after a reset, while it worked.", REMEDY_CHECK_HARDWARE },
	[CAUSE_DEVICE_ERROR] = { "device-reported-error", "The device or its driver reported an error.", REMEDY_CHECK_HARDWARE },
	[CAUSE_DOMAIN_MEMORY] = { "domain-memory-exhausted", "The GPU domain's memory did not suffice.", REMEDY_REDUCE_SCENE },
	[CAUSE_HOST_MEMORY] = { "host-memory-exhausted", "The host's memory did not suffice.", REMEDY_REDUCE_SCENE },
	[CAUSE_TEXTURE_MEMORY] = { "texture-too-large",
		"A texture could not be made: too large for the device, or for the memory left.", REMEDY_REDUCE_SCENE },
	[CAUSE_MEMORY] = { "memory-exhausted", "Memory ran out.", REMEDY_REDUCE_SCENE },
	[CAUSE_OUTPUT_NOT_WRITABLE] = { "output-not-writable", "Blender said that it could not save.", REMEDY_FIX_OUTPUT },
	[CAUSE_NO_IMAGE] = { "no-image-written", "No image was written by this run.", REMEDY_REPAIR_BLENDER },
	[CAUSE_KERNEL_DID_NOTHING] = { "kernel-did-nothing", "Launches returned success and left the buffer as it was.", REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_KERNEL_MISCOMPILED] = { "kernel-miscompiled", "The kernel computes something else on this target.", REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_NO_PICTURE] = { "image-is-no-picture", "What was written is no picture of the scene.", REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_NO_REFERENCE] = { "no-reference-picture", "There is nothing to compare the picture with.", REMEDY_MAKE_REFERENCE },
	[CAUSE_IMAGE_DIFFERS] = { "image-outside-limits", "The picture is not the reference's within its limits.", REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_REPEATS_DISAGREE] = { "repeats-disagree", "Repeats of one render differ by more than the limit.", REMEDY_NOT_A_RENDER_WORKER },
	[CAUSE_DENOISER_PROBE] = { "crash-in-denoiser-probe",
		"The denoiser asked an architecture that it has no code for, and the HIP runtime aborted Blender.", REMEDY_CHANGE_BLENDER },
	[CAUSE_CRASH_REPORT] = { "crash-report", "Blender wrote a crash report of its own during this attempt.", REMEDY_REPAIR_BLENDER },
	[CAUSE_KILLED_FROM_OUTSIDE] = { "killed-from-outside",
		"Signal 9 that was not ours: possibly the host's out-of-memory killer.", REMEDY_REDUCE_SCENE },
	[CAUSE_SIGNAL] = { "killed-by-signal", "Blender was killed by a signal.", REMEDY_REPAIR_BLENDER },
	[CAUSE_STUCK] = { "stuck-in-kernel",
		"Not even SIGKILL ended it: it waits inside the kernel, and the device may need a reset.", REMEDY_CHECK_HARDWARE },
	[CAUSE_COMPILE_UNFINISHED] = { "compile-unfinished", "The kernel was still being compiled at the deadline.", REMEDY_RAISE_DEADLINE },
	[CAUSE_DEADLINE] = { "deadline-reached", "It did not end before its deadline.", REMEDY_RAISE_DEADLINE },
	[CAUSE_INTERRUPTED] = { "interrupted", "The run was interrupted before this ended.", REMEDY_REPEAT_RUN },
	[CAUSE_BLENDER_FAILED] = { "blender-reported-failure", "Blender ended with an error.", REMEDY_REPAIR_BLENDER },
	[CAUSE_EVIDENCE_MISSING] = { "evidence-missing", "Something that acceptance needs is not known.", REMEDY_COMPLETE_EVIDENCE },
};
/* clang-format on */

const struct remedy_help *remedy_help(enum remedy_id id)
{
	return &remedies[id];
}

const struct cause_help *cause_help(enum cause_id id)
{
	return &causes[id];
}

enum remedy_id remedy_find(const char *name)
{
	int i;

	for (i = 0; i < REMEDY_COUNT && strcmp(remedies[i].name, name) != 0; i++)
		;
	return (enum remedy_id)i;
}

enum cause_id cause_find(const char *name)
{
	int i;

	for (i = 0; i < CAUSE_COUNT && strcmp(causes[i].name, name) != 0; i++)
		;
	return (enum cause_id)i;
}
