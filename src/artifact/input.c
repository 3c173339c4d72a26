/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifact/parts.h"

int input_open(struct input *input, const char *path, struct error *err)
{
	struct stat about;
	/* Never block on a pipe that lies under the name of a file. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return error_errno(err, "%s", path);
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
		close(fd);
		return error_set(err, "%s: not a regular file", path);
	}
	input->path = path;
	input->fd = fd;
	input->size = (uint64_t)about.st_size;
	input->at = input->held_at = 0;
	input->held = 0;
	return 0;
}

void input_close(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	input->fd = -1;
}

static int hold(struct input *input, struct error *err)
{
	ssize_t got;

	do
		got = pread(input->fd, input->bytes, sizeof(input->bytes), (off_t)input->at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_errno(err, "%s", input->path);
	if (got == 0)
		return error_set(err, "%s: ends at byte %llu, inside its header", input->path,
			(unsigned long long)input->at);
	input->held_at = input->at;
	input->held = (size_t)got;
	return 0;
}

int input_bytes(struct input *input, void *to, size_t len, struct error *err)
{
	unsigned char *out = to;

	if (len > input->size - input->at)
		return error_set(err, "%s: ends at byte %llu, inside its header", input->path,
			(unsigned long long)input->size);
	while (len) {
		size_t offset, step;

		if (input->at < input->held_at || input->at - input->held_at >= input->held) {
			if (hold(input, err) != 0)
				return -1;
		}
		offset = (size_t)(input->at - input->held_at);
		step = input->held - offset < len ? input->held - offset : len;
		memcpy(out, input->bytes + offset, step);
		out += step;
		len -= step;
		input->at += step;
	}
	return 0;
}

static uint64_t little_endian(const unsigned char *bytes, int count)
{
	uint64_t value = 0;

	while (count--)
		value = value << 8 | bytes[count];
	return value;
}

int input_u32(struct input *input, uint32_t *value, struct error *err)
{
	unsigned char bytes[4];

	if (input_bytes(input, bytes, sizeof(bytes), err) != 0)
		return -1;
	*value = (uint32_t)little_endian(bytes, 4);
	return 0;
}

int input_u64(struct input *input, uint64_t *value, struct error *err)
{
	unsigned char bytes[8];

	if (input_bytes(input, bytes, sizeof(bytes), err) != 0)
		return -1;
	*value = little_endian(bytes, 8);
	return 0;
}

int input_skip(struct input *input, uint64_t len, struct error *err)
{
	if (len > input->size - input->at)
		return error_set(err,
			"%s: %llu bytes are announced at byte %llu, and the file ends at %llu",
			input->path, (unsigned long long)len, (unsigned long long)input->at,
			(unsigned long long)input->size);
	input->at += len;
	return 0;
}
