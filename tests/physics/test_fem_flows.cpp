// Flows by elements against published tables.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/fem/fem_solver.hpp"

namespace cauchy::test_fem_flows {
namespace {

const Coordinate x("x"), y("y");
const Field u("u"), v("v"), p("p");

/// Ghia, Ghia and Shin (1982), tables I and II: u along x = 1/2, v along y = 1/2.
struct CavityTable {
  double reynolds;
  std::size_t n;  // cells along a side
  double along_y[15], along_x[15];
};
constexpr double heights[] = {0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5,
                              0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625, 0.0547};
constexpr double widths[] = {0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5,
                             0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703, 0.0625};
constexpr CavityTable tables[] = {
    {100,
     16,
     {0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090, -0.15662,
      -0.10150, -0.06434, -0.04775, -0.04192, -0.03717},
     {-0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454, 0.17527,
      0.17507, 0.16077, 0.12317, 0.10890, 0.10091, 0.09233}},
    {400,
     20,
     {0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119, -0.32726,
      -0.24299, -0.14612, -0.10338, -0.09266, -0.08186},
     {-0.12146, -0.15663, -0.19254, -0.22847, -0.23827, -0.44993, -0.38598, 0.05186, 0.30174,
      0.30203, 0.28124, 0.22965, 0.20920, 0.19713, 0.18360}}};
/// Of the second table for 400: -0.23827 at x = 0.9063 lies between -0.22847 and -0.44993, far from
/// any smooth line through the others; it is taken for a misprint.
constexpr std::size_t misprint = 4;

TEST(FemFlows, CavityIsThatOfTheTables) {
  for (const CavityTable& table : tables) {
    Problem problem;
    problem.domain = Rectangle({0, 0}, {1, 1});
    problem.fields = {"u", "v", "p"};
    const Space plane{x, y};
    problem.equation = {u * d(u, x) + v * d(u, y) + d(p, x) == laplacian(u, plane) / table.reynolds,
                        u * d(v, x) + v * d(v, y) + d(p, y) == laplacian(v, plane) / table.reynolds,
                        d(u, x) + d(v, y) == 0};
    problem.condition = {on("not top", u == 0), on("top", u == 1), on_boundary(v == 0)};
    detail::FemSolver solver(std::make_shared<const Problem>(problem),
                             {.n = static_cast<int>(table.n)}, 1);
    const detail::ClassicalAnswer answer = solver.solve(0, {});
    ASSERT_TRUE(answer.model);
    double worst_u = 0, worst_v = 0;
    for (std::size_t i = 0; i < 15; ++i) {
      std::vector<double> value(1);
      answer.model->evaluate(std::vector<Expr>{u}, std::vector<double>{0.5, heights[i]}, value);
      worst_u = std::fmax(worst_u, std::abs(value[0] - table.along_y[i]));
      EXPECT_LT(std::abs(value[0] - table.along_y[i]), 1e-2) << heights[i];  // of the lid's speed
      if (table.reynolds == 400 && i == misprint) continue;
      answer.model->evaluate(std::vector<Expr>{v}, std::vector<double>{widths[i], 0.5}, value);
      worst_v = std::fmax(worst_v, std::abs(value[0] - table.along_x[i]));
      EXPECT_LT(std::abs(value[0] - table.along_x[i]), 1e-2) << widths[i];
    }
    RecordProperty("largest difference", std::to_string(std::fmax(worst_u, worst_v)));
  }
}

/// The file against its table, which an independent program made, and the place where the flow
/// meets the bottom, where u_y changes its sign: 2.918 heights of the step behind it by that
/// program.
TEST(FemFlows, FlowBehindAStepIsThatOfTheTableAndMeetsTheBottomInTheSamePlace) {
  const auto problem = std::make_shared<const Problem>(
      read_problem_file(std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" /
                        "backward_step.toml")
          .problem);
  detail::FemSolver solver(problem, {.refinement = FemRefinement::adaptive}, 1);
  detail::ClassicalAnswer answer;
  for (int level = 0; level < 5; ++level) answer = solver.solve(level, {});
  ASSERT_TRUE(answer.model);
  const Table& table = problem->reference.table;
  const std::vector<double> xs = table.column("x"), ys = table.column("y");
  for (const char* name : {"u", "v", "p"}) {
    const std::vector<double> right = table.column(name);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      std::vector<double> value(1);
      answer.model->evaluate(std::vector<Expr>{Field(name)}, std::vector{xs[i], ys[i]}, value);
      off += (value[0] - right[i]) * (value[0] - right[i]);
      size += right[i] * right[i];
    }
    EXPECT_LT(std::sqrt(off / size), *problem->tolerance) << name;
  }
  const auto shear = [&](double at) {
    std::vector<double> value(1);
    answer.model->evaluate(std::vector<Expr>{d(u, y)}, std::vector<double>{at, 0.0}, value);
    return value[0];
  };
  double back = 0.5, ahead = 3;  // the small eddy in the corner ends before 0.5
  ASSERT_LT(shear(back), 0);
  ASSERT_GT(shear(ahead), 0);
  for (int k = 0; k < 40; ++k) {
    const double middle = (back + ahead) / 2;
    (shear(middle) < 0 ? back : ahead) = middle;
  }
  constexpr double height = 0.5, other = 2.918;
  EXPECT_LT(std::abs(back / height - other), 0.01 * other) << back / height;
  RecordProperty("reattachment", std::to_string(back / height));
}

}  // namespace
}  // namespace cauchy::test_fem_flows
