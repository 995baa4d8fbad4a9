// Inverse problems of the lecture notes: constants from exact data, and from noisy ones with
// intervals that hold the truth as often as they say.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/noisy_problems.hpp"

namespace cauchy::test_noisy_inverse {
namespace {

TEST(InverseProblems, TheConductivityOfABarComesFromExactData) {
  Problem p = noisy::heat(1, 80, 1e-300);  // no noise at all
  p.observation[0].sigma.reset();
  Pinn m = noisy::settings(1, 10);
  m.stages = {{LevenbergMarquardtOptions{}, 150}};
  const Solution s = solve(p, m, {.threads = 1});
  EXPECT_NEAR(s.unknowns.at("D"), 0.5, 5e-4 * 0.5);
}

TEST(InverseProblems, BothConstantsOfBurgersEquationComeFromColeHopfData) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Expr lambda = Parameter("lambda"), nu = Parameter("nu");
  Problem p;
  p.name = "burgers_inverse";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 0.4);
  p.unknowns = {{.name = "lambda", .initial = 0.8, .truth = 1},
                {.name = "nu", .initial = 0.08, .lower = 0, .truth = 0.05}};
  p.equation = {d(u, t) + lambda * d(u * u / 2, x) == nu * d(u, x, x)};
  Observation o{.name = "data", .quantity = u, .column = "u"};
  o.table.columns = {"t", "x", "u"};
  Rng rng(1);
  std::vector<double> points, values(300);
  for (std::size_t i = 0; i < 300; ++i) {
    points.push_back(rng.uniform(0, 0.4));
    points.push_back(rng.uniform(-1, 1));
  }
  Reference exact;
  exact.exact = "burgers_cole_hopf";
  exact.parameters = {{"nu", 0.05}};
  p.reference = exact;
  p.observation = {o};
  p.observation[0].table.values = {0.1, 0.1, 0};
  const auto known = reference_values(p, points);
  ASSERT_TRUE(known.has_value());
  p.observation[0].table.values.clear();
  for (std::size_t i = 0; i < 300; ++i) {
    p.observation[0].table.values.insert(p.observation[0].table.values.end(),
                                         {points[2 * i], points[2 * i + 1], known->values[i]});
  }
  Pinn m;
  m.network = Mlp{.width = 12, .depth = 2};
  m.points.interior = 400;
  m.stages = {{LevenbergMarquardtOptions{}, 80}};
  const Solution s = solve(p, m, {.threads = 1});
  EXPECT_NEAR(s.unknowns.at("lambda"), 1, 5e-4);
  EXPECT_NEAR(s.unknowns.at("nu"), 0.05, 5e-4 * 0.05);
}

/// Of n seeds of noise and network, those whose interval holds the truth.
template <class Make>
int held(Make make, const std::string& constant, int n) {
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(n); ++seed) {
    const Problem p = make(seed);
    const Solution s = solve(p, noisy::settings(seed, 6), {.threads = 1});
    const auto i = s.intervals.find(constant);
    const double truth = *p.unknowns[0].truth;
    if (i == s.intervals.end()) continue;
    if (i->second.lower <= truth && truth <= i->second.upper) ++inside;
    // Wide intervals hold everything: these are as narrow as the data allow.
    EXPECT_LT(i->second.upper - i->second.lower, 0.2 * truth) << seed;
  }
  return inside;
}

// Of 24 intervals at the level 0.95 at least 20 hold the truth with probability 0.97; if they were
// half as wide (level 0.67), with probability 0.06.
TEST(InverseProblems, IntervalsHoldTheTruthAsOftenAsTheySay) {
  EXPECT_GE(held([](std::uint64_t s) { return noisy::decay(s); }, "k", 24), 20);
  EXPECT_GE(held([](std::uint64_t s) { return noisy::heat(s); }, "D", 24), 20);
}

}  // namespace
}  // namespace cauchy::test_noisy_inverse
