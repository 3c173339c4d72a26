/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/reference_set.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

/* --- all of a scene --------------------------------------------------------------------------- */

static bool is_of_series(const struct reference *reference, int major, int minor)
{
	return reference->major && reference->major == major && reference->minor == minor;
}

/* Takes it over when it counts, behind those of its kind: this Blender's series goes first. */
static void add(
	struct reference_set *set, struct reference *read, const char *name, int major, int minor)
{
	bool own = is_of_series(read, major, minor);
	size_t at = own ? set->own_count : set->count;

	if (!read->present || set->count == REFERENCES_MAX) {
		if (!set->why[0])
			snprintf(set->why, sizeof(set->why), "%s%s%.300s", name,
				name[0] ? ": " : "",
				read->present ? "too many references" : read->why);
		reference_release(read);
		return;
	}
	str_copy(read->name, sizeof(read->name), name);
	memmove(&set->items[at + 1], &set->items[at], (set->count - at) * sizeof(*read));
	set->items[at] = *read;
	set->count++;
	set->own_count += own;
}

/* Copies are named after it. */
static int is_name(const struct dirent *entry)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len < REFERENCE_NAME &&
	       strspn(entry->d_name, safe) == len;
}

static void read_folders(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, int major, int minor, struct reference_set *out)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_name, alphasort), i;

	for (i = 0; i < count; i++) {
		char *path = path_join(folder, entries[i]->d_name);
		struct reference read;

		if (folder_exists(path)) {
			reference_read(path, tree_sha256, settings, &read);
			add(out, &read, entries[i]->d_name, major, minor);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
}

void reference_set_read(const char *folder, const char *tree_sha256,
	const struct scene_settings *settings, int major, int minor, struct reference_set *out)
{
	char *picture = path_join(folder, "reference.exr");
	struct reference flat;

	memset(out, 0, sizeof(*out));
	if (file_exists(picture)) {
		reference_read(folder, tree_sha256, settings, &flat);
		add(out, &flat, "", major, minor);
	}
	read_folders(folder, tree_sha256, settings, major, minor, out);
	if (!out->count && !out->why[0])
		snprintf(out->why, sizeof(out->why), "there is no %.350s", picture);
	free(picture);
}

void reference_set_release(struct reference_set *set)
{
	while (set->count)
		reference_release(&set->items[--set->count]);
}

const struct compare_limits *reference_set_limits(const struct reference_set *set)
{
	return set->count ? &set->items[0].limits : NULL;
}

/* --- a picture beside them -------------------------------------------------------------------- */

static bool is_nearer(const struct reference_match *one, const struct reference_match *than)
{
	if (!than->reference)
		return true;
	if (!one->basis != !than->basis)
		return one->basis != NULL;
	return comparison_is_nearer(&one->comparison, &than->comparison);
}

static void say_why(const struct reference_set *set, struct reference_match *out)
{
	const struct reference *nearest = out->reference;
	const char *why = out->noise.tested ? out->noise.why : out->comparison.why;

	if (set->own_count)
		str_copy(out->why, sizeof(out->why), why);
	else
		snprintf(out->why, sizeof(out->why),
			"no reference is of this Blender's series, and the picture is none of "
			"those of others (nearest: %d.%d's, %.120s)%s%.120s",
			nearest->major, nearest->minor, why, set->why[0] ? "; left out: " : "",
			set->why);
}

void reference_match(
	const struct reference_set *set, const struct image *image, struct reference_match *out)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < set->count && !out->comparison.within; i++) {
		struct reference_match one = { .reference = &set->items[i] };

		one.basis = reference_basis(one.reference, image, &one.comparison, &one.noise);
		if ((one.basis || i < set->own_count || !set->own_count) && is_nearer(&one, out))
			*out = one;
	}
	/* Much slower than all the rest, and of use only to one who looks at what differs. */
	if (out->comparison.compared && !out->comparison.within)
		image_perceive(image, &out->reference->image, &out->comparison);
	if (set->count && !out->basis)
		say_why(set, out);
}

json_t *reference_match_json(const struct reference_match *match)
{
	return json_pack("{s:o, s:o, s:o}", "name", json_printable_text(match->reference->name),
		"basis", match->basis ? json_string(match->basis) : json_null(), "noise",
		match->noise.tested ? noise_json(&match->noise) : json_null());
}
