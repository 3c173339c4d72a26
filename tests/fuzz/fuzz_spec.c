/* SPDX-License-Identifier: Apache-2.0 */
/* scene.json and job documents: any bytes as the scene.json of a folder. */
#include <stdint.h>
#include <stdlib.h>

#include "base/file.h"
#include "scene/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *place = fuzz_kept_place();
	struct scene_spec spec;
	bool accepted;

	fuzz_save(place, "scene.json", data, size);
	accepted = scene_spec_read(place, &scene_settings_default, &spec, NULL) == 0;
	fuzz_count(accepted);
	if (accepted)
		scene_spec_release(&spec);
	return 0;
}
