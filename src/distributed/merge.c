/* SPDX-License-Identifier: Apache-2.0 */
#include "distributed/merge.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

static size_t sample_count(const struct image *image)
{
	return (size_t)image->width * (size_t)image->height * (size_t)image->channels;
}

static int check_alike(const struct image *one, const struct image *other, struct error *err)
{
	int c;

	if (one->width != other->width || one->height != other->height)
		return error_set(err, "%dx%d pixels beside %dx%d", other->width, other->height,
			one->width, one->height);
	if (one->channels != other->channels)
		return error_set(err, "%d channels beside %d", other->channels, one->channels);
	for (c = 0; c < one->channels; c++)
		if (strcmp(one->names[c], other->names[c]) != 0)
			return error_set(
				err, "channel %s beside %s", other->names[c], one->names[c]);
	return 0;
}

int merge_parts(const struct image *parts, const unsigned *samples, size_t count, struct image *out,
	struct error *err)
{
	size_t i, part, values;
	double total = 0;

	for (part = 0; part < count; part++) {
		if (!samples[part])
			return error_set(err, "part %zu: has no samples", part);
		if (check_alike(&parts[0], &parts[part], err) != 0)
			return error_prefix(err, "part %zu", part);
		total += samples[part];
	}
	if (!count)
		return error_set(err, "there is no part to merge");
	image_new(out, parts[0].width, parts[0].height, &parts[0]);
	values = sample_count(out);
	for (i = 0; i < values; i++) {
		double sum = 0;

		for (part = 0; part < count; part++)
			sum += (double)parts[part].pixels[i] * samples[part];
		out->pixels[i] = (float)(sum / total);
	}
	return 0;
}

/* A line "cycles.ViewLayer.samples<TAB>16": its number, or 0. */
static unsigned long long samples_of_line(const char *line, size_t len)
{
	static const char head[] = "cycles.", tail[] = ".samples";
	const char *tab = memchr(line, '\t', len);
	size_t name = tab ? (size_t)(tab - line) : 0, tail_len = strlen(tail);
	unsigned long long value = 0;
	char number[24];

	if (name < strlen(head) + tail_len || strncmp(line, head, strlen(head)) != 0 ||
		strncmp(tab - tail_len, tail, tail_len) != 0 || len - name - 1 >= sizeof(number))
		return 0;
	memcpy(number, tab + 1, len - name - 1);
	number[len - name - 1] = '\0';
	return text_u64(number, 10, &value) ? value : 0;
}

struct known_u64 merge_samples_named(const struct image *image)
{
	struct known_u64 found = { false, 0 };
	const char *line = image->metadata;

	while (line && *line) {
		size_t len = strcspn(line, "\n");
		unsigned long long value = samples_of_line(line, len);

		if (value && found.known && found.value != value)
			return (struct known_u64){ false, 0 };
		if (value)
			found = known_u64(value);
		line += len + (line[len] == '\n');
	}
	return found;
}

double merge_bound(unsigned samples, unsigned additions)
{
	const double u = ldexp(1, -24);
	double sum = ((double)samples * additions + 1) * u;

	return sum < 0.5 ? 2 * (sum / (1 - sum) + 2 * u) : 1;
}

int merge_compare(const struct image *merged, const struct image *whole, double bound,
	struct merge_difference *out, struct error *err)
{
	struct merge_difference d = { .bound = bound, .within = true };
	size_t i, values = sample_count(whole), channels = (size_t)whole->channels;

	if (check_alike(whole, merged, err) != 0)
		return -1;
	for (i = 0; i < values; i++) {
		double a = (double)merged->pixels[i], b = (double)whole->pixels[i];
		double apart = fabs(a - b), larger = fmax(fabs(a), fabs(b));
		double relative = larger > 0 ? apart / larger : 0;

		if (!isfinite(apart)) {
			d.within = false;
			continue;
		}
		if (apart > d.largest)
			d.largest = apart;
		if (relative <= d.relative)
			continue;
		d.relative = relative;
		d.channel = (int)(i % channels);
		d.x = (int)(i / channels % (size_t)whole->width);
		d.y = (int)(i / channels / (size_t)whole->width);
	}
	d.within = d.within && d.relative <= bound;
	*out = d;
	return 0;
}

json_t *merge_difference_json(const struct merge_difference *d)
{
	return json_pack("{s:f, s:f, s:i, s:i, s:f, s:b}", "largest", d->largest,
		"largest_relative", d->relative, "x", d->x, "y", d->y, "bound_relative", d->bound,
		"within", d->within);
}
