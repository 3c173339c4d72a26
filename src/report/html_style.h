/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_HTML_STYLE_H
#define REPORT_HTML_STYLE_H

/* The style sheet of the page: light and dark, narrow and printed. Static. */
extern const char html_style[];

#endif
