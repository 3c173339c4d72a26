/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing pictures. The files here are written by this program or byte by byte;
 * pictures written by other programs are read in tests/cli/30-compare.sh. */
#include "image/image.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tap.h"

/* 3x2, 8-bit RGBA, made with Python's zlib and struct; the first pixel is 188, 55, 255, 127. */
static const unsigned char hand_png[] = {
	0x89,
	0x50,
	0x4e,
	0x47,
	0x0d,
	0x0a,
	0x1a,
	0x0a,
	0x00,
	0x00,
	0x00,
	0x0d,
	0x49,
	0x48,
	0x44,
	0x52,
	0x00,
	0x00,
	0x00,
	0x03,
	0x00,
	0x00,
	0x00,
	0x02,
	0x08,
	0x06,
	0x00,
	0x00,
	0x00,
	0x9d,
	0x74,
	0x66,
	0x1a,
	0x00,
	0x00,
	0x00,
	0x1e,
	0x49,
	0x44,
	0x41,
	0x54,
	0x78,
	0xda,
	0x63,
	0xd8,
	0x63,
	0xfe,
	0xbf,
	0x9e,
	0x4b,
	0x44,
	0xee,
	0x3f,
	0x08,
	0x30,
	0x30,
	0x32,
	0x31,
	0xb3,
	0x30,
	0x00,
	0xc1,
	0x89,
	0x14,
	0xa3,
	0xff,
	0x00,
	0x93,
	0xd0,
	0x0a,
	0x10,
	0x5b,
	0x5d,
	0x1a,
	0x74,
	0x00,
	0x00,
	0x00,
	0x00,
	0x49,
	0x45,
	0x4e,
	0x44,
	0xae,
	0x42,
	0x60,
	0x82,
};

static void make(struct image *out, int width, int height, const char *names)
{
	struct image like = { .channels = (int)strlen(names) };
	int i;

	for (i = 0; i < like.channels; i++)
		like.names[i][0] = names[i];
	image_new(out, width, height, &like);
	for (i = 0; i < width * height * like.channels; i++)
		out->pixels[i] = (float)(i % 97) / 96;
}

static void test_exr_round_trip(void)
{
	struct image made, read;
	struct error err;
	size_t bytes;

	make(&made, 37, 21, "RGBAZ");
	made.pixels[8] = -3.5f;
	made.pixels[9] = 1e30f;
	tap_number(image_write_exr("a.exr", &made, &err), 0, "an EXR is written");
	tap_number(image_read("a.exr", &read, &err), 0, "and read");
	tap_ok(read.width == 37 && read.height == 21 && read.channels == 5, "with its shape");
	tap_text(read.format, "float", "as float");
	tap_text(read.names[4], "Z", "with its channel names");
	bytes = 37 * 21 * 5 * sizeof(float);
	tap_ok(memcmp(read.pixels, made.pixels, bytes) == 0, "and every bit of its samples");
	image_release(&read);
	image_release(&made);
	tap_ok(made.pixels == NULL, "release leaves nothing behind");
	image_release(NULL);
}

/* Bytes from the formula of IEC 61966-2-1, worked out in Python: 0.7304608 is 222.0, 0.0021 is 6.9.
 */
static void test_png_values(void)
{
	static const struct {
		float linear;
		int byte;
	} cases[] = {
		{ 0, 0 },
		{ 1, 255 },
		{ 2, 255 },
		{ -1, 0 },
		{ 0.2158605f, 128 },
		{ 0.0003035f, 1 },
		{ 0.0021f, 7 },
		{ 0.7304608f, 222 },
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	struct image made, read;
	struct error err;
	int i;

	make(&made, COUNT, 1, "Y");
	for (i = 0; i < COUNT; i++)
		made.pixels[i] = cases[i].linear;
	image_write_png("y.png", &made, 1, &err);
	image_read("y.png", &read, &err);
	tap_ok(read.width == COUNT && read.channels == 1, "one channel becomes a grey PNG");
	tap_text(read.format, "uint8", "of 8 bits");
	for (i = 0; i < COUNT; i++) {
		double s = cases[i].byte / 255.0;
		double linear = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);

		tap_ok(fabs(read.pixels[i] - linear) < 1e-6, "linear %g is byte %d and back %g",
			cases[i].linear, cases[i].byte, linear);
	}
	image_release(&read);
	made.pixels[0] = NAN;
	tap_ok(image_write_png("y.png", &made, 0.5f, &err) == 0 &&
			image_read("y.png", &read, &err) == 0 && read.pixels[0] == 0 &&
			fabs(read.pixels[1] - 0.5) < 0.003,
		"exposure multiplies, NaN shows as black");
	image_release(&read);
	image_release(&made);
}

