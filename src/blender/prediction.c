/* SPDX-License-Identifier: Apache-2.0 */
#include "blender/prediction.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* --- the facts ----------------------------------------------------------------------------------
 */

/* clang-format off */
#define READ "read in Cycles' source: "
#define UTIL_H READ "hipSupportsDevice in device/hip/util.h, "

#define FLOOR_RDNA UTIL_H "tags v3.0.0 to v3.2.0"
#define FLOOR_VEGA UTIL_H "tags v3.3.0 to v4.2.0 (Vega enabled by fd6e05e27, 2022); Debian's 3.4.1 listed gfx90a (ran)"
#define FLOOR_43   UTIL_H "tags v4.3.0 and v4.4.0 (Vega removed by dc1303119, 2024); Debian's 4.3.2 hid gfx90a (ran)"
#define FLOOR_45   UTIL_H "tag v4.5.0 (Vega removed by dc1303119, 2024)"
#define FLOOR_50   UTIL_H "tags v5.0.0 and v5.1.0 (Vega removed by dc1303119, 2024)"
#define FLOOR_52   UTIL_H "July 2026 (Vega removed by dc1303119, 2024); Debian's 5.2.2 hid gfx90a (ran)"

#define DRIVER_NONE READ "no gate before tag v4.4.0"
#define DRIVER_44   READ "hipSupportsDriver in device/hip/util.cpp, tags v4.4.0 and v4.5.0: a gate on Windows only"
#define DRIVER_50   READ "hipSupportsDriver in device/hip/util.cpp, tags v5.0.0 and v5.1.0, from commit 38ac350c4 (December 2025, " \
		    "so the first 5.0 may lack it)"
#define DRIVER_52   READ "hipSupportsDriver in device/hip/util.cpp, commit 7bc112ca4 (May 2026); Debian's 5.2.2 refused less (ran)"

#define LIBS_35 "/opt/rocm/hip/lib/libamdhip64.so libamdhip64.so"
#define LIBS_41 "libamdhip64.so.5 /opt/rocm/lib/libamdhip64.so.5 /opt/rocm/hip/lib/libamdhip64.so.5 libamdhip64.so " \
		"/opt/rocm/lib/libamdhip64.so /opt/rocm/hip/lib/libamdhip64.so"
#define LIBS_45 "libamdhip64.so.6 /opt/rocm/lib/libamdhip64.so.6 /opt/rocm/hip/lib/libamdhip64.so.6"
#define LIBS_50 LIBS_45 " libamdhip64.so.7 /opt/rocm/lib/libamdhip64.so.7 /opt/rocm/hip/lib/libamdhip64.so.7"
#define HIPEW READ "third_party/hipew/src/hipew.c, "
#define LIBS_BASIS_35 HIPEW "tags v3.1.0 to v4.0.2: the path below /opt/rocm; the bare name is tried by Debian's 3.4.1 (read in the program)"
#define LIBS_BASIS_41 HIPEW "tags v4.1.1 to v4.4.0; Debian's 4.3.2 holds the same names (read in the program)"
#define LIBS_BASIS_45 HIPEW "tag v4.5.0; a build with WITH_HIP_SDK_5 tries .so.5 in their place"
#define LIBS_BASIS_50 HIPEW "tags v5.0.0 and v5.1.0 for .so.6; .so.7 by the message of commit e42ead59c (2025), its paths assumed alike"

#define KERNELS_31 "gfx1010 gfx1011 gfx1012 gfx1030 gfx1031 gfx1032 gfx1034"
#define KERNELS_33 "gfx900 gfx906 gfx90c gfx902 " KERNELS_31 " gfx1035"
#define KERNELS_36 "gfx900 gfx90c gfx902 " KERNELS_31 " gfx1035 gfx1100 gfx1101 gfx1102"
#define KERNELS_41 KERNELS_36 " gfx1036 gfx1103 gfx1150 gfx1151"
#define CMAKE READ "CYCLES_HIP_BINARIES_ARCH in CMakeLists.txt, "
#define OTHERS "; a distribution may change the list, Debian ships no kernels"

