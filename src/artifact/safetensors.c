/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "artifact/parts.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

enum { INDEX_MAX = 32 << 20, DIMENSIONS_MAX = 64 };

static int refuse(const char *path, const char *tensor, const char *why, struct error *err)
{
	char *shown = text_printable(tensor, strlen(tensor) < 100 ? strlen(tensor) : 100);

	error_set(err, "%s: tensor '%s': %s", path, shown, why);
	free(shown);
	return -1;
}

static json_t *read_header(struct input *input, struct error *err)
{
	json_error_t reason;
	json_t *header;
	uint64_t len;
	char *text;

	if (input->size < 8)
		return error_set(err, "%s: too short for a header", input->path), NULL;
	if (input_u64(input, &len, err) != 0)
		return NULL;
	if (len > input->size - 8)
		return error_set(err, "%s: a header of %llu bytes is announced in a file of %llu",
			       input->path, (unsigned long long)len,
			       (unsigned long long)input->size),
		       NULL;
	if (len > ARTIFACT_HEADER_MAX)
		return error_set(err, "%s: a header of %llu bytes is more than is read (%d)",
			       input->path, (unsigned long long)len, ARTIFACT_HEADER_MAX),
		       NULL;
	text = xmalloc((size_t)len);
	if (input_bytes(input, text, (size_t)len, err) != 0) {
		free(text);
		return NULL;
	}
	header = len && text[0] == '{'
			 ? json_loadb(text, (size_t)len, JSON_REJECT_DUPLICATES, &reason)
			 : NULL;
	if (!header) {
		char *shown = len && text[0] == '{'
				      ? text_printable(reason.text, strlen(reason.text))
				      : xstrdup("it does not begin with '{'");

		error_set(err, "%s: the header is not a JSON object: %s", input->path, shown);
		free(shown);
	}
	free(text);
	return header;
}

static bool read_number(const json_t *value, uint64_t *number)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*number = (uint64_t)json_integer_value(value);
	return true;
}

static const char *read_shape(const json_t *shape, uint64_t *elements)
{
	uint64_t number;
	size_t i;

	if (!json_is_array(shape) || json_array_size(shape) > DIMENSIONS_MAX)
		return "no usable shape";
	*elements = 1;
	for (i = 0; i < json_array_size(shape); i++) {
		if (!read_number(json_array_get(shape, i), &number))
			return "a dimension is not a whole number of at least 0";
		if (!multiply(*elements, number, elements))
			return "its shape has more elements than 64 bits hold";
	}
	return NULL;
}

/* NULL, or what is wrong. */
static const char *read_tensor(const json_t *tensor, uint64_t data_bytes,
	const struct artifact_layout **layout, uint64_t *elements, struct extent *extent)
{
	const char *dtype = json_text(tensor, "dtype", NULL), *wrong;
	const json_t *offsets = json_object_get(tensor, "data_offsets");
	uint64_t bytes;

	if (!dtype)
		return "no dtype";
	*layout = layout_of_dtype(dtype);
	if (!*layout)
		return "its dtype is not known to this version";
	wrong = read_shape(json_object_get(tensor, "shape"), elements);
	if (wrong)
		return wrong;
	if (json_array_size(offsets) != 2 ||
		!read_number(json_array_get(offsets, 0), &extent->begin) ||
		!read_number(json_array_get(offsets, 1), &extent->end) ||
		extent->end < extent->begin)
		return "no usable data_offsets";
	if (extent->end > data_bytes)
		return "its data_offsets end behind the file";
	if (!layout_bytes(*layout, *elements, &bytes))
		return "its shape does not fill whole bytes of its dtype";
	return bytes == extent->end - extent->begin
		       ? NULL
		       : "shape and dtype need another size than data_offsets hold";
}

/* The format allows no hole and nothing behind the last tensor. */
static int check_extents(const char *path, struct extent *extents, size_t count,
	uint64_t data_bytes, struct error *err)
{
	uint64_t end = 0;
	size_t i;

	if (extents_check(path, extents, count, err) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (extents[i].begin > end)
			return error_set(err,
				"%s: no tensor uses the bytes from %llu to %llu of the data", path,
				(unsigned long long)end, (unsigned long long)extents[i].begin);
		if (extents[i].end > end)
			end = extents[i].end;
	}
	if (end != data_bytes)
		return error_set(err,
			"%s: the tensors end at byte %llu of the data and the file at %llu", path,
			(unsigned long long)end, (unsigned long long)data_bytes);
	return 0;
}

static int check_metadata(const char *path, const json_t *metadata, struct error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(metadata))
		return error_set(err, "%s: __metadata__ is not an object", path);
	json_object_foreach ((json_t *)metadata, key, value)
		if (!json_is_string(value))
			return error_set(
				err, "%s: __metadata__ holds something other than text", path);
	return 0;
}

