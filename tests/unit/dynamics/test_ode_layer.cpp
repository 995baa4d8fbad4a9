#include <cauchy/dynamics/ode_layer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>

namespace cauchy::test_ode_layer {
namespace {

using Times = std::vector<std::vector<double>>;

std::shared_ptr<Threads> one_thread() { return std::make_shared<Threads>(1); }

/// y' = theta y.
VectorFieldSpec growth() {
  return {
      .states = {"y"}, .slopes = {Parameter("theta") * Field("y")}, .constants = {{"theta", 0.3}}};
}

/// Predator and prey with a network in both equations, two unknown constants, a known one, time.
VectorFieldSpec hybrid() {
  const Expr x = Field("x"), y = Field("y"), t = Coordinate("t");
  const Expr n = Symbol("n"), m = Symbol("m");
  VectorFieldSpec f{.states = {"x", "y"},
                    .slopes = {Parameter("a") * x - n + 0.1 * sin(t),
                               m * x - Parameter("b") * y - Parameter("c") * x * y},
                    .constants = {{"a", 0.8}, {"b", 0.6}},
                    .known = {{"c", 0.3}}};
  f.unknown = FieldUnknown{.network = Mlp{.width = 6, .depth = 2},
                           .inputs = {x, x * y, t},
                           .outputs = {"n", "m"},
                           .input_shift = {0.5, 0, 0.2},
                           .input_scale = {2, 1, 3},
                           .output_scale = {0.5, 0.7}};
  return f;
}

VectorFieldSpec spiral(int width) {
  VectorFieldSpec f{.states = {"x", "y"}};
  f.unknown = FieldUnknown{.network = Mlp{.width = width, .depth = 1},
                           .inputs = {pow(Field("x"), 3), pow(Field("y"), 3)}};
  return f;
}

std::vector<double> first_theta(const VectorFieldSpec& f, std::uint64_t seed = 3) {
  return initial_parameters(parameters_of(f), Rng(seed));
}

/// A case: a layer with starts, and the loss sum_k w_k v_k^2 / 2 of its values.
struct Case {
  Case(VectorFieldSpec f, FlowOptions o, const Times& times, int threads = 1)
      : layer(std::move(f), o, std::make_shared<Threads>(threads)) {
    layer.set_times(times);
    starts.resize(times.size() * layer.n_states());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      starts[i] = 0.7 + 0.4 * std::sin(1.0 + 2.3 * static_cast<double>(i));
    }
    values.resize(layer.n_values());
    seeds.resize(values.size());
  }
  double loss(const std::vector<double>& theta) {
    report = layer.run(theta, starts, values);
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double w = 1 + 0.5 * std::cos(static_cast<double>(k));
      sum += w * values[k] * values[k] / 2;
      seeds[k] = w * values[k];
    }
    return sum;
  }
  /// Derivatives by theta, then by starts.
  std::vector<double> gradient(const std::vector<double>& theta, bool continuous = false) {
    (void)loss(theta);
    std::vector<double> g(theta.size()), s(starts.size());
    if (continuous) {
      (void)layer.pull_continuous(seeds, g, s);
    } else {
      layer.pull(seeds, g, s);
    }
    g.insert(g.end(), s.begin(), s.end());
    return g;
  }
  std::vector<double> by_sensitivities(const std::vector<double>& theta) {
    (void)loss(theta);
    const std::size_t P = theta.size(), n = layer.n_states(), Q = P + n;
    std::vector<double> g(P + starts.size());
    for (std::size_t i = 0; i < layer.n_trajectories(); ++i) {
      const std::size_t first = layer.offset(i), end = layer.offset(i + 1);
      std::vector<double> j((end - first) * Q);
      layer.jacobian(i, j);
      for (std::size_t v = first; v < end; ++v) {
        for (std::size_t q = 0; q < Q; ++q) {
          g[q < P ? q : P + i * n + (q - P)] += seeds[v] * j[(v - first) * Q + q];
        }
      }
    }
    return g;
  }
  std::vector<double> by_differences(std::vector<double> theta, double h = 1e-5) {
    std::vector<double> g;
    const auto one = [&](double& x) {
      const double old = x;
      x = old + h;
      const double up = loss(theta);
      x = old - h;
      const double down = loss(theta);
      x = old;
      g.push_back((up - down) / (2 * h));
    };
    for (double& x : theta) one(x);
    for (double& x : starts) one(x);
    return g;
  }

