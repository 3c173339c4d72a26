/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a .blend, with or without compression; its first byte says in what blocks it
 * arrives. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scene/blend.h"
#include "scene/blend_read.h"
#include "tests/fuzz/fuzz.h"

struct input {
	const uint8_t *data;
	size_t size, step;
};

static ssize_t next_block(void *context, const void **block, struct error *err)
{
	struct input *input = context;
	size_t len = input->size < input->step ? input->size : input->step;

	(void)err;
	*block = input->data;
	input->data += len;
	input->size -= len;
	return (ssize_t)len;
}

/* An accepted header must be one that the format allows. */
static void check(const struct blend_header *header)
{
	char version[32];

	blend_version_text(header, version);
	if ((header->pointer_bytes != 4 && header->pointer_bytes != 8) ||
		(header->header_bytes != 12 && header->header_bytes != 17) ||
		header->version_major < 0 || header->version_minor > 99 || !strchr(version, '.'))
		abort();
}

static void check_needs(const struct blend_needs *needs)
{
	size_t i;

	if (needs->why[0] && needs->count)
		abort();
	for (i = 0; i < needs->count; i++)
		if (!needs->list[i].stored[0] || !needs->list[i].kind)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input;
	struct blend_header header;
	struct error err = { "" };
	char inner[65];
	struct blend_needs needs;
	bool accepted;

	if (!size)
		return 0;
	input = (struct input){ data + 1, size - 1, data[0] ? data[0] : 65536 };
	if (blend_header_read(data + 1, size - 1, &header, &err) == 0)
		check(&header);
	else if (!err.text[0])
		abort();
	err.text[0] = '\0';
	accepted = blend_read(next_block, &input, 1 << 20, &header, inner, &needs, &err) == 0;
	fuzz_count(accepted);
	if (accepted) {
		check(&header);
		check_needs(&needs);
		blend_needs_release(&needs);
		if (strlen(inner) != (header.outer == BLEND_PLAIN ? 0u : 64u))
			abort();
	} else if (!err.text[0]) {
		abort();
	}
	return 0;
}
