/* SPDX-License-Identifier: Apache-2.0 */
/* Blender's output: any bytes, any line. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "blender/log.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct log log;
	size_t from = 0, at, i;
	bool accepted;

	log_init(&log);
	for (at = 0; at <= size; at++) {
		if (at < size && data[at] != '\n')
			continue;
		log_line(&log, (const char *)data + from, at - from);
		from = at + 1;
	}
	accepted = log.traced_count || log.compile_seconds > 0;
	for (i = 0; i < LOG_EVENT_COUNT; i++) {
		accepted |= log.event[i].count > 0;
		assert(!log.event[i].count == !log.event[i].first_line &&
			!strchr(log.event[i].text, 27));
	}
	fuzz_count(accepted);
	for (i = 0; i < log.traced_count && i < LOG_TRACED_MAX; i++)
		log_id_is_at(log.traced[i].id, "0000:c1:00.0");
	return 0;
}
