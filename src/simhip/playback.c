/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "simhip/sim.h"

enum { TILE = 16, SMALLEST = 4096 };

struct picture {
	char path[4096 + 300];
	unsigned int width, height, floats;
	unsigned int first, count; /* of its samples; count 0: not said */
};

/* <width>x<height>x<floats>.raw, or of the samples from first on: ...x<floats>@<first>-<count>.raw
 */
static bool parse_name(const char *name, struct picture *picture)
{
	int used = 0, len = 0;

	picture->count = 0;
	if (sscanf(name, "%5ux%5ux%3u%n", &picture->width, &picture->height, &picture->floats,
		    &used) != 3)
		return false;
	if (name[used] == '@' &&
		sscanf(name + used, "@%6u-%6u%n", &picture->first, &picture->count, &len) == 2)
		used += len;
	return strcmp(name + used, ".raw") == 0;
}

/* One of the very samples that were rendered goes before one of any. */
static bool find(const char *folder, size_t bytes, const struct sim_counters_row *row,
	struct picture *picture)
{
	DIR *listing = opendir(folder);
	const struct dirent *entry;
	struct picture one;
	bool found = false, exact = false;

	while (listing && !exact && (entry = readdir(listing))) {
		if (!parse_name(entry->d_name, &one) ||
			(size_t)one.width * one.height * one.floats * sizeof(float) != bytes)
			continue;
		exact = one.count && row->end_sample == one.first + (uint64_t)one.count &&
			row->first_sample == one.first;
		if (one.count && !exact)
			continue;
		snprintf(one.path, sizeof(one.path), "%s/%s", folder, entry->d_name);
		*picture = one;
		found = true;
	}
	if (listing)
		closedir(listing);
	return found;
}

static bool deliver(const struct picture *picture, void *to, size_t bytes)
{
	FILE *file = fopen(picture->path, "re");
	struct stat info;
	bool whole = false;

	if (!file)
		return false;
	if (fstat(fileno(file), &info) == 0 && (size_t)info.st_size == bytes)
		whole = fread(to, 1, bytes, file) == bytes;
	else
		fprintf(stderr, "simulated HIP runtime: %s: not of the size in its name\n",
			picture->path);
	fclose(file);
	return whole;
}

/* Off by half of what one sample adds to each channel: the alpha sum tells how many samples there
 * were. */
static void spoil_tile(const struct picture *picture, float *pixels)
{
	unsigned int left = picture->width / 2 / TILE * TILE,
		     top = picture->height / 2 / TILE * TILE;
	unsigned int x, y, c, channels = picture->floats < 3 ? picture->floats : 3;

	for (y = top; y < top + TILE && y < picture->height; y++) {
		for (x = left; x < left + TILE && x < picture->width; x++) {
			float *p = pixels + ((size_t)y * picture->width + x) * picture->floats;
			float samples = picture->floats > 3 && p[3] > 1 ? p[3] : 1;

			for (c = 0; c < channels; c++)
				p[c] += 0.5f * samples;
		}
	}
}

bool sim_playback(const struct sim *from, struct sim_device *device, void *to, size_t bytes)
{
	struct picture picture;

	if (!from->config.playback[0] || !device || bytes < SMALLEST ||
		!find(from->config.playback, bytes, sim_counters_of(device->row), &picture) ||
		!deliver(&picture, to, bytes))
		return false;
	if (sim_fault_due(device, SIM_WRONG_TILE))
		spoil_tile(&picture, to);
	if (sim_fault_due(device, SIM_NAN_PIXEL))
		((float *)to)[0] = NAN;
	return true;
}
