/* SPDX-License-Identifier: Apache-2.0 */
/* The reports. Their documents are parsed by other programs in tests/cli/50-report.sh; here are the
 * functions that escape, and a record whose every text is hostile. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "image/image.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/markup.h"
#include "report/picture.h"
#include "report/show.h"
#include "report/summary.h"
#include "report/tone.h"
#include "report/view.h"
#include "tap.h"

/* --- escaping --- */

struct vector {
	const char *in, *want, *what;
};

static void check_vectors(
	const struct vector *vectors, size_t count, void (*add)(struct str *to, const char *text))
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct str got = STR_INIT;
		char *text;

		add(&got, vectors[i].in);
		text = str_detach(&got);
		tap_text(text, vectors[i].want, vectors[i].what);
		free(text);
	}
}

static void show_whole(struct str *to, const char *text)
{
	show_add(to, text, 0);
}

#define CHECK(vectors, add) check_vectors(vectors, sizeof(vectors) / sizeof((vectors)[0]), add)

static void test_show(void)
{
	static const struct vector vectors[] = {
		{ "", "", "show: nothing" },
		{ "plain \xc3\xa9 \xe2\x9c\x93", "plain \xc3\xa9 \xe2\x9c\x93",
			"show: text stays" },
		{ "a\x1b[31mb", "a\\x1b[31mb", "show: ESC" },
		{ "a\nb\tc", "a\\x0ab\\x09c", "show: newline and tab" },
		{ "\xef\xbf\xbe", "\\xef\\xbf\\xbe", "show: U+FFFE, which XML does not have" },
		{ "a\xff", "a\\xff", "show: a byte that is not UTF-8" },
		{ "a\xe2\x80", "a\\xe2\\x80", "show: a cut character" },
		{ "abc\xe2\x80\xaetxt", "abc\\u202etxt", "show: text that would run backwards" },
		{ "a\xe2\x80\x8b"
		  "b",
			"a\\u200bb", "show: a space without width" },
		{ "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069", "show: isolates at both ends" },
		{ "\xef\xbb\xbfx", "\\ufeffx", "show: a byte order mark" },
		{ "\xe2\x80\xa8", "\\u2028", "show: a line separator" },
	};
	struct str cut = STR_INIT;

	CHECK(vectors, show_whole);
	show_add(&cut,
		"ab\xc3\xa9"
		"cd",
		3);
	tap_text(cut.data, "ab [... 4 more bytes in the record]",
		"show: cut before a character, not in it");
	str_release(&cut);
	show_add(&cut, "abc", 3);
	tap_text(cut.data, "abc", "show: what fits is not cut");
	str_release(&cut);
}

static void test_markup_escape(void)
{
	static const struct vector vectors[] = {
		{ "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;",
			"html: an element" },
		{ "\" onload=\"x", "&quot; onload=&quot;x", "html: out of a quoted attribute" },
		{ "' onload='x", "&#39; onload=&#39;x", "html: out of a single-quoted one" },
		{ "&lt;", "&amp;lt;", "html: a reference stays text" },
		{ "<!--", "&lt;!--", "html: a comment" },
		{ "]]>", "]]&gt;", "html: the end of CDATA" },
		{ "\x1b<", "\\x1b&lt;", "html: ESC" },
	};

	CHECK(vectors, markup_escape);
}

static void test_markdown_escape(void)
{
	static const struct vector vectors[] = {
		{ "a|b", "a\\|b", "markdown: a table's bar" },
		{ "`rm`", "\\`rm\\`", "markdown: backticks" },
		{ "<b>&", "&lt;b&gt;&amp;", "markdown: HTML" },
		{ "[x](y)", "\\[x\\](y)", "markdown: a link" },
		{ "![x](y)", "\\!\\[x\\](y)", "markdown: a picture" },
		{ "*a* _b_ ~c~", "\\*a\\* \\_b\\_ \\~c\\~", "markdown: emphasis" },
		{ "a\\|b", "a\\\\\\|b", "markdown: a backslash does not free the bar" },
		{ "@all #12", "&#64;all \\#12", "markdown: nobody is called" },
		{ "a\n| b", "a\\\\x0a\\| b", "markdown: no new line, no new row" },
	};

	CHECK(vectors, markdown_escape);
}

