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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void properties(const char *text, size_t len)
{
	struct kfd_properties parsed;
	struct gpu gpu;

	memset(&gpu, 0, sizeof(gpu));
	kfd_properties_parse(text, len, &parsed);
	kfd_properties_enter(&parsed, &gpu);
	assert(!gpu.bdf[0] || description_is_bdf(gpu.bdf));
	assert(!gpu.gfx_target[0] || str_starts(gpu.gfx_target, "gfx"));
	assert(!gpu.unique_id.known || gpu.unique_id.value);
}

static void bank(const char *text, size_t len)
{
	uint64_t bytes = 77;
	bool vram = false;

	if (kfd_bank_parse(text, len, &vram, &bytes) != 0)
		assert(bytes == 77 && !vram);
}

static void answer(const char *text, size_t len)
{
	struct node node;
	json_t *json;
	size_t i;

	memset(&node, 0, sizeof(node));
	node.root_fd = -1;
	node.name = xstrdup("fuzz");
	node.kfd_readable = KNOWN_YES;
	node.gpu_count = 2;
	node.gpus = xcalloc(2, sizeof(*node.gpus));
	strcpy(node.gpus[0].bdf, "0000:c1:00.0");
	node.gpus[0].unique_id = known_u64(255);
	node.gpus[0].in_kfd = node.gpus[1].in_kfd = KNOWN_YES;
	if (node_merge_hip(&node, text, len, NULL) != 0)
		assert(node.hip_state == HIP_UNUSABLE && node.gpu_count == 2);
	for (i = 0; i < node.gpu_count; i++)
		assert(!node.gpus[i].bdf[0] || description_is_bdf(node.gpus[i].bdf));
	json = node_json(&node);
	assert(json && json_array_size(json_object_get(json, "gpus")) == node.gpu_count);
	for (i = 0; i < node.gpu_count; i++)
		assert(json_array_get(json_object_get(json, "gpus"), i));
	json_decref(json);
	node_release(&node);
}

static void description(const char *text, size_t len)
{
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	struct error err = { "" };

	if (json && description_check("node.json", json, &err) != 0)
		assert(str_starts(err.text, "node.json: ") &&
			text_is_utf8(err.text, strlen(err.text)));
	json_decref(json);
}

static void link_text(const char *text, size_t len)
{
	struct link link;

	link_parse(text, len, &link);
	assert(link.max_bandwidth.known || !link.max_bandwidth.value);
	assert(link.node_to.known || !link.node_to.value);
}

/* As a whole line, and as the text of a uevent file. */
static void pci_text(const char *text, size_t len)
{
	char *line = xstrndup(text, strnlen(text, len)), bdf[NODE_BDF];
	static const int bases[] = { 0, 10, 16 };
	size_t i;

	for (i = 0; i < 3; i++) {
		struct known_u64 value = pci_value_parse(line, bases[i]);

		assert(value.known || !value.value);
	}
	pci_slot_parse(text, len, bdf);
	assert(!bdf[0] || (description_is_bdf(bdf) && pci_same_card(bdf, bdf)));
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(const char *, size_t) = { properties, bank, answer,
		description, link_text, pci_text };

	if (size)
		targets[data[0] % 6]((const char *)data + 1, size - 1);
	return 0;
}
