# Tests of tools/check_headers.

test_check_headers_accepts_a_header_that_includes_what_it_uses() {
  mkdir -p "$work/include/cauchy/base"
  printf '#pragma once\n#include <vector>\ninline std::vector<int> v;\n' \
    >"$work/include/cauchy/base/a.hpp"
  capture "$tools/check_headers" "$work"
  expect_code 0
  expect_no_output
}

test_check_headers_refuses_a_header_that_leans_on_others() {
  mkdir -p "$work/include/cauchy/base"
  printf '#pragma once\ninline std::vector<int> v;\n' >"$work/include/cauchy/base/a.hpp"
  printf '#pragma once\n' >"$work/include/cauchy/base/b.hpp"
  capture "$tools/check_headers" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "include/cauchy/base/a.hpp: does not compile alone"
}

test_check_headers_refuses_a_private_header_that_leans_on_others() {
  mkdir -p "$work/include/cauchy/base" "$work/src/base"
  printf '#pragma once\n' >"$work/include/cauchy/base/a.hpp"
  printf '#pragma once\n#include "base/c.hpp"\ninline C c;\n' >"$work/src/base/b.hpp"
  printf '#pragma once\nstruct C {};\n' >"$work/src/base/c.hpp"
  capture "$tools/check_headers" "$work"
  expect_code 0
  printf '#pragma once\ninline std::vector<int> v;\n' >"$work/src/base/b.hpp"
  capture "$tools/check_headers" "$work"
  [[ $code != 0 ]] || fail "expected a failure"
  expect_output "src/base/b.hpp: does not compile alone"
}
