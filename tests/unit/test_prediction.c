/* SPDX-License-Identifier: Apache-2.0 */
/* What versions do, written by hand from Cycles' tags and from the runs with Debian's builds, not
 * from the table under test. */
#include <stdlib.h>
#include <string.h>

#include "blender/prediction.h"
#include "tap.h"

static struct prediction p;

static const char *expect(const char *gfx, const char *blender, unsigned long driver,
	enum known kernels, const char *hipcc)
{
	struct prediction_input in = {
		.gfx = gfx, .driver = { driver != 0, driver }, .prebuilt = kernels, .hipcc = hipcc
	};
	struct error err;

	if (!prediction_version(blender, &in.major, &in.minor) ||
		prediction_make(&in, &p, &err) != 0)
		return "refused";
	return p.verdict.value[0] ? p.verdict.value : "unknown";
}

/* Debian's builds carry no kernels. */
static const struct {
	const char *gfx, *blender;
	unsigned long driver;
	enum known kernels;
	const char *hipcc, *want, *title;
} cases[] = {
	/* hipSupportsDevice of the tags */
	{ "gfx90a", "3.0", 0, KNOWN_NO, "5.2.3", "not-listed", "v3.0.0 wants 10.1" },
	{ "gfx1010", "3.2.2", 0, KNOWN_YES, NULL, "unknown", "v3.2.0 takes 10.1" },
	{ "gfx90a", "3.2", 0, KNOWN_YES, "5.7.1", "not-listed", "v3.2.0 wants 10.1" },
	{ "gfx803", "3.4", 0, KNOWN_YES, "5.2.3", "not-listed", "v3.4.0 wants major 9" },
	{ "gfx906", "3.4", 0, KNOWN_YES, NULL, "unknown", "gfx906 has a kernel at v3.4.0" },
	{ "gfx906", "4.2", 0, KNOWN_YES, "none", "kernel-missing", "and none at v4.2.0" },
	{ "gfx942", "4.3", 0, KNOWN_NO, "6.4", "not-listed", "v4.3.0 wants major 10" },
	{ "gfx90a", "4.3.2", 0, KNOWN_NO, "5.7.1", "not-listed", "4.3.2 hid gfx90a (ran)" },
	{ "gfx90a", "4.5.3 LTS", 0, KNOWN_YES, "6.4", "not-listed", "v4.5.0 wants major 10" },
	{ "gfx90a", "5.2.2", 60342134, KNOWN_NO, "6.4", "not-listed", "5.2.2 hid gfx90a (ran)" },
	/* hipSupportsDriver */
	{ "gfx1100", "4.5", 50221153, KNOWN_YES, NULL, "unknown", "no gate on Linux before 5.0" },
	{ "gfx1100", "5.0", 59999999, KNOWN_YES, NULL, "driver-too-old", "A12 5.0 wants HIP 6.0" },
	{ "gfx1100", "5.1", 50700000, KNOWN_YES, NULL, "driver-too-old", "A12 and so does 5.1" },
	{ "gfx1100", "5.1", 60000000, KNOWN_YES, NULL, "unknown", "HIP 6.0 is enough for 5.1" },
	{ "gfx90a", "5.2.2", 60342130, KNOWN_NO, "6.4", "driver-too-old",
		"A12 5.2 wants ROCm 6.3.0" },
	{ "gfx1100", "5.2.2", 60342131, KNOWN_YES, NULL, "unknown", "ROCm 6.3.0 is enough" },
	/* neither kernels nor hipcc: ran with gfx1100 on 4.3.2 */
	{ "gfx1100", "4.3.2", 0, KNOWN_NO, "none", "not-listed", "nothing is listed without both" },
	{ "gfx90a", "3.4.1", 0, KNOWN_NO, "none", "not-listed", "whatever the architecture" },
	{ "gfx90a", "3.4.1", 0, KNOWN_YES, "none", "kernel-missing", "kernels of other targets" },
	/* compilers that ran */
	{ "gfx90a", "3.4.1", 0, KNOWN_NO, "5.2.3", "kernel-build-failed", "SGPR spill (ran)" },
	{ "gfx90a", "3.4.1", 0, KNOWN_NO, "5.7.1", "unknown", "5.7.1 builds it (ran)" },
	{ "gfx90a", "3.4.1", 0, KNOWN_NO, "5.71", "unknown", "5.71 is not 5.7.1" },
	{ "gfx942", "3.4.1", 0, KNOWN_NO, "5.7.1", "kernel-build-failed", "no textures (ran)" },
	{ "gfx942", "3.4.1", 0, KNOWN_NO, "6.4.43484", "kernel-build-failed", "no textures (ran)" },
	{ "gfx942", "4.2", 0, KNOWN_NO, "6.4", "kernel-build-failed", "no textures (derived)" },
	{ "gfx942", "3.4.1", 0, KNOWN_NO, "5.2.3", "unknown", "nobody tried" },
	/* outside the table */
	{ "gfx90a", "2.93", 0, KNOWN_NO, "5.7.1", "unknown", "2.93 has no HIP to predict" },
	{ "gfx90a", "5.3", 0, KNOWN_NO, "6.4", "unknown", "5.3 was not read" },
};