static void test_shell_words(void)
{
	static const struct vector vectors[] = {
		{ "--out", "--out", "shell: plain" },
		{ "", "''", "shell: empty" },
		{ "a b", "'a b'", "shell: a space" },
		{ "it's", "'it'\\''s'", "shell: a quote" },
		{ "$(x)`y`", "'$(x)`y`'", "shell: nothing is run" },
		{ "~", "'~'", "shell: no home" },
	};

	CHECK(vectors, show_add_shell_word);
}

static void test_markup_tree(void)
{
	struct markup m = { .text = STR_INIT };
	char *text;

	markup_open(&m, "td", "data-label", "a\"b", "class", "c", NULL);
	markup_text(&m, "<");
	markup_text(&m, NULL);
	markup_void(&m, "img", "alt", "'", NULL);
	markup_element(&m, "b", NULL, "x");
	markup_close(&m);
	tap_number(m.depth, 0, "html: what was opened is closed");
	text = str_detach(&m.text);
	tap_text(text,
		"<td data-label=\"a&quot;b\" class=\"c\">&lt;<img alt=\"&#39;\"><b>x</b></td>",
		"html: elements and attributes");
	free(text);
}

/* --- a hostile record --- */

static const char evil[] =
	"<script>alert(1)</script>\"'`|]]>\x1b[2J\xe2\x80\xae--> &amp; \xef\xbf\xbe";

/* Texts become hostile, and every fourth other value changes its type. */
static void spoil(json_t *value, unsigned *turn)
{
	const char *key;
	json_t *member;
	void *next;
	size_t i;

	json_object_foreach_safe(value, next, key, member)
	{
		if (strcmp(key, "schema") == 0 || strcmp(key, "probe") == 0 ||
			strcmp(key, "class") == 0)
			continue;
		if (json_is_string(member))
			json_object_set_new(value, key, json_string(evil));
		else if (++*turn % 4 == 0 && !json_is_array(member))
			json_object_set_new(value, key, json_integer(-7));
		else
			spoil(member, turn);
	}
	json_array_foreach (value, i, member) {
		if (json_is_string(member))
			json_array_set_new(value, i, json_string(evil));
		else
			spoil(member, turn);
	}
}

static json_t *rungs(const char *answer)
{
	return json_pack("[{s:i, s:s, s:s, s:[{s:s, s:s, s:s}]}]", "rung", 5, "name",
		"cycles-lists-device", "answer", answer, "facts", "fact", "cycles-lists-device",
		"answer", answer, "evidence", "what was seen");
}

static json_t *attempt(int number, const char *bdf, const char *probe, const char *verdict)
{
	json_t *json = json_pack("{s:i, s:s, s:s, s:b, s:s, s:b, s:s, s:s, s:o}", "number", number,
		"scene", "cornell", "probe", probe, "together", 0, "source",
		bdf ? "simulated" : "observed", "run", 1, "verdict", verdict, "why",
		"the rule in words", "rungs", rungs("no"));

	json_object_set_new(json, "device", bdf ? json_pack("{s:s}", "bdf", bdf) : json_null());
	json_object_set_new(
		json, "ending", json_pack("{s:s, s:f}", "how", "exited", "wall_seconds", 2.51267));
	json_object_set_new(json, "decided_by",
		json_pack("{s:s, s:s}", "fact", "cycles-lists-device", "evidence",
			"the line that decided"));
	json_object_set_new(json, "first_rung_not_yes",
		json_pack("{s:i, s:s}", "rung", 5, "name", "cycles-lists-device"));
	json_object_set_new(json, "command", json_pack("[s, s]", "blender", "-b"));
	return json;
}

static json_t *gcd(const char *bdf, const char *verdict, bool worker)
{
	return json_pack("{s:s, s:s, s:b, s:i, s:n, s:s}", "bdf", bdf, "verdict", verdict,
		"render_worker", worker, "attempts", 2, "first_rung_not_yes", "evidence",
		"the line of the GCD");
}

