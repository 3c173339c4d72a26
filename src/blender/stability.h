/* SPDX-License-Identifier: Apache-2.0 */
/* Do repeats of the same render give the same picture, within the limits of the scene? A picture
 * that is right nine times of ten is not right. */
#ifndef BLENDER_STABILITY_H
#define BLENDER_STABILITY_H

#include "blender/attempt.h"

/* `repeats` of one scene on one GCD by one probe, all judged: the pictures of those that left a
 * sound one are compared, and each repeat is judged anew with the fact that they agree or do not.
 * One that left no sound picture where another did disagrees. Reads the pictures from the folders.
 */
void stability_judge(struct attempt *const *repeats, size_t count);

#endif
