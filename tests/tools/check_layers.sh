# Tests of tools/check_layers.py.

put() {  # put FILE LINE...: writes a file of the temporary tree
  mkdir -p "$work/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$work/$1"
}

test_check_layers_accepts_this_tree() {
  capture "$tools/check_layers.py"
  expect_code 0
  expect_no_output
}

test_check_layers_accepts_downward_and_sibling_includes() {
  put include/cauchy/expr/a.hpp '#include <cauchy/base/error.hpp>' '#include <cauchy/expr/b.hpp>'
  put src/expr/a.cpp '#include "math/m.hpp"' '#include "expr/p.hpp"' '#include <vector>'
  capture "$tools/check_layers.py" "$work"
  expect_code 0
  expect_no_output
}

test_check_layers_refuses_upward_include() {
  put include/cauchy/base/a.hpp '#pragma once' '#include <cauchy/expr/b.hpp>'
  capture "$tools/check_layers.py" "$work"
  expect_code 1
  expect_output "include/cauchy/base/a.hpp:2: layer 'base' includes <cauchy/expr/b.hpp>"
  expect_output "move what is needed down to 'base'"
}

test_check_layers_refuses_upward_include_of_a_private_header() {
  put src/math/a.cpp '#include "engine/plan.hpp"'
  capture "$tools/check_layers.py" "$work"
  expect_code 1
  expect_output "src/math/a.cpp:1: layer 'math' includes \"engine/plan.hpp\""
}

test_check_layers_refuses_upward_include_by_relative_path() {
  put src/engine/plan.hpp '#pragma once'
  put src/math/a.cpp '#include "../engine/plan.hpp"'
  capture "$tools/check_layers.py" "$work"
  expect_code 1
  expect_output "src/math/a.cpp:1: layer 'math' includes"
}

test_check_layers_refuses_unknown_layers() {
  put src/misc/a.cpp '#include <vector>'
  put src/math/a.cpp '#include <cauchy/mesh/a.hpp>'
  capture "$tools/check_layers.py" "$work"
  expect_code 1
  expect_output "src/misc/a.cpp:1: folder 'misc' is not a layer"
  expect_output "src/math/a.cpp:1: <cauchy/mesh/a.hpp> names no layer"
}

test_check_layers_keeps_heavy_libraries_out_of_public_headers() {
  put include/cauchy/math/a.hpp '#include <hwy/highway.h>'
  put src/math/a.cpp '#include <hwy/highway.h>'
  capture "$tools/check_layers.py" "$work"
  expect_code 1
  expect_output "include/cauchy/math/a.hpp:1: public header includes <hwy/highway.h>"
  [[ $output != *src/math* ]] || fail "sources may include it"
}

test_check_layers_refuses_an_empty_tree() {
  capture "$tools/check_layers.py" "$work"
  expect_code 1
}