static json_t *small_record(const char *source)
{
	json_t *record = json_pack("{s:s, s:s}", "schema", "oamqual-record/1", "source", source);

	json_object_set_new(
		record, "tool", json_pack("{s:s, s:s}", "version", "0.1.0", "commit", "abc"));
	json_object_set_new(record, "run",
		json_pack("{s:s, s:s, s:b, s:[s, s]}", "started", "2026-11-30T02:10:06Z", "ended",
			"2026-11-30T02:11:00Z", "interrupted", 0, "command", "qualify",
			"--out=a b"));
	json_object_set_new(record, "node",
		json_pack("{s:s, s:[{s:{s:s, s:s, s:s}, s:{s:n, s:s, s:s}, s:{s:I, s:s, s:s}}]}",
			"name", "blade", "gpus", "bdf", "value", "0000:c1:00.0", "class",
			"simulated", "from", "kfd", "gfx_target", "value", "class", "unknown",
			"why", "the reason why", "vram_total", "value", (json_int_t)68702699520,
			"class", "published", "from", "a table"));
	json_object_set_new(
		record, "blender", json_pack("{s:s, s:s}", "version", "3.4.1", "sha256", "00"));
	json_object_set_new(record, "scenes",
		json_pack("[{s:s, s:{s:b, s:s}}]", "name", "cornell", "reference", "present", 0,
			"why", "there is none"));
	json_object_set_new(record, "gcds",
		json_pack("[o, o]", gcd("0000:c1:00.0", "not-listed", false),
			gcd("0000:c6:00.0", "accepted", true)));
	json_object_set_new(record, "attempts",
		json_pack("[o, o, o, o]", attempt(1, "0000:c1:00.0", "strict", "not-listed"),
			attempt(2, "0000:c1:00.0", "as-farm", "cpu-fallback"),
			attempt(3, NULL, "control", "accepted"),
			attempt(4, "0000:c6:00.0", "strict", "inconclusive")));
	json_object_set_new(record, "notes", json_pack("[s]", "a note"));
	json_object_set_new(record, "files",
		json_pack("[{s:s, s:i, s:s}]", "path", "a/b.log", "bytes", 3, "sha256", "ff"));
	return record;
}

/* All text kinds of a record; the caller frees. */
static char *html_of(const json_t *record)
{
	struct str text = STR_INIT;

	report_html_add(record, ".", &text);
	return str_detach(&text);
}

static char *markdown_of(const json_t *record)
{
	struct str text = STR_INIT;

	report_markdown_add(record, &text);
	return str_detach(&text);
}

static char *junit_of(const json_t *record)
{
	struct str text = STR_INIT;
	struct error err = { "" };

	if (report_junit_add(record, &text, &err) != 0)
		printf("# %s\n", err.text);
	return str_detach(&text);
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		count++;
	return count;
}

static bool holds_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t')
			return true;
	return false;
}

static void cut_fence(char *markdown)
{
	char *fence = strstr(markdown, "\n```\n");

	if (fence)
		*fence = '\0';
}

/* The page ends with the program's own script, which begins at once with these words. */
static void cut_script(char *html)
{
	char *script =
		strstr(html, "<script>/* SPDX-License-Identifier: Apache-2.0 */\n\"use strict\";");

	tap_ok(script != NULL, "the page has the program's own script");
	if (script)
		*script = '\0';
}

static void check_harmless(const json_t *record, const char *what)
{
	char *texts[] = { html_of(record), markdown_of(record), junit_of(record) };
	size_t i;

	/* Within a fence Markdown has no markup; that nothing ends the fence is checked below. */
	cut_script(texts[0]);
	cut_fence(texts[1]);
	for (i = 0; i < 3; i++) {
		tap_ok(strlen(texts[i]) > 500, "%s: kind %zu is written", what, i);
		tap_ok(!strstr(texts[i], "<script") && !strstr(texts[i], "]]>"),
			"%s: nothing of it is markup", what);
		tap_ok(!holds_control(texts[i]) && !strstr(texts[i], "\xe2\x80\xae") &&
				!strstr(texts[i], "\xef\xbf\xbe"),
			"%s: nothing in it is hidden", what);
		free(texts[i]);
	}
}

