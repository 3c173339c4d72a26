/* SPDX-License-Identifier: Apache-2.0 */
/* Tables only. A value is written here as its source prints it; what no source at hand says is
 * UNKNOWN with the reason. */
#include "node/catalogue.h"

#include <string.h>

#define SPEC "vendor hardware specification"
#define MATRIX "vendor's compatibility matrix, as published with ROCm 6.3"
#define TOPOLOGY "published dumps and link models of real machines"
#define ROADMAP "vendor roadmap, as of 2026-10"

#define VALUE(key, value, class, source)                                                           \
	{                                                                                          \
		key, value, class, source, NULL                                                    \
	}
#define UNKNOWN(key, why)                                                                          \
	{                                                                                          \
		key, NULL, NULL, NULL, why                                                         \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, NULL, NULL                                                       \
	}

#define NOT_HELD "no source held here states it, and a sibling's value does not stand for it"
#define NO_POWER "not specified in the profile, and nobody measured it here"
#define NO_BANDWIDTH UNKNOWN("bandwidth", NOT_HELD)
#define NO_BOARD_POWER UNKNOWN("board-power", NO_POWER)

#define GB(n) ((uint64_t)(n)*1000000000u)

/* --- parts ---------------------------------------------------------------------------------- */

static const struct catalogue_value mi210[] = {
	VALUE("target", "gfx90a", "reported", TOPOLOGY),
	VALUE("module", "one die, one device: gfx90a alone does not mean two dies", "reported",
		TOPOLOGY),
	UNKNOWN("domain-memory", NOT_HELD),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id", "0x740f", "reported", TOPOLOGY),
	END,
};

static const struct catalogue_value mi250[] = {
	VALUE("target", "gfx90a", "spec", SPEC),
	VALUE("architecture", "CDNA 2", "spec", SPEC),
	VALUE("domain-memory", "64 GB HBM2e per GCD", "spec", SPEC),
	VALUE("module", "2 GCDs per OAM, separately enumerated", "spec", SPEC),
	VALUE("module-memory", "128 GB, a total of the module and not an addressable domain",
		"spec", SPEC),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id",
		"0x740c, which runtimes name MI250X/MI250: it does not tell the two apart",
		"reported", TOPOLOGY),
	END,
};

static const struct catalogue_value mi250x[] = {
	VALUE("target", "gfx90a", "spec", SPEC),
	VALUE("architecture", "CDNA 2", "spec", SPEC),
	VALUE("domain-memory", "64 GB HBM2e per GCD", "spec", SPEC),
	VALUE("module", "2 GCDs per OAM, separately enumerated; a product distinct from MI250",
		"spec", SPEC),
	VALUE("module-memory", "128 GB, a total of the module and not an addressable domain",
		"spec", SPEC),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id",
		"0x7408; 0x740c, which runtimes name MI250X/MI250, does not tell the two apart",
		"reported", TOPOLOGY),
	END,
};

#define MI300A_LAUNCH "vendor announcement"
static const struct catalogue_value mi300a[] = {
	VALUE("target", "gfx942", "launch", MI300A_LAUNCH),
	VALUE("module", "CPU and GPU in one package", "launch", MI300A_LAUNCH),
	VALUE("domain-memory", "HBM shared with the EPYC cores of the package", "launch",
		MI300A_LAUNCH),
	UNKNOWN("domain-bytes", "the announcement held here gives no size of the shared memory"),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id", "0x74a0", "reported", TOPOLOGY),
	END,
};

#define MI300X_SPEC SPEC ", introduced 2023-12"
static const struct catalogue_value mi300x[] = {
	VALUE("target", "gfx942", "spec", MI300X_SPEC),
	VALUE("domain-memory", "192 GB HBM3 per GPU (SPX)", "spec", MI300X_SPEC),
	VALUE("module", "1 device per OAM in SPX; partitions in DPX, QPX and CPX", "spec",
		MI300X_SPEC),
	UNKNOWN("partition-memory",
		"published for the whole GPU only; a partition's size is what the node reports"),
	VALUE("introduced", "2023-12", "spec", MI300X_SPEC),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id", "0x74a1; 0x74b5 as a virtual function", "reported", TOPOLOGY),
	END,
};

static const struct catalogue_value mi308x[] = {
	UNKNOWN("target", NOT_HELD),
	UNKNOWN("domain-memory", NOT_HELD),
	UNKNOWN("module", NOT_HELD),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id", "0x74a2", "reported", TOPOLOGY),
	END,
};