const struct prediction_range prediction_ranges[] = {
	{ 3, 0, 3, 0, 10, 1, FLOOR_RDNA, 0, DRIVER_NONE, LIBS_35, LIBS_BASIS_35,
	  NULL, "no list stands in Cycles' CMakeLists.txt at tag v3.0.0" },
	{ 3, 1, 3, 2, 10, 1, FLOOR_RDNA, 0, DRIVER_NONE, LIBS_35, LIBS_BASIS_35, KERNELS_31, CMAKE "tags v3.1.0 and v3.2.0" OTHERS },
	{ 3, 3, 3, 5, 9, 0, FLOOR_VEGA, 0, DRIVER_NONE, LIBS_35, LIBS_BASIS_35, KERNELS_33, CMAKE "tags v3.3.0 to v3.5.0" OTHERS },
	{ 3, 6, 4, 0, 9, 0, FLOOR_VEGA, 0, DRIVER_NONE, LIBS_35, LIBS_BASIS_35, KERNELS_36, CMAKE "tags v3.6.0 and v4.0.0" OTHERS },
	{ 4, 1, 4, 2, 9, 0, FLOOR_VEGA, 0, DRIVER_NONE, LIBS_41, LIBS_BASIS_41, KERNELS_41, CMAKE "tags v4.1.1 and v4.2.0" OTHERS },
	{ 4, 3, 4, 4, 10, 0, FLOOR_43, 0, DRIVER_44, LIBS_41, LIBS_BASIS_41, KERNELS_41, CMAKE "tags v4.3.0 and v4.4.0" OTHERS },
	{ 4, 5, 4, 5, 10, 0, FLOOR_45, 0, DRIVER_44, LIBS_45, LIBS_BASIS_45, KERNELS_41, CMAKE "tag v4.5.0" OTHERS },
	{ 5, 0, 5, 1, 10, 0, FLOOR_50, 60000000, DRIVER_50, LIBS_50, LIBS_BASIS_50, KERNELS_41, CMAKE "tags v5.0.0 and v5.1.0" OTHERS },
	{ 5, 2, 5, 2, 10, 0, FLOOR_52, 60342131, DRIVER_52, LIBS_50, LIBS_BASIS_50, KERNELS_41, CMAKE "July 2026" OTHERS },
	{ 0 },
};

#define SPILLS "ran, Debian's 3.4.1: `unhandled SGPR spill to memory` after three minutes, exit 1"
#define RAN34 "ran, the kernel source of 3.4.1 with -O3"
#define RAN52 "ran, the kernel source of 5.2.2"
#define NO_TEXTURES "; the target has no image instructions, so `tex2D` is unavailable for it"
#define LIKEWISE "derived: device/hip/compat.h of this version calls tex2D as 3.4 does, and this hipcc refused that for this target" \
		 " (ran with 3.4.1's kernel)"

/* What hipcc made of the kernel source. Blender 0.0 is any of the table; the first row that fits counts. That it builds
 * is not that it renders right. */
static const struct build_row {
	int major, minor;
	const char *gfx, *hipcc;
	enum known builds;
	const char *basis;
} builds[] = {
	{ 3, 4, "gfx90a", "5.2.3", KNOWN_NO,  SPILLS },
	{ 3, 4, "gfx90a", "5.7.1", KNOWN_YES, RAN34 ", 106 s" },
	{ 3, 4, "gfx908", "5.7.1", KNOWN_YES, RAN34 ", 119 s" },
	{ 3, 4, "gfx940", "5.7.1", KNOWN_NO,  RAN34 NO_TEXTURES },
	{ 3, 4, "gfx942", "5.7.1", KNOWN_NO,  RAN34 NO_TEXTURES },
	{ 3, 4, "gfx90a", "6.4",   KNOWN_YES, RAN34 ", 124 s" },
	{ 3, 4, "gfx942", "6.4",   KNOWN_NO,  RAN34 NO_TEXTURES },
	{ 5, 2, "gfx90a", "6.4",   KNOWN_YES, RAN52 ", 135 s" },
	{ 5, 2, "gfx942", "6.4",   KNOWN_NO,  RAN52 NO_TEXTURES },
	{ 0, 0, "gfx940", "5.7.1", KNOWN_NO,  LIKEWISE },
	{ 0, 0, "gfx942", "5.7.1", KNOWN_NO,  LIKEWISE },
	{ 0, 0, "gfx942", "6.4",   KNOWN_NO,  LIKEWISE },
};
/* clang-format on */

enum { BUILD_ROWS = sizeof(builds) / sizeof(builds[0]) };

/* --- reading what was asked ----------------------------------------------------------------------
 */

