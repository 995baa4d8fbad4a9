#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/problem/exact_solution.hpp>

#include "support/fvm_cases.hpp"

namespace cauchy::test_fvm {
namespace {

using namespace testing;  // NOLINT: texts and runs

Problem library(const std::string& name) {
  return read_problem_file(std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems" /
                           (name + ".toml"))
      .problem;
}

/// Mean error of the first field at the last time against the exact solution of the library.
double last_error(const std::string& name, const Fvm& options) {
  const Problem p = library(name);
  detail::FvmSolver solver(std::make_shared<const Problem>(p), options, 1);
  const detail::ClassicalAnswer answer = solver.solve(0, {});
  EXPECT_TRUE(answer.model) << (answer.troubles.empty() ? "" : answer.troubles[0]);
  if (!answer.model) return NAN;
  const ExactSolution& exact = exact_solution(p.reference.exact);
  constexpr std::size_t n = 500;
  std::vector<double> points, values(n), expected(n * exact.fields.size());
  for (std::size_t i = 0; i < n; ++i) {
    points.push_back(p.domain->time()->upper);
    points.push_back((static_cast<double>(i) + 0.5) / n);  // x from 0 to 1
  }
  const Expr field[] = {Field(p.fields[0])};
  answer.model->evaluate(field, points, values);
  exact.prepare()(points, expected);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::abs(values[i] - expected[i * exact.fields.size()]) / n;
  }
  return sum;
}

// A jump that is spread over k cells costs k h / 4 of its height in the mean; fans and contacts
// about as much again. First order spreads a contact over sqrt(steps) cells.
TEST(FvmRiemann, FindsSodsShockTubeWithEveryFlux) {
  for (const FvmFlux flux : {FvmFlux::rusanov, FvmFlux::hll, FvmFlux::hllc}) {
    Fvm options;
    options.n = 200;
    options.flux = flux;
    const double second = last_error("sod", options);
    EXPECT_LT(second, 0.004);
    options.reconstruction = FvmReconstruction::first;
    const double first = last_error("sod", options);
    EXPECT_LT(first, 0.02);
    EXPECT_GT(first, 2 * second);
  }
}

TEST(FvmRiemann, HalvesTheErrorOfShocksWithTheCells) {
  for (const char* name : {"sod", "dam_break", "buckley_leverett"}) {
    Fvm options;
    options.n = 100;
    const double coarse = last_error(name, options);
    options.n = 200;
    const double fine = last_error(name, options);
    EXPECT_LT(fine, 0.006) << name;
    EXPECT_GT(std::log2(coarse / fine), 0.7) << name;
  }
}

TEST(FvmRiemann, FindsTheDamBreakOnTrianglesToo) {
  // The same in two dimensions, walls above and below.
  const std::string text =
      "name = 'dam'\nfields = ['h', 'u', 'v']\n[domain]\ntime = { t = [0, 0.08] }\n"
      "space = { x = [0, 1], y = [0, 0.1] }\n"
      "[[equation]]\nform = 'h_t + div([h*u, h*v]) = 0'\n"
      "[[equation]]\nform = 'd(h*u, t) + div([h*u^2 + 9.81*h^2/2, h*u*v]) = 0'\n"
      "[[equation]]\nform = 'd(h*v, t) + div([h*u*v, h*v^2 + 9.81*h^2/2]) = 0'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'h = where(x < 0.5, 1, 0.5)'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'u = 0'\n"
      "[[condition]]\nwhere = 't = 0'\nform = 'v = 0'\n"
      "[[condition]]\nwhere = 'boundary'\nform = 'n_x*u + n_y*v = 0'\n";
  Fvm options;
  options.cells = FvmCells::triangles;
  FvmRun run(text, options, 100);
  const double water = run.total(0);
  run.run_to(0.08);
  EXPECT_NEAR(run.total(0), water, 1e-13);
  const ExactEvaluator exact = exact_solution("dam_break").prepare();
  const double error = run.error(0, [&](double x, double) {
    double point[2] = {0.08, x}, values[2];
    exact(point, values);
    return values[0];
  });
  EXPECT_LT(error, 0.006);
}

TEST(FvmShear, KeepsMassMomentumAndEnergyWhileALayerRollsUp) {
  const auto folder = std::filesystem::path(CAUCHY_TEST_DATA) / ".." / ".." / "problems";
  const ProblemFile file = read_problem_file(folder / "kelvin_helmholtz.toml");
  const Problem& p = file.problem;
  check(p);
  const std::string text = to_toml(file);
  EXPECT_EQ(to_toml(parse_problem_file(text, "written", folder)), text);
  Fvm options;
  options.n = 64;
  options.flux = FvmFlux::rusanov;
  options.reconstruction = FvmReconstruction::muscl_hancock;
  options.limiter = FvmLimiter::none;
  const auto problem = std::make_shared<const Problem>(p);
  detail::FvmSolver solver(problem, options, 1);
  const detail::FvmMesh mesh = solver.mesh(64);
  detail::FvmOperator balance(problem, detail::Lowering(*problem), solver.law(), solver.gas(), mesh,
                              solver.scheme(), 1);
  auto stepper = detail::make_euler_stepper(balance, solver.law(), solver.gas(), mesh,
                                            solver.scheme(), solver.time(), 1);
  ASSERT_TRUE(stepper);
  detail::Rows q = balance.initial();
  const auto totals = [&] {
    std::vector<double> all;
    for (const auto& row : q) {
      double sum = 0;
      for (const double x : row) sum += x;
      all.push_back(sum);
    }
    return all;
  };
  const std::vector<double> before = totals();
  double size = 0;  // of momentum, which sums to nothing
  for (const double x : q[1]) size += std::abs(x);
  double t = 0, largest = stepper->largest_step(0, q);
  while (t < 2 && largest > 0) {
    const double dt = std::min(0.4 * largest, 2 - t);
    largest = stepper->step(t, dt, q);
    t += dt;
  }
  EXPECT_EQ(t, 2);
  const std::vector<double> after = totals();
  EXPECT_NEAR(after[0], before[0], 1e-12 * before[0]);
  EXPECT_NEAR(after[1], before[1], 1e-12 * size);
  EXPECT_NEAR(after[2], before[2], 1e-12 * size);
  EXPECT_NEAR(after[3], before[3], 1e-12 * before[3]);
  detail::Rows w;
  balance.fields(q, w);
  EXPECT_GT(*std::min_element(w[0].begin(), w[0].end()), 0.5);
  EXPECT_GT(*std::min_element(w[3].begin(), w[3].end()), 1);
  // The layer has moved: v is no longer small anywhere.
  EXPECT_GT(*std::max_element(w[2].begin(), w[2].end()), 0.15);
}

}  // namespace
}  // namespace cauchy::test_fvm
