// Schemes of points in whole trainings: they survive a resume, and each helps where it should.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/solvers/method.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_adaptive_training {
namespace {

const Coordinate x("x");

/// The weight of a point grows while it stays where it is.
class Seniority final : public PointWeights {
 public:
  bool update(TrainingLoss&, const TrainingPoints& points, const TrainingStep&,
              bool moved) override {
    const std::size_t n = points.rows(0).empty() ? points[0].size() : points.rows(0).size();
    if (moved) factors_.clear();
    factors_.resize(n, 1.0);
    for (std::size_t i = 0; i < n; i += 2) factors_[i] *= 1.01;
    return true;
  }
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return term == 0 ? std::span<const double>(factors_) : std::span<const double>{};
  }
  void save(TrainingState& state) const override { state.arrays["factors"] = factors_; }
  void restore(const TrainingState& state, const TrainingPoints&) override {
    factors_ = state.arrays.at("factors");
  }

 private:
  std::vector<double> factors_;
};

Pinn small() {
  Pinn m;
  m.network = Mlp{.width = 6, .depth = 1};
  m.points = {.interior = 24, .boundary = 2};
  m.stages = {{AdamOptions{}, 25},
              {QuasiNewtonOptions{}, 20},
              {AdamOptions{}, 10},
              {LevenbergMarquardtOptions{}, 12}};
  return m;
}

/// Every scheme and form, with changes in the middle of all stages.
std::vector<PointSchemeOptions> busy_schemes() {
  std::vector<PointSchemeOptions> all;
  for (const PointSchemeEntry& entry : all_point_schemes()) {
    all.push_back(entry.options);
    std::visit(
        [](auto& o) {
          if constexpr (requires { o.period; }) o.period = 7;
        },
        all.back());
  }
  std::get<ImportancePoints>(all[1]).batch = 10;
  std::get<GrowingPoints>(all[4]).ratio = 0.1;  // grows every time
  all.emplace_back(
      ImportancePoints{.by = ImportancePoints::By::gradient, .period = 3, .batch = 9, .seeds = 5});
  all.emplace_back(ImportancePoints{
      .by = ImportancePoints::By::measure, .measure = "10*abs(u_x) + 5", .period = 4, .batch = 9});
  all.emplace_back(ResidualPoints{.form = ResidualPoints::Form::add, .period = 6, .growth = 0.1});
  all.emplace_back(ResidualPoints{.form = ResidualPoints::Form::greedy, .period = 5, .added = 3});
  return all;
}

TEST(PointSchemes, SurviveAResumeToTheLastBit) {
  const Problem problem = rod(pi * pi * sin(pi * x));
  const std::vector<PointSchemeOptions> schemes = busy_schemes();
  for (std::size_t k = 0; k < schemes.size(); ++k) {
    Pinn method = small();
    method.rules.point_scheme = schemes[k];
    method.rules.point_weights = {
        CustomPointWeights{[] { return std::make_unique<Seniority>(); }, "seniority"}};
    const bool own_batch = std::holds_alternative<ImportancePoints>(schemes[k]);
    if (k % 2 == 0 && !own_batch) method.points.batch = 11;
    if (k <= 1) method.points.redraw = 4;
    const Solution whole = solve(problem, method, {.threads = 1});
    const TemporaryFolder folder;
    for (const std::uint64_t at : {std::uint64_t{16}, std::uint64_t{25}, std::uint64_t{60}}) {
      StopAfter stop(at);
      RunOptions options{.threads = 1,
                         .progress = &stop,
                         .checkpoint = folder / "run.bin",
                         .checkpoint_seconds = 1e9};
      EXPECT_TRUE(solve(problem, method, options).interrupted);
      options.progress = nullptr;
      const Solution rest = solve(problem, method, options);
      EXPECT_EQ(rest.training->parameters, whole.training->parameters) << k << " at " << at;
      EXPECT_EQ(rest.training->history.back().loss, whole.training->history.back().loss);
      EXPECT_EQ(rest.training->points.begin()->second.values,
                whole.training->points.begin()->second.values);
      EXPECT_EQ(rest.training->events.size(), whole.training->events.size());
      std::filesystem::remove(folder / "run.bin");
    }
  }
}

