/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/str.h"
#include "image/exr_read.h"
#include "image/shim.h"

/* Loaded once, by the first who needs it or by a thread ahead of that. */
static struct {
	pthread_once_t once;
	const struct image_shim *shim;
	struct error err; /* why there is none */
	pthread_t thread;
	bool ahead; /* the thread runs, or ran and was not waited for */
} loading = { .once = PTHREAD_ONCE_INIT };

static void load(void)
{
	static const char *const places[] = { ".", "..", "../lib/oamqual", NULL };
	char *path = program_find(places, "oamqual-oiio.so", &loading.err);
	void *library;

	if (!path)
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	loading.shim = library ? dlsym(library, "image_shim") : NULL;
	if (!loading.shim)
		error_set(&loading.err, "cannot read pictures: %s", dlerror());
	free(path);
}

static void *load_ahead(void *unused)
{
	(void)unused;
	pthread_once(&loading.once, load);
	return NULL;
}

void image_load_ahead(void)
{
	/* Without a thread the first picture waits a little longer. */
	if (!loading.ahead)
		loading.ahead = pthread_create(&loading.thread, NULL, load_ahead, NULL) == 0;
}

void image_load_wait(void)
{
	if (loading.ahead)
		pthread_join(loading.thread, NULL);
	loading.ahead = false;
}

/* NULL with an error when the shim is not where the program is, or cannot be loaded. */
static const struct image_shim *shim(struct error *err)
{
	pthread_once(&loading.once, load);
	if (!loading.shim)
		error_set(err, "%s", loading.err.text);
	return loading.shim;
}

int image_read_layer(
	const char *path, const struct image_choice *choice, struct image *out, struct error *err)
{
	const struct image_shim *s;

	/* Plain EXR needs no library; of everything else, damaged EXR too, it says what is wrong.
	 */
	if (exr_read(path, choice, out))
		return 0;
	s = shim(err);
	if (!s || s->read(path, choice, out, err) != 0)
		return -1;
	exr_describe(path, out);
	return 0;
}

int image_read(const char *path, struct image *out, struct error *err)
{
	return image_read_layer(path, NULL, out, err);
}

struct reading {
	const char *path;
	struct image image;
	struct error err;
	int rc;
};

static void *read_one(void *data)
{
	struct reading *reading = data;

	reading->rc = image_read(reading->path, &reading->image, &reading->err);
	return NULL;
}

int image_read_two(const char *const paths[2], struct image out[2], struct error *err)
{
	struct reading readings[2] = { { .path = paths[0] }, { .path = paths[1] } };
	pthread_t thread;
	bool beside = pthread_create(&thread, NULL, read_one, &readings[1]) == 0;
	int i;

	read_one(&readings[0]);
	if (beside)
		pthread_join(thread, NULL);
	else
		read_one(&readings[1]);
	if (readings[0].rc == 0 && readings[1].rc == 0) {
		for (i = 0; i < 2; i++)
			out[i] = readings[i].image;
		return 0;
	}
	error_set(err, "%s", readings[readings[0].rc == 0].err.text);
	for (i = 0; i < 2; i++)
		if (readings[i].rc == 0)
			image_release(&readings[i].image);
	return -1;
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
	out->metadata = NULL;
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
	free(image->metadata);
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
