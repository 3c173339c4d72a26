/* SPDX-License-Identifier: Apache-2.0 */
/* One piece of work cut into parts that run side by side. */
#ifndef BASELINE_TEAM_H
#define BASELINE_TEAM_H

/* Does part number `part` of `parts`. */
typedef void team_fn(void *work, unsigned part, unsigned parts);

/* Calls fn once for each part and returns when all are done; the caller does the first one. Parts
 * for which no thread can be started are done one after the other. At least one part. */
void team_run(unsigned parts, team_fn *fn, void *work);

/* Where part number `part` of `count` things begins; part `parts` begins at the end. */
unsigned team_begin(unsigned count, unsigned part, unsigned parts);

#endif
