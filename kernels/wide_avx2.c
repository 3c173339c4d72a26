/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/wide_pixels.h"

const struct wide_path wide_avx2 = WIDE_PATH("avx2");
