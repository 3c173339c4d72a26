# SPDX-License-Identifier: Apache-2.0
# oamqual: `make qualify` judges this node, `make check` tests the program.

BUILD   ?= build/release
DESTDIR ?=
PREFIX  ?= /usr/local
NODE    ?= $(if $(wildcard /dev/kfd),,tests/nodes/mi250x-blade)

# Debian 12 packages, by name.
BUILD_PKGS = gcc g++ make pkg-config libc6-dev libarchive-dev libssl-dev libopenimageio-dev \
	libjansson-dev libxml2-dev libhwloc-dev libdeflate-dev libutf8proc-dev
RUN_PKGS   = blender bubblewrap
TEST_PKGS  = python3 python3-jsonschema python3-prometheus-client zip zstd xz-utils bzip2 lz4 p7zip-full \
	openimageio-tools libamdhip64-dev python3-securesystemslib python3-nacl \
	libxml2-utils locales chromium poppler-utils clang libclang-rt-14-dev man-db slurm-wlm munge strace bubblewrap \
	libamdhip64-5 libhiprtc-builtins5 clang-15 lld-15 llvm-15 clang-19 lld-19 llvm-19 pocl-opencl-icd ocl-icd-opencl-dev
# Only for `make blenders`.
ROOTS_PKGS = debootstrap bubblewrap

LIBS_PC = libarchive libcrypto jansson libxml-2.0 hwloc libutf8proc
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wformat=2 -Wvla -Wundef -Wwrite-strings $(WERROR)
WARN_C  = -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
CFLAGS ?= -O2 -g
# Kernels must give the same bits from every compiler, so nothing may be contracted.
MATHS   = -ffp-contract=off

VERSION = 0.1.0
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

CPPFLAGS_ALL = -Isrc -I. -Itests/unit -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 $(CPPFLAGS)
CFLAGS_ALL   = -std=c11 -fPIC $(WARN) $(WARN_C) $(MATHS) $(CPPFLAGS_ALL) $(CFLAGS) $(SANITIZE)
CXXFLAGS_ALL = -std=c++17 -fPIC $(WARN) $(CPPFLAGS_ALL) $(CFLAGS) $(SANITIZE)
# Before `make deps` has run there is no pkg-config to ask; what is built then is built by a make of its own.
PC_CFLAGS   := $(shell pkg-config --cflags $(LIBS_PC) 2>/dev/null | sed 's/-I/-isystem /g')
PC_LIBS     := $(shell pkg-config --libs $(LIBS_PC) 2>/dev/null)
OIIO_CFLAGS := $(shell pkg-config --cflags OpenImageIO 2>/dev/null | sed 's/-I/-isystem /g')
OIIO_LIBS   := $(shell pkg-config --libs OpenImageIO 2>/dev/null)
LINK         = $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(PC_LIBS) -ldeflate -ldl -lpthread -lm
say          = @echo "  $(1)	$@"; mkdir -p $(@D)

