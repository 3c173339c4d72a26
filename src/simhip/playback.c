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
};

/* <width>x<height>x<floats>.raw */
static bool parse_name(const char *name, struct picture *picture)
{
	int used = 0;

	return sscanf(name, "%5ux%5ux%3u.raw%n", &picture->width, &picture->height,
		       &picture->floats, &used) == 3 &&
	       used && !name[used];
}

static bool find(const char *folder, size_t bytes, struct picture *picture)
{
	DIR *listing = opendir(folder);
	const struct dirent *entry;
	bool found = false;

	while (listing && !found && (entry = readdir(listing))) {
		if (!parse_name(entry->d_name, picture))
			continue;
		snprintf(picture->path, sizeof(picture->path), "%s/%s", folder, entry->d_name);
		found = (size_t)picture->width * picture->height * picture->floats *
				sizeof(float) ==
			bytes;
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
		!find(from->config.playback, bytes, &picture) || !deliver(&picture, to, bytes))
		return false;
	if (sim_fault_due(device, SIM_WRONG_TILE))
		spoil_tile(&picture, to);
	if (sim_fault_due(device, SIM_NAN_PIXEL))
		((float *)to)[0] = NAN;
	return true;
}
