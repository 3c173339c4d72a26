/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "simhip/sim.h"

/* An index as the runtime takes it: decimal digits only. */
static bool index_of(const char *word, size_t len, unsigned int count, unsigned int *index)
{
	unsigned int value = 0;
	size_t i;

	if (!len || len > 4)
		return false;
	for (i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		value = value * 10 + (unsigned int)(word[i] - '0');
	}
	*index = value;
	return value < count;
}

static bool uuid_of(const char *word, size_t len, const char (*uuids)[17], unsigned int count,
	unsigned int *index)
{
	unsigned int i;

	if (len != 20 || strncmp(word, "GPU-", 4) != 0)
		return false;
	for (i = 0; i < count; i++) {
		if (strncasecmp(word + 4, uuids[i], 16) != 0)
			continue;
		*index = i;
		return true;
	}
	return false;
}

unsigned int sim_visible(const char *text, const char (*uuids)[17], unsigned int count,
	bool repeat_ends, unsigned int *chosen)
{
	bool taken[SIM_MAX_DEVICES] = { false };
	unsigned int found = 0, index = 0;

	while (*text) {
		size_t len = strcspn(text, ",");

		if (!index_of(text, len, count, &index) && !uuid_of(text, len, uuids, count, &index))
			break;
		if (taken[index] && repeat_ends)
			break;
		if (!taken[index])
			chosen[found++] = index;
		taken[index] = true;
		text += len + (text[len] == ',');
	}
	return found;
}
