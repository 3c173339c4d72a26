/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/bind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"

const struct cpus *attempt_bind(struct attempt *attempt)
{
	const struct affinity_list *list = attempt->context->affinity;

	attempt->bound = false;
	if (!attempt->gpu)
		str_copy(
			attempt->cpus_why, sizeof(attempt->cpus_why), "the control uses every CPU");
	else if (attempt->context->node->simulated)
		str_copy(attempt->cpus_why, sizeof(attempt->cpus_why),
			"a replayed node's CPUs are not this machine's");
	else if (!list)
		str_copy(attempt->cpus_why, sizeof(attempt->cpus_why),
			"the CPUs near to it were not asked for");
	else
		attempt->bound =
			affinity_choose(list, attempt->gpu, &attempt->cpus, attempt->cpus_why);
	return attempt->bound ? &attempt->cpus : NULL;
}

/* It may have ended already: then nobody knows. */
void attempt_bound(struct attempt *attempt)
{
	struct cpus seen;

	if (!attempt->bound)
		return;
	if (cpus_of_process(attempt->child.pid, &seen) != 0) {
		snprintf(attempt->cpus_why, sizeof(attempt->cpus_why), "sched_getaffinity: %s",
			strerror(errno));
		attempt->bound = false;
	} else {
		attempt->cpus = seen;
	}
}

json_t *attempt_affinity_json(const struct attempt *attempt)
{
	const struct gpu *gpu = attempt->gpu;
	const struct affinity *affinity =
		gpu && attempt->context->affinity
			? affinity_find(attempt->context->affinity, gpu->bdf)
			: NULL;
	const char *why = attempt->cpus_why[0] ? attempt->cpus_why : "it was not run";
	char text[CPUS_MAX];

	cpus_format(&attempt->cpus, text, sizeof(text));
	return json_pack("{s:o, s:o}", "numa_node",
		fact_u64(affinity ? affinity->numa_node : (struct known_u64){ false, 0 },
			node_class(attempt->context->node),
			affinity && affinity->from ? affinity->from : "pci",
			affinity && affinity->why[0] ? affinity->why
			: gpu			     ? "not asked for"
						     : why),
		"cpus",
		attempt->bound ? fact_text(text, "observed", "sched_getaffinity")
			       : fact_unknown(why));
}
