/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program's own files are: beside it in a checkout, under share and lib when installed. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "base/error.h"

/* Absolute path of this executable. The caller frees. */
char *data_program(void);

/* The folder that holds scenes/ and expected/. NULL with an error that says where was looked. The caller frees. */
char *data_folder(struct error *err);

/* The folder of the stand-in runtimes (libamdhip64.so.N). The same rules. */
char *data_simhip(struct error *err);

#endif
