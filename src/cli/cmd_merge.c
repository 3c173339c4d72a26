/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "distributed/merge.h"

enum { PARTS_MAX = 1024 };

struct parts {
	struct image images[PARTS_MAX];
	unsigned samples[PARTS_MAX];
	size_t count;
};

/* --samples in the order of the parts, else what the file itself names. */
static int samples_of(const struct options *options, const char *path, struct parts *parts,
	size_t i, struct error *err)
{
	const char *text = options_nth(options, "samples", i);
	struct known_u64 named = merge_samples_named(&parts->images[i]);
	unsigned long long number = named.value;

	if (text && !text_u64(text, 10, &number))
		return error_set(err, "--samples %s: not a number", text);
	if (!text && options_nth(options, "samples", 0))
		return error_set(
			err, "%s: --samples must be given for all parts or for none", path);
	if (!text && !named.known)
		return error_set(err,
			"%s: its metadata does not name its number of samples; give --samples N "
			"for "
			"each part",
			path);
	if (number < 1 || number > 1U << 24)
		return error_set(err, "%s: %llu samples is out of range", path, number);
	parts->samples[i] = (unsigned)number;
	return 0;
}

/* One that is not finite would spoil the pixel of all. */
static int check_finite(const char *path, const struct image *image, struct error *err)
{
	size_t values = (size_t)image->width * (size_t)image->height * (size_t)image->channels, i;
	size_t spoiled = 0;

	for (i = 0; i < values; i++)
		spoiled += !isfinite(image->pixels[i]);
	return spoiled ? error_set(err, "%s: %zu of its %zu values are not finite", path, spoiled,
				 values)
		       : 0;
}

static int read_parts(const struct options *options, struct parts *parts, struct error *err)
{
	const char *path;

	while ((path = options_operand(options, parts->count)) != NULL) {
		if (parts->count == PARTS_MAX)
			return error_set(err, "more than %d parts", PARTS_MAX);
		if (image_read(path, &parts->images[parts->count], err) != 0)
			return -1;
		parts->count++;
		if (check_finite(path, &parts->images[parts->count - 1], err) != 0 ||
			samples_of(options, path, parts, parts->count - 1, err) != 0)
			return -1;
	}
	if (options_nth(options, "samples", parts->count))
		return error_set(err, "--samples was given more often than there are parts");
	return 0;
}

static int merge(const struct options *options, struct parts *parts, struct error *err)
{
	const char *out = options_text(options, "out");
	unsigned long long total = 0;
	struct image merged;
	size_t i;
	int rc;

	if (file_exists(out))
		return error_set(err, "%s: is there already", out);
	if (read_parts(options, parts, err) != 0 ||
		merge_parts(parts->images, parts->samples, parts->count, &merged, err) != 0)
		return -1;
	rc = image_write_exr(out, &merged, err);
	image_release(&merged);
	for (i = 0; i < parts->count; i++)
		total += parts->samples[i];
	if (rc == 0)
		printf("%s: %zu parts, %llu samples\n", out, parts->count, total);
	return rc;
}

static int run(const struct options *options)
{
	struct parts *parts;
	struct error err;
	size_t i;
	int rc;

	if (!options_text(options, "out")) {
		error_set(&err, "merge takes --out FILE");
		return cli_usage(options, &err);
	}
	parts = xcalloc(1, sizeof(*parts));
	rc = merge(options, parts, &err);
	for (i = 0; i < parts->count; i++)
		image_release(&parts->images[i]);
	free(parts);
	return rc == 0 ? STATUS_ACCEPTED : cli_fail(&err);
}

static const struct option_row rows[] = {
	{ "out", 'o', "FILE", "the merged picture, OpenEXR; must not be there yet" },
	{ "samples", 0, "N",
		"samples of a part, for each in the order of the parts (default: what its metadata "
		"names)" },
	{ 0 },
};

const struct command command_merge = {
	.name = "merge",
	.operands = "PART PART...",
	.operands_min = 2,
	.operands_max = PARTS_MAX,
	.summary = "make one picture of shares of a frame's samples",
	.about = "The mean of all samples: each part weighs as much as it has samples, which "
		 "Blender "
		 "writes into\n"
		 "an EXR's metadata. From Blender 4.4 on a share names the samples of the whole "
		 "frame "
		 "there, so\n"
		 "shares of different size need --samples.\n\n"
		 "Examples:\n"
		 "  oamqual merge --out frame.exr rank0.exr rank1.exr\n"
		 "  oamqual merge --out frame.exr --samples 6 --samples 5 --samples 5 a.exr b.exr "
		 "c.exr\n",
	.rows = rows,
	.run = run,
};
