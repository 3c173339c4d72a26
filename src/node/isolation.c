/* SPDX-License-Identifier: Apache-2.0 */
#include "node/isolation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* It included; 0 when the id is unknown. */
static size_t sharers(const struct node *node, const struct gpu *gpu)
{
	size_t count = 0, i;

	for (i = 0; gpu->unique_id.known && i < node->gpu_count; i++)
		count += node->gpus[i].in_kfd == KNOWN_YES && node->gpus[i].unique_id.known &&
			 node->gpus[i].unique_id.value == gpu->unique_id.value;
	return count;
}

bool isolation_by_id(const struct node *node, const struct gpu *gpu, char why[200])
{
	size_t count = sharers(node, gpu);

	if (count > 1 && why)
		snprintf(why, 200,
			"%zu GPUs share its unique id, so ROCR_VISIBLE_DEVICES=GPU-%016llx gives "
			"none of them",
			count, (unsigned long long)gpu->unique_id.value);
	else if (!gpu->unique_id.known && why)
		str_copy(why, 200,
			"its unique id is unknown, so ROCR_VISIBLE_DEVICES cannot name it");
	return gpu->unique_id.known && count <= 1;
}

/* "0 0000:0c:00.0, 1 0000:0c:00.1": the first of them by index and name. */
static char *list_indices(const struct node *node, const bool *chosen)
{
	enum { MOST = 8 };
	struct str text = STR_INIT;
	size_t listed = 0, left = 0, i;
	char label[NODE_GFX];

	for (i = 0; i < node->gpu_count; i++) {
		if (!chosen[i])
			continue;
		gpu_label(&node->gpus[i], label);
		if (listed < MOST)
			str_addf(&text, "%s%zu is %s", listed++ ? ", " : "", i, label);
		else
			left++;
	}
	if (left)
		str_addf(&text, " and so on for %zu more", left);
	return str_detach(&text);
}

static void say(const struct node *node, const bool *chosen, const char *text,
	struct finding_list *findings)
{
	char *indices = list_indices(node, chosen), *remedy;

	remedy = xasprintf("isolate by index, ROCR_VISIBLE_DEVICES=<index> (%s; counted without "
			   "what a mask or a cgroup "
			   "hides), or give the process that GPU's render node alone; then ask "
			   "which device it has got",
		indices);
	finding_add(findings, "isolation-by-index", FINDING_WARNING, "", remedy, "%s", text);
	free(remedy);
	free(indices);
}

void isolation_findings(const struct node *node, struct finding_list *findings)
{
	bool *shared = xcalloc(node->gpu_count + 1, sizeof(*shared));
	bool *unknown = xcalloc(node->gpu_count + 1, sizeof(*unknown));
	size_t shared_count = 0, unknown_count = 0, i;
	char text[240];

	for (i = 0; i < node->gpu_count; i++) {
		const struct gpu *gpu = &node->gpus[i];

		if (gpu->in_kfd != KNOWN_YES)
			continue;
		shared_count += shared[i] = sharers(node, gpu) > 1;
		unknown_count += unknown[i] = !gpu->unique_id.known;
	}
	snprintf(text, sizeof(text),
		"%zu GPUs share their unique id with another, as the partitions of a card do: "
		"ROCR_VISIBLE_DEVICES=GPU-<unique id> of one leaves a process without any",
		shared_count);
	if (shared_count)
		say(node, shared, text, findings);
	snprintf(text, sizeof(text),
		"of %zu GPU%s the unique id is unknown: ROCR_VISIBLE_DEVICES=GPU-<unique id> "
		"cannot name %s",
		unknown_count, unknown_count == 1 ? "" : "s", unknown_count == 1 ? "it" : "them");
	if (unknown_count)
		say(node, unknown, text, findings);
	free(unknown);
	free(shared);
}