static void test_hostile(void)
{
	json_t *record = small_record("simulated"), *bare, *wrong;
	char *html, *markdown;
	unsigned turn = 0;

	spoil(json_object_get(record, "attempts"), &turn);
	spoil(record, &turn);
	check_harmless(record, "hostile texts");
	html = html_of(record);
	markdown = markdown_of(record);
	tap_ok(strstr(html, "&lt;script&gt;alert(1)&lt;/script&gt;") != NULL,
		"the page shows it as text");
	tap_ok(strstr(html, "SIMULATED") != NULL, "a source that is not \"observed\" is simulated");
	tap_number(count_of(html, "<details"), (long long)count_of(html, "</details>"),
		"details are balanced");
	tap_ok(strstr(markdown, "\\|\\]\\]&gt;") != NULL, "Markdown shows it as text");
	tap_number(count_of(markdown, "\n```\n"), 2, "one fence, opened and closed");
	tap_ok(str_ends(markdown, "\n```\n"), "at the end, round the command");
	free(html);
	free(markdown);
	json_decref(record);

	bare = json_pack("{s:s, s:[n, i, s, []], s:[{}, n], s:[b]}", "schema", "oamqual-record/1",
		"attempts", 3, evil, "gcds", "files", 1);
	check_harmless(bare, "missing members");
	json_decref(bare);
	wrong = json_pack("{s:s, s:s, s:i, s:[], s:n, s:f, s:s, s:{}}", "source", evil, "node",
		evil, "run", 5, "tool", "blender", "scenes", 1e300, "attempts", evil, "gcds");
	check_harmless(wrong, "members of the wrong type");
	json_decref(wrong);
}

static void test_long_and_deep(void)
{
	json_t *record = small_record("observed"), *deep = json_object();
	char *text = xmalloc(3000001), *html;
	int i;

	memset(text, 'x', 3000000);
	text[3000000] = '\0';
	json_object_set_new(
		json_array_get(json_object_get(record, "gcds"), 0), "evidence", json_string(text));
	for (i = 0; i < 500; i++) {
		json_t *outer = json_object();

		json_object_set_new(outer, "k", deep);
		deep = outer;
	}
	json_object_set_new(record, "system", deep);
	html = html_of(record);
	tap_ok(strlen(html) < 100000, "3 MB of evidence do not fill the page: %zu bytes",
		strlen(html));
	tap_ok(strstr(html, "more bytes in the record]") != NULL, "the page says that it was cut");
	free(html);
	html = junit_of(record);
	tap_ok(strlen(html) < 100000 && strstr(html, "more bytes in the record]"), "nor the XML");
	free(html);
	free(text);
	json_decref(record);
}

/* --- what is said --- */

static void test_html(void)
{
	json_t *record = small_record("simulated"), *real = small_record("observed");
	char *html = html_of(record);

	tap_ok(strstr(html, "1 of 2 GCDs are render workers.") != NULL, "html: the decision");
	tap_ok(strstr(html, "default-src &#39;none&#39;") != NULL,
		"html: a policy that forbids everything");
	tap_ok(!strstr(html, "http://") && !strstr(html, "https://") && !strstr(html, "url("),
		"html: nothing is fetched");
	tap_ok(strstr(html, "unknown: the reason why") != NULL, "html: unknown says why");
	tap_ok(strstr(html, "fact published") && strstr(html, "68702699520 (64.0 GiB)"),
		"html: a published value is marked as one");
	tap_ok(strstr(html, "not asked of the CPU") != NULL, "html: the control has no GPU rungs");
	tap_ok(strstr(html, "oamqual qualify &#39;--out=a b&#39;") != NULL,
		"html: how to repeat it");
	tap_ok(strstr(html, "not shown: there is none") != NULL, "html: why there is no reference");
	tap_ok(strstr(html, "\xe2\x9c\x97 not-listed") && strstr(html, "\xe2\x9c\x93 accepted"),
		"html: verdicts are words");
	free(html);
	html = html_of(real);
	tap_ok(!strstr(html, "class=\"banner\"") && strstr(html, "<h1>1 of 2"),
		"html: an observed record has no banner");
	free(html);
	json_decref(record);
	json_decref(real);
}

static void test_markdown(void)
{
	json_t *record = small_record("simulated");
	char *text = markdown_of(record);

	tap_ok(str_starts(text, "# SIMULATED 1 of 2 GCDs are render workers: node blade\n"),
		"markdown: the title decides");
	tap_number(count_of(text, "\n| SIMULATED "), 2, "markdown: each GCD's row is marked");
	tap_ok(strstr(text, "| not-listed | cpu-fallback | none | the line of the GCD |") != NULL,
		"markdown: both probes and the evidence");
	tap_ok(strstr(text, "```\noamqual qualify '--out=a b'\n```\n") != NULL,
		"markdown: how to repeat it");
	free(text);
	json_decref(record);
}

