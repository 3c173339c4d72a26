/* SPDX-License-Identifier: Apache-2.0 */
#include "report/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/str.h"

/* Messages of the readers begin with the name they were given, here that of a descriptor. */
static int blame(struct error *err, const char *opened, const char *path)
{
	char *rest;

	if (!err || !str_starts(err->text, opened))
		return -1;
	rest = xstrdup(err->text + strlen(opened));
	error_set(err, "%s%s", path, rest);
	free(rest);
	return -1;
}

static int check_and_read(
	int fd, const char *path, const char *sha256, struct image *out, struct error *err)
{
	char opened[40], hex[65];
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
		return error_set(err, "%s: not a regular file", path);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	if (digest_file(opened, hex, NULL, err) != 0)
		return blame(err, opened, path);
	if (strcmp(hex, sha256) != 0)
		return error_set(err, "%s: its content is not what was recorded", path);
	return image_read(opened, out, err) == 0 ? 0 : blame(err, opened, path);
}

static int read_and_close(
	int fd, const char *path, const char *sha256, struct image *out, struct error *err)
{
	int rc;

	if (fd < 0)
		return error_errno(err, "%s", path);
	rc = check_and_read(fd, path, sha256, out, err);
	close(fd);
	return rc;
}

int picture_read_in(const char *folder, const char *path, const char *sha256, struct image *out,
	struct error *err)
{
	int root, rc;

	if (!sha256)
		return error_set(err, "%s: the record has no digest for it", path);
	root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return error_errno(err, "%s", folder);
	rc = read_and_close(
		file_open_in(root, path, O_RDONLY | O_NONBLOCK), path, sha256, out, err);
	close(root);
	return rc;
}

/* --- smaller --- */

static int factor_for(const struct image *image)
{
	int across = (image->width + PICTURE_WIDTH - 1) / PICTURE_WIDTH;
	int down = (image->height + PICTURE_HEIGHT - 1) / PICTURE_HEIGHT;

	return across > down ? across : down;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* One channel of the block at (x, y) of the small picture; blocks at the edge may be cut. */
static float block_value(
	const struct image *image, int factor, int x, int y, int channel, bool largest)
{
	int right = least((x + 1) * factor, image->width);
	int bottom = least((y + 1) * factor, image->height), i, j;
	double sum = 0, most = 0;
	int count = 0;

	for (j = y * factor; j < bottom; j++)
		for (i = x * factor; i < right; i++, count++) {
			size_t at = ((size_t)j * (size_t)image->width + (size_t)i) *
				    (size_t)image->channels;
			double value = image->pixels[at + (size_t)channel];

			sum += value;
			most = value > most ? value : most;
		}
	return (float)(largest ? most : sum / count);
}

static void shrink(const struct image *image, int factor, bool largest, struct image *out)
{
	float *to;
	int x, y, c;

	image_new(out, (image->width + factor - 1) / factor, (image->height + factor - 1) / factor,
		image);
	to = out->pixels;
	for (y = 0; y < out->height; y++)
		for (x = 0; x < out->width; x++)
			for (c = 0; c < out->channels; c++)
				*to++ = block_value(image, factor, x, y, c, largest);
}

static char *base64_uri(const unsigned char *bytes, size_t len)
{
	static const char head[] = "data:image/png;base64,";
	char *uri = xmalloc(sizeof(head) + (len + 2) / 3 * 4);

	memcpy(uri, head, sizeof(head));
	EVP_EncodeBlock((unsigned char *)uri + sizeof(head) - 1, bytes, (int)len);
	return uri;
}

char *picture_uri(const struct image *image, bool largest, struct error *err)
{
	struct image small;
	unsigned char *png;
	size_t len;
	char *uri = NULL;

	shrink(image, factor_for(image), largest, &small);
	if (image_encode_png(&small, 1, &png, &len, err) == 0) {
		uri = base64_uri(png, len);
		free(png);
	}
	image_release(&small);
	return uri;
}
