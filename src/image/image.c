/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/str.h"
#include "image/shim.h"

/* NULL with an error when the shim is not where the program is, or cannot be loaded. */
static const struct image_shim *shim(struct error *err)
{
	static const char *const places[] = { ".", "..", "../lib/oamqual", NULL };
	static const struct image_shim *loaded;
	char *path;
	void *library;

	if (loaded)
		return loaded;
	path = program_find(places, "oamqual-oiio.so", err);
	if (!path)
		return NULL;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	loaded = library ? dlsym(library, "image_shim") : NULL;
	if (!loaded)
		error_set(err, "cannot read pictures: %s", dlerror());
	free(path);
	return loaded;
}

int image_read(const char *path, struct image *out, struct error *err)
{
	const struct image_shim *s = shim(err);

	return s ? s->read(path, out, err) : -1;
}

int image_write_png(const char *path, const struct image *image, float exposure, struct error *err)
{
	const struct image_shim *s = shim(err);

	return s ? s->write_png(path, image, exposure, err) : -1;
}

int image_encode_png(const struct image *image, float exposure, unsigned char **bytes, size_t *len,
	struct error *err)
{
	const struct image_shim *s = shim(err);

	return s ? s->encode_png(image, exposure, bytes, len, err) : -1;
}

int image_write_exr(const char *path, const struct image *image, struct error *err)
{
	const struct image_shim *s = shim(err);

	return s ? s->write_exr(path, image, err) : -1;
}

void image_new(struct image *out, int width, int height, const struct image *like)
{
	*out = *like;
	out->width = width;
	out->height = height;
	str_copy(out->format, sizeof(out->format), "float");
	out->pixels =
		xcalloc((size_t)width * (size_t)height * (size_t)like->channels, sizeof(float));
}

void image_release(struct image *image)
{
	if (!image)
		return;
	free(image->pixels);
	memset(image, 0, sizeof(*image));
}

int image_channel(const struct image *image, const char *name)
{
	int i;

	for (i = 0; i < image->channels; i++)
		if (strcmp(image->names[i], name) == 0)
			return i;
	return -1;
}

const char *image_library(void)
{
	const struct image_shim *s = shim(NULL);

	return s ? s->library : "unknown: the picture library cannot be loaded";
}