static void test_junit(void)
{
	json_t *record = small_record("simulated");
	char *text = junit_of(record);

	tap_ok(strstr(text,
		       "name=\"SIMULATED oamqual gcds\" tests=\"3\" failures=\"1\" errors=\"1\" "
		       "skipped=\"0\" time=\"0.000\" timestamp=\"2026-11-30T02:10:06\" "
		       "hostname=\"blade\"") != NULL,
		"junit: the GCDs, and that this record was put together by hand");
	tap_ok(strstr(text, "name=\"SIMULATED oamqual attempts\" tests=\"4\" failures=\"2\" "
			    "errors=\"1\"") != NULL,
		"junit: only accepted passes, inconclusive is an error");
	tap_number(count_of(text, "<failure "), 3, "junit: as many failures as counted");
	tap_number(count_of(text, "<error "), 2, "junit: as many errors");
	tap_number(count_of(text, "time=\"2.513\""), 4, "junit: three decimals");
	tap_ok(strstr(text, "<property name=\"simulated\" value=\"true\"/>") != NULL,
		"junit: says simulated");
	free(text);

	json_object_set_new(json_object_get(record, "run"), "interrupted", json_true());
	json_array_clear(json_object_get(record, "gcds"));
	json_object_set_new(json_array_get(json_object_get(record, "attempts"), 0), "verdict",
		json_string("Accepted"));
	text = junit_of(record);
	tap_ok(strstr(text, "tests=\"3\" failures=\"0\" errors=\"3\"") != NULL,
		"junit: no GCD and an interrupted run are errors, not an empty success");
	tap_ok(strstr(text, "tests=\"4\" failures=\"1\" errors=\"2\"") != NULL,
		"junit: a word that is no verdict is an error");
	free(text);
	json_array_append_new(
		json_object_get(record, "gcds"), gcd("0000:c1:00.0", "accepted", false));
	text = junit_of(record);
	tap_ok(strstr(text, "<error type=\"accepted\"") != NULL,
		"junit: a GCD that contradicts itself is an error");
	free(text);
	json_decref(record);
}

