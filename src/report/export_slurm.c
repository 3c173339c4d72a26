/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for slurm.conf and gres.conf (slurm.conf(5), gres.conf(5)). A device of gres.conf is one
 * GCD that was accepted; the others are not given away. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/export_parts.h"

/* slurm.conf(5): host names; '[' would begin a list and a blank end the word. */
static const char host_bytes[] = EXPORT_DIGITS EXPORT_LOWER EXPORT_UPPER "-_.";

/* "NodeName=DEFAULT" sets what holds for all nodes below it, whatever its letters' case. */
static bool is_host(const char *name)
{
	return export_is_made_of(name, host_bytes, 255) && strcasecmp(name, "default") != 0;
}

static const char *prefix(const struct farm_node *node)
{
	return node->played ? "simulated_" : "";
}

/* Two GCDs of one render node: a job would be given one for the other. */
static bool is_shared(const struct farm_node *node, const struct farm_gcd *gcd)
{
	size_t i;

	for (i = 0; i < node->gcd_count; i++)
		if (&node->gcds[i] != gcd && node->gcds[i].render_minor == gcd->render_minor)
			return true;
	return false;
}

/* A GCD without a render node of its own cannot be given to a job. */
static bool is_device(const struct farm_node *node, const struct farm_gcd *gcd)
{
	return export_offers(node, gcd) && gcd->render_minor >= 0 && !is_shared(node, gcd) &&
	       gcd->target[0];
}

static size_t count_devices(const struct farm_node *node, const char *target)
{
	size_t i, count = 0;

	for (i = 0; i < node->gcd_count; i++)
		count += is_device(node, &node->gcds[i]) &&
			 strcmp(node->gcds[i].target, target) == 0;
	return count;
}

static void add_type(struct str *to, const struct farm_node *node, const char *target)
{
	str_add(to, prefix(node));
	export_add_word(to, target, '_');
}

static void add_features(struct str *to, const struct farm_node *node)
{
	const char *target;
	size_t i;

	str_addf(to, " Features=%soamqual_cycles_hip", prefix(node));
	for (i = 0; (target = export_target(node, i)); i++) {
		str_addf(to, ",%soamqual_", prefix(node));
		export_add_word(to, target, '_');
	}
	if (node->blender[0]) {
		str_addf(to, ",%soamqual_blender_", prefix(node));
		export_add_word(to, node->blender, '_');
	}
}

static void add_gres(struct str *to, const struct farm_node *node)
{
	const char *target;
	size_t i, added = 0;

	for (i = 0; (target = export_target(node, i)); i++) {
		size_t count = count_devices(node, target);

		if (!count)
			continue;
		str_add(to, added++ ? ",gpu:" : " Gres=gpu:");
		add_type(to, node, target);
		str_addf(to, ":%zu", count);
	}
}

static void add_node(struct str *to, const struct farm_node *node)
{
	size_t offers = export_count_offers(node);

	if (node->played)
		str_addf(to, "# SIMULATED: no hardware was seen on %s\n", node->name);
	if (!offers) {
		str_addf(to, "# %s: no GCD is accepted (%s)\n", node->name, export_refusal(node));
		return;
	}
	str_addf(to, "NodeName=%s", node->name);
	add_features(to, node);
	add_gres(to, node);
	str_addf(to, "\n");
}

static void add_devices(
	struct str *to, const struct farm_node *node, const struct export_options *options)
{
	size_t i;

	for (i = 0; i < node->gcd_count; i++) {
		const struct farm_gcd *gcd = &node->gcds[i];

		if (is_device(node, gcd)) {
			str_addf(to, "NodeName=%s Name=gpu Type=", node->name);
			add_type(to, node, gcd->target);
			str_addf(to, " File=%s/renderD%d\n", options->device_folder,
				gcd->render_minor);
		} else if (export_offers(node, gcd)) {
			str_addf(to,
				"# %s: a GCD is accepted, but its render node or target is "
				"unknown, or the node is another's too\n",
				node->name);
		}
	}
}

int export_slurm_add(const struct farm_report *farm, const struct export_options *options,
	struct str *to, struct error *err)
{
	size_t i;

	for (i = 0; i < farm->count; i++)
		if (!is_host(farm->nodes[i].name))
			return error_set(
				err, "node %s: no host name for Slurm", farm->nodes[i].name);
	str_add(to, "# slurm.conf: add these words to the lines of the nodes\nGresTypes=gpu\n");
	for (i = 0; i < farm->count; i++)
		add_node(to, &farm->nodes[i]);
	str_add(to, "\n# gres.conf\n");
	for (i = 0; i < farm->count; i++)
		add_devices(to, &farm->nodes[i], options);
	return 0;
}
