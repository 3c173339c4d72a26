/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a picture in bands, on as many threads as there are CPUs for this process. */
#ifndef IMAGE_BANDS_H
#define IMAGE_BANDS_H

enum { BANDS_THREADS_MAX = 16 };

/* Works on rows `from` to `to` - 1; `band` counts from 0, so that each has a place of its own for
 * what it finds. */
typedef void bands_fn(int band, int from, int to, void *data);

/* How many bands bands_run() makes of `rows` rows, each but the last a multiple of `step` rows. */
int bands_count(int rows, int step);

/* Calls `fn` for each band and returns when all are done. The bands depend on rows, step and the
 * number of CPUs alone. When no thread can be started the caller's own does the work. */
void bands_run(int rows, int step, bands_fn *fn, void *data);

#endif
