/* SPDX-License-Identifier: Apache-2.0 */
/* A whole tree of a replayed node: KFD, PCI and DRM sysfs, hwmon, RAS counts, DMI, NUMA, module
 * parameters, /proc and /etc texts, node.json. Everything that `oamqual node` says of it is made.
 */
#include <assert.h>

#include "base/file.h"
#include "node/access.h"
#include "node/affinity.h"
#include "node/catalogue.h"
#include "node/counts.h"
#include "node/health.h"
#include "node/module.h"
#include "node/node.h"
#include "node/system.h"
#include "tests/fuzz/parts.h"

static void say_modules(const struct node *node)
{
	struct finding_list findings = { NULL, 0 };
	struct module_list modules;
	struct counts counts;
	size_t i, placed = 0;

	module_group(node, &modules, &findings);
	for (i = 0; i < modules.count; i++)
		placed += modules.items[i].gpu_count;
	assert(placed == node->gpu_count);
	json_decref(module_list_json(&modules, node));
	counts_take(node, &counts);
	counts_findings(node, &modules, &counts, &findings);
	json_decref(counts_json(node, &counts));
	json_decref(finding_list_json(&findings));
	finding_list_release(&findings);
	module_list_release(&modules);
}

static void say_affinity(const struct node *node)
{
	struct affinity_list affinity;

	affinity_read(node, &affinity);
	json_decref(affinity_json(&affinity, node));
	affinity_list_release(&affinity);
}

static void say_all(const struct node *node)
{
	json_t *json = node_json(node);

	assert(json_array_size(json_object_get(json, "gpus")) == node->gpu_count);
	json_decref(json);
	json_decref(node_gcds_json(node));
	json = system_json(node);
	assert(json_is_object(json));
	json_decref(json);
	say_modules(node);
	say_affinity(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char place[FUZZ_PLACE];
	struct error err = { "" };
	struct node node;
	int root;

	fuzz_place(place);
	root = open(place, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (root < 0)
		abort();
	parts_write(root, data, size);
	close(root);
	if (node_read(place, &node, &err) == 0) {
		fuzz_count(node.gpu_count > 0);
		say_all(&node);
		node_release(&node);
	} else {
		fuzz_count(false);
		assert(err.text[0]);
	}
	folder_remove(place, NULL);
	return 0;
}
