/* SPDX-License-Identifier: Apache-2.0 */
/* Being asked to stop: SIGINT, SIGTERM and SIGHUP become a flag that long work looks at. One flag a
 * program. */
#ifndef RUN_STOP_H
#define RUN_STOP_H

#include <signal.h>
#include <stdbool.h>

enum stop_again {
	STOP_AGAIN_ENDS, /* a second signal ends the program at once: somebody at a terminal */
	STOP_AGAIN_IS_THE_SAME /* whoever asks may ask as often as they like: a scheduler */
};

/* From here on these signals set the flag instead of ending the program. */
void stop_catch(enum stop_again again);

/* Sets it as a signal would. */
void stop_ask(void);

bool stop_is_asked(void);

/* The flag itself, for what watches it; not 0 when asked. */
const volatile sig_atomic_t *stop_flag(void);

#endif
