/* SPDX-License-Identifier: Apache-2.0 */
#include "image/exr_header.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum {
	START_BYTES = 8, /* magic and version */
	MULTI_PART = 0x1000,
	NAME_MAX_BYTES = 255, /* names of attributes and of their types */
	ATTRIBUTES_MAX = 65536,
	TILE_PIXELS_MAX = 1 << 22 /* 2048 x 2048 */
};

static uint32_t little_endian(const unsigned char *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Length of a NUL-terminated name, or -1 when it is too long or the file ends in it. */
static int read_name(FILE *file, char name[NAME_MAX_BYTES + 1])
{
	int length = 0, c;

	while ((c = getc(file)) > 0) {
		if (length == NAME_MAX_BYTES)
			return -1;
		name[length++] = (char)c;
	}
	name[length] = '\0';
	return c == 0 ? length : -1;
}

/* "tiles" begins with width and height. The library converts whole tiles, also of a picture that
 * fills a corner of one. */
static int check_tile(FILE *file, uint32_t size, const char *path, struct error *err)
{
	unsigned char bytes[8];
	uint64_t width, height;

	if (size < sizeof(bytes) || fread(bytes, 1, sizeof(bytes), file) != sizeof(bytes))
		return error_set(err, "%s: damaged or truncated EXR: no size of its tiles", path);
	width = little_endian(bytes);
	height = little_endian(bytes + 4);
	if (width * height > TILE_PIXELS_MAX)
		return error_set(err, "%s: tiles of %llu x %llu pixels are too large", path,
			(unsigned long long)width, (unsigned long long)height);
	return fseeko(file, -(off_t)sizeof(bytes), SEEK_CUR) == 0 ? 0
								  : error_errno(err, "%s", path);
}

/* Type, size and value of an attribute whose name was read. */
static int skip_attribute(
	FILE *file, const char *name, off_t file_size, const char *path, struct error *err)
{
	char type[NAME_MAX_BYTES + 1];
	unsigned char bytes[4];
	uint32_t size;

	if (read_name(file, type) < 0 || fread(bytes, 1, sizeof(bytes), file) != sizeof(bytes))
		return error_set(err, "%s: damaged or truncated EXR: its header ends early", path);
	size = little_endian(bytes);
	if ((off_t)size > file_size - ftello(file))
		return error_set(err,
			"%s: damaged or truncated EXR: a header attribute declares %u bytes, more "
			"than the file holds",
			path, size);
	if (strcmp(name, "tiles") == 0 && check_tile(file, size, path, err) != 0)
		return -1;
	if (fseeko(file, (off_t)size, SEEK_CUR) != 0)
		return error_errno(err, "%s", path);
	return 0;
}

/* One header: attributes up to an empty name. 1 when it had none, which ends a list of parts; 0;
 * -1. */
static int skip_header(FILE *file, off_t file_size, const char *path, long *left, struct error *err)
{
	char name[NAME_MAX_BYTES + 1];
	int length, count = 0;

	while ((length = read_name(file, name)) > 0) {
		if ((*left)-- == 0)
			return error_set(
				err, "%s: more than %d header attributes", path, ATTRIBUTES_MAX);
		if (skip_attribute(file, name, file_size, path, err) != 0)
			return -1;
		count++;
	}
	if (length < 0)
		return error_set(err, "%s: damaged or truncated EXR: its header ends early", path);
	return count == 0;
}

int exr_check_header(FILE *file, const char *path, struct error *err)
{
	unsigned char start[START_BYTES];
	long left = ATTRIBUTES_MAX;
	struct stat info;
	int rc;

	rewind(file);
	if (fstat(fileno(file), &info) != 0)
		return error_errno(err, "%s", path);
	if (fread(start, 1, sizeof(start), file) != sizeof(start))
		return error_set(err, "%s: damaged or truncated EXR: its header ends early", path);
	rc = skip_header(file, info.st_size, path, &left, err);
	while (rc == 0 && (little_endian(start + 4) & MULTI_PART))
		rc = skip_header(file, info.st_size, path, &left, err);
	rewind(file);
	return rc < 0 ? -1 : 0;
}
