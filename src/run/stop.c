/* SPDX-License-Identifier: Apache-2.0 */
#include "run/stop.h"

#include <string.h>

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	(void)number;
	asked = 1;
}

void stop_catch(enum stop_again again)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = again == STOP_AGAIN_ENDS ? (int)SA_RESETHAND : 0;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

void stop_ask(void)
{
	asked = 1;
}

bool stop_is_asked(void)
{
	return asked != 0;
}

const volatile sig_atomic_t *stop_flag(void)
{
	return &asked;
}
