/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html_assets.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* C11 has no way to include bytes; the assembler has. Paths are from the top of the repository. */
__asm__(".section .rodata\n"
	".global report_page_style\n"
	".global report_page_script\n"
	"report_page_style:\n"
	".incbin \"src/report/page.css\"\n"
	".byte 0\n"
	"report_page_script:\n"
	".incbin \"src/report/page.js\"\n"
	".byte 0\n"
	".global report_farm_style\n"
	".global report_farm_script\n"
	"report_farm_style:\n"
	".incbin \"src/report/page.css\"\n"
	".incbin \"src/report/farm.css\"\n"
	".byte 0\n"
	"report_farm_script:\n"
	".incbin \"src/report/farm.js\"\n"
	".byte 0\n"
	".previous\n");

extern const char report_page_style[], report_page_script[];
extern const char report_farm_style[], report_farm_script[];

const char *html_style(void)
{
	return report_page_style;
}

const char *html_script(void)
{
	return report_page_script;
}

const char *html_farm_style(void)
{
	return report_farm_style;
}

const char *html_farm_script(void)
{
	return report_farm_script;
}

/* 'sha256-...' as a policy wants it. */
static void add_source(struct str *to, const char *text)
{
	unsigned char digest[EVP_MAX_MD_SIZE], base64[64];
	unsigned len = 0;

	if (EVP_Digest(text, strlen(text), digest, &len, EVP_sha256(), NULL) != 1)
		abort(); /* libcrypto has had SHA-256 for as long as there are policies */
	EVP_EncodeBlock(base64, digest, (int)len);
	str_addf(to, "'sha256-%s'", (const char *)base64);
}

char *html_policy(const char *style, const char *script)
{
	struct str policy = STR_INIT;

	str_add(&policy, "default-src 'none'; img-src data:; style-src ");
	add_source(&policy, style);
	str_add(&policy, "; script-src ");
	add_source(&policy, script);
	str_add(&policy, "; base-uri 'none'; form-action 'none'");
	return str_detach(&policy);
}