  OdeLayer layer;
  std::vector<double> starts, values, seeds;
  FlowReport report;
};

double size_of(const std::vector<double>& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

/// Largest difference over the largest entry; NaN where one is.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double e = std::abs(a[i] - b[i]);
    if (!(e <= most)) most = e;
  }
  return most / size_of(b);
}

const Times irregular = {{0, 0.3, 0.45, 1.1}, {0.5, 0.6}, {-1, -0.2, 0.9, 1, 1.7, 2}};

}  // namespace

TEST(OdeLayer, GradientOfTheExponentialIsTheExactNumber) {
  // L = y(1)^2 / 2, y(0) = 1: dL/dtheta = T e^(2 theta T), dL/dy(0) = e^(2 theta T).
  const double exact = std::exp(0.6), theta[] = {0.3}, start[] = {1};
  EXPECT_NEAR(exact, 1.82211880, 5e-9);
  OdeLayer layer(growth(), {.relative = 1e-11, .absolute = 1e-12}, one_thread());
  layer.set_times({{0, 1}});
  std::vector<double> values(2), g(1), s(1);
  ASSERT_TRUE(layer.run(theta, start, values).good());
  EXPECT_NEAR(values[1], std::exp(0.3), 1e-10);
  const std::vector<double> seeds{0, values[1]};
  layer.pull(seeds, g, s);
  EXPECT_NEAR(g[0], exact, 1e-8);
  EXPECT_NEAR(s[0], exact, 1e-8);
  std::vector<double> j(4);
  layer.jacobian(0, j);
  EXPECT_NEAR(values[1] * j[2], exact, 1e-8);
  EXPECT_NEAR(values[1] * j[3], exact, 1e-8);
  ASSERT_TRUE(layer.pull_continuous(seeds, g, s).good());
  EXPECT_NEAR(g[0], exact, 1e-8);
  EXPECT_NEAR(s[0], exact, 1e-8);
}

TEST(OdeLayer, TransposeIsExactForFixedStepsOfEveryScheme) {
  for (const FlowScheme scheme : {FlowScheme::euler, FlowScheme::rk4, FlowScheme::dopri5,
                                  FlowScheme::dop853, FlowScheme::esdirk}) {
    Case c(hybrid(), {.scheme = scheme, .steps = 3}, irregular);
    const std::vector<double> theta = first_theta(hybrid());
    const std::vector<double> g = c.gradient(theta);
    ASSERT_TRUE(c.report.good());
    // Differences of step h are off by h^2 |f'''| / 6 and eps |f| / h: about 1e-9.
    EXPECT_LT(distance(c.by_differences(theta), g), 1e-7) << to_string(scheme);
    EXPECT_LT(distance(c.by_sensitivities(theta), g), 1e-11) << to_string(scheme);
  }
}

TEST(OdeLayer, TransposeAndSensitivitiesAgreeToRoundingAlongAdaptiveSteps) {
  for (const FlowScheme scheme : {FlowScheme::dopri5, FlowScheme::dop853, FlowScheme::esdirk}) {
    Case c(hybrid(), {.scheme = scheme, .relative = 1e-5, .absolute = 1e-7}, irregular);
    const std::vector<double> theta = first_theta(hybrid());
    const std::vector<double> g = c.gradient(theta);
    ASSERT_TRUE(c.report.good());
    EXPECT_LT(distance(c.by_sensitivities(theta), g), 1e-11) << to_string(scheme);
  }
}

