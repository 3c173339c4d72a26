/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr */
#include "node/hip_load.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"

static const char *const libraries[] = {
	"libamdhip64.so.7",
	"libamdhip64.so.6",
	"libamdhip64.so.5",
	"libamdhip64.so",
	"/opt/rocm/lib/libamdhip64.so.7",
	"/opt/rocm/lib/libamdhip64.so.6",
	"/opt/rocm/lib/libamdhip64.so.5",
	"/opt/rocm/lib/libamdhip64.so",
	NULL,
};

static void *open_library(const char *name, json_t *tried)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	const char *reason = library ? NULL : dlerror();

	if (!library)
		json_array_append_new(
			tried, json_pack("{s:o, s:o}", "name", json_printable_text(name), "reason",
				       json_printable_text(reason ? reason : "not loadable")));
	return library;
}

void *hip_load(const char *wanted, json_t *tried)
{
	const char *const *name;
	void *library = NULL;

	if (wanted)
		return open_library(wanted, tried);
	for (name = libraries; !library && *name; name++)
		library = open_library(*name, tried);
	return library;
}

/* Of several libraries, the first that is there but does not load tells most. */
char *hip_load_failure(const json_t *tried)
{
	const char *reason = "";
	size_t i;

	for (i = json_array_size(tried); i-- > 0;) {
		const char *one = json_text(json_array_get(tried, i), "reason", "");

		if (!strstr(one, "No such file or directory") || i == 0)
			reason = one;
	}
	return xasprintf("no libamdhip64 could be loaded: %s", reason);
}

json_t *hip_load_path(void *library)
{
	void *address = dlsym(library, "hipInit");
	char *path = NULL;
	json_t *shown;
	Dl_info info;

	if (!address || !dladdr(address, &info) || !info.dli_fname)
		return json_null();
	path = realpath(info.dli_fname, NULL);
	shown = json_printable_text(path ? path : info.dli_fname);
	free(path);
	return shown;
}

const char *hip_load_bind(
	void *library, const struct hip_symbol *symbols, size_t count, void *calls)
{
	const char *absent = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		void *address = dlsym(library, symbols[i].name);

		memcpy((char *)calls + symbols[i].offset, &address, sizeof(address));
		if (!address && !symbols[i].optional && !absent)
			absent = symbols[i].name;
	}
	return absent;
}

void hip_load_call_text(
	const char *call, int code, hip_error_name_fn *name_of, char text[HIP_CALL_TEXT])
{
	const char *name = name_of ? name_of(code) : NULL;

	snprintf(text, HIP_CALL_TEXT, "%s returned %d%s%s%s", call, code, name ? " (" : "",
		name ? name : "", name ? ")" : "");
}
