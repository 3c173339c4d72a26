/* SPDX-License-Identifier: Apache-2.0 */
/* What a scheduler or a list says about the GPUs of hosts, whatever the format, in one form.
 * Everything in it is *declared*: nothing here is observed. The original text stays beside it, so
 * that a correction changes only what is wrong. */
#ifndef INVENTORY_INVENTORY_H
#define INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/known.h"
#include "base/str.h"

enum inventory_kind {
	INVENTORY_SLURM_CONF, /* slurm.conf: NodeName lines */
	INVENTORY_GRES_CONF, /* gres.conf: Name=gpu and AutoDetect lines */
	INVENTORY_SCONTROL, /* scontrol show node, in blocks or with -o */
	INVENTORY_KUBERNETES, /* kubectl get node -o json, one or a list */
	INVENTORY_OPENCUE, /* OpenCue's Host messages as JSON */
	INVENTORY_CSV, /* a header line and rows */
	INVENTORY_JSON, /* an array of items */
	INVENTORY_KIND_COUNT
};

struct inventory_span {
	size_t from, len; /* bytes of the text; len 0: there is none */
};

/* One line, row or object. "" is not said. */
struct inventory_item {
	char *host; /* as written: "blade", "node[01-04]"; "" every host */
	size_t hosts; /* that the text above stands for */
	bool is_list; /* the host is one of Slurm's lists, not one name */
	char *type, *module, *bdf, *cores, *autodetect, *mode;
	char **files; /* expanded */
	size_t file_count;
	struct known_u64 count; /* GPUs it stands for */
	struct known_u64 memory; /* bytes of each */
	struct known_u64 allocatable; /* Kubernetes: what pods may have */
	struct known_u64 core_count; /* Slurm: cores of the host */
	bool is_gpu; /* speaks of GPUs */
	bool inherited; /* slurm.conf: Gres comes from a NodeName=DEFAULT line */
	bool counts_as_null; /* Slurm says Gres=(null), or says nothing */
	char *junk; /* a word that is no setting: "Type:8" */
	char *reason; /* Slurm's reason for a drained node */
	char **tags; /* OpenCue */
	size_t tag_count;
	size_t line; /* from 1 */
	struct inventory_span span; /* of the whole item */
};

/* A column of a table, or a key of an item. */
enum inventory_column {
	COLUMN_HOST,
	COLUMN_COUNT,
	COLUMN_MEMORY,
	COLUMN_TYPE,
	COLUMN_MODULE,
	COLUMN_BDF,
	COLUMN_COUNT_ALL
};

struct inventory {
	enum inventory_kind kind;
	char *path; /* as given */
	struct str text;
	struct inventory_item *items;
	size_t count;

	/* slurm.conf */
	struct inventory_span gres_types; /* the value of GresTypes */
	size_t gres_types_line; /* 0: there is none */
	bool gres_types_gpu;

	/* CSV */
	char separator;
	struct inventory_span header; /* the first line, without its end */
	int column[COLUMN_COUNT_ALL]; /* -1: there is none */
};

/* Reads `path`; kind INVENTORY_KIND_COUNT: told from the content. 0, or -1 with *out untouched when
 * it cannot be read or is no such inventory. Files of more than 16 MiB are refused. */
int inventory_read(
	const char *path, enum inventory_kind kind, struct inventory *out, struct error *err);

/* The same from memory; takes `text` over in every case. */
int inventory_parse(const char *path, struct str *text, enum inventory_kind kind,
	struct inventory *out, struct error *err);

void inventory_release(struct inventory *inventory);

/* "slurm.conf", "gres.conf", "scontrol", "kubernetes", "opencue", "csv", "json". Static. */
const char *inventory_kind_name(enum inventory_kind kind);

/* INVENTORY_KIND_COUNT when there is none of that name. */
enum inventory_kind inventory_kind_find(const char *name);

/* Does the item speak of `host`? A name with and without its domain is the same host. */
bool inventory_item_is_of(const struct inventory_item *item, const char *host);

#endif