/* Does the index place this tensor in this file? */
static const char *check_map(const json_t *map, const char *tensor, const char *name)
{
	const char *place = json_text(map, tensor, NULL);

	if (!place)
		return "it is not in the index";
	return strcmp(place, name) == 0 ? NULL : "the index places it in another file";
}

static int read_tensors(const struct input *input, json_t *header, const char *name,
	const json_t *map, size_t *mapped, struct artifact *artifact, struct error *err)
{
	struct extent *extents = xcalloc(json_object_size(header), sizeof(*extents));
	uint64_t data_bytes = input->size - input->at;
	size_t count = 0;
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach (header, key, value) {
		const struct artifact_layout *layout;
		const char *wrong;
		uint64_t elements;

		if (strcmp(key, "__metadata__") == 0) {
			rc = check_metadata(input->path, value, err);
			if (rc != 0)
				break;
			continue;
		}
		wrong = read_tensor(value, data_bytes, &layout, &elements, &extents[count]);
		if (!wrong && map)
			wrong = check_map(map, key, name);
		rc = wrong ? refuse(input->path, key, wrong, err)
			   : artifact_count(artifact, layout, elements,
				     extents[count].end - extents[count].begin, err);
		if (rc != 0)
			break;
		count++;
	}
	if (rc == 0)
		rc = check_extents(input->path, extents, count, data_bytes, err);
	if (mapped)
		*mapped += count;
	free(extents);
	return rc;
}

int safetensors_read(const char *path, const char *name, const json_t *map, size_t *mapped,
	struct artifact *artifact, struct error *err)
{
	struct input input;
	json_t *header;
	int rc = -1;

	if (input_open(&input, path, err) != 0)
		return -1;
	header = read_header(&input, err);
	if (header && json_object_size(header) > ARTIFACT_TENSORS_MAX)
		error_set(err, "%s: more than %d tensors", path, ARTIFACT_TENSORS_MAX);
	else if (header)
		rc = read_tensors(&input, header, name, map, mapped, artifact, err);
	if (rc == 0)
		artifact_add_file(artifact, path, input.size);
	json_decref(header);
	input_close(&input);
	return rc;
}

/* The names of the files, once each, in the order of the map; an object of them, or NULL. */
static json_t *list_files(const char *path, const json_t *map, struct error *err)
{
	json_t *files = json_object(), *value;
	const char *tensor;

	json_object_foreach ((json_t *)map, tensor, value) {
		const char *name = json_string_value(value);

		/* The files lie beside the index: a path would let an index read anything. */
		if (!name || !name[0] || strchr(name, '/') || strcmp(name, "..") == 0 ||
			strcmp(name, ".") == 0) {
			refuse(path, tensor, "its file is not a plain name", err);
			break;
		}
		json_object_set_new(files, name, json_true());
		if (json_object_size(files) > ARTIFACT_FILES_MAX) {
			error_set(err, "%s: more than %d files", path, ARTIFACT_FILES_MAX);
			break;
		}
	}
	if (!tensor)
		return files;
	json_decref(files);
	return NULL;
}

/* Writers disagree about what total_size counts, so it is told and not refused. */
static void compare_total(const json_t *index, struct artifact *artifact)
{
	uint64_t total;

	if (read_number(
		    json_object_get(json_object_get(index, "metadata"), "total_size"), &total) &&
		total != artifact->weight_bytes)
		snprintf(artifact->note, sizeof(artifact->note),
			"the index says total_size %llu and its files hold %llu bytes of tensors: "
			"the files count",
			(unsigned long long)total, (unsigned long long)artifact->weight_bytes);
}

static int read_files(
	const char *path, const json_t *map, struct artifact *artifact, struct error *err)
{
	json_t *files = list_files(path, map, err), *value;
	char *folder = xstrndup(path, (size_t)(path_base(path) - path));
	size_t mapped = 0;
	const char *name;
	int rc = files ? 0 : -1;

	if (files)
		json_object_foreach (files, name, value) {
			char *file = xasprintf("%s%s", folder, name);

			rc = safetensors_read(file, name, map, &mapped, artifact, err);
			free(file);
			if (rc != 0)
				break;
		}
	if (rc == 0 && mapped != json_object_size(map))
		rc = error_set(err, "%s: it names %zu tensors and its files hold %zu", path,
			json_object_size(map), mapped);
	json_decref(files);
	free(folder);
	return rc;
}

int safetensors_read_index(const char *path, struct artifact *artifact, struct error *err)
{
	json_t *index = json_read(path, INDEX_MAX, err);
	const json_t *map = json_object_get(index, "weight_map");
	int rc;

	if (!index)
		return -1;
	if (!json_is_object(map) || !json_object_size(map))
		rc = error_set(
			err, "%s: no index of safetensors files: it has no weight_map", path);
	else
		rc = read_files(path, map, artifact, err);
	if (rc == 0)
		compare_total(index, artifact);
	json_decref(index);
	return rc;
}
