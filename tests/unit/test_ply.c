/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "baseline/ply.h"
#include "tap.h"

static const char *const head =
	"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty "
	"float y\nproperty float z\nelement face %s\nproperty list uchar int "
	"vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n%s";

static void refused(const char *text, size_t len, const char *why, const char *title)
{
	struct ply ply = { NULL, NULL, 77, 77 };
	struct error err = { "" };

	tap_number(ply_parse(text, len, &ply, &err), -1, title);
	tap_text(err.text, why, "... and why");
	tap_ok(!ply.places && ply.vertex_count == 77, "... and nothing is handed out");
}

static void refused_text(const char *text, const char *why, const char *title)
{
	refused(text, strlen(text), why, title);
}

/* The square with other faces. */
static void refused_faces(const char *count, const char *rows, const char *why, const char *title)
{
	struct str text = STR_INIT;
	const char *first = strstr(head, "%s"), *second = strstr(first + 2, "%s");

	str_addf(&text, "%.*s%s%.*s%s", (int)(first - head), head, count, (int)(second - first - 2),
		first + 2, rows);
	refused_text(text.data, why, title);
	str_release(&text);
}

static void test_header(void)
{
	static const struct {
		const char *text, *why, *title;
	} rows[] = {
		{ "", "is not a PLY file: its first line is not 'ply'", "nothing" },
		{ "solid cube\n", "is not a PLY file: its first line is not 'ply'", "STL" },
		{ "ply\nformat ascii 1.0\nelement", "ends within its header", "half a header" },
		{ "ply\nend_header\n", "its header names no format", "no format" },
		{ "ply\nformat ascii 2.0\n", "its header has not one format of version 1.0",
			"version 2" },
		{ "ply\nformat text 1.0\n",
			"its format is none of ascii, binary_little_endian and binary_big_endian",
			"another format" },
		{ "ply\nformat ascii 1.0\nproperty float x\n",
			"its header has a property without type, name or element",
			"a property of nothing" },
		{ "ply\nformat ascii 1.0\nelement vertex many\n",
			"element 0 of its header is not 'element NAME COUNT'", "a count of words" },
		{ "ply\nformat ascii 1.0\nelement vertex 3\nproperty half x\n",
			"its header has a property of unknown type 'half'", "an unknown type" },
		{ "ply\nformat ascii 1.0\nelement face 3\nproperty list uchar float "
		  "vertex_indices\n",
			"its header counts or numbers something by fractions",
			"corners numbered by floats" },
		{ "ply\nformat ascii 1.0\nend_header\n",
			"its header has not one element 'vertex' with x, y and z", "no vertices" },
		{ "ply\nformat ascii 1.0\nnormals 3\n", "its header has a line that is not of PLY",
			"an unknown line" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refused_text(rows[i].text, rows[i].why, rows[i].title);
}

static void test_rows(void)
{
	refused_faces("0", "", "has no faces: there is nothing to render", "no faces");
	refused_faces("1", "3 0 1", "ends within face 0 of 1", "a face cut short");
	refused_faces("1", "3 0 1 4\n", "face 0 of 1: its corner 2 is 4, not one of 4 vertices",
		"a corner too far");
	refused_faces("1", "3 0 -1 2\n", "face 0 of 1: its corner 1 is -1, not one of 4 vertices",
		"a corner below 0");
	refused_faces("1", "3 0 1.5 2\n", "face 0 of 1: its corner 1 is 1.5, not one of 4 vertices",
		"half a corner");
	refused_faces("1", "2 0 1\n",
		"row 0 of an element: a list of 2, and a face has 3 corners or more",
		"a face of two corners");
	refused_faces("1", "3 0 one 2\n", "face 0 of 1: not a number", "a word for a number");
	refused_faces("1", "3 0 1 2\n9", "1 bytes follow its last row", "a number too many");
	refused_faces("4000000000", "3 0 1 2\n",
		"its header says 4000000000 rows of face, 9 bytes are left for them: cut short?",
		"a huge count");
	refused_faces("18446744073709551615", "3 0 1 2\n",
		"its header says 18446744073709551615 rows of face, 9 bytes are left for them: cut "
		"short?",
		"the largest count");
}

/* A triangle as bytes: the mantissa of a float and the order of bytes are told apart by the values.
 */
static size_t binary_triangle(char *to, bool is_big, float x)
{
	size_t len = (size_t)sprintf(to,
		"ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty float x\nproperty "
		"float y\nproperty float z\nelement face 1\nproperty list uchar ushort "
		"vertex_index\nend_header\n",
		is_big ? "big" : "little");
	float places[9] = { x, 0.1f, -2, 1, 0, 0, 0, 1, 0 };
	unsigned corners[3] = { 2, 0, 1 }, i;

	for (i = 0; i < 9; i++) {
		uint32_t bits;
		int k;

		memcpy(&bits, &places[i], 4);
		for (k = 0; k < 4; k++)
			to[len++] = (char)(bits >> 8 * (is_big ? 3 - k : k));
	}
	to[len++] = 3;
	for (i = 0; i < 3; i++) {
		to[len + is_big] = (char)corners[i];
		to[len + !is_big] = 0;
		len += 2;
	}
	return len;
}

static void test_binary(void)
{
	int is_big;

	for (is_big = 0; is_big < 2; is_big++) {
		const char *order = is_big ? "big-endian" : "little-endian";
		struct ply ply = { NULL, NULL, 0, 0 };
		char bytes[512];
		size_t len = binary_triangle(bytes, is_big, 0.3f), cut, accepted = 0;

		tap_number(ply_parse(bytes, len, &ply, NULL), 0, order);
		tap_ok(ply.vertex_count == 3 && ply.triangle_count == 1 && ply.places[0] == 0.3f &&
				ply.places[1] == 0.1f && ply.places[2] == -2 &&
				ply.corners[0] == 2 && ply.corners[1] == 0 && ply.corners[2] == 1,
			"%s: the values that were written", order);
		ply_release(&ply);
		for (cut = 0; cut < len; cut++)
			accepted += ply_parse(bytes, cut, &ply, NULL) == 0;
		tap_number(accepted, 0, "no shorter file is accepted");
		len = binary_triangle(bytes, is_big, NAN);
		refused(bytes, len, "vertex 0 of 3: x is not finite", "a NaN vertex");
		len = binary_triangle(bytes, is_big, -INFINITY);
		refused(bytes, len, "vertex 0 of 3: x is not finite", "an infinite vertex");
	}
}

static void test_polygon(void)
{
	static const uint32_t want[9] = { 3, 0, 1, 3, 1, 2, 0, 1, 2 };
	struct ply ply = { NULL, NULL, 0, 0 };
	char *text = xasprintf(
		"ply\nformat ascii 1.0\nelement face 2\nproperty uchar red\nproperty list "
		"uchar int vertex_indices\nelement vertex 4\nproperty list uchar "
		"char tags\nproperty float z\nproperty float y\nproperty float "
		"x\nend_header\n9 4 3 0 1 2\n9 3 0 1 2\n%s",
		"2 5 5 0 1 2\n0 3 4 5\n0 6 7 8\n1 -1 9 10 11");

	tap_number(ply_parse(text, strlen(text), &ply, NULL), 0, "faces first, lists between");
	tap_ok(ply.triangle_count == 3 && memcmp(ply.corners, want, sizeof(want)) == 0,
		"a quadrangle is a fan of two");
	tap_ok(ply.places[0] == 2 && ply.places[1] == 1 && ply.places[2] == 0,
		"x, y and z are found by name");
	ply_release(&ply);
	free(text);
}

int main(void)
{
	test_header();
	test_rows();
	test_binary();
	test_polygon();
	return tap_done();
}
