/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings inside the page. Lengths are in the units of the drawing; what a record says is escaped
 * and cut to what fits, with the whole text as the mark's title. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/markup.h"

/* Opens <svg> of that size, scaled to its place; close with markup_close(). `label` is what a
 * screen reader says for the whole. */
void svg_open(struct markup *m, double width, double height, const char *label);

void svg_rectangle(struct markup *m, const char *class, double x, double y, double width,
	double height, double radius);
void svg_circle(struct markup *m, const char *class, double x, double y, double radius);
void svg_line(struct markup *m, const char *class, double x1, double y1, double x2, double y2);
void svg_path(struct markup *m, const char *class, const char *path); /* the program's own path */

/* At most `most` characters, then an ellipsis; `class` may be NULL. */
void svg_text(
	struct markup *m, const char *class, double x, double y, const char *text, size_t most);

#endif
