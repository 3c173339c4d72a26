/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/version.h"

const char version_number[] = OAMQUAL_VERSION;
const char version_commit[] = OAMQUAL_COMMIT;
