/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the HIP runtime. Only ever called in a child of the program (`oamqual hip-probe`): a driver
 * can crash or hang inside hipInit, and the child's end is then the fact. */
#ifndef NODE_HIP_PROBE_H
#define NODE_HIP_PROBE_H

#include <jansson.h>

/* Loads `library` (NULL: libamdhip64.so.7, .so.6, .so.5, .so in this order, then the same names
 * below /opt/rocm/lib) and asks it. Never fails: a new reference of "schema": "oamqual-hip-probe/1"
 * with state    "missing" | "unusable" | "no-device" | "answered" why      loader's messages, or
 * the call that failed with its code and name library, driver_version, runtime_version, layout
 * ("R0000" or "R0600") devices  [{index, bdf, uuid (16 hex digits), name, gcn_arch, total, free}],
 * null where a call failed tried    [{name, reason}] of the libraries that did not load */
json_t *hip_probe_json(const char *library);

#endif
