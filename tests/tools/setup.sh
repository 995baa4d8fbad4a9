# Tests of tools/setup. Nothing is installed: the programs that could are replaced by stubs, which
# write what they were asked to "calls".

# prepare USER_ID MISSING...: a package list with these packages, and the stubs.
prepare() {
  export STUBS=$work/stubs CAUCHY_PACKAGES=$work/packages.txt
  unset CAUCHY_SKIP_SETUP
  mkdir "$STUBS"
  : >"$work/calls"
  : >"$work/installed"
  printf 'build here\nother elsewhere\n' >"$CAUCHY_PACKAGES"
  printf 'build %s\n' "${@:2}" >>"$CAUCHY_PACKAGES"
  stub id "echo $1"
  stub dpkg-query "echo 'here:install ok installed'; cat '$work/installed'; exit 1"
  stub apt-get "echo \"apt-get \$*\" >>'$work/calls'; exit 1"
  stub sudo "exit 1"
  export PATH=$STUBS:$PATH
}
stub() {  # stub NAME BODY
  printf '#!/bin/bash\n%s\n' "$2" >"$STUBS/$1"
  chmod +x "$STUBS/$1"
}
calls() { sed 's/-q -y -o [^ ]* //' "$work/calls"; }

test_setup_does_nothing_when_nothing_is_missing() {
  prepare 0
  sed -i '/^build *$/d' "$CAUCHY_PACKAGES"
  capture "$tools/setup"
  expect_code 0
  expect_no_output
  [[ -z $(calls) ]] || fail "called $(calls)"
}

test_setup_without_root_or_sudo_prints_the_command_and_exits_2() {
  prepare 1000 cauchy-no-such-a cauchy-no-such-b
  capture "$tools/setup"
  expect_code 2
  expect_output "cannot install packages: not root"
  expect_output "sudo apt-get update && sudo apt-get install -y --no-install-recommends cauchy-no-such-a cauchy-no-such-b"
  [[ -z $(calls) ]] || fail "called $(calls)"
}

test_setup_as_root_installs_what_is_missing_and_no_more() {
  prepare 0 cauchy-no-such-a
  stub apt-get "echo \"apt-get \$*\" >>'$work/calls'
    echo 'cauchy-no-such-a:install ok installed' >>'$work/installed'"
  capture "$tools/setup"
  expect_code 0
  [[ $(calls) == "apt-get install --no-install-recommends cauchy-no-such-a" ]] ||
    fail "called $(calls)"
}

test_setup_refreshes_the_package_lists_only_after_a_failure() {
  prepare 0 cauchy-no-such-a
  capture "$tools/setup"
  expect_code 2
  expect_output "could not install: cauchy-no-such-a"
  expect_output "    apt-get update && apt-get install -y --no-install-recommends cauchy-no-such-a"
  [[ $(calls) == "apt-get install --no-install-recommends cauchy-no-such-a
apt-get update" ]] || fail "called $(calls)"
}

test_setup_uses_sudo_when_not_root() {
  prepare 1000 cauchy-no-such-a
  stub sudo "[[ \$1 == -n ]] || exit 1; shift; echo sudo >>'$work/calls'; exec \"\$@\""
  stub apt-get "echo \"apt-get \$*\" >>'$work/calls'
    echo 'cauchy-no-such-a:install ok installed' >>'$work/installed'"
  capture "$tools/setup"
  expect_code 0
  [[ $(calls | tail -n 2) == "sudo
apt-get install --no-install-recommends cauchy-no-such-a" ]] || fail "called $(calls)"
}

test_setup_names_the_groups_when_one_is_unknown() {
  prepare 0
  capture "$tools/setup" benhc
  expect_code 2
  expect_output "unknown group 'benhc'; groups are: build other"
}
