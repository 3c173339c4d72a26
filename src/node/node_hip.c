/* SPDX-License-Identifier: Apache-2.0 */
/* HIP's answer joined to what KFD said. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "node/description.h"
#include "node/node.h"
#include "node/pci.h"

enum { MAX_HIP_DEVICES = 1024 };

static const char *const state_names[] = {
	[HIP_NOT_ASKED] = "not-asked",
	[HIP_MISSING] = "missing",
	[HIP_UNUSABLE] = "unusable",
	[HIP_NO_DEVICE] = "no-device",
	[HIP_ANSWERED] = "answered",
	[HIP_CRASHED] = "crashed",
	[HIP_HUNG] = "hung",
};

const char *hip_state_name(enum hip_state state)
{
	return state_names[state];
}

/* One device of the probe's answer. */
struct answer {
	struct known_u64 index, unique_id, total, free_bytes;
	char bdf[NODE_BDF], name[NODE_NAME], gcn_arch[NODE_GFX];
};

static struct known_u64 count_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct known_u64 count = { false, 0 };

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		count = known_u64((uint64_t)json_integer_value(value));
	return count;
}

static struct known_i64 integer_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct known_i64 integer = { json_is_integer(value), 0 };

	if (integer.known)
		integer.value = json_integer_value(value);
	return integer;
}

