/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "simhip/api.h"
#include "simhip/sim.h"

/* No kernel of the stand-in reads a texture: an array is its bytes, a texture object a handle. */
struct sim_array {
	void *bytes;
	size_t pitch, height;
};

static size_t channel_bytes(int format)
{
	switch (format) {
	case HIP_FORMAT_UINT8:
	case HIP_FORMAT_SINT8:
		return 1;
	case HIP_FORMAT_UINT16:
	case HIP_FORMAT_SINT16:
	case HIP_FORMAT_HALF:
		return 2;
	case HIP_FORMAT_UINT32:
	case HIP_FORMAT_SINT32:
	case HIP_FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

/* Bytes of the box, or 0 when a factor is out of all proportion. */
static size_t box_bytes(size_t width, size_t height, size_t depth, size_t texel)
{
	const size_t side = 1 << 20, most = (size_t)1 << 42;
	size_t row = width * texel;

	if (!width || width > side || height > side || depth > side || !texel || texel > 64)
		return 0;
	if (row > most / height || row * height > most / depth)
		return 0;
	return row * height * depth;
}

int hipArray3DCreate(struct sim_array **array, const struct hip_array3d_descriptor *shape)
{
	size_t height, depth, texel, bytes;
	struct sim_array *made;
	int rc;

	if (!array || !shape)
		return sim_result(HIP_INVALID_VALUE);
	height = shape->height ? shape->height : 1;
	depth = shape->depth ? shape->depth : 1;
	texel = shape->channels <= 4 ? channel_bytes(shape->format) * shape->channels : 0;
	bytes = box_bytes(shape->width, height, depth, texel);
	made = bytes ? calloc(1, sizeof(*made)) : NULL;
	if (!made)
		return sim_result(HIP_INVALID_VALUE);
	rc = sim_allocate(sim_current(), bytes, &made->bytes);
	if (rc != HIP_OK) {
		free(made);
		return sim_result(rc);
	}
	made->pitch = shape->width * texel;
	made->height = height;
	*array = made;
	return HIP_OK;
}

int hipArrayCreate(struct sim_array **array, const struct hip_array_descriptor *shape)
{
	struct hip_array3d_descriptor flat = { 0 };

	if (!shape)
		return sim_result(HIP_INVALID_VALUE);
	flat.width = shape->width;
	flat.height = shape->height;
	flat.format = shape->format;
	flat.channels = shape->channels;
	return hipArray3DCreate(array, &flat);
}

int hipArrayDestroy(struct sim_array *array)
{
	int rc = array ? sim_free(array->bytes) : HIP_INVALID_VALUE;

	free(array);
	return sim_result(rc);
}

int hipFreeArray(struct sim_array *array)
{
	return array ? hipArrayDestroy(array) : HIP_OK;
}

char *sim_array_bytes(struct sim_array *array, size_t *pitch, size_t *height)
{
	*pitch = array->pitch;
	*height = array->height;
	return array->bytes;
}

int hipTexObjectCreate(void **texture, const void *resource, const void *sampling, const void *view)
{
	(void)sampling;
	(void)view;
	if (!texture || !resource)
		return sim_result(HIP_INVALID_VALUE);
	*texture = malloc(1);
	return sim_result(*texture ? HIP_OK : HIP_OUT_OF_MEMORY);
}

int hipTexObjectDestroy(void *texture)
{
	free(texture);
	return HIP_OK;
}
