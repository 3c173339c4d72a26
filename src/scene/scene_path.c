/* SPDX-License-Identifier: Apache-2.0 */
#include "scene/scene_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static bool is_dots(const char *part, size_t len)
{
	return len == 2 && part[0] == '.' && part[1] == '.';
}

static bool is_absolute(const char *path)
{
	if (path[0] == '/' || path[0] == '\\')
		return true;
	return isalpha((unsigned char)path[0]) && path[1] == ':' &&
	       (path[2] == '/' || path[2] == '\\');
}

/* Is ".." among the parts that backslashes make of this one? */
static bool hides_dots(const char *part, size_t len)
{
	size_t start = 0, i;

	for (i = 0; i <= len; i++) {
		if (i < len && part[i] != '\\')
			continue;
		if (is_dots(part + start, i - start))
			return true;
		start = i + 1;
	}
	return false;
}

static int add_part(struct str *to, const char *part, size_t len, struct error *err)
{
	if (len == 0 || (len == 1 && part[0] == '.'))
		return 0;
	if (hides_dots(part, len))
		return error_set(err, "a path that leaves the archive through \"..\"");
	if (len > SCENE_NAME_BYTES)
		return error_set(err, "a name of %zu bytes, more than a file system takes", len);
	if (to->len)
		str_add(to, "/");
	str_add_bytes(to, part, len);
	return 0;
}

char *scene_path_normalise(const char *raw, struct error *err)
{
	struct str s = STR_INIT;
	const char *part = raw;
	size_t len;

	if (!raw[0]) {
		error_set(err, "an entry with an empty name");
		return NULL;
	}
	if (is_absolute(raw)) {
		error_set(err, "an absolute path");
		return NULL;
	}
	while (*part) {
		len = strcspn(part, "/");
		if (add_part(&s, part, len, err) != 0 || s.len > SCENE_PATH_BYTES) {
			if (s.len > SCENE_PATH_BYTES)
				error_set(err, "a path of more than %d bytes", SCENE_PATH_BYTES);
			str_release(&s);
			return NULL;
		}
		part += len + (part[len] == '/');
	}
	return str_detach(&s);
}

static long depth_of(const char *path)
{
	long depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

int scene_path_check_target(const char *path, const char *target, struct error *err)
{
	long depth = depth_of(path);
	const char *part = target;

	if (!target[0])
		return error_set(err, "a symbolic link without a target");
	if (strlen(target) > SCENE_PATH_BYTES)
		return error_set(err, "a link target of more than %d bytes", SCENE_PATH_BYTES);
	if (is_absolute(target))
		return error_set(err, "a symbolic link to an absolute path");
	while (*part) {
		/* Backslashes count as separators too: the stricter reading wins. */
		size_t len = strcspn(part, "/\\");

		if (is_dots(part, len))
			depth--;
		else if (len && !(len == 1 && part[0] == '.'))
			depth++;
		if (depth < 0)
			return error_set(err, "a symbolic link that leaves the archive");
		part += len + (part[len] != '\0');
	}
	return 0;
}
