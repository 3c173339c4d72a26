/* SPDX-License-Identifier: Apache-2.0 */
/* What a run leaves on the way, so that it can be resumed: state.json says what was asked and of
 * whom, and each attempt's folder has an attempt.json once it is judged, with the digests of its
 * evidence. Each is whole and on disk, or not there. */
#ifndef CLI_QUALIFY_STATE_H
#define CLI_QUALIFY_STATE_H

#include "cli/qualify.h"

/* Writes state.json of a run that has begun; `prepared`: with what must be the same when it is
 * resumed: tool, node, Blender and scenes. */
int state_write(const struct qualify *run, bool prepared, struct error *err);

/* Reads state.json of `folder`: the words of the command that began it, NULL-terminated, and goes
 * to the folder it was given in. The caller frees with state_words_free(). NULL with an error. */
char **state_words(const char *folder, struct error *err);
void state_words_free(char **words);

/* Of a run that is being resumed: reads its state, keeps when it began, and refuses (-1) when tool,
 * node, Blender or scenes are not what they were. Removes kernel files that no complete attempt
 * vouches for: a compiler may have been killed while it wrote them. */
int state_resume(struct qualify *run, struct error *err);

/* What the record says of a judged attempt. A new reference. */
json_t *state_attempt_json(const struct qualify *run, const struct attempt *attempt);

/* Writes the attempt.json of a judged attempt. One that was interrupted, or has no folder, leaves
 * none. */
int state_keep(struct qualify *run, struct attempt *attempt, struct error *err);

/* A planned attempt of a resumed run: takes it over, judged, when its attempt.json and evidence are
 * whole; else removes what is left of it and notes it. */
int state_restore(struct qualify *run, struct attempt *attempt, struct error *err);

#endif
