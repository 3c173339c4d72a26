/* SPDX-License-Identifier: Apache-2.0 */
#include "simhip/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fault line may come before its device: kept until the end. */
struct fault_line {
	char bdf[SIM_BDF];
	enum sim_fault fault;
	uint64_t after;
};

struct reading {
	struct sim_config *config;
	struct fault_line faults[256];
	unsigned int fault_count;
};

static const char *const fault_words[SIM_FAULT_COUNT] = {
#define SIM_FAULT_WORD(name, word, what) word,
	SIM_FAULTS(SIM_FAULT_WORD)
#undef SIM_FAULT_WORD
};

enum value_kind { VALUE_TEXT, VALUE_NUMBER };

struct key {
	const char *name;
	enum value_kind kind;
	size_t offset, size;
};

#define TEXT_OF(type, name, field)                                                                 \
	{                                                                                          \
		name, VALUE_TEXT, offsetof(type, field), sizeof(((type *)0)->field)                \
	}
#define NUMBER_OF(type, name)                                                                      \
	{                                                                                          \
#name, VALUE_NUMBER, offsetof(type, name), sizeof(((type *)0)->name)               \
	}

static const struct key node_keys[] = {
	NUMBER_OF(struct sim_config, driver_version),
	NUMBER_OF(struct sim_config, runtime_version),
	TEXT_OF(struct sim_config, "state", state),
	TEXT_OF(struct sim_config, "playback", playback),
	{ NULL, VALUE_TEXT, 0, 0 },
};

static const struct key device_keys[] = {
	TEXT_OF(struct sim_device_config, "unique_id", unique_id),
	NUMBER_OF(struct sim_device_config, gpu_id),
	NUMBER_OF(struct sim_device_config, kfd_node),
	TEXT_OF(struct sim_device_config, "gcn_arch", gcn_arch),
	TEXT_OF(struct sim_device_config, "name", name),
	NUMBER_OF(struct sim_device_config, total_bytes),
	NUMBER_OF(struct sim_device_config, free_bytes),
	NUMBER_OF(struct sim_device_config, multiprocessors),
	NUMBER_OF(struct sim_device_config, clock_khz),
	NUMBER_OF(struct sim_device_config, memory_clock_khz),
	NUMBER_OF(struct sim_device_config, memory_bus_bits),
	NUMBER_OF(struct sim_device_config, l2_bytes),
	{ NULL, VALUE_TEXT, 0, 0 },
};

static int read_number(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -1;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -1 : 0;
}

static int read_text(const char *text, char *to, size_t size)
{
	if (strlen(text) >= size)
		return -1;
	strcpy(to, text);
	return 0;
}

/* 1: not a key of this table. */
static int enter_key(const struct key *keys, void *base, const char *name, const char *value)
{
	for (; keys->name; keys++) {
		void *field = (char *)base + keys->offset;

		if (strcmp(keys->name, name) != 0)
			continue;
		if (keys->kind == VALUE_NUMBER)
			return read_number(value, field);
		return read_text(value, field, keys->size);
	}
	return 1;
}

static int enter_device(struct sim_config *config, const char *bdf)
{
	struct sim_device_config *device;

	if (config->device_count == SIM_MAX_DEVICES)
		return -1;
	device = &config->devices[config->device_count];
	memset(device, 0, sizeof(*device));
	if (read_text(bdf, device->bdf, sizeof(device->bdf)) != 0 ||
		sscanf(bdf, "%x:%x:%x.%x", &device->domain, &device->bus, &device->slot,
			&device->function) != 4)
		return -1;
	device->multiprocessors = 1;
	config->device_count++;
	return 0;
}

static int enter_fault(struct reading *reading, const char *value)
{
	struct fault_line *line = &reading->faults[reading->fault_count];
	char word[64] = "";
	unsigned long long after = 0;
	int i;

	if (reading->fault_count == sizeof(reading->faults) / sizeof(reading->faults[0]) ||
		sscanf(value, "%23s %63s %llu", line->bdf, word, &after) < 2)
		return -1;
	for (i = 0; i < SIM_FAULT_COUNT; i++) {
		if (strcmp(fault_words[i], word) != 0)
			continue;
		line->fault = (enum sim_fault)i;
		line->after = after;
		reading->fault_count++;
		return 0;
	}
	return -1;
}

static int enter_line(struct reading *reading, char *line)
{
	struct sim_config *config = reading->config;
	char *value = strchr(line, ' ');
	int rc;

	if (!value)
		return -1;
	*value++ = '\0';
	if (strcmp(line, "device") == 0)
		return enter_device(config, value);
	if (strcmp(line, "fault") == 0)
		return enter_fault(reading, value);
	rc = enter_key(node_keys, config, line, value);
	if (rc != 1)
		return rc;
	if (!config->device_count)
		return -1;
	rc = enter_key(device_keys, &config->devices[config->device_count - 1], line, value);
	return rc == 1 ? -1 : rc;
}

/* A fault of a device that is not there is a mistake in the description. */
static int spread_fault(struct sim_config *config, const struct fault_line *line)
{
	bool every = strcmp(line->bdf, "*") == 0, met = every;
	unsigned int i;

	if (every)
		config->fault[line->fault] = true;
	for (i = 0; i < config->device_count; i++) {
		struct sim_device_config *device = &config->devices[i];

		if (!every && strcmp(device->bdf, line->bdf) != 0)
			continue;
		device->fault[line->fault] = true;
		device->fault_after[line->fault] = line->after;
		met = true;
	}
	return met ? 0 : -1;
}

static int read_lines(FILE *file, const char *path, struct reading *reading)
{
	char line[8192], shown[64];
	unsigned int number = 0, i;

	while (fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		snprintf(shown, sizeof(shown), "%.60s", line);
		if (!line[0] || line[0] == '#' || enter_line(reading, line) == 0)
			continue;
		fprintf(stderr, "simulated HIP runtime: %s:%u: cannot use: %s\n", path, number,
			shown);
		return -1;
	}
	for (i = 0; i < reading->fault_count; i++) {
		if (spread_fault(reading->config, &reading->faults[i]) == 0)
			continue;
		fprintf(stderr, "simulated HIP runtime: %s: a fault names %s, which is no device\n",
			path, reading->faults[i].bdf);
		return -1;
	}
	return 0;
}

int sim_config_read(const char *path, struct sim_config *out)
{
	struct reading reading = { .config = out };
	FILE *file = fopen(path, "re");
	int rc;

	memset(out, 0, sizeof(*out));
	if (!file) {
		fprintf(stderr, "simulated HIP runtime: %s: %s\n", path, strerror(errno));
		return -1;
	}
	rc = read_lines(file, path, &reading);
	fclose(file);
	return rc;
}
