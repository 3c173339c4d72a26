/* SPDX-License-Identifier: Apache-2.0 */
/* Files in folders that others may write: whoever can, can put a pipe that never ends, or a device,
 * where a file was. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

/* Opens a regular file for reading without waiting. A descriptor, or -1 with errno set: ENOTSUP for
 * anything else than a file. A link is followed. */
int plain_open(const char *path);

#endif
