/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/baseline_gcds.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "run/child.h"

/* --- which of them ---------------------------------------------------------------------------- */

static bool is_word(const struct options *options, const char *word)
{
	const char *name;
	size_t i;

	for (i = 0; (name = options_nth(options, "device", i)) != NULL; i++)
		if (strcmp(name, word) == 0)
			return true;
	return false;
}

static bool wants_all(const struct options *options)
{
	return !options_text(options, "device") || is_word(options, "all");
}

static bool is_gcd(const char *name)
{
	return strcmp(name, "all") != 0 && strcmp(name, "cpu") != 0;
}

static bool wants_any(const struct options *options)
{
	const char *name;
	size_t i;

	for (i = 0; (name = options_nth(options, "device", i)) != NULL; i++)
		if (is_gcd(name))
			return true;
	return wants_all(options);
}

static bool is_chosen(const struct gpu *gpu, void *context)
{
	const struct baseline_gcds *gcds = context;
	const char *name;
	size_t i;

	if (wants_all(gcds->options))
		return true;
	for (i = 0; (name = options_nth(gcds->options, "device", i)) != NULL; i++)
		if (is_gcd(name) && node_find(&gcds->open.node, name) == gpu)
			return true;
	return false;
}

static const char *why_left_out(const struct gpu *gpu, void *context, char why[GCD_WHY])
{
	(void)why;
	return is_chosen(gpu, context) ? NULL : "left out by --device";
}

/* Each of the two says all there is to say. */
static int check_words(const struct options *options, struct error *err)
{
	static const char *const words[] = { "cpu", "all" };
	size_t i;

	for (i = 0; i < 2 && options_nth(options, "device", 1); i++)
		if (is_word(options, words[i]))
			return error_set(err,
				"--device %s stands alone: name GCDs, or it, and nothing twice",
				words[i]);
	return 0;
}

static int check_twice(const struct baseline_gcds *gcds, struct error *err)
{
	const struct node *node = &gcds->open.node;
	const char *name, *other;
	size_t i, j;

	for (i = 0; (name = options_nth(gcds->options, "device", i)) != NULL; i++)
		for (j = 0; j < i; j++) {
			other = options_nth(gcds->options, "device", j);
			if (is_gcd(name) && node_find(node, name) == node_find(node, other))
				return error_set(err,
					"--device %s and --device %s are the same GCD", other,
					name);
		}
	return 0;
}

