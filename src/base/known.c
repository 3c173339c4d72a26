/* SPDX-License-Identifier: Apache-2.0 */
#include "base/known.h"

const char *known_name(enum known value)
{
	static const char *const names[] = { "unknown", "no", "yes" };

	return names[value];
}
