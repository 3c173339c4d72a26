/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLENDER_PREDICTION_JSON_H
#define BLENDER_PREDICTION_JSON_H

#include <jansson.h>

#include "blender/prediction.h"

/* A new reference: gfx_target, blender, range, and each value as
 * {"value", "class": "predicted", "from"} or unknown with why. */
json_t *prediction_json(const struct prediction *prediction);

#endif
