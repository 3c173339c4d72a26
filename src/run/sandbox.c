/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sandbox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/program.h"
#include "base/str.h"
#include "base/text.h"

enum { TRIAL_MS = 10000, SMALL = 65536 };

/* --- words ---------------------------------------------------------------------------------- */

struct words {
	char **items;
	size_t count, room;
};

static void add(struct words *words, const char *word)
{
	if (words->count + 2 > words->room) {
		words->room = words->room ? 2 * words->room : 64;
		words->items = xrealloc(words->items, words->room * sizeof(*words->items));
	}
	words->items[words->count++] = xstrdup(word);
	words->items[words->count] = NULL;
}

static void add_all(struct words *words, const char *const *list)
{
	for (; list && *list; list++)
		add(words, *list);
}

static void add_bind(struct words *words, const char *how, const char *from, const char *to)
{
	add(words, how);
	add(words, from);
	add(words, to);
}

/* --- the system folders --------------------------------------------------------------------- */

/* Merged systems have links from /lib to /usr/lib: a link is made again, a folder is bound. */
static void add_system_folder(struct words *words, const char *root, const char *name)
{
	char *from = xasprintf("%s/%s", root, name), *to = xasprintf("/%s", name);
	char target[4096];
	ssize_t len = readlink(from, target, sizeof(target) - 1);

	if (len > 0) {
		target[len] = '\0';
		add_bind(words, "--symlink", target, to);
	} else {
		add_bind(words, "--ro-bind-try", from, to);
	}
	free(from);
	free(to);
}

/* Of /etc only what programs need to start: names of users, keys and mounts are nobody's business.
 */
static const char *const etc_files[] = { "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
	"alternatives", "fonts", "localtime", "OpenCL", "ROCm", "nsswitch.conf", NULL };

static void add_system(struct words *words, const char *root)
{
	static const char *const folders[] = { "usr", "bin", "sbin", "lib", "lib32", "lib64",
		"libx32", "opt", "nix", "gnu", NULL };
	size_t i;

	for (i = 0; folders[i]; i++)
		add_system_folder(words, root, folders[i]);
	for (i = 0; etc_files[i]; i++) {
		char *name = xasprintf("etc/%s", etc_files[i]);

		add_system_folder(words, root, name);
		free(name);
	}
}

static void add_devices(struct words *words, bool gpu_nodes)
{
	static const char *const own[] = { "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
		"--tmpfs", "/run", NULL };
	static const char *const gpu[] = { "--ro-bind", "/sys", "/sys", "--dev-bind-try",
		"/dev/kfd", "/dev/kfd", "--dev-bind-try", "/dev/dri", "/dev/dri", NULL };

	add_all(words, own);
	if (gpu_nodes)
		add_all(words, gpu);
}

char **sandbox_words(
	const struct sandbox *sandbox, const struct sandbox_view *view, char *const *argv)
{
	static const char *const apart[] = { "--unshare-net", "--unshare-pid", "--unshare-ipc",
		"--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL", "--json-status-fd",
		"3", NULL };
	struct words words = { NULL, 0, 0 };
	size_t i;

	add(&words, sandbox->bwrap);
	add_all(&words, apart);
	add_system(&words, view->root ? view->root : "");
	add_devices(&words, view->gpu_nodes);
	for (i = 0; view->read_only && view->read_only[i]; i++)
		add_bind(&words, "--ro-bind-try", view->read_only[i], view->read_only[i]);
	for (i = 0; view->writable && view->writable[i]; i++)
		add_bind(&words, "--bind", view->writable[i], view->writable[i]);
	if (view->cover)
		add_bind(&words, "--bind", view->covered_by, view->cover);
	if (view->folder) {
		add(&words, "--chdir");
		add(&words, view->folder);
	}
	add(&words, "--");
	add_all(&words, (const char *const *)argv);
	return words.items;
}

char **sandbox_option_words(
	const struct sandbox *sandbox, const char *root, const char *program, const char *option)
{
	char *argv[] = { (char *)program, (char *)option, NULL };
	const struct sandbox_view view = { .root = root };
	struct words words = { NULL, 0, 0 };

	if (root && sandbox->bwrap)
		return sandbox_words(sandbox, &view, argv);
	add_all(&words, (const char *const *)argv);
	return words.items;
}

