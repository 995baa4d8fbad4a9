// Bounds on the errors of trained answers against their true errors: every file of problems/ with a
// reference is solved by `auto` with a short training, and error_bounds() is asked.
//
//   bench_bounds [--smallest] [SECONDS [TEXT]]
//     SECONDS   of each training, default 3
//     TEXT      only files whose name contains it
//
// Prints one line per file and norm, and ends with 1 when a bound does not hold: an upper one below
// 0.9 of the true error, or a lower one above 1.1 of it.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/error_bounds.hpp>
#include <cauchy/solvers/method.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench_options.hpp"

namespace {

using namespace cauchy;

/// The true error in the norm of a bound, over the norm of the reference; none where it is not
/// measured.
double true_error(const ErrorBound& b, const FieldError& e) {
  if (b.norm == "largest" || b.norm == "largest over time") return e.max;
  if (b.norm == "L2" || b.norm == "L2 over time" || b.norm == "L2 over space and time") {
    return e.relative_l2;
  }
  return NAN;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : smallest ? 1 : 3;
  const std::string only = argc > 2 ? argv[2] : smallest ? "heated_bar" : "";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("problems")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int broken = 0;
  for (const auto& file : files) {
    const std::string name = file.stem().string();
    if (name.find(only) == std::string::npos) continue;
    Problem problem;
    try {
      problem = read_problem_file(file).problem;
      // Nothing is trained where nothing would be said: a look at the zero answer is enough.
      if (problem.reference.empty() || !problem.unknowns.empty()) continue;
      const Solution s = solve(problem, Auto{.seconds = seconds}, {.max_seconds = 2 * seconds});
      const auto begin = std::chrono::steady_clock::now();
      const std::vector<ErrorBound> bounds = error_bounds(s);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (bounds.empty()) {
        fmt::print("{:28} true {:8.1e}  no bound\n", name, s.error.relative_l2());
      }
      for (const ErrorBound& b : bounds) {
        for (const FieldError& e : s.error.fields) {
          const double real = true_error(b, e);
          if (e.field != b.field || !std::isfinite(real)) continue;
          const bool relative = b.norm.starts_with("L2");
          const double upper = relative ? b.relative : b.upper;
          const double lower = relative ? b.lower * b.relative / b.upper : b.lower;
          const bool bad = upper < 0.9 * real || lower > 1.1 * real;
          broken += bad ? 1 : 0;
          fmt::print(
              "{:28} true {:8.1e}  upper {:8.2f}  lower {:5.2f} of it  {:.2f} s  {}, {} {}{}\n",
              name, real, upper / real, lower / real, spent.count(), b.field, b.theory, b.norm,
              bad ? "  BROKEN" : "");
        }
      }
    } catch (const Error& e) {
      fmt::print("{:28} {}\n", name, e.what());
    }
    std::fflush(stdout);
  }
  return broken > 0 ? 1 : 0;
}