static void test_values(void)
{
	static const struct {
		const char *json, *want;
	} cases[] = {
		{ "null", "null" },
		{ "[]", "none" },
		{ "[\"\"]", "" },
		{ "[\"\", 1, true]", ", 1, yes" },
		{ "[[1]]", "[[1]]" },
		{ "0.1", "0.1" },
		{ "false", "no" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *value = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
		char *text = view_value(value);

		tap_text(text, cases[i].want, cases[i].json);
		free(text);
		json_decref(value);
	}
}

static void test_decision(void)
{
	json_t *record = small_record("observed");
	char *text;

	tap_number(view_count_workers(record), 1, "a worker is one by both members");
	json_object_set_new(json_array_get(json_object_get(record, "gcds"), 1), "verdict",
		json_string("image-differs"));
	tap_number(view_count_workers(record), 0, "render_worker without accepted is none");
	json_array_clear(json_object_get(record, "gcds"));
	text = view_decision(record);
	tap_text(text, "No GCD was judged", "no GCD is no success");
	free(text);
	json_decref(record);
}

/* --- pictures --- */

static void make_picture(const char *path, int width, int height, struct image *out)
{
	static const struct image like = { .channels = 3, .names = { "R", "G", "B" } };
	struct error err;

	image_new(out, width, height, &like);
	out->pixels[0] = 1;
	image_write_exr(path, out, &err);
}

static void refuses(int rc, const struct error *err, const char *why, const char *what)
{
	tap_ok(rc == -1 && strstr(err->text, why), "%s: %s", what, err->text);
}

static void test_pictures(void)
{
	struct image made, read = { 0 };
	struct error err = { "" };
	char hex[65], *uri;

	make_picture("p.exr", 1000, 10, &made);
	digest_file("p.exr", hex, NULL, &err);
	tap_ok(picture_read_in(".", "p.exr", hex, &read, &err) == 0 && read.width == 1000,
		"picture: the recorded one is read");
	image_release(&read);
	refuses(picture_read_in(".", "p.exr", NULL, &read, &err), &err,
		"p.exr: the record has no digest", "no digest");
	hex[0] = hex[0] == '0' ? '1' : '0';
	refuses(picture_read_in(".", "p.exr", hex, &read, &err), &err, "p.exr: its content is not",
		"another file");
	refuses(picture_read_in(".", "../../../etc/hostname", hex, &read, &err), &err,
		"hostname:", "outside");
	tap_ok(mkfifo("pipe", 0600) == 0, "picture: a pipe to try");
	refuses(picture_read_in(".", "pipe", hex, &read, &err), &err, "pipe: not a regular file",
		"a pipe inside");
	file_write("page.exr", "<html>", 6, &err);
	digest_file("page.exr", hex, NULL, &err);
	refuses(picture_read_in(".", "page.exr", hex, &read, &err), &err,
		"page.exr: not an OpenEXR", "a web page");

	uri = picture_uri(&made, true, &err);
	/* The IHDR of a 334x4 8-bit RGB PNG; base64 by Python. */
	tap_ok(uri && str_starts(
			      uri, "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAU4AAAAECAIAAA"),
		"picture: 1000x10 becomes 334x4");
	free(uri);
	image_release(&made);
}

static void test_shrinking_keeps_a_difference(void)
{
	struct image made, read = { 0 };
	struct error err = { "" };
	unsigned char *png = NULL;
	size_t len = 0;

	make_picture("q.exr", 2, 2, &made);
	tap_ok(image_encode_png(&made, 1, &png, &len, &err) == 0 && len > 60 &&
			memcmp(png, "\x89PNG", 4) == 0,
		"picture: a PNG in memory");
	file_write("memory.png", png, len, &err);
	image_write_png("file.png", &made, 1, &err);
	tap_ok(image_read("memory.png", &read, &err) == 0 && read.pixels[0] == 1 &&
			read.pixels[3] == 0,
		"picture: its pixels");
	image_release(&read);
	image_release(&made);
	free(png);
}

/* --- tone map, drawing, charts --- */

/* By hand from the published formula: L (1 + L/W^2) / (1 + L). */
static void test_tone(void)
{
	static const struct {
		double stops;
		float in, want;
	} cases[] = {
		{ 0, 1, 0.625F }, /* (1 + 1/4) / 2 */
		{ 0, 2, 1 }, /* the white itself */
		{ 0, 8, 1 }, /* beyond it: clamped */
		{ 0, 0, 0 },
		{ 0, -1, 0 },
		{ 1, 0.5F, 0.625F }, /* a stop brighter is twice the light */
		{ -2, 4, 0.625F },
	};
	struct image made, toned = { 0 };
	struct tone tone = { .white = 2 };
	size_t i;

	make_picture("tone.exr", 1, 1, &made);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made.pixels[0] = made.pixels[1] = made.pixels[2] = cases[i].in;
		tone.stops = cases[i].stops;
		tone_map(&made, &tone, &toned);
		tap_ok(fabsf(toned.pixels[1] - cases[i].want) < 1e-5F,
			"tone: %g becomes %g, got %g", (double)cases[i].in, (double)cases[i].want,
			(double)toned.pixels[1]);
		image_release(&toned);
	}
	made.pixels[0] = 3;
	made.pixels[1] = made.pixels[2] = 0;
	tap_ok(tone_white(&made) == 1, "tone: white is 1 at least");
	made.pixels[1] = 3;
	tap_ok(fabs(tone_white(&made) - 3 * (0.2126 + 0.7152)) < 1e-6,
		"tone: white is a luminance");
	made.pixels[2] = NAN;
	tap_ok(tone_white(&made) == 1, "tone: what is not finite is no white");
	tone_map(&made, &tone, &toned);
	tap_ok(toned.pixels[0] == 1 && toned.pixels[1] == 0 && toned.pixels[2] == 1,
		"tone: and becomes magenta");
	image_release(&toned);
	image_release(&made);
}

static void test_drawing(void)
{
	json_t *record = small_record("simulated");
	char *html;

	json_object_set_new(record, "modules",
		json_pack("{s:[{s:[s, s], s:s, s:s}], s:s}", "value", "gcds", "0000:c1:00.0",
			"0000:c9:00.0", "basis", "link-width", "why", "x4", "class", "simulated"));
	html = html_of(record);
	tap_number(count_of(html, "class=\"module\""), 2,
		"drawing: a GCD that no module names is drawn too");
	tap_number(
		count_of(html, "class=\"gcd is-"), 3, "drawing: one that was not judged as well");
	tap_number(count_of(html, "class=\"gcd is-bad\""), 1, "drawing: refused");
	tap_number(count_of(html, "class=\"gcd is-open\""), 1, "drawing: not judged is open");
	tap_number(count_of(html, "class=\"gcd is-good\""), 1, "drawing: accepted");
	tap_number(count_of(html, "class=\"link\""), 1,
		"drawing: the two dies of a module are joined");
	tap_ok(strstr(html, "NUMA domain not known") != NULL,
		"drawing: no NUMA domain is invented");
	free(html);
	json_object_set_new(record, "modules",
		json_pack(
			"{s:n, s:s, s:s}", "value", "class", "unknown", "why", "no links to read"));
	html = html_of(record);
	tap_ok(count_of(html, "no module: no links to read") == 2 &&
			!strstr(html, "class=\"link\""),
		"drawing: modules that are unknown are not drawn, and why");
	free(html);
	json_decref(record);
}

