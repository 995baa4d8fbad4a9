#include "solvers/pinn/pinn_inputs.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/files/problem_file.hpp>

#include "support/pinn_cases.hpp"

namespace cauchy::test_pinn_inputs {
namespace {

using namespace pinn_cases;
using ::testing::HasSubstr;

/// u_t + u_x = 0 on [0, 1] x [0, 2], perhaps with a periodic condition.
Problem carried_wave(bool condition) {
  Problem p;
  p.name = "carried";
  p.fields = {"u"};
  p.domain = Interval(0, 2) * Time(t, 0, 1);
  p.equation = {d(u, t) + d(u, x) == 0};
  p.condition = {at(t == Expr(0), u == sin(pi * x))};
  if (condition) p.condition.push_back(periodic(x));
  return p;
}

Pinn with_periodic(std::vector<PeriodicInput> inputs, Network network = Mlp{.width = 8}) {
  Pinn m = small();
  m.network = std::move(network);
  m.periodic = std::move(inputs);
  return m;
}

TEST(PinnInputs, EveryNetworkIsPeriodicInTheCoordinatesThatAreNamed) {
  const double where[] = {0.3, 0.4, 0.3, 0.4 + 0.5, 0.3 + 1.5, 0.4};
  for (const NetworkEntry& entry : all_networks()) {
    const Pinn m = with_periodic({{"x", 0.5, 2, false}}, entry.options);
    Untrained network(carried_wave(false), m);
    for (double& w : network.theta) w *= 0.3;  // attention of large weights blows rounding up
    const auto values = network.values({u, d(u, x)}, where);
    EXPECT_NEAR(values[0], values[2], 1e-9 * (1 + std::abs(values[0]))) << entry.name;
    EXPECT_NEAR(values[1], values[3], 1e-8 * (1 + std::abs(values[1]))) << entry.name;
    EXPECT_GT(std::abs(values[0] - values[4]), 1e-6) << entry.name;  // not so in time
  }
}

TEST(PinnInputs, APeriodThatIsTrainedIsOneForAllNetworks) {
  Problem p = carried_wave(false);
  p.fields = {"u", "v"};
  p.equation.push_back(d(v, t) + d(v, x) == 0);
  p.condition.push_back(at(t == Expr(0), v == 0));
  Pinn m = with_periodic({{"t", 3, 1, true}, {"x", 0.5, 2, true}});
  m.separate = true;
  const Untrained made(p, m);
  int periods = 0;
  for (const ParameterBlock& b : made.graph->parameters()) periods += b.name.starts_with("period");
  EXPECT_EQ(periods, 2);
  m.periodic[0].learn = m.periodic[1].learn = false;
  EXPECT_EQ(Untrained(p, m).theta.size() + 2, made.theta.size());
}

TEST(PinnInputs, AConditionGivesThePeriodAndMoreHarmonicsKeepIt) {
  const auto cols = [](const Pinn& m) {
    return Untrained(carried_wave(true), m).graph->parameters()[0].cols;
  };
  EXPECT_EQ(cols(with_periodic({})), 3);
  EXPECT_EQ(cols(with_periodic({{"x", 0, 4, false}})), 9);
  EXPECT_EQ(cols(with_periodic({{"x", 0.5, 1, false}})), 3);  // four periods fit
  const double where[] = {0.3, 0, 0.3, 2};
  const auto values =
      Untrained(carried_wave(true), with_periodic({{"x", 0, 4, false}})).values({u}, where);
  EXPECT_NEAR(values[0], values[1], 1e-10 * (1 + std::abs(values[0])));
}

TEST(PinnInputs, WindowsOfTimeKeepThePeriod) {
  Pinn m = with_periodic({{"x", 2, 2, false}, {"t", 1.5, 1, true}}, Siren{.width = 8, .w0 = 2});
  m.rules.curriculum = WindowCurriculum{.count = 3};
  m.stages = {{AdamOptions{}, 5}};
  const Solution s = solve(carried_wave(false), m, {.threads = 1});
  const double left[] = {0.1, 0, 0.5, 0.25, 0.9, 0.5}, right[] = {0.1, 2, 0.5, 2.25, 0.9, 2.5};
  const std::vector<double> a = s("u", left), b = s("u", right);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-10) << i;
}

TEST(PinnInputs, RefuseWhatDoesNotFitTheProblem) {
  const auto message = [](const PeriodicInput& input, bool condition = false) {
    return message_of([&] { return Untrained(carried_wave(condition), with_periodic({input})); });
  };
  EXPECT_THAT(message({"x", 0, 1, false}), HasSubstr("[[method.periodic]] 'x': it has no period"));
  EXPECT_THAT(message({"x", -2, 1, false}), HasSubstr("it has no period"));
  EXPECT_THAT(message({"y", 1, 1, false}), HasSubstr("no coordinate 'y'; coordinates are: t, x"));
  EXPECT_THAT(message({"x", 3, 1, false}, true), HasSubstr("not a multiple of 3"));
  EXPECT_THAT(message({"x", 0.3, 1, false}, true), HasSubstr("not a multiple of 0.3"));
  EXPECT_THAT(message({"x", 2, 1, true}, true), HasSubstr("leave 'learn' out"));
  EXPECT_THAT(message_of([&] {
                return Untrained(carried_wave(false),
                                 with_periodic({{"x", 1, 1, false}, {"x", 2, 1, false}}));
              }),
              HasSubstr("named twice"));
}

TEST(PinnInputs, FilesNameThem) {
  const std::string text = R"toml(fields = ["u"]
domain = { time = { t = [0, 1] }, space = { x = [0, 2] } }
equation = [{ form = "u_t + u_x = 0" }]
condition = [{ where = "t = 0", form = "u = sin(pi*x)" }]
[[method.periodic]]
coordinate = "x"
period = 0.5
harmonics = 3
[[method.periodic]]
coordinate = "t"
period = 2.5
learn = true
[method.network]
kind = "multiplicative_filter"
filter = "gabor"
filter_scale = 4
)toml";
  const ProblemFile file = parse_problem_file(text, "p");
  const Pinn& m = std::get<Pinn>(file.method);
  ASSERT_EQ(m.periodic.size(), 2u);
  EXPECT_EQ(m.periodic[0].coordinate, "x");
  EXPECT_EQ(m.periodic[0].period, 0.5);
  EXPECT_EQ(m.periodic[0].harmonics, 3);
  EXPECT_FALSE(m.periodic[0].learn);
  EXPECT_TRUE(m.periodic[1].learn);
  const auto& network = std::get<MultiplicativeFilter>(m.network);
  EXPECT_EQ(network.filter, MultiplicativeFilter::Filter::gabor);
  EXPECT_EQ(network.scale, 4);
  const ProblemFile written = parse_problem_file(to_toml(file), "p");
  EXPECT_EQ(to_toml(written), to_toml(file));
  EXPECT_EQ(std::get<Pinn>(written.method).periodic[1].period, 2.5);
}

}  // namespace
}  // namespace cauchy::test_pinn_inputs