static int check_names(const struct baseline_gcds *gcds, struct error *err)
{
	const struct node *node = &gcds->open.node;
	const char *name;
	size_t i;

	for (i = 0; (name = options_nth(gcds->options, "device", i)) != NULL; i++)
		if (is_gcd(name) && !node_find(node, name))
			return error_set(err,
				"--device %s: neither cpu nor all nor a GCD of the node%s%s; see "
				"'oamqual node'",
				name, node->gpu_count ? "" : ", which has none: ",
				node->gpu_count ? "" : baseline_no_gcd_why(node));
	return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static char *make_work(struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	char *work = path_join(
		temporary && temporary[0] == '/' ? temporary : "/tmp", "oamqual-baseline-XXXXXX");

	if (mkdtemp(work))
		return work;
	error_errno(err, "cannot make a folder like %s", work);
	free(work);
	return NULL;
}

static int read_numbers(struct baseline_gcds *gcds, struct error *err)
{
	gcds->deadline_s = GCD_DEADLINE_S;
	if (options_number(gcds->options, "gcd-seconds", 0, 3600, &gcds->seconds, err) != 0)
		return -1;
	return options_number(gcds->options, "deadline", 1, 86400, &gcds->deadline_s, err);
}

int baseline_gcds_open(
	const struct options *options, struct baseline_gcds *out, bool *is_usage, struct error *err)
{
	struct baseline_gcds gcds = { .options = options };
	int rc;

	*is_usage = check_words(options, err) != 0 || read_numbers(&gcds, err) != 0;
	if (*is_usage)
		return -1;
	children_adopt_orphans();
	gcds.work = make_work(err);
	if (!gcds.work)
		return -1;
	rc = node_open(options_text(options, "node"), gcds.work,
		options_text(options, "hip-library"), wants_any(options), &gcds.open, err);
	if (rc == 0) {
		rc = check_names(&gcds, err);
		*is_usage = rc == 0 && check_twice(&gcds, err) != 0;
		rc = *is_usage ? -1 : rc;
		if (rc != 0)
			node_close(&gcds.open);
	}
	if (rc != 0) {
		folder_remove(gcds.work, NULL);
		free(gcds.work);
		return -1;
	}
	if (wants_any(options) && gcds.open.node.gpu_count)
		gcds.job = path_join(gcds.work, "job");
	*out = gcds;
	return 0;
}

void baseline_gcds_close(struct baseline_gcds *gcds)
{
	node_close(&gcds->open);
	folder_remove(gcds->work, NULL);
	free(gcds->work);
	free(gcds->job);
	memset(gcds, 0, sizeof(*gcds));
}

/* --- running ---------------------------------------------------------------------------------- */

void baseline_gcds_run(struct baseline_gcds *gcds, struct baseline *baseline)
{
	const struct gcd_request request = { .node = &gcds->open.node,
		.variables = gcds->open.is_replayed ? gcds->open.replay.variables : NULL,
		.work = gcds->work,
		.job = gcds->job,
		.hip_library = options_text(gcds->options, "hip-library"),
		.left_out = why_left_out,
		.context = gcds,
		.at_least_s = options_text(gcds->options, "gcd-seconds")
				      ? (double)gcds->seconds
				      : gcd_default_seconds(&gcds->open.node),
		.deadline_s = (unsigned)gcds->deadline_s };

	if (!gcds->job)
		return;
	baseline->gcds = gcd_run_all(&request, baseline);
	baseline->gcd_options = baseline->options;
}

enum exit_status baseline_gcds_status(
	const struct baseline_gcds *gcds, const struct baseline *baseline)
{
	enum exit_status status = STATUS_ACCEPTED;
	json_t *gcd;
	size_t i;

	json_array_foreach (baseline->gcds, i, gcd) {
		const char *verdict = json_text(gcd, "verdict", "");

		if (strcmp(verdict, "differs") == 0 || strcmp(verdict, "failed") == 0)
			return STATUS_NOT_ACCEPTED;
		if (strcmp(verdict, "not-run") == 0 && options_text(gcds->options, "device") &&
			is_chosen(&gcds->open.node.gpus[i], (void *)gcds))
			status = STATUS_CANNOT_JUDGE;
	}
	return status;
}

/* --- printing --------------------------------------------------------------------------------- */

static void print_rate(const json_t *gcd, const char *key, const char *unit, FILE *to)
{
	double rate = json_real_of(json_object_get(gcd, key), "value", -1);

	if (rate >= 0)
		fprintf(to, ", %.2f %s", rate, unit);
}

static void print_gcd(const json_t *gcd, const char *mark, FILE *to)
{
	const char *why = json_text(gcd, "verdict_why", NULL);

	fprintf(to, "GCD      %s%s: %s", json_text(gcd, "bdf", "(no address)"), mark,
		json_text(gcd, "verdict", "not-run"));
	print_rate(gcd, "mrays_per_s", "Mrays/s", to);
	print_rate(gcd, "first_msamples_per_s", "Msamples/s first", to);
	print_rate(gcd, "sustained_msamples_per_s", "sustained", to);
	fprintf(to, "%s%s\n", why ? ": " : "", why ? why : "");
}

static void print_names(const json_t *spread, const char *key, FILE *to)
{
	const json_t *names = json_object_get(spread, key), *name;
	size_t i;

	json_array_foreach (names, i, name)
		fprintf(to, "%s%s",
			i		? " "
			: key[0] == 'b' ? ", bad: "
					: ", outliers: ",
			json_is_string(name) ? json_string_value(name) : "(no address)");
}

static void print_spread(const json_t *gcds, FILE *to)
{
	json_t *spread = gcd_spread(gcds);
	double median = json_real_of(spread, "median", -1);

	if (median >= 0)
		fprintf(to, "GCDs     sustained Msamples/s: min %.2f, median %.2f, max %.2f",
			json_real_of(spread, "min", 0), median, json_real_of(spread, "max", 0));
	else if (json_is_object(spread))
		fputs("GCDs     none has a rate", to);
	print_names(spread, "outliers", to);
	print_names(spread, "bad", to);
	if (json_is_object(spread))
		putc('\n', to);
	json_decref(spread);
}

void baseline_gcds_print(const struct baseline *baseline, const struct node *node, FILE *to)
{
	const char *mark = node->simulated ? " SIMULATED" : "";
	json_t *document = baseline_json(baseline, node), *gcd;
	const json_t *gcds = json_object_get(document, "gcds");
	size_t i;

	json_array_foreach (gcds, i, gcd)
		print_gcd(gcd, mark, to);
	if (!node->gpu_count)
		fprintf(to, "GCD      none%s: %s\n", mark, baseline_no_gcd_why(node));
	print_spread(gcds, to);
	json_decref(document);
}
