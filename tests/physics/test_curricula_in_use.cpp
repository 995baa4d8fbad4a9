// Curricula in whole trainings: each one on a problem that needs it, over seeds 1 to 5.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_curricula_in_use {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

/// Stages of Levenberg-Marquardt's method, which loses nothing at their ends.
Pinn least_squares(std::size_t stages, std::uint64_t steps) {
  Pinn m;
  m.network = Mlp{.width = 12, .depth = 2};
  m.points = {.interior = 80};
  m.stages.assign(stages, {LevenbergMarquardtOptions{}, steps});
  return m;
}

/// Relative errors of seeds 1 to 5, the smallest first.
std::vector<double> errors(const Problem& problem, Pinn method, CurriculumOptions curriculum) {
  method.rules.curriculum = std::move(curriculum);
  std::vector<double> all;
  for (method.seed = 1; method.seed <= 5; ++method.seed) {
    all.push_back(
        solve(problem, method, {.threads = 1, .history_every = 100'000}).error.relative_l2());
  }
  std::ranges::sort(all);
  return all;
}
std::string text(const std::vector<double>& errors) {
  std::string all;
  for (const double e : errors) all += fmt::format(" {:.2g}", e);
  return all;
}

/// Foxes and rabbits for a period and a half; all at once, networks find states of rest.
Problem foxes() {
  Problem p;
  p.name = "foxes";
  p.fields = {"u", "v"};
  p.domain = Time(t, 0, 10);
  p.equation = {d(u, t) == u * (1 - v), d(v, t) == v * (u - 1)};
  p.condition = {weighted(10, at(t == 0, u == 3)), weighted(10, at(t == 0, v == 1))};
  const auto exact = std::make_shared<const Solution>(solve(p, Ode{}, {.threads = 1}));
  p.reference.code =
      ReferenceCode{{"u", "v"}, "an integrator", 1e-8, [exact](auto points, auto values) {
                      for (std::size_t i = 0; i < points.size(); ++i) {
                        values[2 * i] = (*exact)("u", {points[i]});
                        values[2 * i + 1] = (*exact)("v", {points[i]});
                      }
                    }};
  return p;
}

/// The frequency of a vibration from 25 values over three periods, first taken for half of it; the
/// equation alone is content with u = 0.
Problem vibration() {
  const Parameter w("w");
  Problem p;
  p.name = "vibration";
  p.fields = {"u"};
  p.domain = Time(t, 0, 10);
  p.unknowns = {{.name = "w", .initial = 1, .lower = 0, .truth = 2}};
  p.equation = {d(u, t, t) + w * w * u == 0};
  Observation o{.name = "data", .quantity = u, .column = "m"};
  o.table.columns = {"t", "m"};
  for (int i = 0; i < 25; ++i) {
    const double at = 10 * (i + 0.5) / 25;
    o.table.values.insert(o.table.values.end(), {at, std::cos(2 * at)});
  }
  p.observation = {o};
  p.reference.formulas["u"] = cos(2 * t);
  return p;
}

TEST(CurriculaInUse, GrowingTimeFollowsASystemThatComesToRestOtherwise) {
  const Problem p = foxes();
  const std::vector<double> plain = errors(p, least_squares(20, 20), NoCurriculum{});
  const std::vector<double> grown = errors(p, least_squares(20, 20), GrowingTimeCurriculum{});
  EXPECT_LT(100 * grown[4], plain[0]) << text(plain) << " against" << text(grown);
  EXPECT_LT(grown[4], 5e-3);
}

TEST(CurriculaInUse, DataAndLossFindAFrequencyThatIsFarOff) {
  const Problem p = vibration();
  const std::vector<double> plain = errors(p, least_squares(2, 60), NoCurriculum{});
  const std::vector<double> data = errors(p, least_squares(12, 20), DataCurriculum{});
  const std::vector<double> loss = errors(p, least_squares(2, 60), LossCurriculum{});
  EXPECT_GT(plain[0], 0.5) << text(plain);
  EXPECT_LT(data[4], 1e-3) << text(data);
  EXPECT_LT(loss[4], 1e-3) << text(loss);
}

/// |grad u| = 1 with the value 0 all around.
Problem distance_in_a_bar() {
  Problem p;
  p.name = "distance";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(u, x) * d(u, x) == 1};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] = 0.5 - abs(x - 0.5);
  return p;
}

TEST(CurriculaInUse, ViscosityChoosesTheDistanceFromTheBoundary) {
  const Problem p = distance_in_a_bar();
  Pinn method = least_squares(1, 60);
  const std::vector<double> plain = errors(p, method, NoCurriculum{});
  const auto viscosity = [](double sign) {
    return ContinuationCurriculum{.parameter = "viscosity",
                                  .values = {0.5 * sign, 0.1 * sign, 0.02 * sign}};
  };
  const std::vector<double> viscous = errors(p, method, viscosity(1));
  const std::vector<double> below = errors(p, method, viscosity(-1));
  EXPECT_GT(plain[4], 0.5) << "kinks at wrong places" << text(plain);
  EXPECT_LT(viscous[4], 0.05) << text(viscous);
  EXPECT_NEAR(below[0], 2, 0.05) << "minus the distance" << text(below);
}

TEST(Viscosity, NeedsOneFieldInSpaceAndValues) {
  Pinn method;
  method.rules.curriculum = ContinuationCurriculum{.parameter = "viscosity", .values = {0.1}};
  const auto message = [&](const Problem& p) {
    return message_of([&] { (void)prepare(p, method); });
  };
  EXPECT_NE(message(foxes()).find("one field in space"), std::string::npos);
  method.rules.curriculum = ContinuationCurriculum{.parameter = "viscosity", .values = {}};
  EXPECT_NE(message(distance_in_a_bar()).find("needs the values"), std::string::npos);
}

/// |grad u| = 1 between two circles, with what is given on the inner one.
Problem between_circles(const Equation& equation, double slope) {
  Problem p;
  p.name = "circles";
  p.fields = {"u"};
  p.domain = Domain(Annulus({0, 0}, 0.5, 1.5));
  p.equation = {equation};
  p.condition = {on("inner", u == 0), on("inner", normal_derivative(u, {"x", "y"}) == slope)};
  return p;
}

double first_viscosity(const Problem& problem) {
  const Expanded made = expand(Auto{}, problem);
  const auto* rule = std::get_if<ContinuationCurriculum>(&made.pinn.rules.curriculum);
  return rule == nullptr ? 0 : rule->values[0];
}

TEST(Auto, LetsAViscosityVanishInEquationsOfTheGradient) {
  EXPECT_GT(first_viscosity(distance_in_a_bar()), 0);
  const Expr square = d(u, x) * d(u, x) + d(u, y) * d(u, y);
  // Slopes that are given march into the domain; neither the side of a term nor the sign of u
  // may change what is damped: F_p . n has the sign of F times that of u.
  EXPECT_LT(first_viscosity(between_circles(square == 1, -1)), 0);
  EXPECT_GT(first_viscosity(between_circles(Expr(1) == square, -1)), 0);
  EXPECT_GT(first_viscosity(between_circles(square == 1, 1)), 0);
  Problem transport = distance_in_a_bar();
  transport.equation = {d(u, x) == u * u};
  EXPECT_EQ(first_viscosity(transport), 0) << "linear in the gradient";
  transport.equation = {d(u, x, x) == d(u, x) * d(u, x)};
  EXPECT_EQ(first_viscosity(transport), 0) << "of second order";
}

TEST(Auto, TakesTheWaveNumberOfHolesFromTheirNumber) {
  const auto with_holes = [](const Region& region) {
    Problem p;
    p.name = "holes";
    p.fields = {"u"};
    p.domain = Domain(region);
    p.equation = {d(u, x, x) + d(u, y, y) == 0};
    p.condition = {on_boundary(u == x)};
    return expand(Auto{.seconds = 1}, p).pinn;
  };
  Region plate = Rectangle({-1, -1}, {1, 1});
  for (const double a : {-0.5, 0.5}) {
    for (const double b : {-0.5, 0.5}) plate = plate - Disk({a, b}, 0.2);
  }
  const Pinn flat = with_holes(plate);
  // Four holes in [-1, 1]^2 have the distance 1: k = pi, k / sqrt(2) and 10 k^4.
  EXPECT_LT(std::abs(std::get<Mlp>(flat.network).fourier_scale - pi / std::sqrt(2)), 1e-12);
  EXPECT_EQ(flat.condition_weight, 974);
  const Pinn whole = with_holes(Rectangle({-1, -1}, {1, 1}));
  EXPECT_EQ(std::get<Mlp>(whole.network).fourier, 0);
  EXPECT_EQ(whole.condition_weight, 10);
}

}  // namespace
}  // namespace cauchy::test_curricula_in_use
