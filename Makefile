# Builds tacho and tacho-engine into build/$(MODE)/. `make help` lists the targets; `make V=1` shows the commands.
MODE ?= release
# clang's sanitizers serve the tests and the fuzzers alike, so that one build is enough for both.
CC = $(if $(filter asan,$(MODE)),clang,gcc)
B := build/$(MODE)
-include config.mk

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

# --- flags ---------------------------------------------------------------------------------------------------------
PACKAGES := sqlite3 yaml-0.1 jansson libssl libcrypto zlib libdeflate libxxhash libcurl
PACKAGE_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
$(if $(shell pkg-config --exists $(PACKAGES) 2>/dev/null && echo yes),,\
    $(warning the libraries are not all here: `ci/install build` installs them, ci/packages lists them))
PACKAGE_LIBS = $(shell pkg-config --libs $(PACKAGES))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat=2 -Wvla -Wundef -Wstrict-prototypes \
    -Wold-style-definition -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wcast-qual -Wnull-dereference \
    -Wdouble-promotion -Wimplicit-fallthrough
COMPILER := $(shell $(CC) --version 2>/dev/null | head -n 1)
ifneq ($(findstring clang,$(COMPILER)),)
WARNINGS += -Wmissing-variable-declarations
else
WARNINGS += -Wduplicated-cond -Wduplicated-branches -Wlogical-op
endif
HARDENING := -fstack-protector-strong -fstack-clash-protection -fcf-protection -fPIE
LINK_HARDENING := -pie -Wl,-z,relro,-z,now,-z,noexecstack

OPTIMISE_release := -O2 -D_FORTIFY_SOURCE=2
OPTIMISE_debug := -O0 -DTACHO_DEBUG
# __SANITIZE_ADDRESS__ is how gcc tells the code; clang has a feature for it.
OPTIMISE_asan := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined \
    -D__SANITIZE_ADDRESS__ -DTACHO_DEBUG
OPTIMISE_tsan := -O1 -fno-omit-frame-pointer -fsanitize=thread -DTACHO_DEBUG
OPTIMISE_coverage := -O0 --coverage
LINK_asan := -fsanitize=address,undefined
LINK_tsan := -fsanitize=thread
LINK_coverage := --coverage
ifeq ($(OPTIMISE_$(MODE)),)
$(error MODE=$(MODE) is unknown; it is one of release debug asan tsan coverage)
endif

# "native" is another machine elsewhere: what it is here is spelled out, and goes into the build record.
ifneq ($(findstring =native,$(CFLAGS)),)
override CFLAGS := $(shell ci/expand-native.sh '$(CC)' $(CFLAGS))
endif
export SOURCE_DATE_EPOCH ?= 0

# What decides the bytes of an object of tacho-engine, beside its source and where it lies.
CODE_FLAGS = -std=c17 -D_GNU_SOURCE -I. -g $(OPTIMISE_$(MODE)) $(HARDENING) -ffp-contract=off -pthread
# $$PWD is the shell's, not $(CURDIR): a folder with a space in its name stays one word here and below.
CFLAGS_ALL = $(CODE_FLAGS) $(WARNINGS) -ffile-prefix-map="$$PWD"=. $(PACKAGE_CFLAGS) $(WERROR) $(CFLAGS)
LDFLAGS_ALL = $(LINK_HARDENING) $(LINK_$(MODE)) -pthread $(LDFLAGS)
TEST_CFLAGS = -Wno-missing-prototypes $(if $(findstring clang,$(COMPILER)),-Wno-missing-variable-declarations) \
    -Wno-conversion -Wno-double-promotion -Wno-null-dereference

VERSION := 0.1.0
# Unpacked inside another repository, these sources are not of its commit.
GIT_COMMIT := $(shell git ls-files --error-unmatch Makefile >/dev/null 2>&1 && \
    git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)

# --- files: adding one needs no edit here ----------------------------------------------------------------------------
ENGINES_SRC := $(filter-out engines/main.c,$(sort $(wildcard engines/*.c engines/base/*.c engines/http/*.c engines/app/*.c)))
COLLECTOR_SRC := $(sort $(wildcard collector/*.c collector/*/*.c))
REPORT_SRC := $(filter-out report/main.c report/version.c,$(sort $(wildcard report/*.c report/*/*.c)))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c tests/property/*.c))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
INTEGRATION_SRC := $(sort $(wildcard tests/integration/*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
SIMULATE_SRC := $(sort $(wildcard tests/simulate/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*.c))
HEADERS := $(sort $(wildcard engines/*.h engines/*/*.h collector/*.h collector/*/*.h report/*.h report/*/*.h))
C_FILES := $(ENGINES_SRC) engines/main.c $(COLLECTOR_SRC) $(REPORT_SRC) report/main.c report/version.c \
    $(UNIT_SRC) $(SUPPORT_SRC) $(INTEGRATION_SRC) $(FUZZ_SRC) $(BENCH_SRC) $(SIMULATE_SRC)
