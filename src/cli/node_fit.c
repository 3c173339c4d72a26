/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/node_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/fit.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

/* --- options -------------------------------------------------------------------------------- */

static const struct {
	const char *suffix;
	uint64_t bytes;
} units[] = { { "", 1 }, { "B", 1 }, { "KiB", 1ull << 10 }, { "MiB", 1ull << 20 },
	{ "GiB", 1ull << 30 }, { "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 } };

static int read_margin(const char *text, struct fit_request *out, struct error *err)
{
	size_t digits = strspn(text, "0123456789"), i;
	char *number = xstrndup(text, digits);
	unsigned long long value;
	bool is_number = digits && text_u64(number, 10, &value);

	free(number);
	if (is_number && strcmp(text + digits, "%") == 0 && value <= 100) {
		out->margin_permille = (unsigned)value * 10;
		return 0;
	}
	for (i = 0; is_number && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(text + digits, units[i].suffix) == 0 &&
			value <= UINT64_MAX / units[i].bytes) {
			out->margin_bytes = value * units[i].bytes;
			return 0;
		}
	return error_set(err,
		"--fit-margin %s: give bytes, or a whole number with KiB, MiB, GiB, kB, MB, GB or "
		"%%",
		text);
}

/* Quantized caches keep a scale beside a block: 8.5 and 4.5 bits an element. */
static int read_bits(const char *text, struct fit_request *out, struct error *err)
{
	double bits;

	if (!text_double(text, &bits) || bits < 1 || bits > 64 || floor(bits * 2) != bits * 2)
		return error_set(err, "--kv-bits %s: give 1 to 64 in steps of 0.5", text);
	out->kv_half_bits = (unsigned)(bits * 2);
	return 0;
}

static int read_request(const struct options *options, struct fit_request *out, struct error *err)
{
	static const char *const needs_fit[] = { "context", "kv-bits", "fit-margin" };
	const char *bits = options_text(options, "kv-bits"),
		   *margin = options_text(options, "fit-margin");
	unsigned long long context = 0;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->kv_half_bits = 32;
	if (!options_text(options, "fit")) {
		for (i = 0; i < sizeof(needs_fit) / sizeof(needs_fit[0]); i++)
			if (options_text(options, needs_fit[i]))
				return error_set(err, "--%s belongs to --fit", needs_fit[i]);
		return options_flag(options, "digest") ? error_set(err, "--digest belongs to --fit")
						       : 0;
	}
	if (options_number(options, "context", 0, 1ull << 40, &context, err) != 0)
		return -1;
	out->context = (struct known_u64){ options_text(options, "context") != NULL, context };
	if (bits && read_bits(bits, out, err) != 0)
		return -1;
	return margin ? read_margin(margin, out, err) : 0;
}

int node_fit_check(const struct options *options, struct error *err)
{
	struct fit_request request;

	return read_request(options, &request, err);
}

/* --- text ----------------------------------------------------------------------------------- */

static void print_shown(const char *text)
{
	char *shown = text_printable(text, strlen(text));

	fputs(shown, stdout);
	free(shown);
}

static void print_size(uint64_t bytes)
{
	printf("%" PRIu64 " B", bytes);
	if (bytes >= 100000000)
		printf(" (%.1f GiB, %.1f GB)", (double)bytes / 1073741824.0, (double)bytes / 1e9);
}

static void print_files(const struct artifact *artifact)
{
	size_t i;

	printf("artifact  ");
	if (artifact->format == ARTIFACT_GGUF)
		printf("GGUF %u, architecture %s", (unsigned)artifact->version,
			artifact->architecture[0] ? artifact->architecture : "unknown");
	else
		fputs("safetensors", stdout);
	printf(", %" PRIu64 " tensors, %" PRIu64 " elements stored\n", artifact->tensors,
		artifact->elements);
	for (i = 0; i < artifact->file_count; i++) {
		fputs(i ? "          " : "files     ", stdout);
		print_shown(artifact->files[i].path);
		printf(", %" PRIu64 " B%s%s\n", artifact->files[i].bytes,
			artifact->files[i].sha256[0] ? ", sha256 " : "", artifact->files[i].sha256);
	}
	if (artifact->note[0])
		printf("note      %s\n", artifact->note);
}

static void print_weights(const struct artifact *artifact)
{
	size_t i;

	for (i = 0; i < artifact->type_count; i++) {
		const struct artifact_type *type = &artifact->types[i];

		printf("%-10s%-12s%" PRIu64 " elements ", i ? "" : "weights", type->layout->name,
			type->elements);
		if (type->layout->block > 1)
			printf("/ %u x %u B", (unsigned)type->layout->block,
				(unsigned)type->layout->bits / 8);
		else if (type->layout->bits % 8)
			printf("x %u bits / 8", (unsigned)type->layout->bits);
		else
			printf("x %u B", (unsigned)type->layout->bits / 8);
		printf(" = %" PRIu64 " B\n", type->bytes);
	}
	printf("          sum         ");
	print_size(artifact->weight_bytes);
	putchar('\n');
}

static void print_cache(
	const struct artifact *artifact, const struct fit_request *request, const struct fit *fit)
{
	const struct artifact_cache *cache = &artifact->cache;

	fputs("kv cache  ", stdout);
	if (!fit->cache_bytes.known) {
		printf("%s (%s)\n", request->context.known ? "unknown" : "not included",
			fit->cache_why);
		return;
	}
	if (!request->context.value) {
		puts("none: a context of 0 tokens");
		return;
	}
	if (cache->kv_heads && cache->key_length == cache->value_length)
		printf("2 x %" PRIu64 " layers x %" PRIu64 " kv heads x %" PRIu64, cache->layers,
			cache->kv_heads, cache->key_length);
	else
		printf("%" PRIu64 " kv heads of %" PRIu64 " layers x (%" PRIu64 " + %" PRIu64 ")",
			cache->kv_heads_sum, cache->layers, cache->key_length, cache->value_length);
	printf(" x %" PRIu64 " tokens x %g bits / 8 = ", request->context.value,
		request->kv_half_bits / 2.0);
	print_size(fit->cache_bytes.value);
	printf("\n          one sequence; sizes from %s%s\n", cache->from,
		cache->is_upper_bound ? "; at most: a sliding window may keep less" : "");
}

static void print_margin(const struct fit_request *request)
{
	fputs("margin    ", stdout);
	if (request->margin_permille)
		printf("%u %% of the domain\n", request->margin_permille / 10);
	else if (request->margin_bytes)
		printf("%" PRIu64 " B\n", request->margin_bytes);
	else
		puts("none was stated");
}

static void print_domain(const struct fit_domain *domain, uint64_t needed, const char *class)
{
	fputs(domain->gpu->bdf[0] ? "" : "(no address)", stdout);
	print_shown(domain->gpu->bdf);
	if (!domain->basis) {
		printf("  fits: unknown: %s: ", domain->why);
		print_shown(domain->from);
		putchar('\n');
		return;
	}
	printf("  %s%s%s ", domain->basis == FIT_PUBLISHED ? "" : class,
		domain->basis == FIT_PUBLISHED ? "" : " ", fit_basis_name(domain->basis));
	print_size(domain->capacity);
	printf(" [%s]", domain->from);
	printf(" - %" PRIu64, needed);
	if (domain->margin)
		printf(" - margin %" PRIu64, domain->margin);
	printf("  fits: %s (%s)\n", known_name(domain->fits), domain->why);
}

static void print_fit(const struct artifact *artifact, const struct fit_request *request,
	const struct fit *fit, const struct node *node)
{
	size_t i;

	if (node->simulated) {
		fputs("node      SIMULATED: replayed from ", stdout);
		print_shown(node->folder);
		puts("; nothing here is evidence about hardware");
	}
	print_files(artifact);
	print_weights(artifact);
	print_cache(artifact, request, fit);
	printf("buffers   unknown: %s\n", fit_buffers);
	print_margin(request);
	fputs("needed    ", stdout);
	print_size(fit->needed);
	puts(request->context.known && !fit->cache_bytes.known ? " and a cache of unknown size"
							       : "");
	putchar('\n');
	for (i = 0; i < fit->domain_count; i++)
		print_domain(&fit->domains[i], fit->needed, node_class(node));
	printf("%sfits one domain: %s", fit->domain_count ? "\n" : "", known_name(fit->fits));
	if (fit->domain_count)
		printf(" (%zu of %zu hold it%s)", fit->yes, fit->domain_count,
			request->context.known ? "" : "; weights alone, no context was stated");
	else
		fputs(" (no GPU domain is known)", stdout);
	printf("\n%s\n%s\n", fit_splitting, fit_statement);
}

/* --- the command ---------------------------------------------------------------------------- */

int node_fit(const struct options *options, const struct node *node)
{
	static const int statuses[] = { [KNOWN_UNKNOWN] = STATUS_CANNOT_JUDGE,
		[KNOWN_NO] = STATUS_NOT_ACCEPTED,
		[KNOWN_YES] = STATUS_ACCEPTED };
	struct fit_request request;
	struct artifact artifact;
	struct error err;
	struct fit fit;
	int status;

	if (read_request(options, &request, &err) != 0)
		return cli_usage(options, &err);
	if (artifact_read(options_text(options, "fit"), &artifact, &err) != 0)
		return cli_fail(&err);
	if ((options_flag(options, "digest") && artifact_digest(&artifact, &err) != 0) ||
		fit_judge(&artifact, &request, node, &fit, &err) != 0) {
		artifact_release(&artifact);
		return cli_fail(&err);
	}
	if (options_flag(options, "json")) {
		json_t *json = fit_json(&artifact, &request, &fit, node);

		json_print(json, stdout);
		json_decref(json);
	} else {
		print_fit(&artifact, &request, &fit, node);
	}
	status = statuses[fit.fits];
	fit_release(&fit);
	artifact_release(&artifact);
	return status;
}
