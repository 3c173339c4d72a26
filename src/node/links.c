/* SPDX-License-Identifier: Apache-2.0 */
#include "node/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "node/kfd.h"
#include "node/rooted.h"
#include "node/rows.h"

enum { LINK_FILE_LIMIT = 65536 };

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct link, name)                                                 \
	}

static const struct row rows[] = {
	ROW(type),
	ROW(node_from),
	ROW(node_to),
	ROW(weight),
	ROW(min_bandwidth),
	ROW(max_bandwidth),
	{ NULL, 0 },
};

void link_parse(const char *text, size_t len, struct link *out)
{
	memset(out, 0, sizeof(*out));
	rows_parse(rows, out, text, len);
}

void link_list_read(int root_fd, uint64_t kfd_node, struct link_list *out)
{
	char *folder = xasprintf(KFD_NODES "/%llu/io_links", (unsigned long long)kfd_node);
	unsigned long long *numbers = NULL;
	size_t count = 0, i;
	struct str text = STR_INIT;

	memset(out, 0, sizeof(*out));
	out->listed = rooted_numbers(root_fd, folder, &numbers, &count) == 0;
	out->items = xcalloc(count + 1, sizeof(*out->items));
	for (i = 0; i < count; i++) {
		char *path = xasprintf("%s/%llu/properties", folder, numbers[i]);

		text.len = 0;
		if (file_read_in(root_fd, path, LINK_FILE_LIMIT, &text, NULL) == 0)
			link_parse(text.data, text.len, &out->items[out->count++]);
		else
			out->unreadable++;
		free(path);
	}
	str_release(&text);
	free(numbers);
	free(folder);
}

void link_list_release(struct link_list *list)
{
	free(list->items);
	memset(list, 0, sizeof(*list));
}

static bool is_cpu(const struct node *node, uint64_t kfd_node)
{
	size_t i;

	for (i = 0; i < node->kfd_cpu_count; i++)
		if (node->kfd_cpus[i] == kfd_node)
			return true;
	return false;
}

static struct known_u64 nearest_cpu(const struct node *node, const struct link_list *links)
{
	struct known_u64 best = { false, 0 };
	uint64_t weight = UINT64_MAX;
	size_t i;

	for (i = 0; i < links->count; i++) {
		const struct link *link = &links->items[i];
		uint64_t this = link->weight.known ? link->weight.value : UINT64_MAX;

		if (!link->node_to.known || !is_cpu(node, link->node_to.value) || this > weight)
			continue;
		if (this == weight && best.known && best.value != link->node_to.value)
			best.known = false;
		else if (this < weight || !best.known)
			best = known_u64(link->node_to.value);
		weight = this;
	}
	return best;
}

int link_cpu_node(const struct node *node, const struct gpu *gpu, struct known_u64 *out)
{
	struct link_list links;
	int rc;

	*out = (struct known_u64){ false, 0 };
	if (!gpu->kfd_node.known || !node->kfd_cpu_count)
		return -1;
	link_list_read(node->root_fd, gpu->kfd_node.value, &links);
	*out = nearest_cpu(node, &links);
	rc = links.listed && !links.unreadable ? 0 : -1;
	link_list_release(&links);
	return rc;
}
