/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/wide_pixels.h"

const struct wide_path wide_portable = WIDE_PATH("portable");