ASSETS := $(sort $(wildcard collector/store/sql/*.sql report/query/*.sql report/render/templates/* report/plot/*.gp \
    datasets/plans/*.yaml engines/external/*/*) $(wildcard collector/driver/*.[ch] engines/*.[ch] engines/*.def engines/base/*.[ch] engines/http/*.[ch] engines/app/*.[ch]) LICENSE)

objects = $(patsubst %.c,$(B)/%.o,$(1))

.PHONY: all help
all: $(B)/tacho $(B)/tacho-engine ## build both programs (the default)

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | awk -F'\t' '{printf "  %-16s %s\n", $$1, $$2}'
	@echo '  MODE=release|debug|asan|tsan|coverage  CC=gcc|clang  WERROR=-Werror  V=1'

# Programs of MODE=asan and MODE=tsan write their reports into the build folder (ci/sanitizer.c says why).
SANITIZER_asan := $(B)/ci/sanitizer.o
SANITIZER_tsan := $(B)/ci/sanitizer.o
$(B)/ci/sanitizer.o: CFLAGS_ALL += -DSANITIZER_LOG='"$(abspath $(B))/sanitizer/report"'

# --- programs --------------------------------------------------------------------------------------------------------
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

$(B)/tacho: $(call objects,report/main.c report/version.c) $(B)/libreport.a $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a \
    $(SANITIZER_$(MODE))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS) -lm

$(B)/tacho-engine: $(call objects,engines/main.c) $(B)/libengines.a $(SANITIZER_$(MODE))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^

$(B)/libengines.a: $(call objects,$(ENGINES_SRC))
$(B)/libcollector.a: $(call objects,$(COLLECTOR_SRC))
$(B)/libreport.a: $(call objects,$(REPORT_SRC))
$(B)/lib%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsD $@ $^

# Everything that decides an object's bytes, rewritten only when it changes: a new flag rebuilds all.
$(B)/.flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(COMPILER)' '$(CC) $(CFLAGS_ALL)' '$(LDFLAGS_ALL)' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/%.o: %.c $(B)/.flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(filter tests/%,$<),$(TEST_CFLAGS)) -MMD -MP -c -o $@ $<

# The version has an object of its own, so that a commit does not rebuild everything.
$(B)/.version: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(VERSION)$(if $(GIT_COMMIT),+$(GIT_COMMIT))' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/report/version.o: report/version.c $(B)/.version $(B)/.flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -DTACHO_VERSION='"$(shell cat $(B)/.version)"' -MMD -MP -c -o $@ $<

# How tacho-engine was built: goes into every bundle.
$(B)/build.json: ci/make-build-record.sh $(B)/.flags $(B)/tacho-engine
	$(Q)CC='$(CC)' CODE_FLAGS='$(CODE_FLAGS) $(CFLAGS)' LINK_FLAGS='$(LDFLAGS_ALL)' \
	    ci/make-build-record.sh $(B)/tacho-engine $(ENGINES_SRC) > $@

$(B)/.asset-list: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(ASSETS) > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(B)/assets.S: ci/make-assets.sh $(B)/.asset-list $(B)/build.json
	$(Q)ci/make-assets.sh $(B)/build.json $(ASSETS) > $@
$(B)/assets.o: $(B)/assets.S $(ASSETS)
	$(call say,AS,$@)
	$(Q)$(CC) -c -o $@ $<

.PHONY: FORCE
FORCE:

# --- tests -----------------------------------------------------------------------------------------------------------
$(B)/test-unit: $(call objects,$(UNIT_SRC) $(SUPPORT_SRC)) $(B)/libreport.a $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a
$(B)/test-integration: $(call objects,$(INTEGRATION_SRC) $(SUPPORT_SRC)) $(B)/libreport.a $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a
$(B)/test-unit $(B)/test-integration:
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcriterion $(PACKAGE_LIBS) -lm

# tests/bench/drive.c becomes bench-drive
.PHONY: bench-programs
bench-programs: $(patsubst tests/bench/%.c,$(B)/bench-%,$(BENCH_SRC))
$(B)/bench-%: $(B)/tests/bench/%.o $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS) -lm

# tests/simulate/verdicts.c becomes simulate-verdicts
SIMULATE_SUPPORT := tests/support/session_model.c tests/support/simulation.c
.PHONY: simulate
simulate: $(patsubst tests/simulate/%.c,$(B)/simulate-%,$(SIMULATE_SRC)) ## how often verdicts are right, over thousands of sessions
	$(Q)for program in $^; do $$program || exit; done
$(B)/simulate-%: $(B)/tests/simulate/%.o $(call objects,$(SIMULATE_SUPPORT)) $(B)/libreport.a $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(PACKAGE_LIBS) -lm

.PHONY: test test-unit test-integration test-golden golden-update
test: test-unit test-golden test-integration ## every test

test-unit: $(B)/test-unit ## unit and property tests (F=PATTERN for some)
	$(Q)RETRY_FAILED= ci/run-criterion.sh $(B)/test-unit $(if $(F),'$(F)')

# Most of these tests wait, so several run at once; what a busy machine spoils runs alone after them.
ALONE := foreign_cpu|find_rate|flood
CROWD_JOBS ?= 4
test-integration: $(B)/test-integration all ## real servers, real sockets
ifdef F
	$(Q)TACHO_BUILD=$(B) ci/run-criterion.sh $(B)/test-integration '$(F)'
else
	$(Q)status=0; export TACHO_BUILD=$(B); \
	    JOBS=$(CROWD_JOBS) ci/run-criterion.sh $(B)/test-integration '!($(ALONE))/*' || status=1; \
	    JOBS=1 ci/run-criterion.sh $(B)/test-integration '@($(ALONE))/*' || status=1; exit $$status
endif

test-golden: all ## command lines and reports against stored output
	$(Q)TACHO_BUILD=$(B) tests/golden/run.sh

golden-update: all ## accept the present output as right; then read the diff
	$(Q)TACHO_BUILD=$(B) tests/golden/run.sh --update

-include $(patsubst %.c,$(B)/%.d,$(C_FILES))

# --- house -----------------------------------------------------------------------------------------------------------
include ci/house.mk
