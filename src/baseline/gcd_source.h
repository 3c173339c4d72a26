/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own text, which travels inside the program: it is compiled on the node, for whatever
 * target the node's runtime reports. */
#ifndef BASELINE_GCD_SOURCE_H
#define BASELINE_GCD_SOURCE_H

/* kernels/kernel_hip.hip with all that it includes, in one text. The caller frees. */
char *gcd_source(void);

#endif
