/* SPDX-License-Identifier: Apache-2.0 */
/* page.css and page.js, carried inside the program, and what the page's policy says of them. */
#ifndef REPORT_HTML_ASSETS_H
#define REPORT_HTML_ASSETS_H

/* Static texts, each as it stands between its tags. */
const char *html_style(void);
const char *html_script(void);

/* The farm's page: page.css and farm.css as one, and farm.js. */
const char *html_farm_style(void);
const char *html_farm_script(void);

/* A page's Content-Security-Policy: this style sheet and this script by their SHA-256 (CSP level 3,
 * section 2.3.1), pictures inside the page, and nothing else. The caller frees. */
char *html_policy(const char *style, const char *script);

#endif
