/* SPDX-License-Identifier: Apache-2.0 */
#include "node/survey.h"

#include <string.h>

#include "node/affinity.h"
#include "node/catalogue.h"
#include "node/isolation.h"

void survey_take(const struct node *node, struct survey *out)
{
	memset(out, 0, sizeof(*out));
	module_group(node, &out->modules, &out->findings);
	counts_take(node, &out->counts);
	counts_findings(node, &out->modules, &out->counts, &out->findings);
	isolation_findings(node, &out->findings);
	catalogue_findings(node, &out->findings);
	affinity_check_process(node, &out->findings);
}

void survey_release(struct survey *survey)
{
	finding_list_release(&survey->findings);
	module_list_release(&survey->modules);
}
