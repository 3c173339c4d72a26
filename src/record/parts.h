/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a record from which a decision about many nodes is made: what record_contradiction()
 * looks at, who the node is, and what each GCD came to. A tenth of it, read at the speed of a disk.
 */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* A new reference: the record without what is not needed, each part as it stands there. Refuses
 * what record_read() refuses, with an error that begins with `name`. Of each attempt number, scene,
 * probe, together, device, source, verdict, decided_by, first_rung_not_yes, render time and the
 * answers of its rungs; of the node its name, source and the identity of its GPUs; of the system
 * the driver's releases; and gcds, modules, scenes, the versions of tool and Blender. */
json_t *record_parts(const char *name, const char *bytes, size_t len, struct error *err);

#endif
