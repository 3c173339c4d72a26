/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what a node says: the first byte chooses a properties file, a memory bank, the HIP
 * probe's answer, node.json, a link, a PCI value or a uevent. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "node/description.h"
#include "node/kfd.h"
#include "node/links.h"
#include "node/pci.h"
#include "tests/fuzz/fuzz.h"

static bool properties(const char *text, size_t len)
{
	struct kfd_properties parsed;
	struct gpu gpu;

	memset(&gpu, 0, sizeof(gpu));
	kfd_properties_parse(text, len, &parsed);
	kfd_properties_enter(&parsed, &gpu);
	assert(!gpu.bdf[0] || description_is_bdf(gpu.bdf));
	assert(!gpu.gfx_target[0] || str_starts(gpu.gfx_target, "gfx"));
	assert(!gpu.unique_id.known || gpu.unique_id.value);
	return gpu.simd_count.known;
}

static bool bank(const char *text, size_t len)
{
	uint64_t bytes = 77;
	bool vram = false;

	if (kfd_bank_parse(text, len, &vram, &bytes) == 0)
		return true;
	assert(bytes == 77 && !vram);
	return false;
}

static bool answer(const char *text, size_t len)
{
	struct node node;
	json_t *json;
	size_t i;
	bool accepted;

	memset(&node, 0, sizeof(node));
	node.root_fd = -1;
	node.name = xstrdup("fuzz");
	node.kfd_readable = KNOWN_YES;
	node.gpu_count = 2;
	node.gpus = xcalloc(2, sizeof(*node.gpus));
	strcpy(node.gpus[0].bdf, "0000:c1:00.0");
	node.gpus[0].unique_id = known_u64(255);
	node.gpus[0].in_kfd = node.gpus[1].in_kfd = KNOWN_YES;
	accepted = node_merge_hip(&node, text, len, NULL) == 0;
	if (!accepted)
		assert(node.hip_state == HIP_UNUSABLE && node.gpu_count == 2);
	for (i = 0; i < node.gpu_count; i++)
		assert(!node.gpus[i].bdf[0] || description_is_bdf(node.gpus[i].bdf));
	json = node_json(&node);
	assert(json && json_array_size(json_object_get(json, "gpus")) == node.gpu_count);
	for (i = 0; i < node.gpu_count; i++)
		assert(json_array_get(json_object_get(json, "gpus"), i));
	json_decref(json);
	node_release(&node);
	return accepted;
}

static bool description(const char *text, size_t len)
{
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	struct error err = { "" };
	bool accepted = json && description_check("node.json", json, &err) == 0;

	if (json && !accepted)
		assert(str_starts(err.text, "node.json: ") &&
			text_is_utf8(err.text, strlen(err.text)));
	json_decref(json);
	return accepted;
}

static bool link_text(const char *text, size_t len)
{
	struct link link;

	link_parse(text, len, &link);
	assert(link.max_bandwidth.known || !link.max_bandwidth.value);
	assert(link.node_to.known || !link.node_to.value);
	return link.type.known;
}

/* As a whole line, and as the text of a uevent file. */
static bool pci_text(const char *text, size_t len)
{
	char *line = xstrndup(text, strnlen(text, len)), bdf[NODE_BDF];
	static const int bases[] = { 0, 10, 16 };
	size_t i;
	bool accepted = false;

	for (i = 0; i < 3; i++) {
		struct known_u64 value = pci_value_parse(line, bases[i]);

		assert(value.known || !value.value);
		accepted |= value.known;
	}
	pci_slot_parse(text, len, bdf);
	assert(!bdf[0] || (description_is_bdf(bdf) && pci_same_card(bdf, bdf)));
	free(line);
	return accepted || bdf[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool (*const targets[])(const char *, size_t) = { properties, bank, answer,
		description, link_text, pci_text };

	if (size)
		fuzz_count(targets[data[0] % 6]((const char *)data + 1, size - 1));
	return 0;
}
