/* SPDX-License-Identifier: Apache-2.0 */
/* `oamqual node --fit ARTIFACT`. */
#ifndef CLI_NODE_FIT_H
#define CLI_NODE_FIT_H

#include "cli/options.h"
#include "node/node.h"

/* The option rows of node --fit, to stand in the command's table. */
#define NODE_FIT_ROWS                                                                              \
	{ "fit", 0, "ARTIFACT",                                                                    \
		"instead: say whether the weights of a safetensors or GGUF file fit one domain" }, \
		{ "context", 0, "TOKENS",                                                          \
			"with --fit: and the key-value cache of a context of TOKENS" },            \
		{ "kv-bits", 0, "BITS", "with --fit: bits of a cache element (16; 8.5 is Q8_0)" }, \
		{ "fit-margin", 0, "SIZE",                                                         \
			"with --fit: leave SIZE free: bytes, 512MiB, 2GB, 10%" },                  \
	{                                                                                          \
		"digest", 0, NULL, "with --fit: the SHA-256 of the artifact's files"               \
	}

/* Checks the options of --fit: -1 with a usage error, also when they stand without it. */
int node_fit_check(const struct options *options, struct error *err);

/* Reads the artifact, judges and prints. Returns enum exit_status: fits one domain, fits none,
 * cannot be judged. */
int node_fit(const struct options *options, const struct node *node);

#endif
