/* SPDX-License-Identifier: Apache-2.0 */
/* The 64-bit unique id of a device, which each tool writes in its own way. */
#ifndef NODE_IDENTITY_H
#define NODE_IDENTITY_H

#include <stdint.h>

/* Reads any of these notations of one id; 0, or -1 with *id untouched:
 *   7477728843772868601                    decimal, as KFD's properties (10 digits or more, but not
 * 16) 67c63ac3c3c637f9                       16 hex digits, as sysfs's unique_id 0x67c63ac3c3c637f9
 * with a prefix, up to 16 digits GPU-67c63ac3c3c637f9                   as ROCR_VISIBLE_DEVICES
 *   67ff740f-0000-1000-80c6-3ac3c3c637f9   amd-smi: the id's bytes around 0xff, the PCI device id
 * and fixed digits */
int identity_parse(const char *text, uint64_t *id);

#endif
