// Noisy observations in the loss of a PINN, and what they tell of unknown constants.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/solvers/restarts.hpp>
#include <cauchy/training/loss.hpp>

#include "solvers/pinn/pinn_assembly.hpp"
#include "support/noisy_problems.hpp"
#include "support/pinn_cases.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_noise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const Coordinate t("t"), x("x");
const Field u("u"), k("k");

double half_width(const ConfidenceInterval& i) { return (i.upper - i.lower) / 2; }

TEST(PinnNoise, ValuesCountByTheInverseOfTheirVarianceWhateverTheirObservation) {
  Problem p = noisy::decay(1, 3, 0.1);
  Observation more = noisy::decay(2, 2).observation[0];
  more.name = "more";
  more.table.columns = {"t", "m", "s"};
  more.table.values = {0.5, 0.4, 0.02, 1, 0.1, 0.3};
  more.sigma.reset();
  more.sigma_column = "s";
  more.quantity = 2 * u;
  p.observation.push_back(more);
  const detail::PinnAssembly pinn(std::make_shared<const Problem>(p), noisy::settings(1));
  // The weight of a squared misfit is the same multiple of 1 / sigma^2 for all five values.
  std::vector<double> share;
  for (const detail::PinnTerm& term : pinn.loss.terms) {
    if (term.kind != PointSource::Kind::observation) continue;
    const bool first = term.term.name == "data";
    for (std::size_t i = 0; i < term.weights.size(); ++i) {
      const double sigma = first ? 0.1 : std::vector{0.02, 0.3}[i];
      const double of_square = term.term.weight / static_cast<double>(term.n) * term.weights[i] /
                               (term.size * term.size);
      share.push_back(of_square * sigma * sigma);
      EXPECT_NEAR(term.weights[i] * sigma * sigma / (term.size * term.size), term.noise, 1e-15);
    }
  }
  ASSERT_EQ(share.size(), 5u);
  for (const double s : share) EXPECT_NEAR(s, share[0], 1e-14 * share[0]);
}

TEST(PinnNoise, ANumberForAllLeavesTheLossAsItWas) {
  Problem p = noisy::decay(1);
  const detail::PinnAssembly with(std::make_shared<const Problem>(p), noisy::settings(1));
  p.observation[0].sigma.reset();
  const detail::PinnAssembly without(std::make_shared<const Problem>(p), noisy::settings(1));
  const auto& a = with.loss.terms.back();
  EXPECT_EQ(a.term.weight, without.loss.terms.back().term.weight);
  for (const double w : a.weights) EXPECT_NEAR(w, 1, 1e-14);
  EXPECT_EQ(with.method.rules.point_weights.size(), 1u);
  EXPECT_TRUE(without.method.rules.point_weights.empty());
  EXPECT_NE(with.fingerprint(), without.fingerprint());
}

TEST(PinnNoise, ACoefficientIsExpectedToBeSmooth) {
  Problem p;
  p.fields = {"u"};
  p.coefficients = {{"k", {"x"}}};
  p.domain = Interval(x, 0, 4);
  p.equation = {-d(k * d(u, x), x) == 1};
  p.condition = {on_boundary(u == 0), on("left", k == 3)};
  Observation o{.name = "data", .quantity = u, .column = "m"};
  o.table.columns = {"x", "m"};
  o.table.values = {1, 2, 3, -2};
  p.observation = {o};
  Pinn m = noisy::settings(1);
  const auto residuals = [&] {
    return detail::PinnAssembly(std::make_shared<const Problem>(p), m).loss.terms[0].term.residuals;
  };
  EXPECT_EQ(residuals().size(), 1u);
  p.observation[0].sigma = 0.1;
  ASSERT_EQ(residuals().size(), 2u);
  // sqrt(v) 2 / variation * half width / size, v = 0.01 (sigma / 2)^2 / 2
  const double v = 0.01 * 0.05 * 0.05 / 2;
  Values slope;
  slope.set(d(k, x), 5);
  EXPECT_NEAR(evaluate(residuals()[1], slope), 5 * std::sqrt(v) * 2 / 0.2 * (2.0 / 3), 1e-15);
  m.variation = 0;
  EXPECT_EQ(residuals().size(), 1u);
}

// --- confidence intervals ---

