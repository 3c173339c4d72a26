/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "simhip/sim.h"

enum { ENTRY = 64, UUID_LETTERS = 4, UUID_LONGEST = 20 };

/* Takes the next comma separated entry off *text, without the blanks around it. False at the end,
 * and for an entry that is longer than any that could name a device. */
static bool next_entry(const char **text, char entry[ENTRY])
{
	size_t len = strcspn(*text, ","), lead = 0;

	if (!**text)
		return false;
	while (lead < len && isspace((unsigned char)(*text)[lead]))
		lead++;
	if (len - lead >= ENTRY)
		return false;
	memcpy(entry, *text + lead, len - lead);
	entry[len - lead] = '\0';
	*text += len + ((*text)[len] == ',');
	for (len = strlen(entry); len && isspace((unsigned char)entry[len - 1]); len--)
		entry[len - 1] = '\0';
	return true;
}

/* ROCr: a C integer in any base, or GPU- and at least the first digit of one device's id, in any
 * case. */
static int rocr_index(const char *entry, const char (*uuids)[17], unsigned int count)
{
	size_t len = strlen(entry);
	int found = -1;
	unsigned int i;
	char *end;
	long index;

	if (toupper((unsigned char)entry[0]) != 'G') {
		index = strtol(entry, &end, 0);
		return !entry[0] || *end || index < 0 || index >= (long)count ? -1 : (int)index;
	}
	if (len <= UUID_LETTERS || len > UUID_LONGEST ||
		strncasecmp(entry, "GPU-", UUID_LETTERS) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (strncasecmp(entry + UUID_LETTERS, uuids[i], len - UUID_LETTERS) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}

/* HIP: a decimal number as it would be printed, or GPU- and the whole id. */
static int hip_index(const char *entry, const char (*uuids)[17], unsigned int count)
{
	size_t digits = strspn(entry, "0123456789");
	unsigned int i;

	if (digits && digits < 4 && !entry[digits] && (digits == 1 || entry[0] != '0'))
		return atoi(entry) < (int)count ? atoi(entry) : -1;
	for (i = 0; i < count; i++)
		if (strncmp(entry, "GPU-", UUID_LETTERS) == 0 &&
			strcmp(entry + UUID_LETTERS, uuids[i]) == 0)
			return (int)i;
	return -1;
}

unsigned int sim_visible(enum sim_filter filter, const char *text, const char (*uuids)[17],
	unsigned int count, unsigned int *chosen)
{
	bool taken[SIM_MAX_DEVICES] = { false };
	unsigned int found = 0;
	char entry[ENTRY];

	while (next_entry(&text, entry)) {
		int index = filter == SIM_FILTER_ROCR ? rocr_index(entry, uuids, count)
						      : hip_index(entry, uuids, count);

		if (index < 0 || (taken[index] && filter == SIM_FILTER_ROCR))
			break;
		if (!taken[index])
			chosen[found++] = (unsigned int)index;
		taken[index] = true;
	}
	return found;
}