static const struct catalogue_value mi325x[] = {
	VALUE("target", "gfx942", "spec", SPEC),
	VALUE("domain-memory", "256 GB HBM3E", "spec", SPEC),
	VALUE("module", "1 device per OAM in SPX; partitions in DPX, QPX and CPX", "spec", SPEC),
	UNKNOWN("partition-memory",
		"published for the whole GPU only; a partition's size is what the node reports"),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	VALUE("device-id", "0x74b9", "reported", TOPOLOGY),
	END,
};

#define CDNA4 SPEC ", introduced 2025-06"
static const struct catalogue_value mi350x[] = {
	VALUE("target", "gfx950", "spec", CDNA4),
	VALUE("architecture", "CDNA 4", "spec", CDNA4),
	VALUE("domain-memory", "288 GB HBM3E", "spec", CDNA4),
	UNKNOWN("module", NOT_HELD),
	VALUE("bandwidth", "8 TB/s published peak", "spec", CDNA4),
	VALUE("formats", "MXFP4 and MXFP6", "spec", CDNA4),
	VALUE("introduced", "2025-06", "spec", CDNA4),
	NO_BOARD_POWER,
	UNKNOWN("device-id", "no dump of a real machine held here shows it"),
	END,
};

static const struct catalogue_value mi355x[] = {
	VALUE("target", "gfx950", "spec", CDNA4),
	VALUE("architecture", "CDNA 4", "spec", CDNA4),
	VALUE("domain-memory", "288 GB HBM3E", "spec", CDNA4),
	UNKNOWN("module", NOT_HELD),
	VALUE("bandwidth", "8 TB/s published peak", "spec", CDNA4),
	UNKNOWN("formats", NOT_HELD),
	VALUE("introduced", "2025-06", "spec", CDNA4),
	NO_BOARD_POWER,
	UNKNOWN("device-id", "no dump of a real machine held here shows it"),
	END,
};

#define MI430X_LAUNCH "vendor announcement, 2026-05"
static const struct catalogue_value mi430x[] = {
	UNKNOWN("target", "the announcement held here does not name it"),
	UNKNOWN("domain-memory", "the announcement held here does not name it"),
	VALUE("purpose", "science and AI with an FP64 focus; not the part used in Helios", "launch",
		MI430X_LAUNCH),
	VALUE("introduced", "2026-05", "launch", MI430X_LAUNCH),
	UNKNOWN("module", NOT_HELD),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	UNKNOWN("device-id", "no dump of a real machine held here shows it"),
	END,
};

#define MI455X_LAUNCH "vendor announcement, 2026-07"
#define MI455X_CLAIM "vendor claim against MI300X, 2026-07, not independently measured"
static const struct catalogue_value mi455x[] = {
	UNKNOWN("target", "the announcement held here does not name it"),
	UNKNOWN("domain-memory", "the announcement held here does not name it"),
	VALUE("module", "72 per Helios rack", "launch", MI455X_LAUNCH),
	VALUE("introduced", "2026-07", "launch", MI455X_LAUNCH),
	VALUE("chip-to-chip-link", "4 times MI300X", "claim", MI455X_CLAIM),
	VALUE("fp-performance", "7.7 to 15.4 times MI300X", "claim", MI455X_CLAIM),
	VALUE("power", "more than 3 times MI300X", "claim", MI455X_CLAIM),
	NO_BANDWIDTH,
	NO_BOARD_POWER,
	UNKNOWN("device-id", "no dump of a real machine held here shows it"),
	END,
};

#define PLANNED(year)                                                                              \
	VALUE("planned", year, "plan", ROADMAP), UNKNOWN("target", "planned, not published"),      \
		UNKNOWN("domain-memory", "planned, not published"),                                \
		UNKNOWN("module", "planned, not published"),                                       \
		UNKNOWN("bandwidth", "planned, not published"),                                    \
		UNKNOWN("board-power", "planned, not published"),                                  \
		UNKNOWN("device-id", "planned, not published"), END
static const struct catalogue_value mi500[] = { PLANNED("2027") };
static const struct catalogue_value mi600[] = { PLANNED("2028") };

static const uint64_t mi210_ids[] = { 0x740f, 0 };
static const uint64_t mi250_ids[] = { 0x740c, 0 };
static const uint64_t mi250x_ids[] = { 0x7408, 0x740c, 0 };
static const uint64_t mi300a_ids[] = { 0x74a0, 0 };
static const uint64_t mi300x_ids[] = { 0x74a1, 0x74b5, 0 };
static const uint64_t mi308x_ids[] = { 0x74a2, 0 };
static const uint64_t mi325x_ids[] = { 0x74b9, 0 };

/* --- systems -------------------------------------------------------------------------------- */