TEST(OdeLayer, ContinuousAndDiscreteAdjointMeetAsTolerancesFall) {
  const std::vector<double> theta = first_theta(spiral(8));
  double before = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Case c(spiral(8), {.relative = tolerance, .absolute = tolerance}, irregular);
    const std::vector<double> discrete = c.gradient(theta), continuous = c.gradient(theta, true);
    const double apart = distance(continuous, discrete);
    EXPECT_LT(apart, 100 * tolerance) << tolerance;
    EXPECT_LT(apart, before);
    before = apart;
    if (tolerance <= 1e-8) {
      EXPECT_LT(distance(c.by_differences(theta), discrete), 1e-6) << tolerance;
    }
  }
}

TEST(OdeLayer, GradientsHaveTheOrderOfTheScheme) {
  // dL/dtheta of the exponential by n steps, against the exact one.
  const auto error = [](FlowScheme scheme, std::size_t steps) {
    OdeLayer layer(growth(), {.scheme = scheme, .steps = steps}, one_thread());
    layer.set_times({{0, 1}});
    const double theta[] = {1.5}, start[] = {1};
    std::vector<double> values(2), g(1), s(1);
    (void)layer.run(theta, start, values);
    layer.pull(std::vector<double>{0, values[1]}, g, s);
    return std::abs(g[0] - std::exp(3.0));
  };
  const auto order = [&](FlowScheme scheme, std::size_t n) {
    return std::log2(error(scheme, n) / error(scheme, 2 * n));
  };
  EXPECT_NEAR(order(FlowScheme::euler, 200), 1, 0.05);
  EXPECT_NEAR(order(FlowScheme::rk4, 16), 4, 0.2);
  EXPECT_NEAR(order(FlowScheme::dopri5, 8), 5, 0.3);
  EXPECT_NEAR(order(FlowScheme::esdirk, 16), 4, 0.3);
}

TEST(OdeLayer, TimesBetweenStepsComeFromTheContinuousExtension) {
  // One leg over many times takes as many steps as one over its ends.
  std::vector<double> fine{0};
  for (int i = 1; i <= 200; ++i) fine.push_back(i * 0.01);
  const FlowOptions options{.relative = 1e-7, .absolute = 1e-9};
  Case ends(growth(), options, {{0, 2}}), all(growth(), options, {fine});
  (void)ends.loss({0.3});
  (void)all.loss({0.3});
  EXPECT_EQ(all.report.steps, ends.report.steps);
  EXPECT_LT(all.report.steps, 20U);
  for (std::size_t i = 0; i < fine.size(); ++i) {
    EXPECT_NEAR(all.values[i], all.starts[0] * std::exp(0.3 * fine[i]), 2e-6);
  }
}

TEST(OdeLayer, FlowBackwardsReturnsToTheStart) {
  // y' = -F(-t, y) from the end: the same curve the other way.
  const Expr x = Field("x"), y = Field("y");
  const VectorFieldSpec there{.states = {"x", "y"}, .slopes = {x - x * y, x * y - y}};
  const VectorFieldSpec back{.states = {"x", "y"}, .slopes = {x * y - x, y - x * y}};
  const FlowOptions options{.relative = 1e-10, .absolute = 1e-12};
  Case first(there, options, {{0, 5}}), second(back, options, {{0, 5}});
  (void)first.loss({});
  second.starts.assign(first.values.end() - 2, first.values.end());
  (void)second.loss({});
  EXPECT_NEAR(second.values[2], first.starts[0], 1e-8);
  EXPECT_NEAR(second.values[3], first.starts[1], 1e-8);
}

TEST(OdeLayer, KeepsAboutTheRootOfTheStepsAndTheSameGradient) {
  const std::vector<double> theta = first_theta(spiral(4));
  Case many(spiral(4), {.scheme = FlowScheme::euler, .steps = 3000}, {{0, 1}});
  const std::vector<double> g = many.gradient(theta);
  EXPECT_EQ(many.report.steps, 3000U);
  EXPECT_LT(many.report.checkpoints, 2.5 * std::sqrt(3000.0));
  EXPECT_LT(distance(many.by_sensitivities(theta), g), 1e-11);
}

