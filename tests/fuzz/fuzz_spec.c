/* SPDX-License-Identifier: Apache-2.0 */
/* scene.json and job documents: any bytes as the scene.json of a folder. */
#include <stdint.h>
#include <stdlib.h>

#include "base/file.h"
#include "scene/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char place[] = "/tmp/oamqual-fuzz-XXXXXX", *made;
	struct scene_spec spec;
	char *path;
	bool accepted;

	if (!made)
		made = mkdtemp(place);
	path = path_join(place, "scene.json");
	accepted = file_write(path, data, size, NULL) == 0 &&
		   scene_spec_read(place, &scene_settings_default, &spec, NULL) == 0;
	fuzz_count(accepted);
	if (accepted)
		scene_spec_release(&spec);
	free(path);
	return 0;
}
