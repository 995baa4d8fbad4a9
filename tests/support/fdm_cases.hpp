#pragma once

#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/fdm/fdm_steady.hpp"

namespace cauchy {

/// A problem with its solution, for orders of finite differences.
struct FdmCase {
  std::string name;
  std::string text;   // of the problem, with equations and conditions written with the solution
  std::string exact;  // of field u
  int n = 16;         // cells of the coarser grid
  int order = 2;
  double slack = 0.1;
  double expected = 0;  // 0: the order
  [[nodiscard]] double aim() const { return expected > 0 ? expected : order; }
};

/// Root mean square of u - exact at 400 points of the domain.
inline double fdm_error(const FdmCase& c, int n) {
  const ProblemFile file = parse_problem_file("fields = [\"u\"]\n" + c.text, c.name);
  const auto problem = std::make_shared<const Problem>(file.problem);
  const auto solver = detail::make_fdm_steady(problem, Fdm{.n = n, .order = c.order});
  const detail::ClassicalAnswer answer = solver->solve(0, {});
  EXPECT_TRUE(answer.troubles.empty()) << c.name << ": " << answer.troubles.front();
  if (answer.model == nullptr) return NAN;
  const Points points = interior_points(domain_of(*problem), 400);
  const Expr difference[] = {Field("u") - parse(c.exact, problem->context())};
  std::vector<double> out(points.size());
  answer.model->evaluate(difference, points.values, out);
  double sum = 0;
  for (const double e : out) sum += e * e;
  return std::sqrt(sum / static_cast<double>(out.size()));
}

/// Slope of the error over many grids: on regions it depends on how nodes lie beside the boundary.
/// Errors of the boundary fall faster and are a large part on coarse grids.
inline void expect_slope(const FdmCase& c, std::initializer_list<int> grids) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  std::string seen;
  for (const int n : grids) {
    const double error = fdm_error(c, n), x = std::log(n), y = -std::log(error);
    seen += std::to_string(error * 1e6) + " ";
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const auto m = static_cast<double>(grids.size());
  const double slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
  EXPECT_GT(slope, c.aim() - 0.1) << c.name << ": " << seen;
  EXPECT_LT(slope, c.aim() + 0.6) << c.name << ": " << seen;
}

inline void expect_order(const FdmCase& c) {
  const double coarse = fdm_error(c, c.n), fine = fdm_error(c, 2 * c.n);
  const double order = std::log2(coarse / fine);
  EXPECT_NEAR(order, c.aim(), c.slack) << c.name << ": " << coarse << ", " << fine;
}

inline const std::string line = "[domain]\nspace = { x = [0, 1] }\n";
inline const std::string square = "[domain]\nspace = { x = [0, 1], y = [0, 1] }\n";
inline const std::string disk = "[domain]\nregion = \"disk((0.1, -0.05), 1)\"\n";

inline std::string equation(const std::string& form) {
  return "[[equation]]\nform = \"" + form + "\"\n";
}
inline std::string on(const std::string& where, const std::string& form) {
  return "[[condition]]\nwhere = \"" + where + "\"\nform = \"" + form + "\"\n";
}

}  // namespace cauchy
