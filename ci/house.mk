# The house: style, layers, sanitizers, fuzzers, installation. Included by the Makefile.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL := install -D
BASHCOMP := $(DESTDIR)$(PREFIX)/share/bash-completion/completions

OWN_C := $(wildcard $(ENGINES_SRC) engines/main.c $(COLLECTOR_SRC) $(REPORT_SRC) report/main.c report/version.c)
FORMATTED := $(wildcard $(C_FILES) $(HEADERS) tests/*/*.h ci/*.c)
SHELL_FILES := ci/run .ci/run $(sort $(wildcard ci/install ci/*.sh tests/golden/*.sh tests/bench/*.sh tests/integration/*.sh tests/support/*.bash)) \
    report/tacho.bash

# --- style -----------------------------------------------------------------------------------------------------------
.PHONY: format check check-format check-headers check-layers check-size check-docs check-datasets check-shell check-words tidy
format: ## lay out every C file (clang-format)
	clang-format -i $(FORMATTED)

check: check-format check-headers check-layers check-size check-words check-shell check-docs check-datasets tidy ## style, layers, documents, static analysis

check-format: # the layout is clang-format's
	@clang-format --dry-run -Werror $(FORMATTED) && echo 'check-format: ok'

check-headers: # each header compiles alone, with both compilers
	@printf '%s\n' $(HEADERS) $(wildcard tests/support/*.h) | xargs -P 2 -n 40 ci/check-headers.sh && echo 'check-headers: ok'

check-layers: # who may include whom; who alone may read clocks, /proc, SQL
	@ci/check-layers.sh --self-test
	@ci/check-layers.sh .

check-size: # lines, complexity
	@ci/check-size.sh $(OWN_C) $(HEADERS) $(wildcard tests/*/*.c)

check-words: # no notes to oneself are left
	@! git grep -InwE 'TO[D]O|FIX[M]E|XX[X]|HAC[K]' -- . || { echo 'check-words: leftovers (above)' >&2; false; }
	@echo 'check-words: ok'

check-shell: # shellcheck on every shell file
	@shellcheck -s bash $(SHELL_FILES) && echo 'check-shell: ok'

check-docs: all # every option is in the manual, the completion and the README
	@TACHO_BUILD=$(B) ci/check-docs.sh

check-datasets: all # the data files fit their schema, the plans check
	@TACHO_BUILD=$(B) ci/check-datasets.sh
	@if python3 -c 'import jsonschema, yaml' 2>/dev/null; then TACHO_BUILD=$(B) python3 ci/check-plans.py; else \
	    echo 'check-plans: the schema of plans is not tried: python3-jsonschema or python3-yaml is not installed' >&2; fi

# How far the static analyzer looks into each function, which is nearly all of the time; this is clang's own number.
TIDY_NODES ?= 225000
tidy: # clang-tidy, two files at a time; the tests are left out (Criterion's macros)
	@export TIDY_NODES=$(TIDY_NODES); printf '%s\n' $(OWN_C) | xargs -P 2 -n 4 ci/tidy.sh -std=c17 -D_GNU_SOURCE -I. $(PACKAGE_CFLAGS) '-DTACHO_VERSION="0"' -- && \
	    echo 'tidy: ok'

# --- what was built --------------------------------------------------------------------------------------------------
.PHONY: check-needs check-repro check-engine
check-needs: all # tacho-engine is the measured program: the C library and nothing else
	@needed=$$(readelf -d $(B)/tacho-engine | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); \
	    for library in $$needed; do case $$library in libc.so.6 | ld-linux*) ;; *) \
	    echo "check-needs: tacho-engine needs $$library" >&2; exit 1 ;; esac; done; echo 'check-needs: ok'

check-engine: # an engine is one file and one line
	@ci/check-engine.sh

check-repro: all # another folder, the same bytes
	+@B=$(B) GIT_COMMIT='$(GIT_COMMIT)' ci/check-repro.sh $(MAKE)

# --- sanitizers, fuzzers, coverage -----------------------------------------------------------------------------------
.PHONY: asan fuzz fuzz-programs coverage bench demo
asan: ## unit and integration tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) MODE=asan test-unit test-integration

FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$(B)/%,$(FUZZ_SRC))
fuzz-programs: $(FUZZ_PROGRAMS)
$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/libreport.a $(B)/libcollector.a $(B)/assets.o $(B)/libengines.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ $(PACKAGE_LIBS) -lm

FUZZ_SECONDS ?= 30
fuzz: ## each fuzzer for FUZZ_SECONDS over its corpus (clang)
	$(Q)$(MAKE) MODE=asan fuzz-programs
	$(Q)ci/fuzz.sh $(FUZZ_SECONDS)

coverage: ## lines that the unit tests reach (gcovr)
	$(Q)$(MAKE) MODE=coverage test-unit
	$(Q)gcovr --object-directory build/coverage --filter engines --filter collector --filter report

bench: ## the project's own benchmarks
	$(Q)ci/run bench

demo: ## measure the built-in plan, report, bundle, verify: into demo/
	$(Q)ci/demo.sh

# --- installation ----------------------------------------------------------------------------------------------------
.PHONY: install uninstall clean
install: all ## programs, manuals, completion, plans, published numbers (PREFIX, DESTDIR)
	$(INSTALL) -m 755 $(B)/tacho $(DESTDIR)$(PREFIX)/bin/tacho
	$(INSTALL) -m 755 $(B)/tacho-engine $(DESTDIR)$(PREFIX)/bin/tacho-engine
	$(INSTALL) -m 644 report/tacho.1 $(DESTDIR)$(PREFIX)/share/man/man1/tacho.1
	$(INSTALL) -m 644 engines/tacho-engine.1 $(DESTDIR)$(PREFIX)/share/man/man1/tacho-engine.1
	$(INSTALL) -m 644 report/tacho.bash $(BASHCOMP)/tacho
	$(INSTALL) -m 644 -t $(DESTDIR)$(PREFIX)/share/tacho/plans $(wildcard datasets/plans/*)
	$(INSTALL) -m 644 -t $(DESTDIR)$(PREFIX)/share/tacho/payloads $(wildcard datasets/payloads/*)
	$(INSTALL) -m 644 -t $(DESTDIR)$(PREFIX)/share/tacho/published $(wildcard datasets/published/*.json)

uninstall: ## what install wrote
	rm -f $(DESTDIR)$(PREFIX)/bin/tacho $(DESTDIR)$(PREFIX)/bin/tacho-engine $(BASHCOMP)/tacho
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/tacho.1 $(DESTDIR)$(PREFIX)/share/man/man1/tacho-engine.1
	rm -f $(patsubst datasets/%,$(DESTDIR)$(PREFIX)/share/tacho/%,$(wildcard datasets/plans/* datasets/payloads/* datasets/published/*.json))
	rmdir $(addprefix $(DESTDIR)$(PREFIX)/share/tacho,/plans /payloads /published /) 2>/dev/null || true # what is not ours stays

clean: ## remove build/
	rm -rf build
