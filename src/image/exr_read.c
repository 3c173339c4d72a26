/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include "image/exr_read.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/plain.h"
#include "base/str.h"
#include "image/bands.h"
#include "image/exr_attributes.h"
#include "image/layers.h"

enum {
	HEADER_BYTES_MAX = 1 << 20, /* larger ones are left to the library */
	START_BYTES = 8, /* magic and version */
	CHUNK_HEAD = 8, /* row and size */
	LONG_NAMES = 0x400,
	MULTI_PART = 0x1000,
	VERSION = 2,
	LINES_MAX = 16
};

#define SAMPLES_MAX (UINT64_C(1) << 28)
/* No DEFLATE stream grows by more. */
#define DEFLATE_RATIO_MAX 1032

static const unsigned char magic[4] = { 0x76, 0x2f, 0x31, 0x01 };

struct plane {
	bool half;
	int to; /* channel of the picture, -1: not read */
	size_t offset; /* in the bytes of a row */
};

struct exr {
	int fd;
	off_t file_size;
	struct exr_attributes attributes;
	struct plane planes[IMAGE_CHANNELS_MAX];
	int64_t width, height; /* of the data window */
	int lines; /* rows in a chunk */
	int chunks;
	size_t row_bytes;
	unsigned char *offsets; /* the table, as in the file */
	struct image image;
	atomic_bool broken;
};

