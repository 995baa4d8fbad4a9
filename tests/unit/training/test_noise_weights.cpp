#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/networks/network.hpp>
#include <cauchy/training/point_weights.hpp>

#include "support/message_of.hpp"
#include "training/point_weights/noise.hpp"

namespace cauchy::test_noise_weights {
namespace {

const Coordinate x("x");
const Field u("u");

/// u = 1 at four points, with weights 2, 1, 1, 0 and noise of known size, and an equation.
struct Fit {
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<TrainingLoss> loss;
  std::unique_ptr<TrainingPoints> points;
  std::vector<double> theta;

  explicit Fit(double noise) {
    const std::vector<std::string> fields{"u"};
    graph = std::make_shared<const Graph>(make_network(Mlp{.width = 3, .depth = 1}, {"x"}, fields));
    executor = make_executor(
        graph, {{.name = "equation", .residuals = {u}}, {.name = "data", .residuals = {u - 1}}});
    loss = std::make_unique<TrainingLoss>(*executor);
    std::vector<PointSource> sources;
    for (std::size_t t = 0; t < 2; ++t) {
      PointSource s;
      s.name = executor->term(t).name;
      s.n = 4;
      s.redrawn = false;
      s.kind = t == 0 ? PointSource::Kind::equation : PointSource::Kind::observation;
      s.draw = [](std::size_t, const SamplerOptions&) {
        Points p;
        p.columns = {"x"};
        p.values = {0, 0.25, 0.5, 1};
        return p;
      };
      s.use = [this, t](const Points& p, std::span<const std::size_t> rows) {
        std::vector<double> some;
        for (const std::size_t r : rows) some.push_back(p.values[r]);
        executor->set_points(t, rows.empty() ? p.values : some);
      };
      s.weigh = [this, t](std::span<const double> w) {
        executor->set_weights(t, w.empty() ? std::vector<double>(executor->n_groups(t), 1.0)
                                           : std::vector<double>(w.begin(), w.end()));
      };
      if (t == 1) {
        s.noise = noise;
        s.weights = [](const Points&) { return std::vector<double>{2, 1, 1, 0}; };
      }
      sources.push_back(std::move(s));
    }
    points = std::make_unique<TrainingPoints>(std::move(sources), PointSettings{});
    points->draw(0);
    theta.assign(executor->n_parameters(), 0.0);  // u = 0: every misfit is 1
  }

  bool update(PointWeights& rule, std::uint64_t step, bool moved = false) {
    return rule.update(*loss, *points, {.step_in_stage = step, .step = step, .theta = theta},
                       moved);
  }
};

TEST(NoiseWeights, GiveWayWhenTheMisfitHasComeDownToTheNoise) {
  // The weighted mean square of the misfit is 1: chi = 1 / sqrt(noise).
  for (const double noise : {0.3, 0.5}) {
    Fit fit(noise);
    const auto rule = detail::make_noise_weights({.weight = 0.02, .period = 5}, *fit.points);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(fit.update(*rule, 0), noise == 0.5) << "1.41 is below 1.5, 1.83 is not";
    if (noise == 0.3) {
      EXPECT_TRUE(rule->factors(1).empty());
      continue;
    }
    EXPECT_TRUE(rule->factors(0).empty());
    EXPECT_EQ(std::vector<double>(rule->factors(1).begin(), rule->factors(1).end()),
              std::vector<double>(4, 0.02));
    fit.theta.assign(fit.theta.size(), 100.0);
    EXPECT_FALSE(fit.update(*rule, 5)) << "for good";
    const std::size_t rows[] = {0, 2};
    fit.points->choose(1, rows);
    EXPECT_TRUE(fit.update(*rule, 6, true));
    EXPECT_EQ(rule->factors(1).size(), 2u);
  }
}

TEST(NoiseWeights, LookAtTheirPeriodAlone) {
  Fit fit(0.5);
  const auto rule = detail::make_noise_weights({.period = 5}, *fit.points);
  EXPECT_FALSE(fit.update(*rule, 3));
  EXPECT_TRUE(fit.update(*rule, 5));
  // and at the first step of a stage
  const auto other = detail::make_noise_weights({.period = 5}, *fit.points);
  EXPECT_TRUE(other->update(*fit.loss, *fit.points, {.step = 3, .theta = fit.theta}, false));
}

TEST(NoiseWeights, AreRestored) {
  Fit fit(0.5);
  const auto rule = detail::make_noise_weights({}, *fit.points);
  (void)fit.update(*rule, 0);
  TrainingState state;
  rule->save(state);
  const auto again = detail::make_noise_weights({}, *fit.points);
  again->restore(state, *fit.points);
  EXPECT_EQ(std::vector<double>(again->factors(1).begin(), again->factors(1).end()),
            std::vector<double>(4, 0.01));
  EXPECT_FALSE(fit.update(*again, 10));
  EXPECT_EQ(message_of([&] { again->restore({}, *fit.points); }),
            "[training.point_weights]: the checkpoint is damaged; start the run anew");
}

TEST(NoiseWeights, AreNoneWithoutNoiseAndRefuseBadOptions) {
  EXPECT_EQ(detail::make_noise_weights({}, *Fit(0).points), nullptr);
  EXPECT_EQ(message_of([&] { (void)detail::make_noise_weights({.weight = 0}, *Fit(1).points); }),
            "[training.point_weights.noise]: weight = 0, reached = 1.5, period = 50: all must be "
            "positive");
}

}  // namespace
}  // namespace cauchy::test_noise_weights
