/* SPDX-License-Identifier: Apache-2.0 */
/* Holds clean and damaged pictures against a scene's references, as a run does:
 *
 *   make_damage SCENE EXPECTED MAJOR.MINOR [--write FOLDER] <list
 *
 * SCENE is a folder with scene.json, EXPECTED holds its references (expected/<scene>). Each line of
 * the list is "clean PATH": judged as it is; "damage PATH": with each kind of damage; or "NAME
 * STRENGTH PATH": a render that is damaged already. Prints a line of JSON for each picture judged:
 * {"kind", "unit", "strength", "variant", "picture", "accepted", "by", "why", "over"}; `over` is
 * the largest noise value over its limit of the own series' reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "blender/reference_set.h"
#include "kinds.h"
#include "scene/spec.h"

struct bench {
	struct scene_spec spec;
	struct reference_set set;
	const char *write;
	size_t judged;
};

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* How near the own reference's noise model is to refusing, 1 is the limit; 0 not tested. */
static double over(const struct reference *reference, const struct noise_result *noise)
{
	const struct noise_limits *limits = &reference->limits.noise;

	if (!noise->tested)
		return 0;
	return most(most(noise->tile_z.value / limits->tile_z,
			    noise->tile_chi.value / limits->tile_chi),
		most(noise->bias_z / limits->bias_z,
			limits->outliers > 0 ? noise->outliers / limits->outliers : 0));
}

/* What reference_match() decides, without its perceptual metrics, which decide nothing. */
static json_t *judge(const struct bench *bench, const struct image *image)
{
	struct image_check check;
	const char *by = NULL, *name = NULL;
	char why[400] = "";
	double near = 0, outliers = 0;
	size_t i;

	image_check(image, bench->spec.settings.width, bench->spec.settings.height, &check);
	if (check.finite != KNOWN_YES || check.not_empty != KNOWN_YES ||
		check.right_shape != KNOWN_YES)
		return json_pack("{s:b, s:n, s:s, s:f}", "accepted", false, "by", "why", check.why,
			"over", 0.0);
	for (i = 0; i < bench->set.count && !by; i++) {
		const struct reference *reference = &bench->set.items[i];
		struct comparison comparison;
		struct noise_result noise;

		by = reference_basis(reference, image, &comparison, &noise);
		name = reference->name;
		if (i < bench->set.own_count)
			near = over(reference, &noise), outliers = noise.outliers;
		if (i == 0)
			str_copy(why, sizeof(why), noise.tested ? noise.why : comparison.why);
	}
	return json_pack("{s:b, s:f, s:o, s:s, s:s, s:f}", "accepted", by != NULL, "outliers",
		outliers, "by", by ? json_string(by) : json_null(), "reference", by ? name : "",
		"why", by ? "" : why, "over", near);
}

static void tell(struct bench *bench, const struct image *image, const char *kind, const char *unit,
	const struct damage_at *at, const char *picture)
{
	json_t *line = judge(bench, image);
	struct error err;

	json_object_set_new(line, "kind", json_string(kind));
	json_object_set_new(line, "unit", json_string(unit));
	json_object_set_new(line, "strength", json_real(at->strength));
	json_object_set_new(line, "variant", json_integer(at->variant));
	json_object_set_new(line, "picture", json_string(picture));
	json_dumpf(line, stdout, JSON_COMPACT | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(line);
	bench->judged++;
	if (bench->write) {
		char *path =
			xasprintf("%s/%s-%g-%d.png", bench->write, kind, at->strength, at->variant);

		if (image_write_png(path, image, 1, &err) != 0)
			fprintf(stderr, "make_damage: %s\n", err.text);
		free(path);
	}
}

static void damage_with(struct bench *bench, const struct image *clean,
	const struct damage_kind *kind, const char *picture)
{
	size_t bytes = (size_t)clean->width * (size_t)clean->height * (size_t)clean->channels *
		       sizeof(float);
	struct damage_at at = { .truth = &bench->set.items[0].noise };
	int i;

	for (i = 0; i < DAMAGE_STRENGTHS_MAX && kind->strengths[i] > 0; i++)
		for (at.variant = 0; at.variant < kind->variants; at.variant++) {
			struct image image;

			image_new(&image, clean->width, clean->height, clean);
			memcpy(image.pixels, clean->pixels, bytes);
			at.strength = kind->strengths[i];
			if (kind->apply(&image, &at))
				tell(bench, &image, kind->name, kind->unit, &at, picture);
			image_release(&image);
		}
}

static int read_line(struct bench *bench, char *line, struct error *err)
{
	char kind[64], path[1000];
	struct damage_at at = { .strength = 0 };
	struct image image;
	size_t i;

	if (sscanf(line, "%63s %lf %999s", kind, &at.strength, path) != 3 &&
		sscanf(line, "%63s %999s", kind, path) != 2)
		return error_set(err, "not a line of the list: %.200s", line);
	if (image_read(path, &image, err) != 0)
		return -1;
	if (strcmp(kind, "damage") != 0)
		tell(bench, &image, kind, "", &at, path);
	for (i = 0; strcmp(kind, "damage") == 0 && i < damage_kind_count; i++)
		damage_with(bench, &image, &damage_kinds[i], path);
	image_release(&image);
	return 0;
}

static int read_list(struct bench *bench, struct error *err)
{
	char line[2000];
	int rc = 0;

	while (rc == 0 && fgets(line, sizeof(line), stdin))
		rc = read_line(bench, line, err);
	return rc;
}

static int open_bench(struct bench *bench, char **argv, struct error *err)
{
	int major, minor;

	if (sscanf(argv[3], "%d.%d", &major, &minor) != 2)
		return error_set(err, "%s is no series", argv[3]);
	if (scene_spec_read(argv[1], &scene_settings_default, &bench->spec, err) != 0)
		return -1;
	reference_set_read(
		argv[2], bench->spec.tree_sha256, &bench->spec.settings, major, minor, &bench->set);
	if (!bench->set.own_count || !bench->set.items[0].noise_path || bench->set.why[0])
		return error_set(err, "%s: no reference with a noise model for %s: %s", argv[2],
			argv[3], bench->set.why);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench bench = { .write = argc == 6 && strcmp(argv[4], "--write") == 0 ? argv[5]
										     : NULL };
	struct error err = { "" };
	int rc;

	if (argc != 4 && !bench.write) {
		fputs("usage: make_damage SCENE EXPECTED MAJOR.MINOR [--write FOLDER] <list\n",
			stderr);
		return 2;
	}
	rc = open_bench(&bench, argv, &err);
	if (rc == 0)
		rc = read_list(&bench, &err);
	if (rc != 0)
		fprintf(stderr, "make_damage: %s\n", err.text);
	reference_set_release(&bench.set);
	scene_spec_release(&bench.spec);
	return rc == 0 && bench.judged ? 0 : 1;
}