TEST(OdeLayer, BitsDoNotDependOnThreads) {
  Times times;
  for (int i = 0; i < 70; ++i) {
    times.push_back({0.0, 0.1 + 0.01 * i, 0.9 + 0.02 * i});
    if (i % 3 == 0) times.back().push_back(3);
  }
  const std::vector<double> theta = first_theta(hybrid());
  Case one(hybrid(), {}, times, 1), three(hybrid(), {}, times, 3);
  EXPECT_EQ(one.gradient(theta), three.gradient(theta));
  EXPECT_EQ(one.values, three.values);
}

TEST(OdeLayer, ResidualNetworkIsTheEulerScheme) {
  // x <- x + eps N(x), weights shared by n layers of eps = 1 / n: the Euler scheme to the last
  // bits, and the flow of N as eps -> 0.
  VectorFieldSpec f{.states = {"x"}};
  f.unknown = FieldUnknown{.network = Mlp{.width = 3, .depth = 1}};
  const std::vector<double> theta = first_theta(f);
  const auto layer = [&](double x) {  // W1 (3), b1 (3), W2 (3), b2
    double sum = theta[9];
    for (std::size_t i = 0; i < 3; ++i)
      sum += theta[6 + i] * std::tanh(theta[i] * x + theta[3 + i]);
    return sum;
  };
  Case flow(f, {.relative = 1e-11, .absolute = 1e-12}, {{0, 1}});
  (void)flow.loss(theta);
  std::vector<double> errors;
  for (const std::size_t depth : {8U, 16U, 32U}) {
    double x = flow.starts[0];
    for (std::size_t i = 0; i < depth; ++i) x += layer(x) / static_cast<double>(depth);
    Case euler(f, {.scheme = FlowScheme::euler, .steps = depth}, {{0, 1}});
    (void)euler.loss(theta);
    EXPECT_NEAR(euler.values[1], x, 1e-14);
    errors.push_back(std::abs(x - flow.values[1]));
  }
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.1);
  EXPECT_NEAR(errors[1] / errors[2], 2, 0.05);
}

TEST(OdeLayer, StiffFieldsGoByImplicitStepsWithExactGradients) {
  const VectorFieldSpec f{.states = {"y"},
                          .slopes = {-Parameter("k") * (Field("y") - cos(Coordinate("t")))},
                          .constants = {{"k", 1e5}}};
  const FlowOptions loose{.scheme = FlowScheme::esdirk, .relative = 1e-5, .absolute = 1e-7};
  Case c(f, loose, {{0, 1, 2}});
  const std::vector<double> g = c.gradient({1e5});
  ASSERT_TRUE(c.report.good());
  EXPECT_LT(c.report.steps, 200U);
  EXPECT_NEAR(c.values[1], std::cos(1.0), 1e-4);
  EXPECT_LT(distance(c.by_sensitivities({1e5}), g), 1e-9);
  FlowOptions plain = loose;
  plain.scheme = FlowScheme::dopri5;
  plain.max_steps = 2000;
  Case slow(f, plain, {{0, 1, 2}});
  (void)slow.loss({1e5});
  EXPECT_EQ(slow.report.status, OdeStatus::too_many_steps);
  EXPECT_NE(slow.report.trouble.find("'y' changes fastest"), std::string::npos);
}

