/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds files to a fuzz target without libFuzzer: every compiler and sanitizer can run the kept
 * inputs. */
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 20 };

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		struct str bytes = STR_INIT;
		struct error err;

		if (file_read(argv[i], INPUT_MAX, &bytes, &err) != 0) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.data, bytes.len);
		str_release(&bytes);
	}
	printf("%d inputs\n", argc - 1);
	return 0;
}
