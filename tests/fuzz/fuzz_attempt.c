/* SPDX-License-Identifier: Apache-2.0 */
/* What Blender left behind: worker.json, stdout.txt, stderr.txt, image.exr, any of them forged. On
 * a node whose kernel log cannot be read and where no process entry was seen nothing of that may
 * make an attempt accepted. */
#include <assert.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "blender/attempt.h"
#include "tests/fuzz/parts.h"

static struct manifest_entry blend = {
	.path = (char *)"s.blend", .type = 'f', .blend = { .version_major = 3, .version_minor = 4 }
};
static struct gpu gpu = { .bdf = "0000:c1:00.0", .in_kfd = KNOWN_YES, .in_hip = KNOWN_YES };
static struct node node = { .name = (char *)"fuzz",
	.kfd_readable = KNOWN_YES,
	.kfd_openable = KNOWN_YES,
	.hip_state = HIP_ANSWERED,
	.hip_library = "libamdhip64.so.6",
	.root_fd = -1 };
static struct blender_build build = { .major = 3, .minor = 4, .version = "3.4.1" };
static struct compiler compiler = { .present = true, .path = "/usr/bin/hipcc", .release = "5.7" };
static struct render_scene scene = { .blend = &blend };

static void judge(char *place)
{
	struct attempt_context context = {
		.node = &node, .blender = &build, .compiler = &compiler
	};
	struct attempt attempt = { .context = &context,
		.scene = &scene,
		.gpu = &gpu,
		.probe = PROBE_STRICT,
		.number = 1,
		.started = true,
		.ended_us = 1000 };

	attempt.folder = xstrdup(place);
	attempt.child.ending.how = CHILD_EXITED;
	scene.spec.settings = scene_settings_default;
	scene.spec.name = (char *)"s";
	context.kernel_log = kernel_log_open("/nonexistent");
	attempt_judge(&attempt);
	fuzz_count(attempt.worker && attempt.log.lines);
	assert(attempt.judged && attempt.verdict.id != VERDICT_ACCEPTED);
	json_decref(attempt_json(&attempt));
	attempt_release(&attempt);
	kernel_log_free(context.kernel_log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char place[FUZZ_PLACE];
	int root;

	fuzz_place(place);
	root = open(place, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (root < 0)
		abort();
	parts_write(root, data, size);
	close(root);
	judge(place);
	folder_remove(place, NULL);
	return 0;
}