static bool read_at(int fd, void *to, size_t size, off_t at)
{
	char *p = to;

	while (size > 0) {
		ssize_t got = pread(fd, p, size, at);

		if (got <= 0)
			return false;
		p += got;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

/* The begin of the file, at most HEADER_BYTES_MAX. The caller frees. NULL when it is no EXR. */
static unsigned char *read_begin(int fd, off_t file_size, size_t *len)
{
	unsigned char *bytes;

	*len = file_size < HEADER_BYTES_MAX ? (size_t)file_size : HEADER_BYTES_MAX;
	if (*len < START_BYTES)
		return NULL;
	bytes = xmalloc(*len);
	if (read_at(fd, bytes, *len, 0) && memcmp(bytes, magic, sizeof(magic)) == 0)
		return bytes;
	free(bytes);
	return NULL;
}

/* --- what the header says --- */

static bool set_size(struct exr *exr)
{
	const struct exr_window *data = &exr->attributes.data, *display = &exr->attributes.display;
	int64_t width = (int64_t)display->right - display->left + 1;
	int64_t height = (int64_t)display->bottom - display->top + 1;
	uint64_t channels = (uint64_t)exr->attributes.channel_count;

	exr->width = (int64_t)data->right - data->left + 1;
	exr->height = (int64_t)data->bottom - data->top + 1;
	if (!exr->attributes.has_data || !exr->attributes.has_display || width < 1 || height < 1 ||
		exr->width < 1 || exr->height < 1 || width > INT32_MAX / 4 ||
		height > INT32_MAX / 4 || exr->width > INT32_MAX / 4 ||
		exr->height > INT32_MAX / 4 ||
		(uint64_t)width * (uint64_t)height > SAMPLES_MAX / channels ||
		(uint64_t)exr->width * (uint64_t)exr->height > SAMPLES_MAX / channels)
		return false;
	exr->image.width = (int)width;
	exr->image.height = (int)height;
	return true;
}

static bool set_chunks(struct exr *exr)
{
	switch (exr->attributes.compression) {
	case EXR_NONE:
	case EXR_ZIPS:
		exr->lines = 1;
		break;
	case EXR_ZIP:
		exr->lines = LINES_MAX;
		break;
	default:
		return false;
	}
	exr->chunks = (int)((exr->height + exr->lines - 1) / exr->lines);
	/* What is allocated must be in the file. */
	return (uint64_t)exr->row_bytes * (uint64_t)exr->height / DEFLATE_RATIO_MAX <=
	       (uint64_t)exr->file_size;
}

static bool choose(struct exr *exr, const struct image_choice *choice, bool *chosen)
{
	struct layers_channel channels[IMAGE_CHANNELS_MAX];
	int i;

	for (i = 0; i < exr->attributes.channel_count; i++)
		channels[i] = (struct layers_channel){ .name = exr->attributes.channels[i].name,
			.part = "" };
	return layers_choose("", channels, exr->attributes.channel_count, choice, chosen, NULL) ==
	       0;
}

/* R, G, B, A come first, as from the library; the others as in the file. */
static int rank(const char *name)
{
	static const char *const first[] = { "R", "G", "B", "A" };
	int i;

	for (i = 0; i < 4; i++)
		if (strcmp(name, first[i]) == 0)
			return i;
	return 4;
}

static void place_channels(struct exr *exr, const bool *chosen)
{
	struct image *image = &exr->image;
	int order, i;

	for (order = 0; order <= 4; order++)
		for (i = 0; i < exr->attributes.channel_count; i++) {
			const char *name = layers_channel_name(exr->attributes.channels[i].name);

			if (!chosen[i] || rank(name) != order)
				continue;
			exr->planes[i].to = image->channels;
			str_copy(image->names[image->channels++], IMAGE_CHANNEL_NAME, name);
			layers_layer_name(exr->attributes.channels[i].name, image->layer,
				sizeof(image->layer));
		}
}

static bool set_planes(struct exr *exr, const struct image_choice *choice)
{
	bool chosen[IMAGE_CHANNELS_MAX] = { false };
	bool all_half = true;
	int i;

	if (exr->attributes.channel_count < 1 || !choose(exr, choice, chosen))
		return false;
	for (i = 0; i < exr->attributes.channel_count; i++) {
		const struct exr_channel *channel = &exr->attributes.channels[i];

		if (channel->subsampled ||
			(channel->type != EXR_HALF && channel->type != EXR_FLOAT))
			return false;
		exr->planes[i] = (struct plane){
			.half = channel->type == EXR_HALF, .to = -1, .offset = exr->row_bytes
		};
		exr->row_bytes += (size_t)exr->width * (channel->type == EXR_HALF ? 2 : 4);
		all_half = all_half && (!chosen[i] || channel->type == EXR_HALF);
	}
	place_channels(exr, chosen);
	str_copy(exr->image.format, sizeof(exr->image.format), all_half ? "half" : "float");
	return true;
}

static void describe(const struct exr_attributes *attributes, struct image *image)
{
	image->pixel_aspect = attributes->aspect;
	memcpy(image->chromaticities, attributes->chromaticities, sizeof(image->chromaticities));
	image->metadata = attributes->metadata.len ? xstrdup(attributes->metadata.data) : NULL;
	str_copy(image->colorspace, sizeof(image->colorspace), "Linear");
	str_copy(image->alpha, sizeof(image->alpha),
		image_channel(image, "A") >= 0 ? "associated" : "");
}

/* *at is left behind the header. */
static bool read_header(struct exr *exr, const struct image_choice *choice, size_t *at)
{
	size_t len;
	unsigned char *bytes = read_begin(exr->fd, exr->file_size, &len);
	bool ours = bytes && (exr_u32(bytes + 4) & ~(uint32_t)LONG_NAMES) == VERSION;

	*at = START_BYTES;
	ours = ours && exr_attributes_read(bytes, len, at, &exr->attributes) &&
	       exr->attributes.channel_count > 0 && set_size(exr) && set_planes(exr, choice) &&
	       set_chunks(exr);
	free(bytes);
	return ours;
}

/* --- the rows --- */

static float half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31;
	uint32_t mantissa = half & 1023, bits;
	float value;

	if (exponent == 0) {
		value = (float)mantissa * 0x1p-24f;
		return sign ? -value : value;
	}
	bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | mantissa << 13;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Undoes what the format does before compressing: each byte was replaced by its difference to the
 * one before, plus 128. So byte i is the sum of all up to it, less 128 where i is odd. */
static void undo_difference(unsigned char *bytes, size_t len)
{
	unsigned char sum = 0;
	size_t i = 0;

#ifdef __SSE2__
	const __m128i odd = _mm_set1_epi16((short)0x8000);
	__m128i before = _mm_setzero_si128();

	for (; i + 16 <= len; i += 16) {
		__m128i *at = (__m128i *)(void *)(bytes + i), v = _mm_loadu_si128(at);

		v = _mm_add_epi8(v, _mm_slli_si128(v, 1));
		v = _mm_add_epi8(v, _mm_slli_si128(v, 2));
		v = _mm_add_epi8(v, _mm_slli_si128(v, 4));
		v = _mm_add_epi8(v, _mm_slli_si128(v, 8));
		v = _mm_add_epi8(v, before);
		sum = (unsigned char)(_mm_extract_epi16(v, 7) >> 8);
		before = _mm_set1_epi8((char)sum);
		_mm_storeu_si128(at, _mm_xor_si128(v, odd));
	}
#endif
	for (; i < len; i++) {
		sum = (unsigned char)(sum + bytes[i]);
		bytes[i] = i % 2 ? (unsigned char)(sum ^ 128) : sum;
	}
}

/* The bytes of a chunk: as they are, or those at even places in the first half and those at odd
 * places in the second. */
struct chunk_bytes {
	const unsigned char *bytes;
	const unsigned char *odd; /* NULL: not apart */
};

/* Both halves zipped together; `pairs` pairs from pair `at` on. */
static void zip_halves(const struct chunk_bytes *from, size_t at, size_t pairs, unsigned char *to)
{
	const unsigned char *even = from->bytes + at, *odd = from->odd + at;
	size_t i = 0;

#ifdef __SSE2__
	for (; i + 16 <= pairs; i += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(even + i));
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(odd + i));
		__m128i *out = (__m128i *)(void *)(to + 2 * i);

		_mm_storeu_si128(out, _mm_unpacklo_epi8(a, b));
		_mm_storeu_si128(out + 1, _mm_unpackhi_epi8(a, b));
	}
#endif
	for (; i < pairs; i++) {
		to[2 * i] = even[i];
		to[2 * i + 1] = odd[i];
	}
}

