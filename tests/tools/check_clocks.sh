# Tests of tools/check_clocks.py.

put() {  # put FILE LINE...: writes a file of the temporary tree
  mkdir -p "$work/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$work/$1"
}
refuses() {  # refuses FILE LINE READER: a file with this line is refused for that reader
  put "$1" "// a file" "$2"
  capture "$tools/check_clocks.py" "$work"
  expect_code 1
  expect_output "$1:2: '$3'"
  rm "$work/$1"
}

test_check_clocks_accepts_this_tree() {
  capture "$tools/check_clocks.py"
  expect_code 0
  expect_no_output
}

test_check_clocks_accepts_counted_work_and_the_one_clock() {
  put src/base/clock.cpp '#include <chrono>' 'auto t = std::chrono::steady_clock::now();'
  put src/base/run_limit.cpp 'double began = clock_seconds();'
  put src/solvers/a.cpp '// steady_clock::now() in a comment' 'const char* s = "std::clock()";' \
    'if (limit.reached()) return domain.time(); double t = p.time()[0]; times(3); run_clock(1);'
  capture "$tools/check_clocks.py" "$work"
  expect_code 0
  expect_no_output
}

test_check_clocks_refuses_every_reader_of_time() {
  put src/solvers/b.cpp 'int b;'
  refuses src/solvers/a.cpp 'using Clock = std::chrono::steady_clock;' steady_clock
  refuses src/solvers/a.cpp 'const auto begin = Clock::now();' Clock::now
  refuses src/solvers/a.cpp 'const std::clock_t start = std::clock();' std::clock_t
  refuses include/cauchy/math/a.hpp 'inline long a() { return time(nullptr); }' 'time(nullptr'
  refuses examples/math/a.cpp '::clock_gettime(CLOCK_MONOTONIC, &now);' clock_gettime
  refuses notes/lecture_1/a.cpp 'gettimeofday(&now, nullptr);' gettimeofday
  refuses tests/unit/math/test_a.cpp '#include <chrono>' '#include <chrono>'
  refuses tests/support/a.hpp 'getrusage(RUSAGE_SELF, &use);' getrusage
  refuses tests/unit/math/test_a.cpp 'std::this_thread::sleep_for(1ms);' sleep_for
}

test_check_clocks_refuses_scripts_of_tests_that_read_time() {
  put src/solvers/b.cpp 'int b;'
  refuses tests/tools/a.py 'begin = time.monotonic()' time.monotonic
  refuses tests/tools/a.sh 'while ! ready; do sleep 1; done' 'do sleep'
  refuses tests/tools/a.sh '[[ $SECONDS -lt 10 ]]' '$SECONDS'
}

test_check_clocks_wants_a_reason_where_the_clock_is_asked() {
  put src/solvers/b.cpp 'int b;'
  refuses src/solvers/a.cpp 'if (clock_seconds() > 5) return;' clock_seconds
  refuses src/solvers/a.cpp 'const double left = limit.seconds_left();' seconds_left
  expect_output "ASK_TIME of tools/check_clocks.py"
}

test_check_clocks_refuses_an_entry_that_nothing_needs() {
  put src/base/clock.cpp 'int a;'
  capture "$tools/check_clocks.py" "$work"
  expect_code 1
  expect_output "src/base/clock.cpp does not need its entry in READ_TIME any more"
}

test_check_clocks_refuses_an_empty_tree() {
  capture "$tools/check_clocks.py" "$work"
  expect_code 1
}
