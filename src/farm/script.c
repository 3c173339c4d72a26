/* SPDX-License-Identifier: Apache-2.0 */
#include "farm/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "farm/outcome.h"

enum { WORDS_MOST = 32 };

char *farm_job_name(const char *name)
{
	return xasprintf("oamqual-%s", name);
}

/* In single quotes; a single quote becomes '\''. */
static void add_quoted(struct str *to, const char *text)
{
	str_add(to, "'");
	for (; *text; text++) {
		if (*text == '\'')
			str_add(to, "'\\''");
		else
			str_add_bytes(to, text, 1);
	}
	str_add(to, "'");
}

static void add_setting(struct str *to, const char *name, const char *value)
{
	str_addf(to, "%s=", name);
	add_quoted(to, value);
	str_add(to, "\n");
}

static void add_option(struct str *to, const char *name, const char *value)
{
	if (value)
		str_addf(to, "#SBATCH --%s=%s\n", name, value);
}

static void add_options(const struct farm_script *script, struct str *to)
{
	char *job = farm_job_name(script->name);
	size_t i;

	add_option(to, "job-name", job);
	str_add(to, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --exclusive\n#SBATCH --mem=0\n"
		    "#SBATCH --no-requeue\n#SBATCH --chdir=/\n#SBATCH --output=/dev/null\n");
	str_addf(to, "#SBATCH --time=%u\n", script->minutes);
	add_option(to, "account", script->account);
	add_option(to, "qos", script->qos);
	add_option(to, "reservation", script->reservation);
	for (i = 0; script->extra && script->extra[i]; i++)
		str_addf(to, "#SBATCH %s\n", script->extra[i]);
	free(job);
}

/* Slurm reads #SBATCH lines word by word, and a line end would end them. */
static int check_words(const struct farm_script *script, struct error *err)
{
	const char *const words[] = { script->account, script->qos, script->reservation };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i] && (!words[i][0] || strpbrk(words[i], " \t\n'\"\\#")))
			return error_set(
				err, "'%s' cannot be an account, QOS or reservation", words[i]);
	for (i = 0; script->extra && script->extra[i]; i++)
		if (script->extra[i][0] != '-' || strchr(script->extra[i], '\n'))
			return error_set(err, "--sbatch takes an option of sbatch, not '%s'",
				script->extra[i]);
	if (strchr(script->run, '\n') || strchr(script->tool, '\n') || strchr(script->local, '\n'))
		return error_set(
			err, "%s: a path with a line end cannot be used in a job", script->run);
	return 0;
}

/* The masks of the job are kept before the step gets its own. */
static const char body[] =
	"# What the job was given; the step below may be given less, and both are recorded.\n"
	"for name in ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL "
	"CUDA_VISIBLE_DEVICES; do\n"
	"\teval \"OAMQUAL_JOB_$name=\\${$name-(unset)}\"\n"
	"\texport \"OAMQUAL_JOB_$name\"\n"
	"done\n"
	"\n"
	"# The program is checked before it is run, and then checks all else.\n";

static void add_checks(struct str *to)
{
	str_addf(to, "[ -r \"$run/manifest.json\" ] || exit %d\n", FARM_EXIT_NO_MANIFEST);
	str_addf(to, "[ -x \"$tool\" ] || exit %d\n", FARM_EXIT_NO_TOOL);
	str_add(to, "sum=$(sha256sum <\"$tool\")\n");
	str_addf(to, "[ \"${sum%%%% *}\" = \"$tool_sha256\" ] || exit %d\n", FARM_EXIT_MISMATCH);
}

static const char step[] =
	"\n"
	"# All CPUs of the node: a step of one task would be bound to one.\n"
	"set -- --nodes=1 --ntasks=1 --chdir=/ --cpu-bind=none "
	"--cpus-per-task=\"${SLURM_CPUS_ON_NODE:-1}\"\n"
	"# A step of an exclusive job is given no GPU unless it asks.\n"
	"[ \"$gpus\" = 0 ] || set -- \"$@\" --gres=gpu:\"$gpus\"\n"
	"exec srun \"$@\" \"$tool\" farm-node --run=\"$run\" --node-name=\"$node\" \\\n"
	"\t--manifest-sha256=\"$manifest_sha256\" --local=\"$local_folder\" --gpus=\"$gpus\"\n";

int farm_script_write(const struct farm_script *script, struct str *to, struct error *err)
{
	if (check_words(script, err) != 0)
		return -1;
	str_add(to, "#!/bin/sh\n# One job a node: sbatch --nodelist=NODE --gres=gpu:GPUS job.sh "
		    "NODE GPUS\n");
	add_options(script, to);
	str_add(to, "set -u\nnode=$1 gpus=$2\n");
	add_setting(to, "run", script->run);
	add_setting(to, "tool", script->tool);
	add_setting(to, "tool_sha256", script->tool_sha256);
	add_setting(to, "manifest_sha256", script->manifest_sha256);
	add_setting(to, "local_folder", script->local);
	str_add(to, "\n");
	str_add(to, body);
	add_checks(to);
	str_add(to, step);
	return 0;
}

struct words {
	char *items[WORDS_MOST];
	size_t count;
};

static void add_word(struct words *words, char *word)
{
	if (words->count + 1 < WORDS_MOST)
		words->items[words->count++] = word;
	else
		free(word);
}

/* What a job needs of this shell's environment, and Slurm's commands to find their cluster. */
static void add_environment(struct words *words)
{
	static const char *const kept[] = { "PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF",
		"SLURM_CLUSTERS", "SLURM_JWT" };
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const char *value = getenv(kept[i]);

		if (value)
			add_word(words, xasprintf("%s=%s", kept[i], value));
	}
}

char **farm_submit_words(
	const char *sbatch, const char *job, const char *node, const char *partition, uint64_t gpus)
{
	struct words words = { .count = 0 };
	char **copy;

	add_word(&words, xstrdup("/usr/bin/env"));
	add_word(&words, xstrdup("-i"));
	add_environment(&words);
	add_word(&words, xstrdup(sbatch));
	add_word(&words, xstrdup("--parsable"));
	add_word(&words, xstrdup("--export=ALL"));
	add_word(&words, xasprintf("--nodelist=%s", node));
	if (partition && partition[0])
		add_word(&words, xasprintf("--partition=%s", partition));
	if (gpus)
		add_word(&words, xasprintf("--gres=gpu:%" PRIu64, gpus));
	add_word(&words, xstrdup(job));
	add_word(&words, xstrdup(node));
	add_word(&words, xasprintf("%" PRIu64, gpus));
	copy = xcalloc(words.count + 1, sizeof(*copy));
	memcpy(copy, words.items, words.count * sizeof(*copy));
	return copy;
}

void farm_words_free(char **words)
{
	size_t i;

	for (i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./=:,+@%";

	return word[0] && strspn(word, plain) == strlen(word);
}

void farm_words_show(char *const *words, struct str *to)
{
	size_t i;

	for (i = 0; words[i]; i++) {
		str_add(to, i ? " " : "");
		if (is_plain(words[i]))
			str_add(to, words[i]);
		else
			add_quoted(to, words[i]);
	}
	str_add(to, "\n");
}