static void lay_floats(const unsigned char *from, int64_t count, size_t step, float *to)
{
	int64_t x;

	for (x = 0; x < count; x++, to += step) {
		uint32_t bits = exr_u32(from + 4 * x);

		memcpy(to, &bits, sizeof(bits));
	}
}

static void lay_halves(const unsigned char *from, int64_t count, size_t step, float *to)
{
	int64_t x;

	for (x = 0; x < count; x++, to += step)
		*to = half_to_float((uint16_t)(from[2 * x] | from[2 * x + 1] << 8));
}

/* The four channels of most pictures at once, so that memory is written once. */
static bool lay_four(
	const struct exr *exr, const unsigned char *row, int64_t skip, int64_t count, float *to)
{
	const unsigned char *from[4] = { NULL, NULL, NULL, NULL };
	int64_t x;
	int i;

	if (exr->image.channels != 4)
		return false;
	for (i = 0; i < exr->attributes.channel_count; i++)
		if (exr->planes[i].to >= 0 && !exr->planes[i].half)
			from[exr->planes[i].to] = row + exr->planes[i].offset + 4 * skip;
	if (!from[0] || !from[1] || !from[2] || !from[3])
		return false;
	for (x = 0; x < count; x++, to += 4) {
		uint32_t bits[4] = { exr_u32(from[0] + 4 * x), exr_u32(from[1] + 4 * x),
			exr_u32(from[2] + 4 * x), exr_u32(from[3] + 4 * x) };

		memcpy(to, bits, sizeof(bits));
	}
	return true;
}

/* One row into the display window; what lies outside is dropped. */
static void lay_row(struct exr *exr, const unsigned char *bytes, int64_t y)
{
	const struct exr_window *data = &exr->attributes.data, *display = &exr->attributes.display;
	struct image *image = &exr->image;
	int64_t row = y + data->top - display->top, left = (int64_t)data->left - display->left;
	int64_t skip = left < 0 ? -left : 0, count = exr->width;
	float *to;
	int i;

	if (count > image->width - left)
		count = image->width - left;
	if (row < 0 || row >= image->height || skip >= count)
		return;
	to = image->pixels +
	     ((size_t)row * (size_t)image->width + (size_t)(left + skip)) * (size_t)image->channels;
	if (lay_four(exr, bytes, skip, count - skip, to))
		return;
	for (i = 0; i < exr->attributes.channel_count; i++) {
		const struct plane *plane = &exr->planes[i];
		const unsigned char *from = bytes + plane->offset + (plane->half ? 2 : 4) * skip;

		if (plane->to < 0)
			continue;
		(plane->half ? lay_halves : lay_floats)(
			from, count - skip, (size_t)image->channels, to + plane->to);
	}
}

struct scratch {
	struct libdeflate_decompressor *inflater;
	unsigned char *packed, *raw, *row;
};

static bool read_chunk(struct exr *exr, int chunk, struct scratch *scratch)
{
	int64_t first = (int64_t)chunk * exr->lines, rows = exr->height - first, y;
	uint64_t at = exr_u64(exr->offsets + 8 * (size_t)chunk);
	struct chunk_bytes from = { scratch->packed + CHUNK_HEAD, NULL };
	size_t raw, size;

	rows = rows < exr->lines ? rows : exr->lines;
	raw = (size_t)rows * exr->row_bytes;
	if (at > (uint64_t)exr->file_size - CHUNK_HEAD ||
		!read_at(exr->fd, scratch->packed, CHUNK_HEAD, (off_t)at))
		return false;
	size = exr_u32(scratch->packed + 4);
	if ((int32_t)exr_u32(scratch->packed) != first + exr->attributes.data.top || size > raw ||
		!read_at(exr->fd, scratch->packed + CHUNK_HEAD, size, (off_t)at + CHUNK_HEAD))
		return false;
	/* What did not become smaller is stored as it was. */
	if (size < raw) {
		if (exr->attributes.compression == EXR_NONE ||
			libdeflate_zlib_decompress(scratch->inflater, from.bytes, size,
				scratch->raw, raw, NULL) != LIBDEFLATE_SUCCESS)
			return false;
		undo_difference(scratch->raw, raw);
		from = (struct chunk_bytes){ scratch->raw, scratch->raw + (raw + 1) / 2 };
	}
	for (y = 0; y < rows; y++) {
		const unsigned char *row = from.bytes + (size_t)y * exr->row_bytes;

		if (from.odd) {
			zip_halves(&from, (size_t)y * exr->row_bytes / 2, exr->row_bytes / 2,
				scratch->row);
			row = scratch->row;
		}
		lay_row(exr, row, first + y);
	}
	return true;
}

