/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/stability.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"

enum { TELLING = 200 };

struct agreement {
	size_t differing; /* from the one they were compared with */
	size_t first_differing; /* its place among the repeats */
	char how[TELLING]; /* the first one that differs, and by how much */
};

static bool is_sound(const struct attempt *attempt)
{
	return attempt->facts->answer[FACT_IMAGE_WRITTEN] == KNOWN_YES &&
	       attempt->facts->answer[FACT_IMAGE_SOUND] == KNOWN_YES;
}

static int read_picture(const struct attempt *attempt, struct image *image)
{
	char *path = path_join(attempt->folder, "image.exr");
	int rc = image_read(path, image, NULL);

	free(path);
	return rc;
}

/* "" when it agrees. */
static void compare_one(const struct attempt *attempt, const struct image *with, char how[TELLING])
{
	struct comparison comparison;
	struct image image;

	how[0] = '\0';
	if (!is_sound(attempt) || read_picture(attempt, &image) != 0) {
		str_copy(how, TELLING, "no sound picture");
		return;
	}
	image_compare(&image, with, reference_set_limits(&attempt->scene->references), &comparison);
	if (!comparison.compared || !comparison.within)
		str_copy(how, TELLING, comparison.why);
	image_release(&image);
}

static int compare_with(
	struct attempt *const *repeats, size_t count, size_t base, struct agreement *found)
{
	char how[TELLING];
	struct image image;
	size_t i;

	*found = (struct agreement){ .differing = 0 };
	if (!is_sound(repeats[base]) || read_picture(repeats[base], &image) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (i == base)
			continue;
		compare_one(repeats[i], &image, how);
		if (!how[0])
			continue;
		if (!found->differing++) {
			found->first_differing = i;
			snprintf(found->how, sizeof(found->how), "attempt %03u: %.150s",
				repeats[i]->number, how);
		}
	}
	image_release(&image);
	return 0;
}

/* The few are told from the many: when most differ from the first picture, that one is among the
 * few. */
static int count_few(
	struct attempt *const *repeats, size_t count, size_t base, struct agreement *found)
{
	struct agreement other;

	if (compare_with(repeats, count, base, found) != 0)
		return -1;
	if (2 * found->differing > count &&
		compare_with(repeats, count, found->first_differing, &other) == 0 &&
		other.differing < found->differing)
		*found = other;
	return 0;
}

static void enter(struct attempt *attempt, enum known answer, const char *evidence)
{
	facts_set(attempt->facts, FACT_STABLE, answer, "%s", evidence);
	attempt->verdict = verdict_of(attempt->facts);
}

static void enter_all(
	struct attempt *const *repeats, size_t count, enum known answer, const char *evidence)
{
	size_t i;

	for (i = 0; i < count; i++)
		enter(repeats[i], answer, evidence);
}

void stability_judge(struct attempt *const *repeats, size_t count)
{
	struct agreement found;
	char evidence[EVIDENCE_BYTES];
	size_t base = 0;

	while (base < count && !is_sound(repeats[base]))
		base++;
	if (base == count) {
		enter_all(
			repeats, count, KNOWN_UNKNOWN, "no repeat left a sound picture to compare");
	} else if (!reference_set_limits(&repeats[0]->scene->references)) {
		enter_all(repeats, count, KNOWN_UNKNOWN,
			"the scene has no limits to compare repeats by");
	} else if (count_few(repeats, count, base, &found) != 0) {
		enter_all(repeats, count, KNOWN_UNKNOWN, "a picture could not be read again");
	} else if (found.differing) {
		snprintf(evidence, sizeof(evidence),
			"%zu of %zu repeats disagree with the others: %s", found.differing, count,
			found.how);
		enter_all(repeats, count, KNOWN_NO, evidence);
	} else {
		snprintf(evidence, sizeof(evidence),
			"all %zu repeats agree within the limits of the scene", count);
		enter_all(repeats, count, KNOWN_YES, evidence);
	}
}