static void lower_case(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

static void read_answer(const json_t *device, struct answer *out)
{
	const char *uuid = json_text(device, "uuid", "");
	unsigned long long id;

	memset(out, 0, sizeof(*out));
	out->index = count_of(device, "index");
	out->total = count_of(device, "total");
	out->free_bytes = count_of(device, "free");
	str_copy(out->bdf, sizeof(out->bdf), json_text(device, "bdf", ""));
	lower_case(out->bdf);
	if (!description_is_bdf(out->bdf))
		out->bdf[0] = '\0';
	str_copy(out->name, sizeof(out->name), json_text(device, "name", ""));
	str_copy(out->gcn_arch, sizeof(out->gcn_arch), json_text(device, "gcn_arch", ""));
	if (strlen(uuid) == 16 && text_u64(uuid, 16, &id) && id)
		out->unique_id = known_u64(id);
}

static bool same_id(const struct gpu *gpu, const struct answer *answer)
{
	return gpu->unique_id.known && answer->unique_id.known &&
	       gpu->unique_id.value == answer->unique_id.value;
}

static bool other_id(const struct gpu *gpu, const struct answer *answer)
{
	return gpu->unique_id.known && answer->unique_id.known && !same_id(gpu, answer);
}

/* By address unless the ids contradict it; by id only when it singles one out and no address
 * contradicts. */
static struct gpu *find_match(struct node *node, size_t kfd_count, const struct answer *answer)
{
	struct gpu *found = NULL;
	size_t i;

	for (i = 0; i < kfd_count; i++) {
		struct gpu *gpu = &node->gpus[i];

		if (answer->bdf[0] && strcmp(gpu->bdf, answer->bdf) == 0)
			return gpu->in_hip == KNOWN_YES || other_id(gpu, answer) ? NULL : gpu;
	}
	for (i = 0; i < kfd_count; i++) {
		struct gpu *gpu = &node->gpus[i];

		if (!same_id(gpu, answer) || gpu->in_hip == KNOWN_YES ||
			(gpu->bdf[0] && answer->bdf[0]))
			continue;
		if (found)
			return NULL;
		found = gpu;
	}
	return found;
}

static void enter_answer(struct gpu *gpu, const struct answer *answer)
{
	gpu->in_hip = KNOWN_YES;
	gpu->hip_index = answer->index;
	gpu->hip_total = answer->total;
	gpu->hip_free = answer->free_bytes;
	str_copy(gpu->hip_name, sizeof(gpu->hip_name), answer->name);
	str_copy(gpu->hip_gcn_arch, sizeof(gpu->hip_gcn_arch), answer->gcn_arch);
	if (!gpu->bdf[0])
		str_copy(gpu->bdf, sizeof(gpu->bdf), answer->bdf);
	if (!gpu->unique_id.known)
		gpu->unique_id = answer->unique_id;
	if (!gpu->gfx_target[0]) {
		str_copy(gpu->gfx_target, sizeof(gpu->gfx_target), answer->gcn_arch);
		gpu->gfx_target[strcspn(gpu->gfx_target, ":")] = '\0';
	}
}

static struct gpu *add_hip_only(struct node *node)
{
	struct gpu *gpu;

	node->gpus = xrealloc(node->gpus, (node->gpu_count + 1) * sizeof(*node->gpus));
	gpu = &node->gpus[node->gpu_count++];
	memset(gpu, 0, sizeof(*gpu));
	gpu->in_kfd = node->kfd_readable == KNOWN_YES ? KNOWN_NO : KNOWN_UNKNOWN;
	return gpu;
}

static void set_in_hip(struct node *node, enum known value)
{
	size_t i;

	for (i = 0; i < node->gpu_count; i++)
		node->gpus[i].in_hip = value;
}

static void merge_devices(struct node *node, const json_t *devices)
{
	size_t kfd_count = node->gpu_count, i;

	for (i = 0; i < json_array_size(devices) && i < MAX_HIP_DEVICES; i++) {
		struct answer answer;
		struct gpu *gpu;

		read_answer(json_array_get(devices, i), &answer);
		gpu = find_match(node, kfd_count, &answer);
		enter_answer(gpu ? gpu : add_hip_only(node), &answer);
	}
	pci_join(node, 0);
}

/* The states that a probe that lived can report. */
static int state_of(const char *name, enum hip_state *state)
{
	static const enum hip_state reported[] = { HIP_MISSING, HIP_UNUSABLE, HIP_NO_DEVICE,
		HIP_ANSWERED };
	size_t i;

	for (i = 0; name && i < sizeof(reported) / sizeof(reported[0]); i++)
		if (strcmp(name, state_names[reported[i]]) == 0) {
			*state = reported[i];
			return 0;
		}
	return -1;
}

static void copy_why(struct node *node, const char *why)
{
	char *shown = text_printable(why, strlen(why));

	str_copy(node->hip_why, sizeof(node->hip_why), shown);
	free(shown);
}

static int refuse(struct node *node, const char *reason, struct error *err)
{
	node_hip_failed(node, HIP_UNUSABLE, reason);
	return error_set(err, "%s", node->hip_why);
}

int node_merge_hip(struct node *node, const char *text, size_t len, struct error *err)
{
	json_error_t reason;
	json_t *answer = json_loadb(text, len, JSON_REJECT_DUPLICATES, &reason);
	enum hip_state state = HIP_UNUSABLE;

	if (!answer || strcmp(json_text(answer, "schema", ""), "oamqual-hip-probe/1") != 0 ||
		state_of(json_text(answer, "state", NULL), &state) != 0 ||
		(state == HIP_ANSWERED && !json_is_array(json_object_get(answer, "devices")))) {
		json_decref(answer);
		return refuse(node, "the HIP probe printed no answer that can be used", err);
	}
	node->hip_state = state;
	copy_why(node, json_text(answer, "why", ""));
	str_copy(node->hip_library, sizeof(node->hip_library), json_text(answer, "library", ""));
	node->hip_driver_version = integer_of(answer, "driver_version");
	node->hip_runtime_version = integer_of(answer, "runtime_version");
	if (state == HIP_ANSWERED || state == HIP_NO_DEVICE)
		set_in_hip(node, KNOWN_NO);
	if (state == HIP_ANSWERED)
		merge_devices(node, json_object_get(answer, "devices"));
	json_decref(answer);
	return 0;
}

void node_hip_failed(struct node *node, enum hip_state state, const char *why)
{
	node->hip_state = state;
	copy_why(node, why);
	set_in_hip(node, KNOWN_UNKNOWN);
}
