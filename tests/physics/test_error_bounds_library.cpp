#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/solvers/error_bounds.hpp>

#include "support/program_field.hpp"

namespace cauchy::test_error_bounds_library {
namespace {

// Bounds on all files of problems/: each becomes a problem whose solution is a formula, by sources
// and data that are made of it; the answer is the formula with a known error added, which must lie
// between the bounds.

const std::filesystem::path root = std::filesystem::path(CAUCHY_TEST_DATA) / ".." / "..";

/// sum of 2 pi (x - lower) / (upper - lower) over all coordinates: waves of it are periodic.
Expr phase_of(const Problem& problem) {
  const Domain domain = domain_of(problem);
  Expr made = 0;
  const auto add = [&](const std::string& name, double lower, double upper) {
    made = made + 2 * pi * (Coordinate(name) - lower) / (upper - lower);
  };
  if (domain.time() != nullptr) {
    add(domain.time()->name, domain.time()->lower, domain.time()->upper);
  }
  if (domain.space() != nullptr) {
    const Bounds box = domain.shape()->bounds();
    for (std::size_t k = 0; k < box.lower.size(); ++k) {
      add(domain.space()->coordinates()[k], box.lower[k], box.upper[k]);
    }
  }
  return made;
}

/// The same problem with sources and data such that these formulas solve it.
Problem manufactured(Problem p, const std::map<std::string, Expr>& exact) {
  std::vector<Replacement> fields;
  for (const auto& [name, formula] : exact) fields.push_back({Field(name), formula});
  const auto fix = [&](Equation& form) {
    form.right = form.right + substitute(form.residual(), fields);
  };
  for (ProblemEquation& e : p.equation) fix(e.form);
  for (Condition& c : p.condition) {
    if (c.kind != Condition::Kind::periodic) fix(c.form);
  }
  p.reference = {};
  p.reference.formulas = exact;
  return p;
}

/// Whether a file is one of those that this test can change: no unknown constants, functions or
/// ranges, conditions at points.
bool fits(const Problem& p) {
  return p.domain && p.domain->ranges().empty() && p.unknowns.empty() && p.coefficients.empty() &&
         std::all_of(p.condition.begin(), p.condition.end(), [](const Condition& c) {
           return c.kind == Condition::Kind::general || c.kind == Condition::Kind::periodic;
         });
}

TEST(ErrorBoundsLibrary, HoldTheErrorsThatWereAddedToKnownSolutions) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root / "problems")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t bounded = 0, sharp = 0;
  std::set<std::string> seen;
  for (const auto& file : files) {
    Problem read;
    try {
      read = read_problem_file(file).problem;
    } catch (const Error&) {
      continue;  // a file of another kind
    }
    if (!fits(read)) continue;
    SCOPED_TRACE(file.stem().string());
    const Expr phase = phase_of(read);
    std::map<std::string, Expr> exact, answer;
    double shift = 0;
    for (const std::string& field : read.fields) {
      exact[field] = 1.5 + sin(phase + shift);
      answer[field] = exact[field] + 0.01 * cos(phase + shift) + 0.002 * sin(2 * phase);
      shift += 0.7;
    }
    const Solution s = answer_of(manufactured(read, exact), answer);
    const ErrorReport truth = measure_error(s, 4000);
    double best = INFINITY;
    for (const ErrorBound& b : error_bounds(s, 4000)) {
      for (const FieldError& e : truth.fields) {
        if (e.field != b.field) continue;
        seen.insert(b.theory);
        // Both norms of the error are taken at points of a grid: right to some percent.
        if (b.norm == "largest" || b.norm == "largest over time") {
          EXPECT_GE(b.upper, 0.97 * e.max) << b.theory << ", " << b.norm << ": " << b.how;
          EXPECT_LE(b.lower, 1.03 * e.max) << b.theory << ", " << b.norm << ": " << b.how;
        } else if (b.norm == "L2" || b.norm == "L2 over time" ||
                   b.norm == "L2 over space and time") {
          EXPECT_GE(b.relative, 0.93 * e.relative_l2)
              << b.theory << ", " << b.norm << ": " << b.how;
          if (!std::isfinite(b.upper)) continue;
          EXPECT_LE(b.lower * b.relative / b.upper, 1.07 * e.relative_l2)
              << b.theory << ", " << b.norm << ": " << b.how;
          best = std::min(best, b.relative / e.relative_l2);
        }
      }
    }
    if (!std::isfinite(best)) continue;
    ++bounded;
    sharp += best <= 5 ? 1 : 0;
    std::cout << "  " << file.stem().string() << ": upper over true " << best << "\n";
  }
  std::cout << "  " << bounded << " problems bounded, " << sharp
            << " of them within a factor of 5\n";
  EXPECT_GE(bounded, 20u);
  EXPECT_GE(2 * sharp, bounded);
  for (const BoundTheory& t : all_bound_theories()) {
    EXPECT_TRUE(seen.contains(std::string(t.name))) << t.name;
  }
}

}  // namespace
}  // namespace cauchy::test_error_bounds_library
