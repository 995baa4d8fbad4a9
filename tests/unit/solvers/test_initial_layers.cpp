// Layers that start where data disagree at the first time, added to networks in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/initial_layers.hpp"
#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::test_initial_layers {
namespace {

using detail::InitialLayer;
using Kind = InitialLayer::Kind;

const Coordinate t("t"), x("x");
const Field u("u");

/// On 0 < x < 2, 0 < t < 1.
Problem bar(const Equation& equation, const Expr& initial, std::vector<Condition> conditions) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2) * Time(t, 0, 1);
  p.equation = {equation};
  p.condition = std::move(conditions);
  p.condition.push_back(at(t == 0, u == initial));
  return p;
}
Equation heat(double diffusion) { return d(u, t) == diffusion * d(u, x, x); }

std::vector<InitialLayer> layers(const Problem& p) {
  return detail::initial_layers(p, detail::Lowering(p));
}

double value(const Expr& e, double time, double place) {
  Values values;
  values.set(t, time).set(x, place);
  return evaluate(e, values);
}

double at_start(const Expr& e, double place) { return value(e, 0, place); }

TEST(InitialLayers, AreFoundWhereValuesSlopesAndVelocitiesDisagree) {
  const auto found = layers(bar(d(u, t) + 3 * u == 0.5 * d(u, x, x), 1 + x * x,
                                {on("left", u == 4 + t), on("right", d(u, x) == 1)}));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, Kind::jump);
  EXPECT_EQ(found[0].place, 0);
  EXPECT_DOUBLE_EQ(found[0].amount, 3) << "4 is wanted, 1 is there";
  EXPECT_DOUBLE_EQ(found[0].diffusion, 0.5);
  // u_t = 0.5 * 2 - 3 * 1 = -2 inside, 1 is wanted, and the jump decays at -3 * 3.
  EXPECT_EQ(found[1].kind, Kind::bend);
  EXPECT_DOUBLE_EQ(found[1].amount, 1 + 2 + 9);
  EXPECT_EQ(found[2].kind, Kind::kink);
  EXPECT_EQ(found[2].place, 2);
  EXPECT_DOUBLE_EQ(found[2].amount, 1 - 4);
  for (const InitialLayer& layer : found) EXPECT_EQ(layer.where, InitialLayer::Where::end);
}