static void test_verdicts(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_text(expect(cases[i].gfx, cases[i].blender, cases[i].driver, cases[i].kernels,
				 cases[i].hipcc),
			cases[i].want, cases[i].title);
}

/* What is not known is said, with why. */
static void test_unknown(void)
{
	expect("gfx90a", "5.3", 0, KNOWN_NO, "6.4");
	tap_text(p.listing.value, "", "outside the table nothing is said to be listed");
	tap_ok(strstr(p.listing.basis, "to 5.2") != NULL, "and why");
	tap_ok(p.range == NULL, "no row");
	expect("gfx90a", "3.4.1", 0, KNOWN_UNKNOWN, NULL);
	tap_text(p.listing.value, "", "without a word of kernels and hipcc the list is unknown");
	tap_ok(strstr(p.verdict.basis, "with neither kernels nor hipcc not-listed") != NULL,
		"and each way is told");
	tap_ok(strstr(p.build.basis, "5.2.3 fails") && strstr(p.build.basis, "5.7.1 builds"),
		"with the compilers that were tried");
	expect("gfx90a", "3.4.1", 0, KNOWN_NO, "5.7.1");
	tap_text(p.listing.value, "listed", "with hipcc it is listed");
	tap_text(p.build.value, "builds", "and its kernel builds");
	tap_ok(strstr(p.verdict.basis, "only a run") != NULL, "which is no acceptance");
	tap_number(p.expected, VERDICT_COUNT, "so no verdict is predicted");
}

/* Every value says what it rests on. */
static void test_basis(void)
{
	const struct prediction_range *range, *before = NULL;
	size_t unnamed = 0, gaps = 0;

	for (range = prediction_ranges; range->from_major; before = range++) {
		unnamed += !strstr(range->floor_basis, "v") || !range->driver_basis[0] ||
			   !range->libraries_basis[0] || !range->kernels_basis[0];
		gaps += before &&
			(range->from_major != before->to_major
					? range->from_minor != 0 ||
						  range->from_major != before->to_major + 1
					: range->from_minor != before->to_minor + 1);
	}
	tap_number(unnamed, 0, "each row names its sources");
	tap_number(gaps, 0, "the rows leave no version out");
	tap_ok(prediction_range_of(4, 0) == prediction_range_of(3, 6), "4.0 follows 3.6");
	expect("gfx90a", "5.2", 60342130, KNOWN_NO, "none");
	tap_ok(strstr(p.driver.value, "found HIP driver 60342130 (6.3.42130), needed 60342131") !=
			NULL,
		"A12 found and needed are named");
	expect("gfx90a", "4.2", 0, KNOWN_NO, "none");
	tap_ok(strncmp(p.libraries.value, "libamdhip64.so.5 ", 17) == 0,
		"A11 4.2 tries .so.5 first");
	tap_ok(!strstr(p.libraries.value, ".so.7"), "A11 and never .so.7");
}

static void test_reading(void)
{
	static const char *const no_target[] = { "", "gfx", "gfx90", "90a", "gfx90x", "gfxa0a",
		"gfx090a", "gfx90a ", "GFX90A", "gfx12345678" };
	static const char *const no_version[] = { "", "5", "5.", ".4", "3.4x", "-3.4", "0.4",
		"3.-4", "100.1", "latest" };
	int major, minor;
	size_t i;

	tap_ok(prediction_capability("gfx90a:sramecc+:xnack-", &major, &minor) && major == 9 &&
			!minor,
		"gfx90a is 9.0");
	tap_ok(prediction_capability("gfx942", &major, &minor) && major == 9 && minor == 4,
		"gfx942 is 9.4");
	tap_ok(prediction_capability("gfx1035", &major, &minor) && major == 10 && minor == 3,
		"gfx1035 is 10.3");
	tap_ok(prediction_capability("gfx1151", &major, &minor) && major == 11 && minor == 5,
		"gfx1151 is 11.5");
	for (i = 0; i < sizeof(no_target) / sizeof(no_target[0]); i++)
		tap_ok(!prediction_capability(no_target[i], &major, &minor), "no target: %s",
			no_target[i]);
	for (i = 0; i < sizeof(no_version) / sizeof(no_version[0]); i++)
		tap_ok(!prediction_version(no_version[i], &major, &minor), "no version: %s",
			no_version[i]);
	tap_text(expect("navi", "3.4", 0, KNOWN_NO, NULL), "refused", "a name is no target");
}

int main(void)
{
	test_verdicts();
	test_unknown();
	test_basis();
	test_reading();
	return tap_done();
}
