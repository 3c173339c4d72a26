/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* "0.1.0" and the commit it was built from, "unknown" outside a checkout. Static. */
extern const char version_number[];
extern const char version_commit[];

#endif
