/* SPDX-License-Identifier: Apache-2.0 */
/* The data that comes with the program. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "base/error.h"

/* scenes/ and expected/: absolute paths that the caller frees, or NULL with an error that says
 * where was looked. */
char *data_scenes(struct error *err);
char *data_expected(struct error *err);

/* The folder of the stand-in runtimes (libamdhip64.so.N). The same rules. */
char *data_simhip(struct error *err);

#endif