/// A narrow source that few points see, with the solution: a second antiderivative of a Gaussian.
Problem narrow(double at, double width) {
  const Expr z = (x - at) / width;
  Problem p = rod(exp(-z * z) / (width * std::sqrt(pi)));
  // u = a + b x - G(x), G'' = source, G = (x - at) erf(z) / 2 + width exp(-z^2) / (2 sqrt(pi)).
  const auto g = [&](double v) {
    const double s = (v - at) / width;
    return (v - at) * std::erf(s) / 2 + width * std::exp(-s * s) / (2 * std::sqrt(pi));
  };
  p.reference.formulas["u"] =
      g(0) + (g(1) - g(0)) * x - (x - at) * erf(z) / 2 - width * exp(-z * z) / (2 * std::sqrt(pi));
  return p;
}

/// Median error over five seeds, which also shift the points.
double median_error(const PointSchemeOptions& scheme, std::size_t n) {
  std::vector<double> errors;
  const Problem p = narrow(0.63, 0.03);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Pinn m;
    m.network = Mlp{.width = 12, .depth = 1};
    m.points = {.interior = n, .boundary = 2};
    m.points.sampler.randomize = Randomize::shift;
    m.stages = {{AdamOptions{.learning_rate = 1e-2}, 100}, {QuasiNewtonOptions{}, 300}};
    m.rules.point_scheme = scheme;
    m.seed = seed;
    errors.push_back(solve(p, m, {.threads = 1, .history_every = 0}).error.relative_l2());
  }
  std::ranges::sort(errors);
  return errors[2];
}

TEST(PointSchemes, FindANarrowSourceThatFixedPointsMiss) {
  const double fixed = median_error(RedrawPoints{}, 20);
  using Form = ResidualPoints::Form;
  const std::vector<std::pair<std::string, PointSchemeOptions>> schemes = {
      {"replace", ResidualPoints{.period = 25, .candidates = 10}},
      {"add", ResidualPoints{.form = Form::add, .period = 50, .candidates = 10}},
      {"greedy", ResidualPoints{.form = Form::greedy, .period = 50, .candidates = 10}},
      {"retain", RetainPoints{.period = 10}},
      {"growing", GrowingPoints{.period = 50}}};
  for (const auto& scheme : schemes) {
    // Measured: 160, 320, 270, 14 and 460 times.
    const double adapted = median_error(scheme.second, 20);
    EXPECT_LT(adapted, fixed / 5) << scheme.first << ": " << adapted << " against " << fixed;
  }
}

TEST(PointSchemes, TakeAMeasureOfTheSolution) {
  const auto run = [](const std::string& measure) {
    Pinn m = small();
    m.points.interior = 200;
    m.stages = {{AdamOptions{}, 5}};
    m.rules.point_scheme =
        ImportancePoints{.by = ImportancePoints::By::measure, .measure = measure, .batch = 10};
    return solve(rod(sin(x)), m, {.threads = 1}).training->parameters;
  };
  // The same density, whatever its size; slopes are those of the network of the moment.
  const std::vector<double> twice = run("2*u_x^2 + 2"), once = run("u_x^2 + 1");
  ASSERT_EQ(twice.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(twice[i], once[i], 1e-12);
  EXPECT_NE(run("u_x^2 + 1"), run("1"));
  const auto refused = [&](const std::string& measure) {
    return message_of([&] { (void)run(measure); });
  };
  EXPECT_EQ(refused("abs(v) + 1"),
            "[training.point_scheme]: measure:1:5: unknown name 'v'; did you mean 'u'?");
  EXPECT_TRUE(
      refused("-1 - u^2").starts_with("[training.point_scheme]: the measure of importance is -1"))
      << refused("-1 - u^2");
  EXPECT_EQ(refused(""),
            "[training.point_scheme]: by = \"measure\" needs a measure; give one: measure = "
            "\"10*abs(u_x) + 5\"");
}

TEST(PointSchemes, RefuseAnEmptyRegionInOneSentence) {
  Problem p = rod(sin(x));
  p.equation[0].where = "x > 2";
  Pinn m = small();
  m.rules.point_scheme = ImportancePoints{.batch = 4};
  EXPECT_EQ(message_of([&] { (void)solve(p, m, {.threads = 1}); }),
            "where of equation '-u_xx = sin(x)': 'x > 2' holds at no point of the domain; write a "
            "condition that holds on a part of it");
}

}  // namespace
}  // namespace cauchy::test_adaptive_training
