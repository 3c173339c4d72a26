/* SPDX-License-Identifier: Apache-2.0 */
#include "image/layers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

struct layer {
	char name[IMAGE_CHANNEL_NAME];
	const char *part;
	int part_index;
	bool r, g, b, x, y;
};

struct layers {
	struct layer *all;
	int count;
};

const char *layers_channel_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

void layers_layer_name(const char *name, char *layer, size_t size)
{
	const char *dot = strrchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : 0;

	if (length >= size)
		length = size - 1;
	memcpy(layer, name, length);
	layer[length] = '\0';
}

/* Compared in full, so that two long names are not taken for one. */
static bool is_of(const struct layers_channel *channel, const struct layer *layer)
{
	const char *dot = strrchr(channel->name, '.');
	size_t length = dot ? (size_t)(dot - channel->name) : 0;

	return channel->part_index == layer->part_index && strlen(layer->name) == length &&
	       memcmp(layer->name, channel->name, length) == 0;
}

static struct layer *layer_of(struct layers *layers, const struct layers_channel *channel)
{
	struct layer *layer;
	int i;

	for (i = 0; i < layers->count; i++)
		if (is_of(channel, &layers->all[i]))
			return &layers->all[i];
	layer = &layers->all[layers->count++];
	memset(layer, 0, sizeof(*layer));
	layers_layer_name(channel->name, layer->name, sizeof(layer->name));
	layer->part = channel->part;
	layer->part_index = channel->part_index;
	return layer;
}

static void note_channel(struct layer *layer, const char *name)
{
	layer->r |= strcmp(name, "R") == 0;
	layer->g |= strcmp(name, "G") == 0;
	layer->b |= strcmp(name, "B") == 0;
	layer->x |= strcmp(name, "X") == 0;
	layer->y |= strcmp(name, "Y") == 0;
}

/* X, Y, Z is a direction or a place, not a grey picture. */
static bool has_colour(const struct layer *layer)
{
	return (layer->r && layer->g && layer->b) || (layer->y && !layer->x);
}

static const char *called(const struct layer *layer)
{
	return layer->name[0] ? layers_channel_name(layer->name) : layer->part;
}

static bool has_beauty_name(const struct layer *layer)
{
	static const char *const names[] = { "", "rgba", "rgb", "combined", "beauty", "color",
		"colour" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(called(layer), names[i]) == 0)
			return true;
	return false;
}

typedef bool layer_test(const struct layer *layer);

static int count_of(const struct layers *layers, layer_test *is, const struct layer **found)
{
	int count = 0, i;

	for (i = 0; i < layers->count; i++)
		if (is(&layers->all[i])) {
			*found = &layers->all[i];
			count++;
		}
	return count;
}

static bool is_beauty(const struct layer *layer)
{
	return has_colour(layer) && has_beauty_name(layer);
}

static bool is_any(const struct layer *layer)
{
	(void)layer;
	return true;
}

static const struct layer *beauty_of(const struct layers *layers)
{
	layer_test *const tests[] = { is_beauty, has_colour, is_any };
	const struct layer *found = NULL;
	size_t i;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int count = count_of(layers, tests[i], &found);

		if (count > 0)
			return count == 1 ? found : NULL;
	}
	return NULL;
}

static void list_names(const struct layers *layers, char *text, size_t size)
{
	struct str list = STR_INIT;
	int i;

	for (i = 0; i < layers->count; i++) {
		const struct layer *layer = &layers->all[i];

		if (list.len > 300) {
			str_add(&list, " ...");
			break;
		}
		str_addf(&list, "%s\"%.60s%s%.60s\"", i ? ", " : "", layer->part,
			layer->part[0] && layer->name[0] ? "/" : "", layer->name);
	}
	str_copy(text, size, list.data ? list.data : "");
	str_release(&list);
}

static const struct layer *named(
	const struct layers *layers, const struct image_choice *choice, int *matches)
{
	const struct layer *found = NULL;
	struct layers narrowed = { xcalloc((size_t)layers->count + 1, sizeof(*layers->all)), 0 };
	int i;

	for (i = 0; i < layers->count; i++) {
		const struct layer *layer = &layers->all[i];

		if ((!choice->part || strcmp(choice->part, layer->part) == 0) &&
			(!choice->layer || strcmp(choice->layer, layer->name) == 0)) {
			narrowed.all[narrowed.count++] = *layer;
			found = layer;
		}
	}
	*matches = narrowed.count;
	if (narrowed.count > 1) {
		const struct layer *beauty = beauty_of(&narrowed);

		found = NULL;
		for (i = 0; beauty && i < layers->count; i++)
			if (layers->all[i].part_index == beauty->part_index &&
				strcmp(layers->all[i].name, beauty->name) == 0)
				found = &layers->all[i];
	}
	free(narrowed.all);
	return found;
}

static int not_found(const char *path, const struct layers *layers,
	const struct image_choice *choice, int matches, struct error *err)
{
	char names[400];

	list_names(layers, names, sizeof(names));
	if (matches > 0)
		return error_set(err,
			"%s: ambiguous part: which of %s is meant must be said with --part or "
			"--layer",
			path, names);
	return error_set(err, "%s: no part \"%.60s\" with layer \"%.60s\", only %s", path,
		choice && choice->part ? choice->part : "",
		choice && choice->layer ? choice->layer : "", names);
}

int layers_choose(const char *path, const struct layers_channel *channels, int count,
	const struct image_choice *choice, bool *chosen, struct error *err)
{
	struct layers layers = { xcalloc((size_t)count + 1, sizeof(*layers.all)), 0 };
	const struct layer *layer = NULL;
	int matches = 1, rc = 0, i;

	for (i = 0; i < count && rc == 0; i++) {
		if (strlen(channels[i].name) >= IMAGE_CHANNEL_NAME)
			rc = error_set(err, "%s: a channel name is longer than %d bytes", path,
				IMAGE_CHANNEL_NAME - 1);
		else
			note_channel(layer_of(&layers, &channels[i]),
				layers_channel_name(channels[i].name));
	}
	if (rc == 0)
		layer = choice && (choice->part || choice->layer) ? named(&layers, choice, &matches)
								  : beauty_of(&layers);
	if (rc == 0 && !layer)
		rc = not_found(path, &layers, choice, matches, err);
	for (i = 0; i < count && layer; i++)
		chosen[i] = is_of(&channels[i], layer);
	free(layers.all);
	return rc;
}
