/* SPDX-License-Identifier: Apache-2.0 */
/* The pixels as a witness: written by this run, sound, and the reference's picture. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "blender/witness.h"

static int64_t modified_ns(const struct stat *info)
{
	return (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
}

/* The folder was made for this attempt, so the file was put there during it; a time stamp before
 * that of the job file is the one of an older file that something copied in. Both stamps are of the
 * same file system's clock. */
static bool is_older_than_job(const struct attempt *attempt, const struct stat *image)
{
	char *path = path_join(attempt->folder, "job.json");
	struct stat job;
	bool older = stat(path, &job) != 0 || modified_ns(image) < modified_ns(&job);

	free(path);
	return older;
}

/* "Saved: '<path>'" names this very file. A text that was cut is compared as far as it goes. */
static bool says_saved(const struct log_entry *saved, const char *path)
{
	char *shown = text_printable(path, strlen(path));
	char *quoted = xasprintf("'%s'", shown);
	const char *said = saved ? strchr(saved->text, '\'') : NULL;
	size_t len = strlen(quoted);
	bool same;

	if (said && strlen(saved->text) == LOG_TEXT - 1 && strlen(said) < len)
		len = strlen(said);
	same = said && strncmp(said, quoted, len) == 0;
	free(quoted);
	free(shown);
	return same;
}

/* The number of a frame that was rendered and not asked for, by the log or the worker; -1 none. */
static long wrong_frame(const struct attempt *attempt)
{
	long asked = attempt->scene->spec.settings.frame;
	json_int_t told =
		json_integer_of(json_object_get(attempt->worker, "scene"), "frame", asked);

	if (attempt->log.frame >= 0 && attempt->log.frame != asked)
		return attempt->log.frame;
	if (attempt->log.other_frame >= 0)
		return attempt->log.other_frame;
	return told != asked ? (long)told : -1;
}

static void witness_written(const struct attempt *attempt, const char *path, struct facts *facts)
{
	static const enum log_event said[] = { LOG_SAVE_FAILED, LOG_SAVED };
	const struct log_entry *saved = log_seen(&attempt->log, LOG_SAVED);
	const struct log_entry *heard = log_first_seen(&attempt->log, said, 2);
	struct stat info;

	if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode))
		facts_set(facts, FACT_IMAGE_WRITTEN, KNOWN_NO, "there is no image.exr%s%.250s",
			heard ? ": " : "", heard ? heard->text : "");
	else if (is_older_than_job(attempt, &info))
		facts_set(facts, FACT_IMAGE_WRITTEN, KNOWN_NO,
			"image.exr is older than the start of this attempt: not written by this "
			"run");
	else if (wrong_frame(attempt) >= 0)
		facts_set(facts, FACT_IMAGE_WRITTEN, KNOWN_NO,
			"frame %ld was rendered, and frame %d was asked for", wrong_frame(attempt),
			attempt->scene->spec.settings.frame);
	else if (!says_saved(saved, path))
		facts_set(facts, FACT_IMAGE_WRITTEN, KNOWN_NO,
			"image.exr is there, and Blender did not say that it saved it");
	else
		facts_set(facts, FACT_IMAGE_WRITTEN, KNOWN_YES, "%.300s", saved->text);
}

static void witness_soundness(struct attempt *attempt, const char *path, struct facts *facts)
{
	const struct scene_settings *settings = &attempt->scene->spec.settings;
	struct image_check *check = &attempt->check;
	struct error err;

	if (image_read(path, &attempt->image, &err) != 0) {
		facts_set(facts, FACT_IMAGE_SOUND, KNOWN_NO, "%.350s", err.text);
		return;
	}
	attempt->image_read = true;
	image_check(&attempt->image, settings->width, settings->height, check);
	if (check->right_shape == KNOWN_YES && check->finite == KNOWN_YES &&
		check->not_empty == KNOWN_YES)
		facts_set(facts, FACT_IMAGE_SOUND, KNOWN_YES,
			"%dx%d, all finite, mean %.4g, largest %.4g", attempt->image.width,
			attempt->image.height, check->mean, check->largest);
	else
		facts_set(facts, FACT_IMAGE_SOUND, KNOWN_NO, "%s", check->why);
}

/* What the limits allowed and what was found, by what the picture was accepted. */
static void say_match(const struct reference_match *match, struct facts *facts)
{
	const struct comparison *c = &match->comparison;
	const struct compare_limits *l = &match->reference->limits;

	if (strcmp(match->basis, "noise-model") == 0)
		facts_set(facts, FACT_IMAGE_MATCHES, KNOWN_YES,
			"other noise than the reference's and nothing else: worst tile z %.3g "
			"(limit "
			"%.3g), chi %.3g (limit %.3g), bias z %.3g (limit %.3g)",
			match->noise.tile_z.value, l->noise.tile_z, match->noise.tile_chi.value,
			l->noise.tile_chi, match->noise.bias_z, l->noise.bias_z);
	else
		facts_set(facts, FACT_IMAGE_MATCHES, KNOWN_YES,
			"rms %.3g (limit %.3g), %.3g %% of pixels off (limit %.3g %%), worst tile "
			"%.3g (limit %.3g)",
			c->rms_error, l->rms_error, 100 * c->share_over, 100 * l->share_over,
			c->tile_error, l->tile_error);
}

/* A picture that is none of the references of other series says nothing against the device. */
static void witness_comparison(struct attempt *attempt, struct facts *facts)
{
	const struct reference_set *set = &attempt->scene->references;
	struct reference_match *match = &attempt->match;
	const struct reference *reference;

	if (attempt->image_read)
		reference_match(set, &attempt->image, match);
	if (!set->count) {
		facts_set(facts, FACT_REFERENCE, KNOWN_NO, "%.350s", set->why);
		return;
	}
	if (!set->own_count && !match->basis) {
		facts_set(facts, FACT_REFERENCE, KNOWN_NO, "%.350s",
			match->why[0] ? match->why : "no reference is of this Blender's series");
		return;
	}
	reference = match->reference ? match->reference : &set->items[0];
	facts_set(facts, FACT_REFERENCE, KNOWN_YES,
		"reference.exr %.16s... of Blender %d.%d, made from this scene tree",
		reference->sha256, reference->major, reference->minor);
	if (match->basis)
		say_match(match, facts);
	else if (match->reference)
		facts_set(facts, FACT_IMAGE_MATCHES, KNOWN_NO, "%s", match->why);
}

void witness_picture(struct attempt *attempt, struct facts *facts)
{
	char *path = path_join(attempt->folder, "image.exr");

	witness_written(attempt, path, facts);
	if (facts->answer[FACT_IMAGE_WRITTEN] == KNOWN_YES)
		witness_soundness(attempt, path, facts);
	/* A share of the samples is noisier than any reference. */
	if (attempt->probe != PROBE_RANK)
		witness_comparison(attempt, facts);
	free(path);
}
