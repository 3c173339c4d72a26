/* SPDX-License-Identifier: Apache-2.0 */
/* Inventories of every kind: the first byte selects it, or lets the content tell. What can be read
 * is judged beside a node and corrected, and what was corrected is read again. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inventory/correct.h"
#include "inventory/inventory.h"
#include "inventory/judge.h"
#include "tests/fuzz/fuzz.h"

enum { GPUS = 4 };

static struct gpu gpus[GPUS];
static struct node node;
static struct site site;

/* Two modules of two GCDs. */
static void make_site(void)
{
	size_t i;

	node.name = (char *)"blade";
	node.root_fd = -1;
	node.gpus = gpus;
	node.gpu_count = GPUS;
	site.node = &node;
	site.host = (char *)"blade";
	site.type = (char *)"mi250x";
	site.mode = "";
	site.count = GPUS;
	site.domain_bytes = known_u64(68702699520u);
	site.module_bytes = known_u64(2 * (uint64_t)68702699520u);
	site.core_count = known_u64(64);
	site.domains = calloc(GPUS, sizeof(*site.domains));
	site.modules.items = calloc(2, sizeof(*site.modules.items));
	site.modules.count = 2;
	for (i = 0; i < GPUS; i++) {
		static char files[GPUS][32];

		snprintf(gpus[i].bdf, sizeof(gpus[i].bdf), "0000:c%zu:00.0", i);
		snprintf(files[i], sizeof(files[i]), "/dev/dri/renderD%zu", 128 + i);
		gpus[i].vram_total = site.domain_bytes;
		gpus[i].drm_render_minor = known_u64(128 + i);
		site.domains[i] = (struct site_domain){ &gpus[i], i / 2, files[i] };
	}
	for (i = 0; i < 2; i++) {
		site.modules.items[i].gpus = calloc(2, sizeof(size_t));
		site.modules.items[i].gpus[0] = 2 * i;
		site.modules.items[i].gpus[1] = 2 * i + 1;
		site.modules.items[i].gpu_count = 2;
		site.modules.items[i].basis = MODULE_LINK_WIDTH;
	}
}

static void check_items(const struct inventory *inventory)
{
	size_t i;

	for (i = 0; i < inventory->count; i++) {
		const struct inventory_item *item = &inventory->items[i];

		assert(item->span.from <= inventory->text.len &&
			item->span.len <= inventory->text.len - item->span.from);
		assert(item->line >= 1 && !strchr(item->host, '\n') && !strchr(item->type, 27));
	}
}

/* Judges and corrects; the corrected text, or NULL. */
static char *correct_one(struct inventory *inventory, size_t *len)
{
	struct finding_list findings = { NULL, 0 };
	struct judged judged;
	struct correction correction = { NULL, 0, NULL, NULL };
	char *type, *text = NULL;

	if (judge(&site, inventory, 1, &judged, &findings, NULL) == 0) {
		type = correct_type(&site, &judged, 1);
		if (correct(&site, &judged, type, &correction, &findings, NULL) == 0) {
			text = malloc(correction.len + 1);
			memcpy(text, correction.text, correction.len);
			*len = correction.len;
		}
		free(type);
		correction_release(&correction);
		judged_release(&judged);
	}
	finding_list_release(&findings);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inventory inventory;
	struct str text = STR_INIT;
	enum inventory_kind kind;
	char *corrected;
	size_t len = 0;
	bool accepted;

	if (!site.node)
		make_site();
	if (!size)
		return 0;
	kind = (enum inventory_kind)(data[0] % (INVENTORY_KIND_COUNT + 1));
	str_add_bytes(&text, data + 1, size - 1);
	accepted = inventory_parse("list", &text, kind, &inventory, NULL) == 0;
	fuzz_count(accepted && inventory.count);
	if (!accepted)
		return 0;
	check_items(&inventory);
	corrected = correct_one(&inventory, &len);
	kind = inventory.kind;
	inventory_release(&inventory);
	if (corrected && kind != INVENTORY_KUBERNETES && kind != INVENTORY_SCONTROL) {
		str_add_bytes(&text, corrected, len);
		if (inventory_parse("list", &text, kind, &inventory, NULL) == 0) {
			check_items(&inventory);
			inventory_release(&inventory);
		}
	}
	free(corrected);
	return 0;
}
