/* SPDX-License-Identifier: Apache-2.0 */
#include "image/exr_attributes.h"

#include <string.h>

#include "base/text.h"

enum { TEXT_SHOWN_MAX = 200, METADATA_MAX = 65536 };

struct attribute {
	const char *name, *type;
	const unsigned char *value;
	uint32_t size;
};

uint32_t exr_u32(const unsigned char *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

uint64_t exr_u64(const unsigned char *p)
{
	return (uint64_t)exr_u32(p + 4) << 32 | exr_u32(p);
}

static float f32(const unsigned char *p)
{
	uint32_t bits = exr_u32(p);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The NUL-terminated text at *at, or NULL when it does not end in time. */
static const char *text_at(const unsigned char *bytes, size_t len, size_t *at)
{
	const unsigned char *start = bytes + *at;
	const unsigned char *end = *at < len ? memchr(start, 0, len - *at) : NULL;

	if (!end)
		return NULL;
	*at = (size_t)(end - bytes) + 1;
	return (const char *)start;
}

/* name, type, pLinear and three reserved bytes, two samplings; an empty name ends the list. */
static bool read_channels(const struct attribute *attribute, struct exr_attributes *out)
{
	enum { REST = 16 };
	size_t at = 0;
	const char *name;

	out->channel_count = 0;
	while ((name = text_at(attribute->value, attribute->size, &at)) && name[0]) {
		const unsigned char *rest = attribute->value + at;
		struct exr_channel *channel;

		if (attribute->size - at < REST)
			return false;
		at += REST;
		if (out->channel_count < 0 || out->channel_count == IMAGE_CHANNELS_MAX ||
			strlen(name) >= IMAGE_CHANNEL_NAME) {
			out->channel_count = -1;
			continue;
		}
		channel = &out->channels[out->channel_count++];
		str_copy(channel->name, sizeof(channel->name), name);
		channel->type = exr_u32(rest);
		channel->subsampled = exr_u32(rest + 8) != 1 || exr_u32(rest + 12) != 1;
	}
	return name != NULL;
}

static struct exr_window window_of(const unsigned char *p)
{
	return (struct exr_window){ (int32_t)exr_u32(p), (int32_t)exr_u32(p + 4),
		(int32_t)exr_u32(p + 8), (int32_t)exr_u32(p + 12) };
}

static bool read_compression(const struct attribute *attribute, struct exr_attributes *out)
{
	out->compression = attribute->value[0];
	return true;
}

static bool read_data(const struct attribute *attribute, struct exr_attributes *out)
{
	out->data = window_of(attribute->value);
	return out->has_data = true;
}

static bool read_display(const struct attribute *attribute, struct exr_attributes *out)
{
	out->display = window_of(attribute->value);
	return out->has_display = true;
}

static bool read_aspect(const struct attribute *attribute, struct exr_attributes *out)
{
	out->aspect = f32(attribute->value);
	return true;
}

static bool read_chromaticities(const struct attribute *attribute, struct exr_attributes *out)
{
	int i;

	for (i = 0; i < 8; i++)
		out->chromaticities[i] = f32(attribute->value + 4 * i);
	return true;
}

static bool read_name(const struct attribute *attribute, struct exr_attributes *out)
{
	size_t len = attribute->size;

	if (len >= sizeof(out->name))
		len = sizeof(out->name) - 1;
	memcpy(out->name, attribute->value, len);
	out->name[len] = '\0';
	return true;
}

static const struct {
	const char *name, *type;
	uint32_t size_min;
	bool (*read)(const struct attribute *attribute, struct exr_attributes *out);
} readers[] = {
	{ "channels", "chlist", 1, read_channels },
	{ "compression", "compression", 1, read_compression },
	{ "dataWindow", "box2i", 16, read_data },
	{ "displayWindow", "box2i", 16, read_display },
	{ "pixelAspectRatio", "float", 4, read_aspect },
	{ "chromaticities", "chromaticities", 32, read_chromaticities },
	{ "name", "string", 0, read_name },
};

static void add_value(const struct attribute *attribute, struct str *to)
{
	const unsigned char *value = attribute->value;
	uint32_t size = attribute->size;

	if (strcmp(attribute->type, "string") == 0)
		text_add_printable(
			to, (const char *)value, size > TEXT_SHOWN_MAX ? TEXT_SHOWN_MAX : size);
	else if (strcmp(attribute->type, "int") == 0 && size == 4)
		str_addf(to, "%d", (int)exr_u32(value));
	else if (strcmp(attribute->type, "float") == 0 && size == 4)
		str_addf(to, "%.9g", (double)f32(value));
	else {
		char hex[2 * 32 + 1];

		text_hex(value, size > 32 ? 32 : size, hex);
		str_addf(to, "%s%s", hex, size > 32 ? "..." : "");
	}
}

/* What says where pixels are, or is judged by itself, is no metadata. */
static bool is_structure(const char *name)
{
	static const char *const names[] = { "channels", "compression", "dataWindow",
		"displayWindow", "lineOrder", "pixelAspectRatio", "chromaticities", "tiles", "name",
		"type", "chunkCount", "version" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool take(const struct attribute *attribute, struct exr_attributes *out)
{
	size_t i;

	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (strcmp(attribute->name, readers[i].name) == 0)
			return strcmp(attribute->type, readers[i].type) == 0 &&
			       attribute->size >= readers[i].size_min &&
			       readers[i].read(attribute, out);
	if (!is_structure(attribute->name) && out->metadata.len < METADATA_MAX) {
		text_add_printable(&out->metadata, attribute->name, strlen(attribute->name));
		str_add(&out->metadata, "\t");
		add_value(attribute, &out->metadata);
		str_add(&out->metadata, "\n");
	}
	return true;
}

bool exr_attributes_read(
	const unsigned char *bytes, size_t len, size_t *at, struct exr_attributes *out)
{
	struct attribute attribute;

	memset(out, 0, sizeof(*out));
	out->compression = -1;
	while ((attribute.name = text_at(bytes, len, at)) && attribute.name[0]) {
		attribute.type = text_at(bytes, len, at);
		if (!attribute.type || len - *at < 4)
			return false;
		attribute.size = exr_u32(bytes + *at);
		*at += 4;
		if (attribute.size > len - *at)
			return false;
		attribute.value = bytes + *at;
		*at += attribute.size;
		if (!take(&attribute, out))
			return false;
	}
	return attribute.name != NULL;
}
