/* SPDX-License-Identifier: Apache-2.0 */
/* What every target shares. Each says of each input whether its parser took it; the last line of
 * the process tells how many that were, so that seeds which no parser takes are noticed. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional: what takes long once, so that the first input is not called slow. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

static unsigned long fuzz_inputs, fuzz_accepted;

enum { FUZZ_PLACE = 32 };

/* A new folder, in memory where that can be had: the disk is what most targets would wait for. */
static inline void fuzz_place(char place[FUZZ_PLACE])
{
	strcpy(place, "/dev/shm/oamqual-fuzz-XXXXXX");
	if (mkdtemp(place))
		return;
	strcpy(place, "/tmp/oamqual-fuzz-XXXXXX");
	if (!mkdtemp(place))
		abort();
}

static char fuzz_kept[FUZZ_PLACE];

/* One for all inputs, removed at the end. */
static inline const char *fuzz_kept_place(void)
{
	if (!fuzz_kept[0])
		fuzz_place(fuzz_kept);
	return fuzz_kept;
}

/* Not file_write(): that waits for the disk. */
static inline void fuzz_save(const char *folder, const char *name, const void *bytes, size_t len)
{
	char *path = path_join(folder, name);
	FILE *file = fopen(path, "wb");

	if (!file)
		abort();
	fwrite(bytes, 1, len, file);
	fclose(file);
	free(path);
}

static inline void fuzz_count(bool accepted)
{
	fuzz_inputs++;
	fuzz_accepted += accepted;
}

__attribute__((destructor)) static void fuzz_tell(void)
{
	if (fuzz_kept[0])
		folder_remove(fuzz_kept, NULL);
	fprintf(stderr, "accepted %lu of %lu inputs\n", fuzz_accepted, fuzz_inputs);
}

#endif