#define TOP500(list) "TOP500 list of " list
static const struct catalogue_value frontier[] = {
	VALUE("parts", "EPYC and MI250X", "ranked", TOP500("2022")),
	VALUE("fact", "first machine past one exaflop in HPL", "ranked", TOP500("2022")),
	END,
};

static const struct catalogue_value el_capitan[] = {
	VALUE("parts", "MI300A", "ranked", TOP500("2024-11")),
	VALUE("fact", "number one of the list", "ranked", TOP500("2024-11")),
	END,
};

#define LUMI_PAPER "published paper on the training"
static const struct catalogue_value lumi[] = {
	VALUE("parts", "MI250X", "reported", LUMI_PAPER),
	VALUE("fact", "a language model of 7 billion parameters was trained on it", "reported",
		LUMI_PAPER),
	END,
};

static const struct catalogue_value helios[] = {
	VALUE("parts", "72 MI455X, 18 EPYC Venice, Pensando networking, ROCm", "launch",
		MI455X_LAUNCH),
	VALUE("fact",
		"announced as in production 2026-07; first systems ship in the fourth quarter of "
		"2026",
		"launch", MI455X_LAUNCH),
	UNKNOWN("operational", "no source held here says that a rack is in operation"),
	VALUE("efficiency", "4 times the energy efficiency of 2024 designs", "claim",
		"vendor claim; no third-party benchmark yet"),
	VALUE("consolidation", "two racks for 570 racks of 2024", "claim",
		"vendor claim; no third-party benchmark yet"),
	END,
};

/* --- ROCm ----------------------------------------------------------------------------------- */

#define TARGETS VALUE("targets", "gfx908 gfx90a gfx942 gfx1030 gfx1100", "spec", MATRIX)
#define FEWER                                                                                      \
	VALUE("operating-systems",                                                                 \
		"MI300X and MI300A (gfx942) are listed for fewer of them than MI200", "spec",      \
		MATRIX)
#define ROCM(hip, rccl, drivers)                                                                   \
	VALUE("hip-runtime", hip, "spec", MATRIX), TARGETS, VALUE("rccl", rccl, "spec", MATRIX),   \
		VALUE("tested-drivers", drivers, "spec", MATRIX)
#define MODULE(version)                                                                            \
	VALUE("amdgpu-module", version, "reported",                                                \
		"the vendor's kernel module packages, whose version names both numbers")

#define DRIVERS_60 "6.2 - 5.6"
#define DRIVERS_61 "6.3 - 5.7"
#define DRIVERS_62 "6.3 - 6.0"
#define DRIVERS_63 "6.3 - 6.1"

static const struct catalogue_value rocm_600[] = { ROCM("6.1.32830", "2.18.3", DRIVERS_60), FEWER,
	MODULE("6.3.6"), END };
static const struct catalogue_value rocm_602[] = { ROCM("6.1.32831", "2.18.3", DRIVERS_60), FEWER,
	MODULE("6.3.6"), END };
static const struct catalogue_value rocm_610[] = { ROCM("6.1.40091", "2.18.6", DRIVERS_61), FEWER,
	MODULE("6.7.0"), END };
static const struct catalogue_value rocm_611[] = { ROCM("6.1.40092", "2.18.6", DRIVERS_61), FEWER,
	MODULE("6.7.0"), END };
static const struct catalogue_value rocm_612[] = { ROCM("6.1.40093", "2.18.6", DRIVERS_61), FEWER,
	MODULE("6.7.0"), END };
static const struct catalogue_value rocm_620[] = { ROCM("6.2.41133", "2.20.5", DRIVERS_62), FEWER,
	MODULE("6.8.5"), END };
static const struct catalogue_value rocm_621[] = { ROCM("6.2.41134", "2.20.5", DRIVERS_62), FEWER,
	MODULE("6.8.5"), END };
static const struct catalogue_value rocm_630[] = { ROCM("6.3.42131", "2.21.5", DRIVERS_63),
	MODULE("6.10.5"),
	VALUE("gate", "Blender 5.2 refuses a HIP version below 60342131, which is this release",
		"reported", "Blender's source and the matrix's number"),
	END };
static const struct catalogue_value rocm_631[] = { ROCM("6.3.42133", "2.21.5", DRIVERS_63),
	MODULE("6.10.5"), END };

static const struct catalogue_value rocm_700[] = {
	UNKNOWN("hip-runtime", "the matrix held here ends with ROCm 6.3"),
	UNKNOWN("targets", "the matrix held here ends with ROCm 6.3"),
	VALUE("target-changes", "its libraries bring gfx950 and drop gfx940", "reported",
		"the release's libraries"),
	UNKNOWN("rccl", "the matrix held here ends with ROCm 6.3"),
	UNKNOWN("tested-drivers", "the matrix held here ends with ROCm 6.3"), END
};

