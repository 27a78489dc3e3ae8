# Trammel: `make demo` and `make test` do everything; `make help` lists the rest.
# CMake does the work (see CMakePresets.json); this file names the ways in.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
DEMO = out/demo
CLANG_FORMAT ?= clang-format-14
preset = cmake --preset $(1) $(2) > build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; \
	cmake --build --preset $(1)

.PHONY: all build tuned demo test test-long bench fuzz format docs install clean help
all: build

build: # build the library and the command line: build/release
	@scripts/setup build
	@mkdir -p build
	@$(call preset,release)

tuned: # the same, compiled anew by what its runs execute, 15 to 25 % faster on small models: build/tuned
	@scripts/setup build
	@scripts/tuned tuned

demo: # simulate the slider crank and draw what happened: out/demo
	@scripts/setup build demo
	@$(MAKE) --no-print-directory build
	@scripts/demo build/release/trammel $(DEMO)

test: # build with and without sanitizers, run all tests, count
	@scripts/setup build test
	@mkdir -p build
	@$(call preset,test)
	@$(call preset,dev,-DTRAMMEL_THOROUGH=$(if $(TR_TEST_LONG),ON,OFF))
	@$(if $(wildcard test/test_threads.c),$(call preset,tsan) --target test_threads)
	@scripts/run_tests

test-long: # the tests, with the long ones, all of them under sanitizers, too
	@TR_TEST_LONG=1 $(MAKE) --no-print-directory test

bench: # our methods against IDA, Simbody and MuJoCo: bench/results (BENCH_QUICK=1: a minute)
	@scripts/setup build
	@scripts/setup bench || echo "bench: rivals that are not installed are left out"
	@scripts/tuned bench
	@scripts/bench build/bench

fuzz: # run every fuzz target for FUZZ_SECONDS (60)
	@scripts/setup build fuzz
	@mkdir -p build
	@$(call preset,fuzz)
	@scripts/fuzz $(FUZZ_SECONDS)

format: # format all C sources in place
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs $(CLANG_FORMAT) -i

docs: build # regenerate what the documentation takes from the tables: docs/reference
	@scripts/reference build/release/trammel docs/reference

install: tuned # install what `make tuned` builds below PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install build/tuned --prefix $(PREFIX)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean: # remove build/ and out/
	@rm -rf build out

help: # this list
	@awk -F ':.*# ' '/^[a-z-]+:.*# / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
