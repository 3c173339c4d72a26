/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "node/transport.h"
#include "run/child.h"

enum { DEADLINE_MS = 180000, REPLAYED_DEADLINE_MS = 8000, GRACE_MS = 1000 };
enum { ANSWER_BYTES = 1 << 20, WORDS = 160, REPEATS = 5 };

static uint64_t bytes_of(const struct peers_request *request)
{
	return request->bytes		    ? request->bytes
	       : request->open->is_replayed ? UINT64_C(1) << 20
					    : UINT64_C(64) << 20;
}

static size_t add_option(char **words, size_t count, const char *name, const char *value)
{
	if (!value)
		return count;
	words[count] = xstrdup(name);
	words[count + 1] = xstrdup(value);
	return count + 2;
}

static char **words_of(const struct peers_request *request)
{
	char **words = xcalloc(WORDS, sizeof(*words));
	char *bytes = xasprintf("%llu", (unsigned long long)bytes_of(request));
	char *repeats = xasprintf("%d", REPEATS);
	size_t count = 0, i;

	words[count++] = program_path();
	words[count++] = xstrdup("hip-collective");
	count = add_option(words, count, "--bytes", bytes);
	count = add_option(words, count, "--repeats", repeats);
	count = add_option(words, count, "--hip-library", request->hip_library);
	count = add_option(words, count, "--rccl-library", request->rccl_library);
	for (i = 0; i < request->count && count + 3 < WORDS; i++)
		count = add_option(words, count, "--gcd", request->gpus[i]->bdf);
	free(bytes);
	free(repeats);
	return words;
}

/* What it printed; NULL with how it ended instead. */
static json_t *ask_child(
	const struct peers_request *request, struct child_ending *ending, struct error *err)
{
	char *out = path_join(request->work, "hip-collective.json");
	char *errors = path_join(request->work, "hip-collective.txt");
	char **words = words_of(request);
	const char **edits = peers_environment(request->open);
	struct child_command command = { .argv = words,
		.environ_edits = edits,
		.stdout_path = out,
		.stderr_path = errors,
		.deadline_ms = request->open->is_replayed ? REPLAYED_DEADLINE_MS : DEADLINE_MS,
		.grace_ms = GRACE_MS };
	json_t *answer = NULL;
	size_t i;

	memset(ending, 0, sizeof(*ending));
	if (child_run(&command, ending, err) == 0) {
		if (ending->how == CHILD_EXITED && ending->code == 0)
			answer = json_read(out, ANSWER_BYTES, err);
		else
			child_ending_text(ending, err->text, sizeof(err->text));
	}
	for (i = 0; words[i]; i++)
		free(words[i]);
	free(words);
	free(edits);
	free(errors);
	free(out);
	return answer;
}

static json_t *collective_json(const struct peers_request *request, const char *outcome,
	const char *why, const json_t *answer)
{
	const json_t *version = json_object_get(answer, "version");
	const char *library = json_text(answer, "library", NULL);

	return json_pack("{s:s, s:o, s:o, s:o, s:i, s:I, s:i, s:o}", "outcome", outcome, "why",
		why[0] ? json_printable_text(why) : json_null(), "library",
		library ? json_string(library) : json_null(), "version",
		json_is_integer(version) ? json_incref((json_t *)version) : json_null(), "gcds",
		(int)request->count, "bytes", (json_int_t)bytes_of(request), "repeats", REPEATS,
		"mb_per_second",
		transport_rate(
			answer, node_class(&request->open->node), "rccl", "no sum was timed"));
}

json_t *node_collective(const struct peers_request *request)
{
	struct child_ending ending;
	struct error err = { "" };
	char why[TRANSPORT_WHY] = "";
	const char *outcome;
	json_t *answer, *json;

	if (request->count < 2)
		return collective_json(
			request, "not-tested", "not tested: there are not two GCDs", NULL);
	if (request->open->is_replayed && !request->rccl_library)
		return collective_json(
			request, "not-tested", "not tested: a replayed node has no librccl", NULL);
	answer = ask_child(request, &ending, &err);
	if (answer) {
		outcome = collective_verdict(answer, why);
	} else {
		outcome = "failed";
		snprintf(why, sizeof(why), "the child of the collective: %.400s", err.text);
	}
	json = collective_json(request, outcome, why, answer);
	json_decref(answer);
	return json;
}