const struct catalogue_series catalogue_series[] = {
	{ "5.5", "6.0.5" },
	{ "5.6", "6.1.5" },
	{ "5.7", "6.2.4" },
	{ "6.0", "6.3.6" },
	{ "6.1", "6.7.0" },
	{ "6.2", "6.8.5" },
	{ "6.3", "6.10.5" },
	{ NULL, NULL },
};

#define PART(part, ...) .name = part, .kind = "part", __VA_ARGS__
#define SYSTEM(system, rows) .name = system, .kind = "system", .values = rows
#define RELEASE(release, version, rows)                                                            \
	.name = "ROCm " release, .kind = "rocm", .hip_version = version, .values = rows

const struct catalogue_entry catalogue[] = {
	{ PART("MI210", .gfx_target = "gfx90a", .device_ids = mi210_ids, .dies = 1,
		.values = mi210) },
	{ PART("MI250", .gfx_target = "gfx90a", .device_ids = mi250_ids, .domain_bytes = GB(64),
		.dies = 2, .values = mi250) },
	{ PART("MI250X", .gfx_target = "gfx90a", .device_ids = mi250x_ids, .domain_bytes = GB(64),
		.dies = 2, .values = mi250x) },
	{ PART("MI300A", .gfx_target = "gfx942", .device_ids = mi300a_ids, .values = mi300a) },
	{ PART("MI300X", .gfx_target = "gfx942", .device_ids = mi300x_ids, .domain_bytes = GB(192),
		.dies = 1, .domain_is_whole_gpu = true, .whole_gpu_xcc = 8, .values = mi300x) },
	{ PART("MI308X", .device_ids = mi308x_ids, .values = mi308x) },
	{ PART("MI325X", .gfx_target = "gfx942", .device_ids = mi325x_ids, .domain_bytes = GB(256),
		.dies = 1, .domain_is_whole_gpu = true, .values = mi325x) },
	{ PART("MI350X", .gfx_target = "gfx950", .domain_bytes = GB(288),
		.domain_is_whole_gpu = true, .values = mi350x) },
	{ PART("MI355X", .gfx_target = "gfx950", .domain_bytes = GB(288),
		.domain_is_whole_gpu = true, .values = mi355x) },
	{ PART("MI430X", .values = mi430x) },
	{ PART("MI455X", .values = mi455x) },
	{ PART("MI500 series", .values = mi500) },
	{ PART("MI600 series", .values = mi600) },
	{ SYSTEM("Frontier", frontier) },
	{ SYSTEM("El Capitan", el_capitan) },
	{ SYSTEM("LUMI", lumi) },
	{ SYSTEM("Helios", helios) },
	{ RELEASE("6.0.0", 60132830, rocm_600) },
	{ RELEASE("6.0.2", 60132831, rocm_602) },
	{ RELEASE("6.1.0", 60140091, rocm_610) },
	{ RELEASE("6.1.1", 60140092, rocm_611) },
	{ RELEASE("6.1.2", 60140093, rocm_612) },
	{ RELEASE("6.2.0", 60241133, rocm_620) },
	{ RELEASE("6.2.1", 60241134, rocm_621) },
	{ RELEASE("6.2.2", 60241134, rocm_621) },
	{ RELEASE("6.2.3", 60241134, rocm_621) },
	{ RELEASE("6.2.4", 60241134, rocm_621) },
	{ RELEASE("6.3.0", 60342131, rocm_630) },
	{ RELEASE("6.3.1", 60342133, rocm_631) },
	{ RELEASE("7.0", 0, rocm_700) },
	{ .name = NULL },
};

static const char *const part_rules[] = {
	"published is not observed: what a node has is what the node reports",
	"a module's total is never a domain: an allocation of more than one domain that fails "
	"shows the boundary and contradicts "
	"nothing",
	"CDNA with ROCm compute does not satisfy Cycles HIP, whose documented hardware is RDNA",
	NULL,
};
static const char *const system_rules[] = {
	"a ranking in HPL or FP says nothing about rendering",
	"a claim is the vendor's own until somebody else has measured it",
	NULL,
};
static const char *const rocm_rules[] = {
	"a row certifies compute on its targets, never Cycles, and no engine, kernel or format",
	"driver and user space are compatible over two releases either way; more is a finding",
	NULL,
};

const char *const *catalogue_rules(const char *kind)
{
	return strcmp(kind, "part") == 0     ? part_rules
	       : strcmp(kind, "system") == 0 ? system_rules
					     : rocm_rules;
}
