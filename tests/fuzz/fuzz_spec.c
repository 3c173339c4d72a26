/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the scene.json of a folder, and as a parameter of the command line. */
#include <stdint.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "scene/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *place = fuzz_kept_place();
	struct scene_settings wanted = scene_settings_default;
	char *text = xstrndup((const char *)data, size);
	struct scene_spec spec;
	bool accepted, assigned;

	fuzz_save(place, "scene.json", data, size);
	scene_settings_set(&wanted, "texture_pixels", 32, NULL);
	assigned = scene_settings_assign(&wanted, text, NULL) == 0;
	free(text);
	accepted = scene_spec_read(place, &wanted, &spec, NULL) == 0;
	fuzz_count(accepted || assigned);
	if (accepted) {
		json_decref(scene_settings_json(&spec.settings));
		scene_spec_release(&spec);
	}
	return 0;
}