TEST(Intervals, AreThoseOfLeastSquaresWithTheEquationAsAConstraint) {
  // u = exp(-k t): the variance of k is sigma^2 / sum (t u)^2.
  const Problem p = noisy::decay(3);
  const Solution s = solve(p, noisy::settings(1), {.threads = 1});
  const double found = s.unknowns.at("k");
  double information = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const double at = p.observation[0].table.values[2 * i];
    information += std::pow(at * std::exp(-found * at), 2);
  }
  const double expected = 1.96 * 0.05 / std::sqrt(information);
  ASSERT_TRUE(s.intervals.contains("k"));
  const ConfidenceInterval& i = s.intervals.at("k");
  EXPECT_EQ(i.level, 0.95);
  EXPECT_NEAR(half_width(i), expected, 0.15 * expected);
  EXPECT_NEAR((i.lower + i.upper) / 2, found, 0.15 * expected);
  EXPECT_EQ(i.how, "Gauss-Newton matrix, noise as given");
  EXPECT_THAT(s.findings, Not(Contains(HasSubstr("noise"))));
}

TEST(Intervals, EstimateTheNoiseFromTheMisfit) {
  Problem p = noisy::decay(3);
  const Solution given = solve(p, noisy::settings(1), {.threads = 1});
  p.observation[0].sigma.reset();
  const Solution s = solve(p, noisy::settings(1), {.threads = 1});
  EXPECT_THAT(s.intervals.at("k").how, HasSubstr("estimated from the misfit"));
  // The estimate of sigma from 40 values is off by 1 / sqrt(80) = 11 % in the mean.
  EXPECT_NEAR(half_width(s.intervals.at("k")), half_width(given.intervals.at("k")),
              0.4 * half_width(given.intervals.at("k")));
}

TEST(Intervals, StayWithinTheBoundsOfAConstant) {
  Problem p = noisy::decay(3, 4, 1.0);
  const Solution s = solve(p, noisy::settings(1), {.threads = 1});
  EXPECT_GT(s.intervals.at("k").lower, 0);
  EXPECT_THAT(s.findings, Contains(HasSubstr("the data say little about 'k'")));
}

TEST(Intervals, NameConstantsThatTheDataDoNotDetermineSeparately) {
  Problem p = noisy::decay(3);
  p.unknowns = {{.name = "a", .initial = 0.7}, {.name = "b", .initial = 1.5}};
  p.equation = {d(u, t) == -Parameter("a") * Parameter("b") * u};
  const Solution s = solve(p, noisy::settings(1), {.threads = 1});
  EXPECT_THAT(s.warnings, Contains("the data do not determine 'a' and 'b' separately"));
  EXPECT_TRUE(s.intervals.empty());
  EXPECT_NEAR(s.unknowns.at("a") * s.unknowns.at("b"), 1.3, 0.3);
  EXPECT_NE(s.grade, Grade::converged);
}

TEST(Intervals, AreSavedWithTheSolution) {
  const TemporaryFolder folder;
  const Problem p = noisy::decay(3);
  const Pinn m = noisy::settings(1);
  const Solution s = solve(p, m, {.threads = 1});
  save_solution(folder / "s.bin", s);
  const ConfidenceInterval i = load_solution(folder / "s.bin", p, m).intervals.at("k");
  EXPECT_EQ(i.lower, s.intervals.at("k").lower);
  EXPECT_EQ(i.upper, s.intervals.at("k").upper);
  EXPECT_EQ(i.how, s.intervals.at("k").how);
}

TEST(Intervals, OfRestartsAreTheirSpread) {
  Restarts r;
  for (const double value : {1.0, 2.0, 3.0}) {
    Solution s;
    s.unknowns["k"] = value;
    r.runs.push_back(std::move(s));
  }
  const ConfidenceInterval i = r.unknown_spread().at("k");
  EXPECT_NEAR(i.lower, 2 - 1.959964, 1e-6);
  EXPECT_NEAR(i.upper, 2 + 1.959964, 1e-6);
  EXPECT_EQ(i.how, "spread of 3 restarts");
  r.runs.resize(1);
  EXPECT_TRUE(r.unknown_spread().empty());
}

}  // namespace
}  // namespace cauchy::test_pinn_noise
