/* SPDX-License-Identifier: Apache-2.0 */
/* Is this a container? Told by the marks that the usual kinds leave; no mark proves nothing. */
#ifndef NODE_CONTAINER_H
#define NODE_CONTAINER_H

#include <jansson.h>

#include "node/node.h"

/* The kind that a /proc/self/cgroup names ("docker", "kubernetes" ...), with the container's id (64
 * hex digits) in id[] or "". NULL when it names none. Static. */
const char *container_of_cgroup(const char *text, char id[65]);

/* Sets container, container_id, container_digest and cgroup of `system`. A container cannot see the
 * digest of its image: who starts it may hand it in as OAMQUAL_IMAGE_DIGEST, which then is
 * declared, not observed. */
void container_enter(json_t *system, const struct node *node);

#endif