TEST(InitialLayers, AreFoundAtTheSeamOfAPeriodicCoordinate) {
  const auto found = layers(bar(heat(0.1), x * x, {periodic(x)}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Kind::jump);
  EXPECT_DOUBLE_EQ(found[0].amount, 0 - 4);
  EXPECT_EQ(found[1].kind, Kind::kink);
  EXPECT_DOUBLE_EQ(found[1].amount, 0 - 4) << "slopes, from x = 2 on to x = 0";
}

TEST(InitialLayers, AreFoundInsideWhereInitialValuesHaveKinksAndJumps) {
  const Expr value = max(Expr(0), 1 - 2 * abs(x - 1)) * where(x < 1.25, Expr(1), Expr(3));
  const auto found = layers(bar(heat(0.1), value, {on_boundary(u == 0)}));
  // Slopes 0, 2, -2, -6 and 0; the value 0.5 becomes 1.5 at 1.25.
  double jumps = 0;
  std::map<double, double> kinks;
  for (const InitialLayer& layer : found) {
    EXPECT_EQ(layer.where, InitialLayer::Where::inside);
    if (layer.kind == Kind::jump) {
      EXPECT_NEAR(layer.place, 1.25, 1e-12);
      jumps += layer.amount;
    } else {
      kinks[std::round(100 * layer.place) / 100] = layer.amount;
    }
  }
  EXPECT_NEAR(jumps, 1, 1e-7);
  ASSERT_EQ(kinks.size(), 4u);
  EXPECT_NEAR(kinks.at(0.5), 2, 1e-12);
  EXPECT_NEAR(kinks.at(1), -4, 1e-12);
  EXPECT_NEAR(kinks.at(1.25), -4, 1e-12);
  EXPECT_NEAR(kinks.at(1.5), 6, 1e-12);
  // Together they have all that the value has: what is left is smooth.
  const Expr rest = value - detail::sum_of(found, "u");
  for (const double y : {0.5, 1.0, 1.25, 1.5}) {
    for (const Expr& e : {rest, d(rest, x)}) {
      EXPECT_NEAR(at_start(e, y + 1e-6), at_start(e, y - 1e-6), 1e-5) << y;
    }
  }
}

TEST(InitialLayers, AreNotFoundWhereDataAgree) {
  const Expr wave = sin(pi * x / 2);
  EXPECT_TRUE(layers(bar(heat(0.1), wave, {on_boundary(u == 0)})).empty());
  EXPECT_TRUE(layers(bar(heat(0.1), sin(pi * x), {periodic(x)})).empty());
  EXPECT_TRUE(layers(bar(heat(0.1), abs(x + 1) * wave, {on_boundary(u == 0)})).size() == 2u)
      << "bends at the ends, and no kink inside";
  EXPECT_TRUE(layers(bar(heat(0.1), cos(pi * x), {on_boundary(d(u, x) == 0)})).empty());
  const Equation sourced = d(u, t) == d(u, x, x) + 1;
  EXPECT_TRUE(layers(bar(sourced, x, {on("left", u == t), on("right", u == 2 + t)})).empty());
}

TEST(InitialLayers, AreNotFoundWhereTheFormulasDoNotHold) {
  const std::vector<Condition> values = {on_boundary(u == 1)};
  EXPECT_FALSE(layers(bar(heat(0.1), x, values)).empty());
  EXPECT_TRUE(layers(bar(heat(-0.1), x, values)).empty()) << "backwards in time";
  EXPECT_TRUE(layers(bar(d(u, t) + d(u, x) == 0, x, values)).empty()) << "no diffusion";
  EXPECT_TRUE(layers(bar(d(u, t, t) == d(u, x, x), x, values)).empty()) << "waves";
  EXPECT_TRUE(layers(bar(d(u, t) == -d(u, x, x, x, x), x, values)).empty()) << "fourth order";
  EXPECT_TRUE(layers(bar(heat(0.1), x, {hard(on_boundary(u == 1))})).empty()) << "built in";
  EXPECT_TRUE(layers(bar(heat(0.1), x, {on("left and t > 0.5", u == 1)})).empty()) << "later";
}

TEST(InitialLayers, SolveTheEquationWithTheCoefficientsOfTheirPlace) {
  const Problem p = bar(d(u, t) == 0.02 * d(u, x, x) - 1.5 * u, x,
                        {on("left", u == 1), on("right", d(u, x) == 3)});
  const auto found = layers(p);
  ASSERT_EQ(found.size(), 3u);
  for (const InitialLayer& layer : found) {
    const Expr& v = layer.function;
    const Expr residual = d(v, t) - 0.02 * d(v, x, x) + 1.5 * v;
    for (const double time : {0.0, 1e-3, 0.1, 1.0}) {
      for (const double place : {0.0, 0.01, 0.5, 1.0, 1.9, 2.0}) {
        const double of = std::abs(value(d(v, t), time, place)) + std::abs(layer.amount);
        EXPECT_LT(std::abs(value(residual, time, place)), 1e-7 * of)
            << describe(layer, "x") << " at " << time << ", " << place;
      }
    }
  }
  // What they are asked for: values, slopes, velocities.
  EXPECT_NEAR(value(found[0].function, 0.1, 0), found[0].amount * std::exp(-0.15), 1e-12);
  EXPECT_NEAR(value(d(found[1].function, t), 0, 0), found[1].amount, 1e-9);
  EXPECT_NEAR(value(d(found[2].function, x), 0.1, 2), found[2].amount * std::exp(-0.15), 1e-12);
  // Away from their places nothing is there at the start.
  for (const InitialLayer& layer : found) {
    EXPECT_LT(std::abs(value(layer.function, 0, 1)), 1e-14);
  }
}

TEST(InitialLayers, OfSeamsArePeriodicAndSmoothAfterTheStart) {
  const auto found =
      layers(bar(d(u, t) + 0.3 * d(u, x) == 0.02 * d(u, x, x), x * x, {periodic(x)}));
  ASSERT_EQ(found.size(), 2u);
  for (const InitialLayer& layer : found) {
    const Expr& v = layer.function;
    for (const Expr& e : {v, d(v, x), d(v, x, x)}) {
      const double size = 1 + std::abs(value(e, 0.2, 0));
      EXPECT_LT(std::abs(value(e, 0.2, 0) - value(e, 0.2, 2)), 1e-12 * size);
    }
    // At the start they have all of the disagreement.
    const Expr quantity = layer.kind == Kind::jump ? v : d(v, x);
    const double inside = 1e-6;
    EXPECT_NEAR(value(quantity, 0, inside) - value(quantity, 0, 2 - inside), layer.amount, 1e-5);
  }
}

TEST(InitialLayers, AreAddedToTheNetwork) {
  const auto p = std::make_shared<const Problem>(bar(heat(0.1), x * x, {periodic(x)}));
  Pinn m{.network = Mlp{.width = 4, .depth = 1}};
  m.initial_layers = true;
  const detail::PinnAssembly pinn(p, m);
  const std::vector<double> none(pinn.graph->n_parameters(), 0.0);
  const detail::PinnField field(pinn.evaluator({.threads = 1}), none);
  const double points[] = {0.3, 0.1, 0.7, 1.5};
  const Expr wanted[] = {u, d(u, x, x)};
  double found[4];
  field.evaluate(wanted, points, found);
  const Expr all = detail::sum_of(layers(*p), "u");
  EXPECT_NEAR(found[0], value(all, 0.3, 0.1), 1e-13);
  EXPECT_NEAR(found[1], value(d(all, x, x), 0.3, 0.1), 1e-12);
  EXPECT_NEAR(found[2], value(all, 0.7, 1.5), 1e-13);
  EXPECT_NEAR(found[3], value(d(all, x, x), 0.7, 1.5), 1e-12);
  m.initial_layers = false;
  const detail::PinnAssembly plain(p, m);
  const detail::PinnField alone(plain.evaluator({.threads = 1}), none);
  alone.evaluate(wanted, points, found);
  for (const double v : found) EXPECT_EQ(v, 0);
}

TEST(InitialLayers, AreChosenByAutoAndTold) {
  const auto told = [](const Problem& p) {
    const Expanded made = expand(Auto{}, p);
    bool any = false;
    for (const std::string& line : made.why) {
      any = any || line.find("data disagree at the start") != std::string::npos;
    }
    EXPECT_EQ(any, made.pinn.initial_layers);
    return any;
  };
  EXPECT_TRUE(told(bar(d(u, t) + u * d(u, x) == 0.1 * d(u, x, x), x, {on_boundary(u == 1)})));
  EXPECT_FALSE(told(bar(heat(0.1), sin(pi * x), {on_boundary(u == 0)})));
}

/// A bar of temperature 1 that is held at 0 on one side; by images.
Problem cooled_bar() {
  Problem p = bar(heat(0.1), Expr(1), {on("left", u == 0), on("right", d(u, x) == 0)});
  const Expr s = sqrt(0.4 * max(t, Expr(1e-12)));
  p.reference.formulas["u"] = erf(x / s) - (1 - erf((4 - x) / s)) + (1 - erf((4 + x) / s));
  return p;
}

TEST(InitialLayers, MakeDisagreementsNoHarderThanSmoothData) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Pinn m{.network = Elm{.features = 150, .scale = 3, .seed = seed}};
    m.points = {.interior = 450, .boundary = 100, .initial = 100};
    const double without = solve(cooled_bar(), m, {.threads = 1}).error.relative_l2();
    m.initial_layers = true;
    const double with = solve(cooled_bar(), m, {.threads = 1}).error.relative_l2();
    EXPECT_GT(without, 1e-3);
    EXPECT_LT(with, 1e-6) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cauchy::test_initial_layers
