/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a KFD node: topology/nodes/<n>/io_links/<i>/properties. */
#ifndef NODE_LINKS_H
#define NODE_LINKS_H

#include "node/node.h"

enum link_type { LINK_HYPERTRANSPORT = 1, LINK_PCIE = 2, LINK_XGMI = 11 };

/* MB/s of one xGMI link of gfx90a; max_bandwidth is this times the number of links side by side. 0 between two GPUs of a
 * hive: no direct link there on gfx90a, and no such thing on the partitions of a gfx942 card. */
enum { LINK_MB_S = 50000 };

struct link {
	struct known_u64 type, node_from, node_to, weight, min_bandwidth, max_bandwidth;
};

struct link_list {
	struct link *items;
	size_t count;
	size_t unreadable; /* entries that are there and could not be read */
	bool listed;       /* the folder could be listed */
};

void link_parse(const char *text, size_t len, struct link *out);

/* Reads the links of one KFD node; what cannot be read is counted. */
void link_list_read(int root_fd, uint64_t kfd_node, struct link_list *out);
void link_list_release(struct link_list *list);

/* The CPU node that KFD links the GPU to most directly: KFD numbers CPU nodes as the kernel numbers NUMA nodes. Unknown
 * when no link says so or two say different things with one weight. -1 when not all of its links could be read. */
int link_cpu_node(const struct node *node, const struct gpu *gpu, struct known_u64 *out);

#endif
