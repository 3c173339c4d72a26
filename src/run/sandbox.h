/* SPDX-License-Identifier: Apache-2.0 */
/* A view of the system for a program that is not trusted, by bubblewrap (bwrap): no network, no
 * other processes, system folders read-only, nothing of home, /srv, /mnt or /var, and only the
 * folders that it is given. Also how a program of another root file system (an unpacked container
 * image) is run.
 *
 * bwrap stays outside as the parent, so what child.h sees is its pid: sandbox_find_program() tells
 * that of the program. A signal that ends the program reaches us as bwrap's exit status 128 + N. */
#ifndef RUN_SANDBOX_H
#define RUN_SANDBOX_H

#include <stdbool.h>

#include "base/error.h"
#include "run/child.h"

struct sandbox {
	char *bwrap; /* NULL: not to be used, and why */
	char version[64]; /* "bubblewrap 0.8.0" */
	char why[300];
};

/* What it may see beside the system folders. All absolute; the same path inside. */
struct sandbox_view {
	const char *root; /* folder whose usr, lib, etc ... are seen instead of ours; NULL ours */
	const char *const *read_only; /* NULL-terminated; what is not there is left out */
	const char *const *writable; /* NULL-terminated */
	const char *cover, *covered_by; /* `cover` shows `covered_by`, writable; or NULL */
	const char *folder; /* it starts there; among the writable ones */
	bool gpu_nodes; /* /dev/kfd and /dev/dri; and the real /sys */
};

/* Looks for bwrap in PATH and tries it with /bin/true: it may be installed and forbidden. Its
 * output goes to a file in `folder`. */
void sandbox_find(const char *folder, struct sandbox *out);

/* The reason is shown to users. */
void sandbox_leave_out(struct sandbox *out, const char *why);

void sandbox_release(struct sandbox *sandbox);

/* The words that run `argv` (argv[0] absolute, as seen inside) in the view; descriptor 3 takes
 * bwrap's status (child_command.status_path). A new NULL-terminated array of new strings. */
char **sandbox_words(
	const struct sandbox *sandbox, const struct sandbox_view *view, char *const *argv);

/* The words that run `program option`: in the sandbox when the program lies in another root, else
 * as they are. The same kind of array. */
char **sandbox_option_words(
	const struct sandbox *sandbox, const char *root, const char *program, const char *option);

void sandbox_words_free(char **words);

/* The program that bwrap runs: its pid here and inside. 0, or -1 when it is not there (yet, or any
 * more). */
int sandbox_find_program(const char *status_path, long *pid, long *inner_pid);

/* What bwrap's ending says of the program's: exit status 128 + N is the signal N. */
void sandbox_read_ending(struct child_ending *ending);

#endif
