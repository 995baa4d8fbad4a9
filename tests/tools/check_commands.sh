# Tests of tools/check_commands.py.

# A tree in which all is well.
prepare() {
  mkdir -p "$work/bench" "$work/.ci"
  printf 'test: build  ## all tests\n\t@ctest\nbuild:  ## build\n\t@cmake\nsmoke:\n\t@$(MAKE) fuzz SECONDS=1\n\t@build/bench/compare --smallest\nfuzz:\n\t@tools/fuzz 1\n' \
    >"$work/Makefile"
  printf 'step "make other"\n# make other\nmake test smoke\n' >"$work/.ci/run"
  printf '# A\n\n## How to check\n\n| command | what |\n|---|---|\n| `make test`, `make fuzz SECONDS=9` | tests |\n| `ctest --test-dir build -L unit` | some |\n| `tools/fuzz NAME` | one |\n\n## B\n' \
    >"$work/CONTRIBUTING.md"
  touch "$work/bench/bench_a.cpp" "$work/bench/compare.cpp"
}

test_check_commands_accepts_this_tree() {
  capture "$tools/check_commands.py"
  expect_code 0
  expect_no_output
}

test_check_commands_follows_prerequisites_and_calls() {
  prepare
  capture "$tools/check_commands.py" "$work"
  expect_code 0
  expect_no_output
}

test_check_commands_refuses_a_target_that_nothing_calls() {
  prepare
  printf 'other:\n\t@true\n' >>"$work/Makefile"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  expect_output 'Makefile: nothing in .ci/run calls `make other`'
}

test_check_commands_refuses_commands_of_the_table_that_nothing_runs() {
  prepare
  sed -i 's/^| `tools.*/&\n| `make other` | a |\n| `cmake --preset x` | b |\n| `tools\/other A` | c |/' \
    "$work/CONTRIBUTING.md"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  for command in 'make other' 'cmake --preset x' 'tools/other A'; do
    expect_output "CONTRIBUTING.md: .ci/run does not run \`$command\`"
  done
}

test_check_commands_refuses_a_page_without_the_table() {
  prepare
  echo '# A' >"$work/CONTRIBUTING.md"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  expect_output 'no table of commands'
}

test_check_commands_refuses_a_recipe_that_is_weaker_in_ci() {
  prepare
  sed -i 's/tools.fuzz 1/& $(if $(filter true,$(CI)),--weaker)/' "$work/Makefile"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  expect_output 'Makefile: `make fuzz` asks for $(CI)'
}

test_check_commands_refuses_a_program_that_nothing_starts() {
  prepare
  touch "$work/bench/other.cpp"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  expect_output 'bench/other.cpp: nothing in .ci/run starts this program'
}

test_check_commands_refuses_pages_that_name_no_program() {
  prepare
  mkdir "$work/docs"
  echo 'Measured by `bench_a` and `bench_b`.' >"$work/docs/speed.md"
  capture "$tools/check_commands.py" "$work"
  expect_code 1
  expect_output 'docs/speed.md: there is no program bench_b'
}
