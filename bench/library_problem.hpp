#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <cauchy/base/machine_rates.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/reference.hpp>

// What programs that solve the library with several seeds share.

namespace cauchy {

/// A file with its reference: its own, or one that a classical method finds, once for all runs.
inline ProblemFile read_with_reference(const std::filesystem::path& path,
                                       const std::vector<std::string>& overrides = {}) {
  ProblemFile file = read_problem_file(path, overrides);
  if (file.problem.reference.empty()) {
    file.problem.reference.code = find_reference(file.problem, {.cache = user_cache()}).reference;
  }
  return file;
}

/// Of the worst field or unknown constant; NaN when nothing can be compared.
inline double worst_error(const Solution& s) {
  double worst = s.error.relative_l2();
  for (const auto& [name, error] : s.error.unknowns) {
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// Of errors: the geometric mean of the two in the middle where their number is even.
inline double median(std::vector<double> v) {
  if (v.empty()) return NAN;
  std::sort(v.begin(), v.end());
  const std::size_t half = v.size() / 2;
  return v.size() % 2 == 1 ? v[half] : std::sqrt(v[half - 1] * v[half]);
}

}  // namespace cauchy
