/* SPDX-License-Identifier: Apache-2.0 */
/* What this process may do with the devices: judged by opening them, not by listing them or by
 * their mode, since groups, ACLs, device cgroups and the driver each have a say. A refusal is
 * explained by its errno; the owning group is read from the node, since distributions differ. */
#ifndef NODE_ACCESS_H
#define NODE_ACCESS_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "node/node.h"

enum access_kind { ACCESS_KFD, ACCESS_RENDER };

struct access_device {
	enum access_kind kind;
	char path[64]; /* "/dev/dri/renderD128" */
	char bdf[NODE_BDF]; /* of a render node */
	enum known openable;
	int error_number; /* of a refused open */
	bool owned; /* the next three were read */
	uid_t user;
	gid_t group;
	mode_t mode;
	char group_name[64]; /* of the node's /etc/group; "" unknown */
	enum known member; /* is this process in that group? unknown for a replayed node */
	char diagnosis[600]; /* why it is not openable or not known; else "" */
};

struct access_list {
	struct access_device *items; /* /dev/kfd first */
	size_t count;
};

/* Opens each device read-write and closes it again. A replayed node has devices only when its tree
 * holds them. */
void access_read(const struct node *node, struct access_list *out);

void access_list_release(struct access_list *list);

/* What a refusal by `error_number` means for such a device, and what to do: one or two sentences.
 */
void access_explain(const struct access_device *device, int error_number, char *text, size_t size);

/* A new reference: {devices: [...], memlock_soft, memlock_hard, groups, user}; what belongs to the
 * process is unknown for a replayed node. */
json_t *access_json(const struct node *node, const struct access_list *list);

#endif