/* D07: 8-bit samples are decoded first and multiplied by alpha after: 188 is 0.5029, times 127/255.
 */
static void test_png_alpha(void)
{
	struct image read;
	struct error err;
	double cover = 127.0 / 255, colour = pow((188 / 255.0 + 0.055) / 1.055, 2.4);

	file_write("hand.png", hand_png, sizeof(hand_png), &err);
	tap_number(image_read("hand.png", &read, &err), 0, "a PNG made elsewhere is read");
	tap_ok(read.width == 3 && read.height == 2 && read.channels == 4, "with its shape");
	tap_ok(fabs(read.pixels[0] - colour * cover) < 1e-6 && fabs(read.pixels[3] - cover) < 1e-6,
		"D07: colour is decoded, then multiplied by alpha");
	image_release(&read);
}

static void refused(const char *path, const char *word, const char *title)
{
	struct image untouched = { .width = 77 };
	struct error err = { "" };

	tap_ok(image_read(path, &untouched, &err) == -1 && strstr(err.text, path) &&
			strstr(err.text, word) && untouched.width == 77 && !untouched.pixels,
		"%s: %s", title, err.text);
}

/* D20: every prefix of a good file is an error, never a partial picture. */
static void test_cut(const char *from, const char *to, size_t step)
{
	struct str bytes = STR_INIT;
	struct image read;
	struct error err;
	size_t len, accepted = 0, tried = 0;

	file_read(from, 1 << 20, &bytes, &err);
	for (len = 0; len < bytes.len; len += step, tried++) {
		file_write(to, bytes.data, len, &err);
		if (image_read(to, &read, &err) == 0) {
			accepted++;
			image_release(&read);
		}
	}
	tap_ok(tried > 20 && accepted == 0, "D20: %zu cuts of %s, none is read", tried, from);
	str_release(&bytes);
}

static void test_cut_both(void)
{
	struct image made;
	struct error err;

	make(&made, 40, 40, "RGBA");
	image_write_exr("whole.exr", &made, &err);
	image_write_png("whole.png", &made, 1, &err);
	image_release(&made);
	test_cut("whole.exr", "cut.exr", 41);
	test_cut("whole.png", "cut.png", 7);
}

static void test_not_pictures(void)
{
	struct error err;

	file_write("page.exr", "<html><body>404</body></html>", 29, &err);
	refused("page.exr", "begins with 3c 68 74 6d", "a web page");
	file_write("empty.exr", "", 0, &err);
	refused("empty.exr", "0 bytes", "an empty file");
	refused("absent.exr", "No such file", "an absent file");
	refused(".", "not a regular file", "a folder");
	tap_ok(mkfifo("pipe.exr", 0600) == 0, "a pipe is made");
	refused("pipe.exr", "not a regular file", "a pipe does not block");
	refused("/dev/zero", "not a regular file", "a device is not read for ever");
	file_write("jpeg.png", "\xff\xd8\xff\xe0JFIF....", 12, &err);
	refused("jpeg.png", "not an OpenEXR or PNG", "a JPEG with another name");
}

static void test_damaged_png(void)
{
	unsigned char bytes[sizeof(hand_png)];
	struct error err;

	memcpy(bytes, hand_png, sizeof(bytes));
	bytes[18] ^= 1; /* inside IHDR's width */
	file_write("bits.png", bytes, sizeof(bytes), &err);
	refused("bits.png", "checksum", "a changed bit");
}