static bool is_hex(char c)
{
	return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

/* gfx, the major number in decimal, then minor and stepping, a hex digit each. */
bool prediction_capability(const char *gfx, int *major, int *minor)
{
	size_t len = strcspn(gfx, ":"), i;

	if (!str_starts(gfx, "gfx") || len < 6 || len > 8)
		return false;
	for (i = 3; i < len - 2; i++)
		if (!isdigit((unsigned char)gfx[i]))
			return false;
	if (!is_hex(gfx[len - 2]) || !is_hex(gfx[len - 1]) || gfx[3] == '0')
		return false;
	for (i = 3, *major = 0; i < len - 2; i++)
		*major = *major * 10 + (gfx[i] - '0');
	*minor =
		isdigit((unsigned char)gfx[len - 2]) ? gfx[len - 2] - '0' : gfx[len - 2] - 'a' + 10;
	return true;
}

bool prediction_version(const char *text, int *major, int *minor)
{
	char *end, *rest;
	long a = strtol(text, &end, 10), b;

	if (end == text || !isdigit((unsigned char)text[0]) || *end != '.' ||
		!isdigit((unsigned char)end[1]))
		return false;
	b = strtol(end + 1, &rest, 10);
	if (a < 1 || a > 99 || b > 99 || (*rest && !strchr(". ", *rest)))
		return false;
	*major = (int)a;
	*minor = (int)b;
	return true;
}

void prediction_driver_text(unsigned long long driver, char text[40])
{
	snprintf(text, 40, "%llu.%llu.%llu", driver / 10000000, driver / 100000 % 100,
		driver % 100000);
}

static int order(int major, int minor)
{
	return major * 100 + minor;
}

const struct prediction_range *prediction_range_of(int major, int minor)
{
	const struct prediction_range *range;

	for (range = prediction_ranges; range->from_major; range++)
		if (order(major, minor) >= order(range->from_major, range->from_minor) &&
			order(major, minor) <= order(range->to_major, range->to_minor))
			return range;
	return NULL;
}

void prediction_range_text(const struct prediction_range *range, char text[24])
{
	if (order(range->from_major, range->from_minor) == order(range->to_major, range->to_minor))
		snprintf(text, 24, "%d.%d", range->from_major, range->from_minor);
	else
		snprintf(text, 24, "%d.%d - %d.%d", range->from_major, range->from_minor,
			range->to_major, range->to_minor);
}

/* --- one value each ------------------------------------------------------------------------------
 */

static void set(struct predicted *to, const char *value, const char *basis)
{
	str_copy(to->value, sizeof(to->value), value);
	str_copy(to->basis, sizeof(to->basis), basis);
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = words; at && (at = strstr(at, word)) != NULL; at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* Is one version the other up to a component's end? "6.4" and "6.4.1", not "5.7" and "5.71". */
static bool same_release(const char *a, const char *b)
{
	size_t len = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	return len && strncmp(a, b, len) == 0 && strchr(".", a[len]) && strchr(".", b[len]);
}

static const struct build_row *build_row(const struct prediction *p, const char *hipcc)
{
	size_t i;

	for (i = 0; i < BUILD_ROWS; i++)
		if ((!builds[i].major ||
			    (builds[i].major == p->major && builds[i].minor == p->minor)) &&
			strcmp(builds[i].gfx, p->gfx) == 0 && same_release(builds[i].hipcc, hipcc))
			return &builds[i];
	return NULL;
}

static bool is_admitted(const struct prediction *p)
{
	int major = 0, minor = 0;

	prediction_capability(p->gfx, &major, &minor);
	return order(major, minor) >= order(p->range->floor_major, p->range->floor_minor);
}

static void set_architecture(struct prediction *p)
{
	char value[PREDICTION_VALUE];

	snprintf(value, sizeof(value),
		"%s: Cycles HIP of %d.%d takes compute capability %d.%d and up",
		is_admitted(p) ? "admitted" : "below the floor", p->major, p->minor,
		p->range->floor_major, p->range->floor_minor);
	set(&p->architecture, value, p->range->floor_basis);
}

static bool is_too_old(const struct prediction *p, const struct prediction_input *in)
{
	return in->driver.known && in->driver.value < p->range->driver_min;
}

static void set_driver(struct prediction *p, const struct prediction_input *in)
{
	char value[PREDICTION_VALUE], needed[40], found[40];

	prediction_driver_text(p->range->driver_min, needed);
	prediction_driver_text(in->driver.value, found);
	if (!p->range->driver_min)
		snprintf(
			value, sizeof(value), "accepted: this version asks for none in particular");
	else if (!in->driver.known)
		snprintf(value, sizeof(value), "needs HIP driver %lu (%s) or newer",
			p->range->driver_min, needed);
	else
		snprintf(value, sizeof(value), "%s: found HIP driver %llu (%s), needed %lu (%s)",
			is_too_old(p, in) ? "too old" : "accepted",
			(unsigned long long)in->driver.value, found, p->range->driver_min, needed);
	set(&p->driver, value, p->range->driver_basis);
}

static void set_prebuilt(struct prediction *p, const struct prediction_input *in)
{
	bool in_list = p->range->kernels && has_word(p->range->kernels, p->gfx);

	if (in->prebuilt == KNOWN_NO)
		set(&p->prebuilt, "none: this build carries no kernels", "as asked");
	else if (!p->range->kernels)
		set(&p->prebuilt, "", p->range->kernels_basis);
	else
		set(&p->prebuilt,
			in_list ? "in the list of prebuilt kernels"
				: "not in the list of prebuilt kernels",
			p->range->kernels_basis);
}

/* What is known of other hipcc releases, for one who has not said which. */
static void known_builds(const struct prediction *p, char *text, size_t size)
{
	size_t i, used = 0;

	text[0] = '\0';
	for (i = 0; i < BUILD_ROWS && used < size; i++) {
		const struct build_row *row = &builds[i];

		if (strcmp(row->gfx, p->gfx) != 0 || build_row(p, row->hipcc) != row)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s hipcc %s %s",
			used ? ";" : " known for Blender's version and this target:", row->hipcc,
			row->builds == KNOWN_YES ? "builds" : "fails");
	}
	if (!used)
		snprintf(text, size, " nothing is known for Blender's version and this target");
}

static bool is_release(const char *hipcc)
{
	return hipcc && isdigit((unsigned char)hipcc[0]);
}

static void set_build(struct prediction *p, const struct prediction_input *in)
{
	const struct build_row *row = is_release(in->hipcc) ? build_row(p, in->hipcc) : NULL;
	char known[300], basis[PREDICTION_BASIS];

	if (row) {
		set(&p->build, row->builds == KNOWN_YES ? "builds" : "fails", row->basis);
		return;
	}
	if (in->hipcc && strcmp(in->hipcc, "none") == 0) {
		set(&p->build, "", "no hipcc is in reach, so nothing is compiled");
		return;
	}
	known_builds(p, known, sizeof(known));
	snprintf(basis, sizeof(basis), "%s%.40s;%s",
		is_release(in->hipcc) ? "not tried with hipcc " : "the hipcc release decides",
		is_release(in->hipcc) ? in->hipcc : "", known);
	set(&p->build, "", basis);
}

/* --- together ------------------------------------------------------------------------------------
 */

/* One way the unknown inputs may be. */
struct way {
	bool prebuilt, hipcc;
};

/* In this order Cycles asks: driver, kernels or compiler at all, architecture, a kernel for the
 * target. */
static enum verdict_id expect(
	const struct prediction *p, const struct prediction_input *in, struct way way)
{
	const struct build_row *row = is_release(in->hipcc) ? build_row(p, in->hipcc) : NULL;

	if (is_too_old(p, in))
		return VERDICT_DRIVER_TOO_OLD;
	if ((!way.prebuilt && !way.hipcc) || !is_admitted(p))
		return VERDICT_NOT_LISTED;
	if (way.prebuilt && (!p->range->kernels || has_word(p->range->kernels, p->gfx)))
		return VERDICT_COUNT;
	if (!way.hipcc)
		return VERDICT_KERNEL_MISSING;
	return row && row->builds == KNOWN_NO ? VERDICT_KERNEL_BUILD_FAILED : VERDICT_COUNT;
}

enum { WAYS = 4 };

/* Which of the four ways agree with what is known. */
static size_t ways_of(const struct prediction_input *in, struct way ways[WAYS])
{
	bool none = in->hipcc && strcmp(in->hipcc, "none") == 0;
	size_t count = 0;
	int i;

	for (i = 0; i < WAYS; i++) {
		struct way way = { (i & 1) != 0, (i & 2) != 0 };

		if ((in->prebuilt != KNOWN_UNKNOWN &&
			    way.prebuilt != (in->prebuilt == KNOWN_YES)) ||
			(in->hipcc && way.hipcc != !none))
			continue;
		ways[count++] = way;
	}
	return count;
}

static void set_listing(struct prediction *p, const struct prediction_input *in,
	const struct way *ways, size_t count)
{
	size_t i, hidden = 0;

	for (i = 0; i < count; i++) {
		enum verdict_id id = expect(p, in, ways[i]);

		hidden += id == VERDICT_NOT_LISTED || id == VERDICT_DRIVER_TOO_OLD;
	}
	if (hidden == count)
		set(&p->listing, "hidden",
			is_too_old(p, in) ? "the driver is refused before any device is asked about"
			: !is_admitted(p)
				? p->range->floor_basis
				: "neither kernels nor hipcc: then Cycles HIP lists no device "
				  "at all, whatever its architecture (ran, 4.3.2 with gfx1100)");
	else if (!hidden)
		set(&p->listing, "listed", p->range->floor_basis);
	else
		set(&p->listing, "",
			"listed when the build carries kernels or hipcc is in reach, else no "
			"device is");
}

static const char *way_text(struct way way)
{
	if (way.hipcc)
		return way.prebuilt ? "with kernels and hipcc" : "with hipcc and no kernels";
	return way.prebuilt ? "with kernels and no hipcc" : "with neither kernels nor hipcc";
}

static void say_each(struct prediction *p, const struct prediction_input *in,
	const struct way *ways, size_t count)
{
	char *text = p->verdict.basis;
	size_t i, used = (size_t)snprintf(text, PREDICTION_BASIS, "it depends:");

	for (i = 0; i < count && used < PREDICTION_BASIS; i++) {
		enum verdict_id id = expect(p, in, ways[i]);

		used += (size_t)snprintf(text + used, PREDICTION_BASIS - used, "%s %s %s",
			i ? ";" : "", way_text(ways[i]),
			id == VERDICT_COUNT ? "only a run decides" : verdict_name(id));
	}
}

static const char *basis_of(const struct prediction *p, enum verdict_id id)
{
	switch (id) {
	case VERDICT_DRIVER_TOO_OLD:
		return p->range->driver_basis;
	case VERDICT_NOT_LISTED:
		return p->listing.basis;
	case VERDICT_KERNEL_BUILD_FAILED:
		return p->build.basis;
	case VERDICT_KERNEL_MISSING:
		return p->prebuilt.basis;
	default:
		return "nothing in the table speaks against it, and nothing speaks for it: only a "
		       "run "
		       "decides whether the picture is right";
	}
}

static void set_verdict(struct prediction *p, const struct prediction_input *in,
	const struct way *ways, size_t count)
{
	enum verdict_id first = expect(p, in, ways[0]);
	size_t i, same = 0;

	for (i = 0; i < count; i++)
		same += expect(p, in, ways[i]) == first;
	p->expected = same == count ? first : VERDICT_COUNT;
	if (same != count)
		say_each(p, in, ways, count);
	else
		set(&p->verdict, first == VERDICT_COUNT ? "" : verdict_name(first),
			basis_of(p, first));
}

static void set_outside(struct prediction *p)
{
	struct predicted *all[] = { &p->architecture, &p->driver, &p->listing, &p->libraries,
		&p->prebuilt, &p->build, &p->verdict };
	char why[PREDICTION_BASIS];
	size_t i;

	snprintf(why, sizeof(why),
		"the table goes from Blender 3.0, the first with HIP, to 5.2; of %d.%d nothing was "
		"read or run",
		p->major, p->minor);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		set(all[i], "", why);
}

int prediction_make(const struct prediction_input *in, struct prediction *out, struct error *err)
{
	struct way ways[WAYS];
	char capability[16];
	int major, minor;
	size_t count;

	memset(out, 0, sizeof(*out));
	if (!prediction_capability(in->gfx, &major, &minor))
		return error_set(err, "'%s' is no gfx target; one looks like gfx90a", in->gfx);
	snprintf(out->gfx, sizeof(out->gfx), "%.*s", (int)strcspn(in->gfx, ":"), in->gfx);
	out->major = in->major;
	out->minor = in->minor;
	out->expected = VERDICT_COUNT;
	snprintf(capability, sizeof(capability), "%d.%d", major, minor);
	set(&out->capability, capability, "the target's own name: major, minor and stepping");
	out->range = prediction_range_of(in->major, in->minor);
	if (!out->range) {
		set_outside(out);
		return 0;
	}
	count = ways_of(in, ways);
	set_architecture(out);
	set_driver(out, in);
	set(&out->libraries, out->range->libraries, out->range->libraries_basis);
	set_prebuilt(out, in);
	set_build(out, in);
	set_listing(out, in, ways, count);
	set_verdict(out, in, ways, count);
	return 0;
}
