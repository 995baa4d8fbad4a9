# Tests of tools/check_includes.

test_check_includes_accepts_a_header_that_includes_what_it_uses() {
  mkdir -p "$work/include/cauchy/base"
  printf '#pragma once\n#include <vector>\ninline std::vector<int> v;\n' \
    >"$work/include/cauchy/base/a.hpp"
  capture "$tools/check_includes" "$work"
  expect_code 0
  expect_no_output
}

test_check_includes_refuses_a_header_that_leans_on_others() {
  mkdir -p "$work/include/cauchy/base"
  printf '#pragma once\ninline std::vector<int> v;\n' >"$work/include/cauchy/base/a.hpp"
  printf '#pragma once\n' >"$work/include/cauchy/base/b.hpp"
  capture "$tools/check_includes" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "include/cauchy/base/a.hpp: does not compile alone"
}

test_check_includes_refuses_a_private_header_that_leans_on_others() {
  mkdir -p "$work/include/cauchy/base" "$work/src/base"
  printf '#pragma once\n' >"$work/include/cauchy/base/a.hpp"
  printf '#pragma once\n#include "base/c.hpp"\ninline C c;\n' >"$work/src/base/b.hpp"
  printf '#pragma once\nstruct C {};\n' >"$work/src/base/c.hpp"
  capture "$tools/check_includes" "$work"
  expect_code 0
  printf '#pragma once\ninline std::vector<int> v;\n' >"$work/src/base/b.hpp"
  capture "$tools/check_includes" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "src/base/b.hpp: does not compile alone"
}

test_check_includes_refuses_a_source_that_leans_on_its_neighbours() {
  mkdir -p "$work/include/cauchy/base" "$work/src/base"
  printf '#pragma once\n#include <vector>\nstd::vector<int> f();\n' >"$work/include/cauchy/base/a.hpp"
  printf '#include <cauchy/base/a.hpp>\nstd::vector<int> f() { return {}; }\n' >"$work/src/base/a.cpp"
  capture "$tools/check_includes" "$work"
  expect_code 0
  printf 'void g() { std::vector<int> v; (void)v; }\n' >"$work/src/base/b.cpp"
  capture "$tools/check_includes" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "src/base/b.cpp: does not compile alone"
}

test_check_includes_looks_at_headers_through_their_sources() {
  mkdir -p "$work/include/cauchy/base" "$work/src/base"
  printf '#pragma once\nstd::vector<int> f();\n' >"$work/src/base/a.hpp"
  printf '#include "base/a.hpp"\n#include <vector>\n' >"$work/src/base/a.cpp"
  capture "$tools/check_includes" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "src/base/a.cpp: does not compile alone"
}