/* IHDR of 65535x65535 16-bit RGBA with right checksums: 2^34 samples in 65 bytes. */
static void test_huge_png(void)
{
	static const unsigned char huge[] = {
		0x89,
		0x50,
		0x4e,
		0x47,
		0x0d,
		0x0a,
		0x1a,
		0x0a,
		0x00,
		0x00,
		0x00,
		0x0d,
		0x49,
		0x48,
		0x44,
		0x52,
		0x00,
		0x00,
		0xff,
		0xff,
		0x00,
		0x00,
		0xff,
		0xff,
		0x10,
		0x06,
		0x00,
		0x00,
		0x00,
		0xe6,
		0x95,
		0x05,
		0x13,
		0x00,
		0x00,
		0x00,
		0x08,
		0x49,
		0x44,
		0x41,
		0x54,
		0x78,
		0xda,
		0x03,
		0x00,
		0x00,
		0x00,
		0x00,
		0x01,
		0x6f,
		0xdd,
		0xc9,
		0x91,
		0x00,
		0x00,
		0x00,
		0x00,
		0x49,
		0x45,
		0x4e,
		0x44,
		0xae,
		0x42,
		0x60,
		0x82,
	};
	struct error err;

	file_write("huge.png", huge, sizeof(huge), &err);
	refused("huge.png", "2^28",
		"a size that would not fit is refused before memory is asked for");
}

/* A header attribute of 2^31 - 1 bytes in a file of 50: the library would clear 2 GB first. */
static void test_huge_attribute(void)
{
	static const char bytes[] = "\x76\x2f\x31\x01\x02\0\0\0a\0string\0\xff\xff\xff\x7f"
				    "not two gigabytes";
	static const char parts[] = "\x76\x2f\x31\x01\x02\x10\0\0a\0int\0\4\0\0\0\1\0\0\0\0"
				    "b\0string\0\xff\xff\xff\xff....";
	static const char tiles[] = "\x76\x2f\x31\x01\x02\x02\0\0tiles\0tiledesc\0\x09\0\0\0"
				    "\x04\0\0\0\x04\0\xe0\0\0\0";
	static const char sizeless[] = "\x76\x2f\x31\x01\x02\x02\0\0tiles\0tiledesc\0\x04\0\0\0"
				       "\x04\0\0\0";
	struct error err;

	file_write("attribute.exr", bytes, sizeof(bytes), &err);
	refused("attribute.exr", "declares 2147483647 bytes", "an attribute larger than its file");
	file_write("parts.exr", parts, sizeof(parts), &err);
	refused("parts.exr", "declares 4294967295 bytes", "the same in a second part");
	file_write("tiles.exr", tiles, sizeof(tiles), &err);
	refused("tiles.exr", "tiles of 4 x 14680068 pixels",
		"a tile that takes long though the picture is small");
	file_write("sizeless.exr", sizeless, sizeof(sizeless), &err);
	refused("sizeless.exr", "no size of its tiles", "and one without a size");
}

static void test_writes_are_whole(void)
{
	struct image made;
	struct error err = { "" };

	make(&made, 8, 8, "RGB");
	tap_ok(image_write_png("no/such/folder/a.png", &made, 1, &err) == -1 &&
			strstr(err.text, "no/such/folder/a.png"),
		"an unwritable place is an error: %s", err.text);
	tap_ok(image_write_exr("/dev/full/x.exr", &made, &err) == -1, "so is it for EXR");
	folder_make("busy.png/inside", &err);
	tap_ok(image_write_png("busy.png", &made, 1, &err) == -1, "a folder is not replaced");
	image_release(&made);
}

int main(void)
{
	char place[] = "/tmp/oamqual-image-XXXXXX";
	struct error err;
	int back = open(".", O_RDONLY | O_DIRECTORY);

	if (!mkdtemp(place) || chdir(place) != 0)
		return 1;
	test_exr_round_trip();
	test_png_values();
	test_png_alpha();
	test_cut_both();
	test_not_pictures();
	test_damaged_png();
	test_huge_png();
	test_huge_attribute();
	test_writes_are_whole();
	tap_ok(strncmp(image_library(), "OpenImageIO 2.", 14) == 0, "the library names itself: %s",
		image_library());
	if (fchdir(back) != 0 || folder_remove(place, &err) != 0)
		return 1;
	close(back);
	return tap_done();
}
