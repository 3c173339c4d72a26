/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/show.h"

struct number {
	char text[32];
};

static struct number number(double value)
{
	struct number n;

	snprintf(n.text, sizeof(n.text), "%.6g", value);
	return n;
}

void svg_open(struct markup *m, double width, double height, const char *label)
{
	char box[80];

	snprintf(box, sizeof(box), "0 0 %.6g %.6g", width, height);
	markup_open(m, "svg", "viewBox", box, "role", "img", "aria-label", label, NULL);
}

void svg_rectangle(struct markup *m, const char *class, double x, double y, double width,
	double height, double radius)
{
	struct number nx = number(x), ny = number(y), nw = number(width), nh = number(height),
		      nr = number(radius);

	markup_open(m, "rect", "class", class, "x", nx.text, "y", ny.text, "width", nw.text,
		"height", nh.text, "rx", nr.text, NULL);
	markup_close(m);
}

void svg_circle(struct markup *m, const char *class, double x, double y, double radius)
{
	struct number nx = number(x), ny = number(y), nr = number(radius);

	markup_open(m, "circle", "class", class, "cx", nx.text, "cy", ny.text, "r", nr.text, NULL);
	markup_close(m);
}

void svg_line(struct markup *m, const char *class, double x1, double y1, double x2, double y2)
{
	struct number a = number(x1), b = number(y1), c = number(x2), d = number(y2);

	markup_open(m, "line", "class", class, "x1", a.text, "y1", b.text, "x2", c.text, "y2",
		d.text, NULL);
	markup_close(m);
}

void svg_path(struct markup *m, const char *class, const char *path)
{
	markup_open(m, "path", "class", class, "d", path, NULL);
	markup_close(m);
}

/* The byte after `most` characters of UTF-8, or the end. */
static size_t cut_at(const char *text, size_t most)
{
	size_t at = 0;

	for (; text[at]; at++)
		if (((unsigned char)text[at] & 0xc0) != 0x80 && most-- == 0)
			break;
	return at;
}

void svg_text(
	struct markup *m, const char *class, double x, double y, const char *text, size_t most)
{
	struct number nx = number(x), ny = number(y);
	char *shown = show_text(text), *whole = xstrdup(shown);
	size_t end = cut_at(shown, most);
	bool cut = shown[end] != '\0';

	shown[end] = '\0';
	markup_open(m, "text", "x", nx.text, "y", ny.text, class ? "class" : NULL, class, NULL);
	markup_textf(m, "%s%s", shown, cut ? "\xe2\x80\xa6" : "");
	if (cut)
		markup_element(m, "title", NULL, whole);
	markup_close(m);
	free(whole);
	free(shown);
}
