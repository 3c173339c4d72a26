/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/gcd_source.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* The last is the entry. */
#define PIECES(X)                                                                                  \
	X(compat, "compat.h")                                                                      \
	X(root, "root.h")                                                                          \
	X(vec, "vec.h")                                                                            \
	X(rng, "rng.h")                                                                            \
	X(scene, "scene.h")                                                                        \
	X(params, "params.h")                                                                      \
	X(gcd, "gcd.h")                                                                            \
	X(trace, "trace.h")                                                                        \
	X(path, "path.h")                                                                          \
	X(kernel, "kernel_gcd.h")                                                                  \
	X(entry, "kernel_hip.hip")

/* C11 has no way to include bytes; the assembler has. Paths are from the top of the repository. */
#define EMBED(name, file)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		"gcd_source_" #name ":\n"                                                          \
		".incbin \"kernels/" file "\"\n"                                                   \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char gcd_source_##name[];
PIECES(EMBED)
#undef EMBED

static const struct piece {
	const char *file, *text;
} pieces[] = {
#define ROW(name, file) { file, gcd_source_##name },
	PIECES(ROW)
#undef ROW
};

static const struct piece *piece_of(const char *line)
{
	static const char start[] = "#include \"kernels/";
	size_t i;

	if (!str_starts(line, start))
		return NULL;
	line += sizeof(start) - 1;
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		if (strncmp(line, pieces[i].file, strcspn(line, "\"")) == 0)
			return &pieces[i];
	return NULL;
}

/* An include is replaced by its file the first time: guards would leave nothing of a second one. */
static void add(struct str *to, const struct piece *piece, unsigned *done)
{
	const char *line = piece->text;

	*done |= 1u << (piece - pieces);
	while (*line) {
		size_t len = strcspn(line, "\n");
		const struct piece *inner = piece_of(line);

		len += line[len] == '\n';
		if (!inner)
			str_add_bytes(to, line, len);
		else if (!(*done & 1u << (inner - pieces)))
			add(to, inner, done);
		line += len;
	}
}

char *gcd_source(void)
{
	const size_t last = sizeof(pieces) / sizeof(pieces[0]) - 1;
	struct str text = STR_INIT;
	unsigned done = 0;

	add(&text, &pieces[last], &done);
	return str_detach(&text);
}
