/* SPDX-License-Identifier: Apache-2.0 */
/* ROCm's user space beside its kernel driver. */
#include "node/catalogue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

enum { MODULE_FILE = 4096 };

static int series_index(const char *release)
{
	int i;

	for (i = 0; catalogue_series[i].name; i++) {
		size_t len = strlen(catalogue_series[i].name);

		if (strncmp(release, catalogue_series[i].name, len) == 0 &&
			!isdigit((unsigned char)release[len]))
			return i;
	}
	return -1;
}

/* Releases that carry the same HIP stand together in the table: "6.2.1 - 6.2.4". */
static void add_release(char *text, size_t size, const char *release)
{
	size_t first = strcspn(text, " ");

	if (!text[0])
		str_copy(text, size, release);
	else
		snprintf(text + first, size - first, " - %s", release);
}

/* HIP packs major * 10^7 + minor * 10^5 + patch; its own numbers run apart from ROCm's, so only a
 * listed one tells. */
static void read_user(const struct node *node, struct catalogue_driver *out)
{
	struct known_i64 version = node->hip_runtime_version.known ? node->hip_runtime_version
								   : node->hip_driver_version;
	const struct catalogue_entry *entry;
	long long hip = version.value;

	if (!version.known) {
		str_copy(out->user_text, sizeof(out->user_text), "HIP's version is unknown");
		return;
	}
	for (entry = catalogue; entry->name; entry++)
		if (entry->hip_version && entry->hip_version == version.value)
			add_release(out->user, sizeof(out->user), entry->name + strlen("ROCm "));
	snprintf(out->user_text, sizeof(out->user_text),
		out->user[0] ? "HIP %lld.%lld.%lld"
			     : "HIP %lld.%lld.%lld is not in the table of releases, which covers "
			       "ROCm 6.0.0 to 6.3.1",
		hip / 10000000, hip / 100000 % 100, hip % 100000);
}

static void read_driver(const struct node *node, struct catalogue_driver *out)
{
	static const char path[] = "sys/module/amdgpu/version";
	struct str text = STR_INIT;
	char *shown;
	size_t i;

	if (file_read_in(node->root_fd, path, MODULE_FILE, &text, NULL) != 0) {
		str_copy(out->driver_text, sizeof(out->driver_text),
			"/sys/module/amdgpu/version cannot be read: a kernel's own amdgpu has "
			"none");
		return;
	}
	text.len = text.data ? strcspn(text.data, " \t\r\n") : 0;
	shown = text_printable(text.data ? text.data : "", text.len < 24 ? text.len : 24);
	for (i = 0; catalogue_series[i].name; i++)
		if (strcmp(shown, catalogue_series[i].module) == 0)
			str_copy(out->driver, sizeof(out->driver), catalogue_series[i].name);
	snprintf(out->driver_text, sizeof(out->driver_text),
		out->driver[0] ? "amdgpu module %s"
			       : "amdgpu module %s is not in the table of releases, which covers "
				 "ROCm 5.5 to 6.3",
		shown);
	free(shown);
	str_release(&text);
}

void catalogue_driver_read(const struct node *node, struct catalogue_driver *out)
{
	int user, driver;

	memset(out, 0, sizeof(*out));
	read_user(node, out);
	read_driver(node, out);
	user = out->user[0] ? series_index(out->user) : -1;
	driver = out->driver[0] ? series_index(out->driver) : -1;
	out->distance = user < 0 || driver < 0 ? -1 : abs(user - driver);
}

json_t *catalogue_driver_json(const struct node *node)
{
	const char *class = node_class(node);
	struct catalogue_driver driver;

	catalogue_driver_read(node, &driver);
	return json_pack("{s:o, s:o, s:o, s:s}", "user_space",
		driver.user[0] ? fact_text(driver.user, class, driver.user_text)
			       : fact_unknown(driver.user_text),
		"driver",
		driver.driver[0] ? fact_text(driver.driver, class, driver.driver_text)
				 : fact_unknown(driver.driver_text),
		"releases_apart",
		driver.distance >= 0 ? fact_integer(driver.distance, class, "user_space and driver")
				     : fact_unknown("one of the two releases is unknown"),
		"rule", catalogue_rules("rocm")[1]);
}