TEST(OdeLayer, TellsWhereAStepBecomesTooSmall) {
  // y' = y^2 from 1 has no solution beyond t = 1; z is slow.
  const VectorFieldSpec f{.states = {"z", "y"}, .slopes = {-Field("z"), pow(Field("y"), 2)}};
  Case c(f, {}, {{0, 0.5}, {0, 2}});
  c.starts = {1, 1, 1, 1};
  (void)c.loss({});
  EXPECT_TRUE(c.report.status == OdeStatus::step_too_small ||
              c.report.status == OdeStatus::not_finite);
  EXPECT_EQ(c.report.trajectory, 1U);
  EXPECT_EQ(c.report.component, "y");
  EXPECT_NEAR(c.report.t, 1, 1e-3);
  EXPECT_NE(c.report.trouble.find("in trajectory 2"), std::string::npos) << c.report.trouble;
  EXPECT_TRUE(std::isnan(c.values[2]));
  std::vector<double> g, s(4);
  c.layer.pull(c.seeds, g, s);
  EXPECT_TRUE(std::isnan(s[0]));
}

/// A ball that falls and bounces: x' = v, v' = -g, at x = 0 from above v becomes -r v.
VectorFieldSpec ball() {
  VectorFieldSpec f{.states = {"x", "v"},
                    .slopes = {Field("v"), -Parameter("g")},
                    .constants = {{"g", 9.81}, {"r", 0.8}}};
  f.events = {{Field("x"), -1, {{"v", -Parameter("r") * Field("v")}}}};
  return f;
}

TEST(OdeLayer, ABallBouncesAtTheExactTimesWithExactGradients) {
  const double g = 9.81, r = 0.8, h = 1.5;
  const double t1 = std::sqrt(2 * h / g), v1 = std::sqrt(2 * g * h), t2 = t1 + 2 * r * v1 / g;
  const double at = t1 + 0.3, late = t2 + 0.1;
  OdeLayer layer(ball(), {.relative = 1e-11, .absolute = 1e-12}, one_thread());
  layer.set_times({{0, 0.2, at, late}, {0, 0.3}});
  const double theta[] = {g, r}, starts[] = {h, 0, h, 0};
  std::vector<double> values(layer.n_values());
  ASSERT_TRUE(layer.run(theta, starts, values).good());
  ASSERT_EQ(layer.events(0).size(), 2U);
  EXPECT_TRUE(layer.events(1).empty());
  EXPECT_NEAR(layer.events(0)[0].t, t1, 1e-11);
  EXPECT_NEAR(layer.events(0)[1].t, t2, 1e-11);
  EXPECT_NEAR(layer.events(0)[0].before[1], -v1, 1e-10);
  EXPECT_NEAR(layer.events(0)[0].after[1], r * v1, 1e-10);
  const double s = at - t1;
  EXPECT_NEAR(values[2], h - g * 0.02, 1e-10);
  EXPECT_NEAR(values[4], r * v1 * s - g * s * s / 2, 1e-10);
  EXPECT_NEAR(values[6], r * r * v1 * 0.1 - g * 0.005, 1e-10);
  // x between the first two bounces: derivatives by g, r and h, with s = t - t1.
  std::vector<double> seeds(values.size()), by_theta(2), by_start(4);
  seeds[4] = 1;
  layer.pull(seeds, by_theta, by_start);
  const double ds_dg = t1 / (2 * g), ds_dh = -1 / (g * t1), slope = r * v1 - g * s;
  EXPECT_NEAR(by_theta[0], r * v1 * s / (2 * g) - s * s / 2 + slope * ds_dg, 1e-9);
  EXPECT_NEAR(by_theta[1], v1 * s, 1e-9);
  EXPECT_NEAR(by_start[0], r * v1 * s / (2 * h) + slope * ds_dh, 1e-9);
  EXPECT_EQ(by_start[2], 0);
  // The time of the second bounce, t1 + 2 r v1 / g = (1 + 2 r) sqrt(2 h / g).
  std::fill(seeds.begin(), seeds.end(), 0.0);
  layer.pull(seeds, by_theta, by_start, std::vector<double>{0, 1});
  EXPECT_NEAR(by_theta[0], -(1 + 2 * r) * t1 / (2 * g), 1e-9);
  EXPECT_NEAR(by_theta[1], 2 * t1, 1e-9);
  EXPECT_NEAR(by_start[0], (1 + 2 * r) * t1 / (2 * h), 1e-9);
}

