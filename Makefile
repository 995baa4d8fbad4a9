# The commands of the project; each does its own set-up. The build itself is CMake's, see
# CMakePresets.json. A second call only does what is new.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# The commands share build/, so they run one after the other; the build inside is parallel.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
.PHONY: help demo test test-clocks bench compare accuracy accuracy-full library court estimates smoke format lint fuzz asan tsan \
  install clean build notes notes-fast docs

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
FUZZ_SECONDS ?= 60
FUZZ_FLAGS ?= -O1 -gline-tables-only
BENCH_ARGS ?=
ACCURACY_ARGS ?=
COMPARE_ARGS ?=
LIBRARY_ARGS ?=
COURT_ARGS ?=
NOTES_ARGS ?= --all
# Where the pages with tables and the lines of their runs are.
PAGES ?= docs
RUNS ?= build/library.csv
VERDICTS ?= build/court.csv
ESTIMATES ?= build/estimates.csv
export JOBS

# Warnings are errors in our own CI only. What stays on this machine has kernels for this machine only.
OPTIONS := $(if $(filter true,$(CI)),CAUCHY_WERROR=ON)
NATIVE := CAUCHY_NATIVE=ON
CONFIGURE = tools/setup build && tools/configure release build $(OPTIONS) $(NATIVE)
CONFIGURE_BENCH = tools/setup build bench && tools/configure release build $(OPTIONS) $(NATIVE) CAUCHY_BUILD_BENCH=ON
BUILD := cmake --build build --parallel $(JOBS)

help:  ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18
	@echo "Settings: JOBS=$(JOBS) TEST_JOBS=$(TEST_JOBS) PREFIX=$(PREFIX) FUZZ_SECONDS=$(FUZZ_SECONDS) BENCH_ARGS="

build:  ## build everything in build/
	@$(CONFIGURE)
	@$(BUILD)

demo:  ## solve Burgers' equation with a network and write a report
	@$(CONFIGURE)
	@$(BUILD) --target cauchy_program
	@rm -rf build/demo
	@build/bin/cauchy solve problems/burgers.toml --max-seconds 55 --out build/demo

test: build  ## build and run all tests
	@ctest --test-dir build --output-on-failure --no-tests=error -j$(TEST_JOBS)

# Limits in seconds then end runs elsewhere; nothing else may depend on the clock.
test-clocks: build  ## tests of all that takes limits in seconds, with a clock ten times too slow and too fast
	@for speed in 0.1 10; do echo "== CAUCHY_CLOCK=$$speed"; CAUCHY_CLOCK=$$speed \
	  ctest --test-dir build --output-on-failure --no-tests=error -j$(TEST_JOBS) \
	    -R '^unit\.(base|training|solvers|data|dynamics|operators|cli)\.' || exit 1; done

bench:  ## build and run the benchmarks, beside other libraries where they are or can be installed
	@$(CONFIGURE_BENCH)
	@$(if $(filter --smallest,$(BENCH_ARGS)),,tools/setup peers || echo "what is not installed is left out")
	@$(BUILD) --target bench_programs
	@failed=; for source in bench/bench_*.cpp; do \
	  name=$$(basename $$source .cpp); echo "== $$name"; build/bench/$$name $(BENCH_ARGS) || failed+=" $$name"; done; \
	[[ -z $$failed ]] || { echo "make bench: not well:$$failed"; exit 1; }

notes:  ## make everything in the lecture notes again, with a site in build/site/notes, a minute or two
	@$(CONFIGURE)
	@$(BUILD) --target cauchy_program cauchy_notes_program
	@build/bin/cauchy notes run $(NOTES_ARGS) --threads $(JOBS) --out build/site/notes --docs ../docs

notes-fast: NOTES_ARGS = --fast --again
notes-fast: notes  ## the same, what takes seconds

docs:  ## the documentation as a site in build/site/docs
	@tools/setup build docs
	@tools/configure release build $(OPTIONS) $(NATIVE)
	@cmake build > /dev/null  # what was installed just now is found
	@$(BUILD) --target cauchy_docs
	@build/bin/cauchy-docs . build/site/docs ../notes

accuracy:  ## solve the cases of docs/accuracy.md and write its table, about a quarter of an hour
	@$(CONFIGURE_BENCH)
	@$(BUILD) --target accuracy
	@build/bench/accuracy --write $(PAGES)/accuracy.md $(ACCURACY_ARGS)

accuracy-full: ACCURACY_ARGS += --full
accuracy-full: accuracy  ## the same with the long cases, some hours

compare:  ## solve the library with every method and write the table of docs/methods.md, some minutes
	@$(CONFIGURE_BENCH)
	@$(BUILD) --target compare
	@build/bench/compare --write $(PAGES)/methods.md --plot $(PAGES)/pictures/methods.svg $(COMPARE_ARGS)

