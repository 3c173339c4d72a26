/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"

enum { DRAW_MS = 200, SIGN_OF_LIFE_MS = 10000, COLUMNS_DEFAULT = 100 };

void progress_init(struct progress *progress, size_t total, bool simulated, bool quiet)
{
	const char *term = getenv("TERM");

	memset(progress, 0, sizeof(*progress));
	progress->total = total;
	progress->simulated = simulated;
	progress->quiet = quiet;
	progress->terminal = isatty(2) && term && strcmp(term, "dumb") != 0;
	progress->spoken_ms = clock_monotonic_ms();
}

static const char *device_name(const struct attempt *attempt)
{
	return attempt->gpu ? attempt->gpu->bdf : "CPU control";
}

static void forget(struct progress *progress, const struct attempt *attempt)
{
	size_t i;

	for (i = 0; i < progress->running_count; i++)
		if (progress->running[i] == attempt)
			progress->running[i] = progress->running[--progress->running_count];
}

static void add_running(struct str *line, const struct attempt *attempt)
{
	char *path = path_join(attempt->folder, "stdout.txt");
	double seconds = (double)(clock_monotonic_ms() - attempt->child.started_ms) / 1000;
	unsigned done, all;

	str_addf(line, "  %s %s %s", device_name(attempt), attempt->scene->spec.name,
		probe_name(attempt->probe));
	if (log_progress(path, &done, &all))
		str_addf(line, " sample %u/%u", done, all);
	str_addf(line, " %.0fs", seconds);
	free(path);
}

static char *status_line(const struct progress *progress)
{
	struct str line = STR_INIT;
	size_t i;

	str_addf(&line, "%s[%zu/%zu]", progress->simulated ? "SIMULATED " : "", progress->done,
		progress->total);
	for (i = 0; i < progress->running_count; i++)
		add_running(&line, progress->running[i]);
	return str_detach(&line);
}

static int terminal_columns(void)
{
	struct winsize size;

	return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : COLUMNS_DEFAULT;
}

static void draw(struct progress *progress)
{
	int64_t now = clock_monotonic_ms();
	char *line;

	if (now < progress->drawn_ms + DRAW_MS)
		return;
	progress->drawn_ms = now;
	line = status_line(progress);
	fprintf(stderr, "\r\033[K%.*s", terminal_columns() - 1, line);
	free(line);
}

static void tick(struct progress *progress)
{
	int64_t now = clock_monotonic_ms();
	char *line;

	if (progress->terminal) {
		draw(progress);
	} else if (now >= progress->spoken_ms + SIGN_OF_LIFE_MS && progress->running_count) {
		progress->spoken_ms = now;
		line = status_line(progress);
		fprintf(stderr, "%s\n", line);
		free(line);
	}
}

/* A control judges the build on the CPU: nothing about it is simulated. */
static void judged(struct progress *progress, const struct attempt *attempt)
{
	const char *mark = progress->simulated && attempt->gpu ? "SIMULATED " : "";

	progress->done++;
	forget(progress, attempt);
	progress_end(progress);
	fprintf(stderr, "%s[%zu/%zu] %-12s %-10s %-8s%s %s\n", mark, progress->done,
		progress->total, device_name(attempt), attempt->scene->spec.name,
		probe_name(attempt->probe), attempt->together ? " (all at once)" : "",
		verdict_name(attempt->verdict.id));
	progress->spoken_ms = clock_monotonic_ms();
}

void progress_watch(void *watcher, enum pool_event event, const struct attempt *attempt)
{
	struct progress *progress = watcher;

	if (progress->quiet)
		return;
	if (event == POOL_STARTED && progress->running_count < PROGRESS_SHOWN)
		progress->running[progress->running_count++] = attempt;
	else if (event == POOL_JUDGED)
		judged(progress, attempt);
	else if (event == POOL_TICK)
		tick(progress);
}

void progress_share(void *data, const char *what, unsigned done, unsigned total)
{
	struct progress *progress = data;
	int64_t now = clock_monotonic_ms();
	int64_t since = progress->terminal ? progress->drawn_ms + DRAW_MS
					   : progress->spoken_ms + SIGN_OF_LIFE_MS;
	char share[16] = "";

	if (progress->quiet || now < since)
		return;
	progress->drawn_ms = progress->spoken_ms = now;
	if (total)
		snprintf(share, sizeof(share), " %.0f %%", 100.0 * done / total);
	fprintf(stderr, progress->terminal ? "\r\033[K%s%s" : "%s%s\n", what, share);
}

void progress_end(struct progress *progress)
{
	if (progress->terminal && !progress->quiet)
		fputs("\r\033[K", stderr);
}