MODULES = base scene node inventory artifact run verdict blender image baseline distributed record report farm cli
C_SRC   = $(sort $(foreach m,$(MODULES),$(wildcard src/$(m)/*.c)) $(wildcard kernels/*.c))
OBJ     = $(C_SRC:%.c=$(BUILD)/%.o)
LIB_OBJ = $(filter-out $(BUILD)/src/cli/main.o,$(OBJ))
# The picture shim is loaded when it is needed; it carries its own copy of what it uses.
OIIO    = $(BUILD)/oamqual-oiio.so
OIIO_OBJ = $(BUILD)/src/image/oiio.o $(BUILD)/src/image/png_chunks.o $(BUILD)/src/image/exr_header.o \
	$(BUILD)/src/image/layers.o \
	$(patsubst %.c,$(BUILD)/%.o,$(wildcard src/base/*.c))
SIM_ABI = 5 6 7
SIM_LIB = $(SIM_ABI:%=$(BUILD)/simhip/libamdhip64.so.%)
UNIT_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
UNIT    = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: all bench-image bench-overhead bench-fingerprint deps deps-test qualify check check-programs check-slow fuzz fuzz-built fuzz-programs \
	check-matrix check-damage format install clean scenes references release tests-built check-layers check-headers blenders blenders-hipcc deps-blenders

all: deps
	@$(MAKE) --no-print-directory -j$(JOBS) release

release: $(BUILD)/oamqual $(OIIO) $(SIM_LIB)

# --- the two commands of the README -----------------------------------------------------------

qualify: all
	@$(BUILD)/oamqual qualify $(if $(NODE),--node $(NODE)) --out build/runs/$$(date -u +%Y%m%dT%H%M%SZ) \
		|| test $$? -eq 1

JOBS ?= $(shell nproc)

check: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release check-layers check-headers check-programs fuzz-programs
	@tests/run --build build/check --release build/release

# --- packages -----------------------------------------------------------------------------------

deps:
	@tests/install-packages $(BUILD_PKGS) $(RUN_PKGS)

deps-test:
	@tests/install-packages $(TEST_PKGS)
	@tests/sign/install-sigstore build/sign

# --- the program --------------------------------------------------------------------------------

$(BUILD)/oamqual: $(BUILD)/src/cli/main.o $(BUILD)/liboamqual.a
	$(call say,LINK)
	@$(LINK)

$(OIIO): $(OIIO_OBJ)
	$(call say,LINK)
	@$(CXX) -shared $(SANITIZE) $(LDFLAGS) -Wl,-Bsymbolic -o $@ $^ $(OIIO_LIBS) $(PC_LIBS)

$(BUILD)/liboamqual.a: $(LIB_OBJ)
	$(call say,AR)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile
	$(call say,CC)
	@$(CC) $(CFLAGS_ALL) $(PC_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cpp Makefile
	$(call say,CXX)
	@$(CXX) $(CXXFLAGS_ALL) $(PC_CFLAGS) $(OIIO_CFLAGS) -MMD -MP -c -o $@ $<

# The builds of the baseline's fast way: the same text for other instructions.
WIDE_FLAGS = -O3 -fno-math-errno
$(BUILD)/kernels/wide_portable.o $(BUILD)/src/baseline/split.o $(BUILD)/src/baseline/split_avx2.o: CFLAGS_ALL += $(WIDE_FLAGS)
ifeq ($(shell uname -m),x86_64)
$(BUILD)/kernels/wide_avx2.o: CFLAGS_ALL += $(WIDE_FLAGS) -mavx2 -mbmi2 -mpopcnt
$(BUILD)/src/baseline/split_avx2.o: CFLAGS_ALL += -mavx2
$(BUILD)/kernels/wide_avx512.o: CFLAGS_ALL += $(WIDE_FLAGS) -mavx2 -mbmi2 -mpopcnt -mavx512f -mavx512bw -mavx512dq -mavx512vl
endif

# The worker script travels inside the program.
$(BUILD)/src/blender/worker_script.o: src/blender/worker.py
# The kernel for GCDs travels as text.
$(BUILD)/src/baseline/gcd_source.o: $(wildcard kernels/*.h) kernels/kernel_hip.hip
$(BUILD)/src/report/html_assets.o: src/report/page.css src/report/page.js src/report/farm.css src/report/farm.js

$(BUILD)/src/cli/version.o: CPPFLAGS_ALL += -DOAMQUAL_VERSION='"$(VERSION)"' -DOAMQUAL_COMMIT='"$(COMMIT)"'

# The stand-in runtime is loaded by Blender, so it never carries a sanitizer.
$(BUILD)/simhip/libamdhip64.so.%: $(wildcard src/simhip/*.[ch]) src/node/hip_abi.h src/node/sim_abi.h $(wildcard kernels/*.h) Makefile
	$(call say,SIM)
	@$(CC) -std=c11 $(WARN) $(WARN_C) $(MATHS) $(CPPFLAGS_ALL) $(CFLAGS) -fPIC -shared -DSIMHIP_ABI=$* \
		-fvisibility=hidden -Wl,-soname,libamdhip64.so.$* -o $@ $(wildcard src/simhip/*.c) -lpthread -lm

-include $(OBJ:.o=.d) $(BUILD)/src/image/oiio.d $(UNIT_OBJ:.o=.d)
.SECONDARY: $(UNIT_OBJ)

# --- tests --------------------------------------------------------------------------------------

$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(BUILD)/liboamqual.a
	$(call say,LINK)
	@$(LINK)

$(BUILD)/tests/make_damage: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/damage/*.c)) $(BUILD)/liboamqual.a
	$(call say,LINK)
	@$(LINK)

tests-built: $(BUILD)/oamqual $(OIIO) $(SIM_LIB) $(UNIT) $(BUILD)/tests/node_answers $(BUILD)/tests/make_damage

# Both are explicit acts: new scenes need new references, and references are never made by a run. SCENES=hair makes one.
scenes: deps deps-test
	blender -b --factory-startup --disable-autoexec --python-exit-code 5 --python scenes/make_scenes.py -- scenes $(SCENES)

# With the Blenders of `make blenders` where they are. What changes is shown in build/references first; docs/references.md
references: deps deps-test release
	scenes/make_references.py --oamqual $(BUILD)/oamqual $(BLENDERS:%=--blender %) $(SCENES)

BLENDERS = blender $(wildcard build/blenders/4.3.2 build/blenders/5.2.2)

# False alarms of clean renders and what damage is found, by each Blender that there is: some 20 minutes. WRITE=1 writes
# the tables of docs/references.md.
check-damage: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release $(BUILD)/tests/make_damage
	tests/damage/check_damage.py --build $(BUILD) $(BLENDERS:%=--blender %) $(if $(WRITE),--write docs/references.md) $(SCENES)

# Each fuzz target for FUZZ_SECONDS, from sound inputs and what earlier runs kept in build/fuzz-inputs.
FUZZ_SECONDS ?= 60
FUZZ = $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

# What no target needs is not compiled a second time.
FUZZ_OBJ = $(filter-out $(BUILD)/src/cli/% $(BUILD)/src/baseline/% $(BUILD)/kernels/%,$(LIB_OBJ)) \
	$(BUILD)/src/baseline/gcd_job.o $(BUILD)/src/baseline/gcd_cache.o $(BUILD)/src/baseline/ply.o \
	$(BUILD)/src/cli/farm_frame_judge.o

$(BUILD)/libfuzzed.a: $(FUZZ_OBJ)
	$(call say,AR)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libfuzzed.a
	$(call say,LINK)
	@$(LINK) -fsanitize=fuzzer

fuzz-built: $(FUZZ) $(BUILD)/fuzz/planted $(OIIO)

# Farms on a real Slurm of one machine: also a part of `make check`.
.PHONY: check-farm
check-farm: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@$(MAKE) --no-print-directory -j$(JOBS) check-programs
	@tests/run --build build/check --release build/release --folder unit --folder cli farm slurm

# A real compile of Cycles' kernel by Debian's hipcc, some three minutes, and 200 kills.
check-slow: deps deps-test
	@tests/install-packages hipcc
	@$(MAKE) --no-print-directory release
	@tests/run --build $(BUILD) --release $(BUILD) --folder slow --limit 1500

# Blender by gfx target, driver and compiler on simulated nodes, after `make blenders` (and `blenders-hipcc`): some 20
# minutes; SLOW=1 adds the compiles that take minutes. WRITE=docs/findings writes the pages.
check-matrix: deps
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/matrix --oamqual $(BUILD)/oamqual $(if $(SLOW),--slow) $(if $(WRITE),--write $(WRITE))

# Root file systems of other Debian releases with their Blenders (docs/blenders.md), as root; the second with their
# HIP compilers too.
blenders: deps-blenders
	@tests/make-blenders --to build/blenders

blenders-hipcc: deps-blenders
	@tests/make-blenders --to build/blenders --hipcc

deps-blenders:
	@tests/install-packages $(ROOTS_PKGS)

# The checks left out take clang half of its time and find what AddressSanitizer finds too; gcc's build has them. vptr and
# function also need a runtime that only C++ programs are linked with: the picture shim could then not be loaded.
fuzz-programs:
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang CXX=clang++ WERROR= LDFLAGS= \
		CFLAGS='-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all \
		-fno-sanitize=null,alignment,object-size,vptr,function' fuzz-built

check-programs:
	@$(MAKE) --no-print-directory BUILD=build/check WERROR=-Werror CFLAGS='-O1 -g -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' tests-built

fuzz: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release fuzz-programs
	@tests/fuzz/make_seeds.py build/fuzz-inputs
	@tests/fuzz/make_seeds.py build/fuzz-inputs $(BUILD)/oamqual
	@tests/run-fuzz --keep build/fuzz/fuzz build/fuzz-inputs $(FUZZ_SECONDS)

# What `qualify` costs beside its Blenders, against a shell loop over the same commands; on an idle machine.
bench-overhead: deps
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/bench/overhead --oamqual $(BUILD)/oamqual

# Fingerprints against openssl and a zstd pipe, with 1 GB of scene files in TMPDIR (else /var/tmp); on an idle machine.
bench-fingerprint: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/bench/fingerprint --oamqual $(BUILD)/oamqual

# compare against idiff on a pair of 3840x2160 pictures; on an idle machine.
bench-image: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/bench/image --oamqual $(BUILD)/oamqual

# The baseline's rays against Embree's, about five minutes; on an idle machine.
.PHONY: bench-baseline
bench-baseline: deps
	@tests/install-packages libembree-dev
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/bench/baseline $(BUILD)

# A farm report of 20,000 records; some 8 GB of room, in memory when there is enough; on an idle machine.
.PHONY: bench-farm
bench-farm: deps deps-test
	@$(MAKE) --no-print-directory -j$(JOBS) release
	@tests/bench/farm --oamqual $(BUILD)/oamqual

check-layers:
	@tests/check-layers

check-headers:
	@for h in $(wildcard src/*/*.h kernels/*.h); do \
		$(CC) $(CFLAGS_ALL) $(PC_CFLAGS) -fsyntax-only -x c $$h || exit 1; done

format:
	clang-format -i $(wildcard src/*/*.[ch] src/*/*.cpp tests/unit/*.[ch] tests/opencl/*.c tests/fuzz/*.[ch] kernels/*.[ch])

# What explain says, as a page; a test compares them.
verdicts: release
	$(BUILD)/oamqual explain --all --markdown >docs/verdicts.md

# --- installing ---------------------------------------------------------------------------------

install: release
	install -D -m 755 $(BUILD)/oamqual $(DESTDIR)$(PREFIX)/bin/oamqual
	install -D -m 644 $(OIIO) $(DESTDIR)$(PREFIX)/lib/oamqual/oamqual-oiio.so
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/oamqual
	$(BUILD)/oamqual manual >$(DESTDIR)$(PREFIX)/share/man/man1/oamqual.1
	$(BUILD)/oamqual completion >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/oamqual
	cp -r scenes expected $(DESTDIR)$(PREFIX)/share/oamqual/
	install -m 755 src/node/gather-node.sh $(DESTDIR)$(PREFIX)/share/oamqual/
	for lib in $(SIM_LIB); do install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/oamqual/simhip $$lib; done

clean:
	rm -rf build
