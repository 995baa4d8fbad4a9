# The commands of the project; each does its own set-up. The build itself is CMake's, see
# CMakePresets.json. A second call only does what is new.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# The commands share build/, so they run one after the other; the build inside is parallel.
.NOTPARALLEL:
.PHONY: help demo test bench compare accuracy accuracy-full library format lint fuzz install clean build notes notes-fast docs

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
FUZZ_SECONDS ?= 60
BENCH_ARGS ?=
ACCURACY_ARGS ?=
COMPARE_ARGS ?=
LIBRARY_ARGS ?=
NOTES_ARGS ?= --all
export JOBS

# Warnings are errors in our own CI only. What stays on this machine has kernels for this machine only.
OPTIONS := $(if $(filter true,$(CI)),CAUCHY_WERROR=ON)
NATIVE := CAUCHY_NATIVE=ON
CONFIGURE = tools/setup build && tools/configure release build $(OPTIONS) $(NATIVE)
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

bench:  ## build and run the benchmarks
	@tools/setup build bench
	@tools/configure release build $(OPTIONS) $(NATIVE) CAUCHY_BUILD_BENCH=ON
	@$(BUILD) --target bench_programs
	@shopt -s nullglob; set -e; for source in bench/bench_*.cpp; do \
	  name=$$(basename $$source .cpp); echo "== $$name"; build/bench/$$name $(BENCH_ARGS); done

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
	@tools/setup build bench
	@tools/configure release build $(OPTIONS) $(NATIVE) CAUCHY_BUILD_BENCH=ON
	@$(BUILD) --target accuracy
	@build/bench/accuracy --write docs/accuracy.md $(ACCURACY_ARGS)

accuracy-full: ACCURACY_ARGS += --full
accuracy-full: accuracy  ## the same with the long cases, some hours

compare:  ## solve the library with every method and write the table of docs/methods.md, some minutes
	@tools/setup build bench
	@tools/configure release build $(OPTIONS) $(NATIVE) CAUCHY_BUILD_BENCH=ON
	@$(BUILD) --target compare
	@build/bench/compare --write docs/methods.md --plot docs/pictures/methods.svg $(COMPARE_ARGS)

library:  ## solve the library with `auto` and three seeds, write the tables of docs/problems.md, some hours
	@tools/setup build bench
	@tools/configure release build $(OPTIONS) $(NATIVE) CAUCHY_BUILD_BENCH=ON
	@$(BUILD) --target library
	@build/bench/library --append build/library.csv --write docs/problems.md $(LIBRARY_ARGS)

format:  ## format all C++ files
	@tools/setup lint
	@tools/format

lint:  ## check format, layers and headers
	@tools/setup build lint
	@tools/format --check
	@tools/check_layers.py && tools/check_clocks.py && tools/check_names.py
	@tools/check_includes $(if $(filter true,$(CI)),--headers)
	@echo "lint: clean"

fuzz:  ## run each fuzz target for FUZZ_SECONDS
	@tools/setup build fuzz
	@tools/configure fuzz build/fuzz
	@cmake --build --preset fuzz --parallel $(JOBS)
	@tools/fuzz $(FUZZ_SECONDS)

install: NATIVE := CAUCHY_NATIVE=OFF
install:  ## install the library and the program below PREFIX
	@$(CONFIGURE)
	@$(BUILD) --target cauchy cauchy_program
	@cmake --install build --prefix "$(PREFIX)"

clean:  ## remove build/
	@rm -rf build
