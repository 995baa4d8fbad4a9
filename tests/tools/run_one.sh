#!/usr/bin/env bash
# Runs one test function of one script of this folder, in a temporary folder.
#   run_one.sh SCRIPT FUNCTION
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=$here/../../tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command; leaves its exit code in $code and what it printed in $output.
capture() {
  code=0
  output=$("$@" 2>&1) || code=$?
}
fail() {
  printf '%s\nexit code %s, output:\n%s\n' "$*" "$code" "$output"
  exit 1
}
expect_code() { [[ $code == "$1" ]] || fail "expected exit code $1"; }
expect_output() { [[ $output == *"$1"* ]] || fail "expected in the output: $1"; }
expect_no_output() { [[ -z $output ]] || fail "expected no output"; }

source "$here/$1"
"$2"