void sandbox_words_free(char **words)
{
	size_t i;

	for (i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* --- is it there ---------------------------------------------------------------------------- */

static int run_words(char **words, const char *output, struct child_ending *ending)
{
	const struct child_command command = {
		.argv = words,
		.stdout_path = output,
		.stderr_path = output,
		.status_path = "/dev/null",
		.deadline_ms = TRIAL_MS,
		.grace_ms = 500,
	};

	return child_run(&command, ending, NULL);
}

static void first_line(const char *path, char *to, size_t size)
{
	struct str text = STR_INIT;
	char *shown;

	to[0] = '\0';
	if (file_read(path, SMALL, &text, NULL) == 0 && text.data) {
		shown = text_printable(text.data, strcspn(text.data, "\n"));
		str_copy(to, size, shown);
		free(shown);
	}
	str_release(&text);
}

static bool works(const struct sandbox *sandbox, const char *output)
{
	static char *const program[] = { (char *)"/bin/true", NULL };
	const struct sandbox_view view = { .folder = NULL };
	char **words = sandbox_words(sandbox, &view, program);
	struct child_ending ending;
	int rc = run_words(words, output, &ending);

	sandbox_words_free(words);
	return rc == 0 && ending.how == CHILD_EXITED && ending.code == 0;
}

void sandbox_leave_out(struct sandbox *out, const char *why)
{
	memset(out, 0, sizeof(*out));
	str_copy(out->why, sizeof(out->why), why);
}

static void give_up(struct sandbox *out, const char *output)
{
	char line[200];

	first_line(output, line, sizeof(line));
	free(out->bwrap);
	out->bwrap = NULL;
	snprintf(out->why, sizeof(out->why), "bwrap is installed and cannot be used here: %s",
		line[0] ? line : "it did not end well and said nothing");
}

void sandbox_find(const char *folder, struct sandbox *out)
{
	char *output = path_join(folder, "sandbox-trial.txt"), *version[3];
	struct child_ending ending;

	sandbox_leave_out(out, "bubblewrap (bwrap) is not installed");
	out->bwrap = program_search("bwrap");
	if (out->bwrap) {
		version[0] = out->bwrap;
		version[1] = (char *)"--version";
		version[2] = NULL;
		if (run_words(version, output, &ending) == 0)
			first_line(output, out->version, sizeof(out->version));
		if (works(out, output))
			out->why[0] = '\0';
		else
			give_up(out, output);
	}
	unlink(output);
	free(output);
}

void sandbox_release(struct sandbox *sandbox)
{
	free(sandbox->bwrap);
	memset(sandbox, 0, sizeof(*sandbox));
}

/* --- the program inside --------------------------------------------------------------------- */

static int read_proc(long pid, const char *name, struct str *text)
{
	char *path = xasprintf("/proc/%ld/%s", pid, name);
	int rc = file_read(path, SMALL, text, NULL);

	free(path);
	return rc == 0 && text->data ? 0 : -1;
}

/* bwrap's first status line names the process 1 of the new pid namespace. */
static long namespace_init(const char *status_path)
{
	struct str text = STR_INIT;
	const char *at;
	long pid = 0;

	if (file_read(status_path, SMALL, &text, NULL) == 0 && text.data) {
		at = strstr(text.data, "\"child-pid\":");
		if (!at || sscanf(at, "\"child-pid\": %ld", &pid) != 1)
			pid = 0;
	}
	str_release(&text);
	return pid;
}

static long first_child(long pid)
{
	char *name = xasprintf("task/%ld/children", pid);
	struct str text = STR_INIT;
	long child = 0;

	if (read_proc(pid, name, &text) == 0 && sscanf(text.data, "%ld", &child) != 1)
		child = 0;
	str_release(&text);
	free(name);
	return child;
}

/* "NSpid:\t4711\t2": here, then inside. */
static long pid_inside(long pid)
{
	struct str text = STR_INIT;
	const char *at;
	long here = 0, inside = 0;

	if (read_proc(pid, "status", &text) == 0) {
		at = strstr(text.data, "\nNSpid:");
		if (!at || sscanf(at, "\nNSpid: %ld %ld", &here, &inside) != 2)
			inside = 0;
	}
	str_release(&text);
	return inside;
}

int sandbox_find_program(const char *status_path, long *pid, long *inner_pid)
{
	long init = namespace_init(status_path), found = init ? first_child(init) : 0;
	long inside = found ? pid_inside(found) : 0;

	if (!inside)
		return -1;
	*pid = found;
	*inner_pid = inside;
	return 0;
}

void sandbox_read_ending(struct child_ending *ending)
{
	if (ending->how != CHILD_EXITED || ending->code <= 128 || ending->code >= 128 + SIGRTMIN)
		return;
	ending->how = CHILD_SIGNALLED;
	ending->signal = ending->code - 128;
}