library:  ## solve the library with `auto` and three seeds, write the tables of docs/problems.md, some hours
	@$(CONFIGURE_BENCH)
	@$(BUILD) --target library
	@build/bench/library --append $(RUNS) --write $(PAGES)/problems.md $(LIBRARY_ARGS)

court:  ## cases with a known truth by every method, the table of docs/trust.md, some hours; goes on where it was
	@$(CONFIGURE)
	@$(BUILD) --target cauchy_program
	@tools/court build/bin/cauchy --out $(VERDICTS) --write $(PAGES)/trust.md $(COURT_ARGS)

estimates:  ## estimates beside true errors of every classical method, the table of docs/trust.md; goes on where it was
	@$(CONFIGURE)
	@$(BUILD) --target cauchy_program
	@tools/estimates build/bin/cauchy --out $(ESTIMATES) --write $(PAGES)/trust.md $(ESTIMATES_ARGS)

# Instrumented code that is not optimised compiles in half the time. What is installed is portable: it
# comes last, since the kernels are compiled again.
SMOKE := build/smoke
smoke:  ## every other command and program, once at its smallest size, with pages in build/smoke
	@rm -rf $(SMOKE) && mkdir -p $(SMOKE)/pictures && cp docs/{accuracy,methods,problems,trust}.md $(SMOKE)
	@$(MAKE) demo
	@$(MAKE) bench BENCH_ARGS=--smallest
	@$(MAKE) accuracy-full ACCURACY_ARGS=--smallest PAGES=$(SMOKE)
	@$(MAKE) compare COMPARE_ARGS=--smallest PAGES=$(SMOKE)
	@$(MAKE) library LIBRARY_ARGS=--smallest PAGES=$(SMOKE) RUNS=$(SMOKE)/library.csv
	@$(MAKE) court COURT_ARGS=--smallest PAGES=$(SMOKE) VERDICTS=$(SMOKE)/court.csv
	@$(MAKE) estimates ESTIMATES_ARGS=--smallest PAGES=$(SMOKE) ESTIMATES=$(SMOKE)/estimates.csv
	@build/bench/error_bars --smallest
	@tools/compare_builds build/bin/cauchy build/bin/cauchy problems/poisson_square.toml
	@tools/compare_speeds build/bin/cauchy problems/poisson_square.toml
	@tools/repeat_tests 1 -R '^unit\.io\.'
	@$(MAKE) notes-fast docs
	@$(MAKE) fuzz FUZZ_SECONDS=1 FUZZ_FLAGS='-O0 -gline-tables-only'
	@$(MAKE) install PREFIX=$(SMOKE)/installed
	@$(SMOKE)/installed/bin/cauchy solve problems/heated_bar.toml --out $(SMOKE)/solved

format:  ## format all C++ files
	@tools/setup lint
	@tools/format

lint:  ## check format, layers, commands, and that every source and header compiles alone
	@tools/setup build lint
	@tools/format --check
	@tools/check_layers.py && tools/check_clocks.py && tools/check_names.py
	@tools/check_commands.py
	@tools/check_includes
	@echo "lint: clean"

fuzz:  ## run each fuzz target for FUZZ_SECONDS
	@tools/setup build fuzz
	@tools/configure fuzz build/fuzz CMAKE_CXX_FLAGS_DEBUG="$(FUZZ_FLAGS)"
	@cmake --build --preset fuzz --parallel $(JOBS)
	@tools/fuzz $(FUZZ_SECONDS)

# Warnings are no errors: with sanitizers the compiler warns about code that is fine. The fuzz targets
# run on their corpora and on a fixed list of mutations.
asan:  ## unit tests and fuzz targets with address and undefined-behaviour sanitizers
	@tools/setup build
	@tools/configure asan build/asan
	@cmake --build --preset asan --parallel $(JOBS) --target cauchy_unit_tests cauchy_fuzz_programs
	@ctest --preset asan -L 'unit|fuzz' --no-tests=error -j$(JOBS)

# Older thread sanitizers do not know the address layout of newer kernels: a fixed one helps.
FIXED_LAYOUT = $(shell setarch $$(uname -m) -R true 2> /dev/null && echo setarch $$(uname -m) -R)
tsan:  ## unit tests of threads, engines and training with the thread sanitizer
	@tools/setup build
	@tools/configure tsan build/tsan
	@$(FIXED_LAYOUT) cmake --build --preset tsan --parallel $(JOBS) --target \
	  cauchy_unit_base_tests cauchy_unit_engine_tests cauchy_unit_tensor_tests cauchy_unit_training_tests
	@$(FIXED_LAYOUT) ctest --preset tsan -R '^unit\.(base|engine|tensor|training)\.' --no-tests=error -j$(JOBS)

install: NATIVE := CAUCHY_NATIVE=OFF
install:  ## install the library and the program below PREFIX
	@$(CONFIGURE)
	@$(BUILD) --target cauchy cauchy_program
	@cmake --install build --prefix "$(PREFIX)"

clean:  ## remove build/
	@rm -rf build
