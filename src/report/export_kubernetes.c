/* SPDX-License-Identifier: Apache-2.0 */
/* A v1 List of Nodes with labels, and a taint on those that offer nothing. Names and values by the
 * rules of Kubernetes' "Labels and Selectors" and "Object Names and IDs": a prefix and a node's
 * name are DNS subdomains, a value has at most 63 of [A-Za-z0-9._-] and begins and ends with a
 * letter or digit. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/export_parts.h"

static const char domain[] = "oamqual.local";

static char *key_of(const struct farm_node *node, const char *name)
{
	return xasprintf("%s%s/%s", node->played ? "simulated." : "", domain, name);
}

/* RFC 1123 subdomain. */
static bool is_node_name(const char *name)
{
	static const char bytes[] = EXPORT_DIGITS EXPORT_LOWER "-.";
	size_t len = strlen(name);

	return export_is_made_of(name, bytes, 253) && strchr("-.", name[0]) == NULL &&
	       strchr("-.", name[len - 1]) == NULL && !strstr(name, "..") && !strstr(name, ".-") &&
	       !strstr(name, "-.");
}

/* Any text as a value: other bytes become '-', what is too long is cut; "" stays "". */
static char *label_value(const char *text)
{
	struct str value = STR_INIT;
	size_t len;

	for (; *text && value.len < 63; text++) {
		bool fits = strchr(EXPORT_DIGITS EXPORT_LOWER EXPORT_UPPER, *text) ||
			    (value.len && strchr("-_.", *text));

		if (fits || value.len)
			str_add_bytes(&value, fits ? text : "-", 1);
	}
	for (len = value.len; len && strchr("-_.", value.data[len - 1]);)
		len--;
	if (len < value.len)
		str_truncate(&value, len);
	return str_detach(&value);
}

static void set_label(
	json_t *labels, const struct farm_node *node, const char *name, const char *text)
{
	char *key = key_of(node, name), *value = label_value(text);

	json_object_set_new(labels, key, json_string(value));
	free(key);
	free(value);
}

static void set_count(json_t *labels, const struct farm_node *node, const char *name, size_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", count);
	set_label(labels, node, name, text);
}

static void set_targets(json_t *labels, const struct farm_node *node)
{
	const char *target;
	size_t i;

	for (i = 0; (target = export_target(node, i)); i++) {
		struct str name = STR_INIT;

		str_add(&name, "gcds-");
		export_add_word(&name, target[0] ? target : "unknown", '-');
		if (name.len < 60 && name.data[name.len - 1] != '-')
			set_count(labels, node, name.data, export_count_target(node, target));
		str_release(&name);
	}
}

static json_t *labels_of(const struct farm_node *node)
{
	unsigned long long mib = export_least_memory(node) >> 20;
	json_t *labels = json_object();

	set_label(labels, node, "source", node->played ? "simulated" : "observed");
	set_count(labels, node, "render-workers", export_count_offers(node));
	set_targets(labels, node);
	if (mib)
		set_count(labels, node, "gcd-memory-mib", (size_t)mib);
	if (export_count_offers(node))
		set_label(labels, node, "blender", node->blender);
	return labels;
}

static json_t *annotations_of(const struct farm_node *node)
{
	json_t *annotations = json_object();
	char *key = key_of(node, "record-sha256");

	json_object_set_new(annotations, key, json_string(node->sha256));
	free(key);
	return annotations;
}

static json_t *taints_of(const struct farm_node *node)
{
	char *key = key_of(node, "no-render-worker"), *value = label_value(export_refusal(node));
	json_t *taints =
		json_pack("[{s:s, s:s, s:s}]", "key", key, "value", value, "effect", "NoSchedule");

	free(key);
	free(value);
	return taints;
}

static json_t *node_object(const struct farm_node *node)
{
	json_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Node",
		"metadata", "name", node->name);
	json_t *metadata = json_object_get(object, "metadata");

	if (node->has_record) {
		json_object_set_new(metadata, "labels", labels_of(node));
		json_object_set_new(metadata, "annotations", annotations_of(node));
	}
	if (!export_count_offers(node))
		json_object_set_new(object, "spec", json_pack("{s:o}", "taints", taints_of(node)));
	return object;
}

int export_kubernetes_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	json_t *items = json_array(), *list;
	char *text;
	size_t i;

	(void)options;
	for (i = 0; i < farm->count; i++) {
		if (!is_node_name(farm->nodes[i].name)) {
			json_decref(items);
			return error_set(err,
				"node %s: no name for a Kubernetes node (RFC 1123 subdomain)",
				farm->nodes[i].name);
		}
		json_array_append_new(items, node_object(&farm->nodes[i]));
	}
	list = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
	text = json_dumps(list, JSON_INDENT(2));
	str_addf(to, "%s\n", text);
	free(text);
	json_decref(list);
	return 0;
}
