/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_CLOEXEC, ftruncate */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simhip/sim.h"

/* Until the file is mapped, and when there is none: counts that nobody reads. */
static struct sim_counters_row unmapped[SIM_MAX_DEVICES];
static struct sim_counters_row *rows = unmapped;

static char process_folder[4096 + 32]; /* state/kfd/proc/<pid>; "" none */
static unsigned int process_devices;
static pid_t process;
static uint64_t gpu_ids[SIM_MAX_DEVICES];

struct sim_counters_row *sim_counters_of(unsigned int row)
{
	return &rows[row];
}

static void *map_file(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	void *mapped = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static void open_counters(const struct sim_config *config)
{
	size_t bytes = sizeof(struct sim_counters_head) + config->device_count * sizeof(*rows);
	struct sim_counters_head *head;
	char path[4096 + 32];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/%ld.counters", config->state, (long)process);
	head = map_file(path, bytes);
	if (!head) {
		fprintf(stderr, "simulated HIP runtime: %s: %s\n", path, strerror(errno));
		return;
	}
	rows = (struct sim_counters_row *)(head + 1);
	for (i = 0; i < config->device_count; i++)
		memcpy(rows[i].bdf, config->devices[i].bdf, sizeof(rows[i].bdf));
	head->devices = config->device_count;
	head->row_bytes = sizeof(*rows);
	memcpy(head->magic, SIM_COUNTERS_MAGIC, sizeof(head->magic));
}

/* As when the kernel closes /dev/kfd of a process that ends; not in a forked child, and a killed
 * process leaves it. */
static void close_process_entry(void)
{
	char path[sizeof(process_folder) + 32];
	unsigned int i;

	if (getpid() != process)
		return;
	for (i = 0; i < process_devices; i++) {
		snprintf(path, sizeof(path), "%s/vram_%llu", process_folder,
			(unsigned long long)gpu_ids[i]);
		unlink(path);
	}
	rmdir(process_folder);
}

static void open_process_entry(const struct sim_config *config)
{
	static const char *const levels[] = { "/kfd", "/kfd/proc", "/kfd/proc/%ld" };
	size_t i, len;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		len = (size_t)snprintf(process_folder, sizeof(process_folder), "%s", config->state);
		if (i == 2)
			snprintf(process_folder + len, sizeof(process_folder) - len,
				"/kfd/proc/%ld", (long)process);
		else
			snprintf(process_folder + len, sizeof(process_folder) - len, "%s",
				levels[i]);
		mkdir(process_folder, 0777);
	}
	process_devices = config->device_count;
	for (i = 0; i < config->device_count; i++) {
		gpu_ids[i] = config->devices[i].gpu_id;
		sim_vram_write(config, (unsigned int)i, 0);
	}
	atexit(close_process_entry);
}

void sim_counters_open(const struct sim_config *config)
{
	if (!config->state[0])
		return;
	process = getpid();
	open_counters(config);
	open_process_entry(config);
}

/* Written beside and renamed, so that a reader never sees half a number. */
void sim_vram_write(const struct sim_config *config, unsigned int row, uint64_t bytes)
{
	char path[sizeof(process_folder) + 32], fresh[sizeof(process_folder) + 32];
	FILE *file;

	(void)config;
	if (!process_folder[0])
		return;
	snprintf(path, sizeof(path), "%s/vram_%llu", process_folder,
		(unsigned long long)gpu_ids[row]);
	snprintf(fresh, sizeof(fresh), "%s/.fresh", process_folder);
	file = fopen(fresh, "we");
	if (!file)
		return;
	fprintf(file, "%llu\n", (unsigned long long)bytes);
	if (fclose(file) == 0)
		rename(fresh, path);
}