static void test_charts(void)
{
	json_t *record = small_record("simulated"), *attempts = json_object_get(record, "attempts");
	char *html;

	json_object_set_new(
		json_array_get(attempts, 0), "timing", json_pack("{s:f}", "render_seconds", 2.0));
	json_object_set_new(
		json_array_get(attempts, 2), "timing", json_pack("{s:f}", "render_seconds", 4.0));
	json_object_set_new(record, "baseline",
		json_pack("{s:{s:{s:f, s:s}}, s:[{s:s, s:n, s:s, s:s}]}", "cpu", "msamples_per_s",
			"value", 0.25, "class", "observed", "gcds", "bdf", "0000:c1:00.0", "value",
			"class", "unknown", "why", "not tested"));
	html = html_of(record);
	tap_ok(strstr(html, "class=\"bar refused\" x=\"92\" y=\"27\" width=\"55\"") != NULL,
		"charts: half the time is half the bar, dashed when refused");
	tap_ok(strstr(html, ">2.00 s not-listed<") && strstr(html, ">4.00 s observed<"),
		"charts: times with what became of it");
	tap_ok(strstr(html, ">0.25 observed<") && strstr(html, ">not tested<"),
		"charts: a rate, and why there is none");
	tap_ok(strstr(html, ">before: unknown<") && strstr(html, ">after: unknown<"),
		"charts: memory that is not known has no bar");
	tap_ok(strstr(html, "the reason why") != NULL, "unknown: listed with its reason");
	free(html);
	json_decref(record);
}

/* Metrics are shown when a record has them, each with its limit, and no others. */
static void test_metrics(void)
{
	json_t *record = small_record("simulated");
	json_t *first = json_array_get(json_object_get(record, "attempts"), 0);
	char *html;

	json_object_set_new(first, "folder", json_string("attempts/1"));
	json_object_set_new(first, "image",
		json_pack("{s:{s:f, s:f, s:{s:f, s:{s:f}}}, s:{s:s, s:{s:{s:f}}}}", "comparison",
			"share_over", 0.125, "psnr", 31.5, "limits", "share_over", 0.01, "noise",
			"tile_z", 6.5, "match", "basis", "noise-model", "noise", "tile_z", "value",
			4.25));
	html = html_of(record);
	tap_ok(strstr(html, "class=\"number\">12.5 % (limit 1 %)<") != NULL, "metrics: a share");
	tap_ok(strstr(html, "data-label=\"PSNR, dB\" class=\"number\">31.5<") != NULL,
		"metrics: one without a limit");
	tap_ok(strstr(html, "data-label=\"noise: tile z\" class=\"number\">4.25 (limit 6.5)<") !=
			NULL,
		"metrics: one of a part");
	tap_ok(strstr(html, "data-label=\"accepted by\" class=\"number\">noise-model<") != NULL,
		"metrics: by what it was accepted");
	tap_ok(!strstr(html, "SSIM"), "metrics: no column for what nobody measured");
	free(html);
	json_decref(record);
}

int main(void)
{
	char place[] = "/tmp/oamqual-report-XXXXXX";
	int back = open(".", O_RDONLY | O_DIRECTORY);
	struct error err;

	if (!mkdtemp(place) || chdir(place) != 0)
		return 1;
	test_show();
	test_markup_escape();
	test_markdown_escape();
	test_shell_words();
	test_markup_tree();
	test_hostile();
	test_long_and_deep();
	test_html();
	test_markdown();
	test_junit();
	test_values();
	test_decision();
	test_pictures();
	test_shrinking_keeps_a_difference();
	test_tone();
	test_drawing();
	test_charts();
	test_metrics();
	if (fchdir(back) != 0 || folder_remove(place, &err) != 0)
		return 1;
	close(back);
	return tap_done();
}