static void read_band(int band, int from, int to, void *data)
{
	struct exr *exr = data;
	size_t raw = exr->row_bytes * (size_t)exr->lines;
	struct scratch scratch = { libdeflate_alloc_decompressor(), xmalloc(raw + CHUNK_HEAD),
		xmalloc(raw), xmalloc(exr->row_bytes) };
	int chunk;

	(void)band;
	for (chunk = from; chunk < to && !atomic_load(&exr->broken); chunk++)
		if (!scratch.inflater || !read_chunk(exr, chunk, &scratch))
			atomic_store(&exr->broken, true);
	libdeflate_free_decompressor(scratch.inflater);
	free(scratch.packed);
	free(scratch.raw);
	free(scratch.row);
}

static bool covers_display(const struct exr *exr)
{
	const struct exr_window *data = &exr->attributes.data, *display = &exr->attributes.display;

	return data->left <= display->left && data->top <= display->top &&
	       data->right >= display->right && data->bottom >= display->bottom;
}

/* Large pictures in large pages: half of the kernel's work is to hand out small ones. */
static float *new_pixels(size_t samples, bool cleared)
{
	enum { LARGE_PAGE = 1 << 21 };
	size_t bytes = samples * sizeof(float);
	void *pixels = NULL;

	if (bytes < 4 * LARGE_PAGE || posix_memalign(&pixels, LARGE_PAGE, bytes) != 0)
		return cleared ? xcalloc(samples, sizeof(float)) : xmalloc(bytes);
	(void)madvise(pixels, bytes, MADV_HUGEPAGE);
	if (cleared)
		memset(pixels, 0, bytes);
	return pixels;
}

static bool read_rows(struct exr *exr, size_t at)
{
	size_t table = (size_t)exr->chunks * 8;
	size_t samples =
		(size_t)exr->image.width * (size_t)exr->image.height * (size_t)exr->image.channels;
	bool read;

	if (table > (size_t)exr->file_size)
		return false;
	exr->offsets = xmalloc(table);
	read = read_at(exr->fd, exr->offsets, table, (off_t)at);
	if (read) {
		exr->image.pixels = new_pixels(samples, !covers_display(exr));
		bands_run(exr->chunks, 1, read_band, exr);
		read = !atomic_load(&exr->broken);
	}
	free(exr->offsets);
	return read;
}

bool exr_read(const char *path, const struct image_choice *choice, struct image *out)
{
	struct exr exr = { .fd = plain_open(path) };
	struct stat info;
	size_t at;
	bool read;

	if (exr.fd < 0)
		return false;
	exr.file_size = fstat(exr.fd, &info) == 0 ? info.st_size : 0;
	read = read_header(&exr, choice, &at) && read_rows(&exr, at);
	close(exr.fd);
	if (read) {
		describe(&exr.attributes, &exr.image);
		*out = exr.image;
	} else {
		image_release(&exr.image);
	}
	str_release(&exr.attributes.metadata);
	return read;
}

static void describe_part(const unsigned char *bytes, size_t len, struct image *image)
{
	bool several = (exr_u32(bytes + 4) & MULTI_PART) != 0, found = false;
	size_t at = START_BYTES;

	while (!found && at < len && bytes[at]) {
		struct exr_attributes attributes;
		bool read = exr_attributes_read(bytes, len, &at, &attributes);

		found = read && (!several || strcmp(attributes.name, image->part) == 0);
		if (found) {
			free(image->metadata);
			describe(&attributes, image);
		}
		str_release(&attributes.metadata);
		if (!read || !several)
			return;
	}
}

void exr_describe(const char *path, struct image *image)
{
	int fd = plain_open(path);
	unsigned char *bytes = NULL;
	struct stat info;
	size_t len;

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0)
		bytes = read_begin(fd, info.st_size, &len);
	if (bytes)
		describe_part(bytes, len, image);
	free(bytes);
	close(fd);
}
