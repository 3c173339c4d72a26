/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCue and Flamenco know plain tags: the same words for both.
 *
 * OpenCue: Host.addTags(tags) of pycue (HostAddTagsRequest of host.proto). A layer can only ask for
 * a tag that matches [\w.-]{3,} (NAME_REGEX of cuebot's JobSpec), and the column for a host's has
 * room for 36 characters, 45 since migration V8: a longer one would fail there, and is cut.
 * Flamenco: WorkerTag {id, name, description} is created once (POST /api/v3/worker-mgt/tags), and a
 * worker gets WorkerTagChangeRequest {tag_ids} (POST /api/v3/worker-mgt/workers/{id}/settags). The
 * ids are ours to choose: a UUID of version 8 (RFC 9562) from the SHA-256 of the name, so that the
 * same tag has the same id in every export. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "report/export_parts.h"

enum { TAG_MOST = 36 };

static char *tag_text(const struct farm_node *node, const char *kind, const char *value)
{
	struct str tag = STR_INIT;

	str_addf(&tag, "%soamqual-%s", node->played ? "simulated-" : "", kind);
	if (value) {
		str_add(&tag, "-");
		export_add_word(&tag, value, '-');
	}
	if (tag.len > TAG_MOST)
		str_truncate(&tag, TAG_MOST);
	return str_detach(&tag);
}

static void append_tag(json_t *tags, char *tag_stolen)
{
	json_array_append_new(tags, json_string(tag_stolen));
	free(tag_stolen);
}

/* None when the node offers nothing. */
static json_t *tags_of(const struct farm_node *node)
{
	json_t *tags = json_array();
	const char *target;
	char count[24];
	size_t i;

	if (!export_count_offers(node))
		return tags;
	append_tag(tags, tag_text(node, "cycles-hip", NULL));
	for (i = 0; (target = export_target(node, i)); i++)
		append_tag(tags, tag_text(node, target[0] ? target : "unknown-target", NULL));
	if (node->blender[0])
		append_tag(tags, tag_text(node, "blender", node->blender));
	snprintf(count, sizeof(count), "%zu", export_count_offers(node));
	append_tag(tags, tag_text(node, "gcds", count));
	return tags;
}

static void add_document(json_t *document_stolen, struct str *to)
{
	char *text = json_dumps(document_stolen, JSON_INDENT(2));

	str_addf(to, "%s\n", text);
	free(text);
	json_decref(document_stolen);
}

/* Names are looked up by the other side, not parsed: anything but control bytes, which are gone. */
int export_opencue_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	json_t *hosts = json_array();
	size_t i;

	(void)options;
	(void)err;
	for (i = 0; i < farm->count; i++)
		json_array_append_new(hosts, json_pack("{s:s, s:o}", "name", farm->nodes[i].name,
						     "tags", tags_of(&farm->nodes[i])));
	add_document(json_pack("{s:o}", "hosts", hosts), to);
	return 0;
}

static void tag_id(const char *name, char id[37])
{
	struct digest *digest = digest_new();
	char hex[65];

	digest_add(digest, name, strlen(name));
	digest_finish(digest, hex);
	snprintf(id, 37, "%.8s-%.4s-8%.3s-a%.3s-%.12s", hex, hex + 8, hex + 13, hex + 17, hex + 20);
}

static void add_flamenco_tag(json_t *tags, json_t *seen, const char *name)
{
	char id[37];

	if (json_object_get(seen, name))
		return;
	tag_id(name, id);
	json_object_set_new(seen, name, json_true());
	json_array_append_new(
		tags, json_pack("{s:s, s:s, s:s}", "id", id, "name", name, "description",
			      str_starts(name, "simulated-")
				      ? "SIMULATED by oamqual: no hardware was seen"
				      : "accepted by oamqual"));
}

int export_flamenco_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	json_t *tags = json_array(), *seen = json_object(), *workers = json_array(), *tag;
	size_t i, j;

	(void)options;
	(void)err;
	for (i = 0; i < farm->count; i++) {
		json_t *own = tags_of(&farm->nodes[i]), *ids = json_array();

		json_array_foreach (own, j, tag) {
			char id[37];

			add_flamenco_tag(tags, seen, json_string_value(tag));
			tag_id(json_string_value(tag), id);
			json_array_append_new(ids, json_string(id));
		}
		json_array_append_new(
			workers, json_pack("{s:s, s:{s:o}}", "name", farm->nodes[i].name, "settags",
					 "tag_ids", ids));
		json_decref(own);
	}
	add_document(json_pack("{s:o, s:o}", "tags", tags, "workers", workers), to);
	json_decref(seen);
	return 0;
}
