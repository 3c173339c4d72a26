/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/split_body.h"

const struct split_way split_avx2 = SPLIT_WAY;