TEST(OdeLayer, GradientsGoThroughEventsOfAnyFieldAndTime) {
  // A network, constants in the event and in the jump, time in both; one trajectory meets several
  // events, one none; events rise, fall, and change nothing.
  VectorFieldSpec f = hybrid();
  f.unknown->network = Mlp{.width = 3, .depth = 1};
  const Expr x = Field("x"), y = Field("y"), t = Coordinate("t");
  f.events = {{x - 1.05 * Parameter("a") - 0.1 * t, 0, {{"x", 0.6 * x}, {"y", y + 0.2 * t * x}}},
              {y - 0.55, -1, {}}};
  Case c(f, {.scheme = FlowScheme::dop853, .relative = 1e-11, .absolute = 1e-12},
         {{0, 0.5, 1, 2.5, 4}, {0, 0.05}, {-1, 0.3, 2.2, 3}}, 1);
  const std::vector<double> theta = first_theta(f);
  const std::vector<double> g = c.gradient(theta);
  ASSERT_TRUE(c.report.good()) << c.report.trouble;
  EXPECT_GE(c.layer.events(0).size() + c.layer.events(2).size(), 3U);
  // The integration is good to 1e-11, over the steps 2e-5 of the differences.
  EXPECT_LT(distance(c.by_differences(theta), g), 1e-5);
  EXPECT_THROW(c.gradient(theta, true), Error);
  EXPECT_THROW(c.by_sensitivities(theta), Error);
}

TEST(OdeLayer, EventsWithoutEndAndOfNothingAreTold) {
  // The times of all bounces of a ball have a limit.
  Case c(ball(), {}, {{0, 10}});
  c.starts = {1, 0};
  (void)c.loss({9.81, 0.5});
  EXPECT_EQ(c.report.status, OdeStatus::step_too_small);
  // sqrt(2 / 9.81) (1 + 2 r / (1 - r)).
  EXPECT_NE(c.report.trouble.find("events follow one another ever faster up to t = 1.35457"),
            std::string::npos)
      << c.report.trouble;
  EXPECT_TRUE(std::isnan(c.values[2]));
  const auto message = [](FieldEvent event) -> std::string {
    VectorFieldSpec f = ball();
    f.events = {std::move(event)};
    try {
      const OdeLayer layer(f);
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_NE(message({Field("x"), 0, {{"z", 1}}}).find("an event sets 'z', which is no state"),
            std::string::npos);
  EXPECT_NE(message({Field("x") - Symbol("q")}).find("an event holds 'q'"), std::string::npos);
}

TEST(OdeLayer, RefusesWhatMakesNoSense) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing";
  };
  OdeLayer layer(growth(), {}, one_thread());
  EXPECT_NE(message([&] {
              layer.set_times({{0, 1}, {0, 2, 2}});
            }).find("trajectory 2: its times do not increase: 2 comes after 2"),
            std::string::npos);
  EXPECT_NE(message([&] {
              layer.set_times({{0, NAN}});
            }).find("time 2 is not finite"),
            std::string::npos);
  layer.set_times({{0, 1}});
  std::vector<double> values(2);
  EXPECT_NE(message([&] { (void)layer.run({}, {}, values); }).find("the parameters are 1 numbers"),
            std::string::npos);
  EXPECT_NE(message([] {
              OdeLayer({.states = {"x", "y"}, .slopes = {Field("x")}});
            }).find("1 slopes are given for 2 states"),
            std::string::npos);
  EXPECT_NE(message([] {
              VectorFieldSpec f = hybrid();
              f.unknown->outputs.push_back("q");
              f.unknown->output_scale.clear();
              const OdeLayer other(f);
            }).find("no equation uses 'q'"),
            std::string::npos);
  EXPECT_NE(message([] { OdeLayer(growth(), {.relative = -1}); }).find("tolerances"),
            std::string::npos);
}

}  // namespace cauchy::test_ode_layer
