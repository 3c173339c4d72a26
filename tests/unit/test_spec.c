/* SPDX-License-Identifier: Apache-2.0 */
/* scene.json: settings, suite and parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "scene/spec.h"
#include "tap.h"

static char place[] = "/tmp/oamqual-spec-XXXXXX";

#define HEAD "{\"schema\": \"oamqual-scene/1\", \"archive\": \"a.tar\""

/* scene.json with `rest` after the archive, read with `settings`. */
static int read_scene(const char *rest, const struct scene_settings *settings,
	struct scene_spec *spec, struct error *err)
{
	char *path = path_join(place, "scene.json");
	FILE *file = fopen(path, "w");
	int rc = -1;

	if (file && fprintf(file, HEAD "%s}", rest) > 0 && fclose(file) == 0)
		rc = scene_spec_read(
			place, settings ? settings : &scene_settings_default, spec, err);
	free(path);
	return rc;
}

static void test_accepted(void)
{
	struct scene_spec spec;
	struct error err;

	tap_ok(read_scene("", NULL, &spec, &err) == 0 && spec.suite == SCENE_FULL &&
			spec.settings.parameter_count == 0,
		"a scene that says nothing is of the full suite and has no parameters");
	scene_spec_release(&spec);
	tap_ok(read_scene(", \"suite\": \"basic\", \"denoising\": true, \"frame\": 5, "
			  "\"parameters\": {\"zeta\": 2147483647, \"alpha\": 0}",
		       NULL, &spec, &err) == 0 &&
			spec.suite == SCENE_BASIC && spec.settings.denoising &&
			spec.settings.frame == 5,
		"suite, denoising and frame");
	tap_ok(spec.settings.parameter_count == 2 &&
			strcmp(spec.settings.parameters[0].name, "alpha") == 0 &&
			spec.settings.parameters[1].value == 2147483647,
		"parameters in the order of their names");
	scene_spec_release(&spec);
}

static void test_refused(void)
{
	static const struct {
		const char *rest, *says;
	} rows[] = {
		{ ", \"suite\": \"bsic\"", "\"suite\" must be" },
		{ ", \"suite\": null", "\"suite\" must be" },
		{ ", \"parameters\": []", "\"parameters\" must be an object" },
		{ ", \"parameters\": {\"a\": -1}", "from 0 to 2147483647" },
		{ ", \"parameters\": {\"a\": 2147483648}", "from 0 to 2147483647" },
		{ ", \"parameters\": {\"a\": 1.5}", "from 0 to 2147483647" },
		{ ", \"parameters\": {\"a\": true}", "from 0 to 2147483647" },
		{ ", \"parameters\": {\"\": 1}", "no name of a parameter" },
		{ ", \"parameters\": {\"A\": 1}", "no name of a parameter" },
		{ ", \"parameters\": {\"a b\": 1}", "no name of a parameter" },
		{ ", \"parameters\": {\"abcdefghijklmnopqrstuvwxyz_12345\": 1}",
			"no name of a parameter" },
		{ ", \"parameters\": {\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,"
		  "\"g\":1,\"h\":1,\"i\":1}",
			"more than 8 parameters" },
	};
	struct scene_spec spec;
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tap_ok(read_scene(rows[i].rest, NULL, &spec, &err) == -1 &&
				strstr(err.text, rows[i].says) && strstr(err.text, "scene.json"),
			"refused: %s", rows[i].rest);
}

static void test_assigned(void)
{
	static const char *const wrong[] = { "", "=", "a", "a=", "=1", "a=x", "a=1x", "a=-1",
		"a=+1", "a= 1", "a=1.0", "a=2147483648", "a=99999999999999999999", "A=1",
		"a=0x10" };
	struct scene_settings settings = scene_settings_default;
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		tap_ok(scene_settings_assign(&settings, wrong[i], &err) == -1 &&
				settings.parameter_count == 0,
			"not a parameter: '%s'", wrong[i]);
	tap_ok(scene_settings_assign(&settings, "texture_pixels=16384", &err) == 0 &&
			scene_settings_assign(&settings, "texture_pixels=8192", &err) == 0 &&
			settings.parameter_count == 1 && settings.parameters[0].value == 8192,
		"the last value of a name counts");
}

static void test_overridden(void)
{
	struct scene_settings wanted = scene_settings_default;
	struct scene_spec spec;
	struct error err;
	json_t *json;

	scene_settings_set(&wanted, "pixels", 64, &err);
	scene_settings_set(&wanted, "other", 5, &err);
	tap_ok(read_scene(", \"parameters\": {\"pixels\": 8}", &wanted, &spec, &err) == 0 &&
			scene_settings_parameter(&spec.settings, "pixels")->value == 64,
		"the command line replaces what the scene declares");
	tap_ok(!scene_settings_parameter(&spec.settings, "other"), "and adds nothing to it");
	json = scene_settings_json(&spec.settings);
	tap_ok(json_integer_value(json_object_get(json_object_get(json, "parameters"), "pixels")) ==
			64,
		"the settings that are digested have the value");
	json_decref(json);
	scene_spec_release(&spec);
	json = scene_settings_json(&scene_settings_default);
	tap_ok(!json_object_get(json, "parameters"),
		"without parameters the settings are as they were before there were any");
	json_decref(json);
}

int main(void)
{
	char *path;

	if (!mkdtemp(place))
		return 1;
	test_accepted();
	test_refused();
	test_assigned();
	test_overridden();
	path = path_join(place, "scene.json");
	unlink(path);
	rmdir(place);
	free(path);
	return tap_done();
}
