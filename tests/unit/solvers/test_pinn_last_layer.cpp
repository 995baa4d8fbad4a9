#include "solvers/pinn/pinn_last_layer.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/networks/linear_parameters.hpp>

#include "solvers/pinn/pinn_training.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_last_layer {
namespace {

using namespace pinn_cases;

/// A training with the points of its first step.
struct Fitted {
  Fitted(const Problem& p, const Pinn& m)
      : pinn(std::make_shared<const Problem>(p), m),
        training(pinn, std::make_shared<Threads>(1)),
        theta(training.first_parameters()) {}

  detail::PinnAssembly pinn;
  detail::PinnTraining training;
  std::vector<double> theta;
};

Pinn fitted(LastLayerStart start = LastLayerStart::least_squares) {
  Pinn m = small();
  m.last_layer = start;
  return m;
}

TEST(LastLayer, OfALinearProblemIsTheMinimumInAllItsParameters) {
  Problem scaled = heat();
  scaled.sizes["u"] = 5;
  Problem built_in = heat();
  for (Condition& c : built_in.condition) c.hard = true;
  for (const Problem& p : {heat(), scaled, built_in}) {
    for (const Network& network :
         {Network(Mlp{.width = 8, .depth = 2}), Network(Mlp{.width = 8, .factorized = true}),
          Network(ModifiedMlp{.width = 8, .depth = 2}),
          Network(Piratenet{.width = 8, .blocks = 1, .fourier = 4})}) {
      Pinn m = fitted();
      m.network = network;
      Fitted fit(p, m);
      // The gradient by the last layer is that of the ridge: next to nothing against the start.
      TrainingLoss& loss = fit.training.loss();
      std::vector<double> gradient(fit.theta.size()), start(fit.theta.size());
      const double after = loss.gradient(fit.theta, gradient);
      const std::vector<double> random =
          initial_parameters(fit.pinn.graph->parameters(), Rng(m.seed), m.initialize);
      const double before = loss.gradient(random, start);
      double left = 0, first = 0;
      const std::vector<std::size_t> at = linear_parameters(*fit.pinn.graph);
      for (const std::size_t i : at) {
        left += gradient[i] * gradient[i];
        first += start[i] * start[i];
      }
      EXPECT_LT(after, 0.5 * before) << describe(network);
      EXPECT_LT(std::sqrt(left), 1e-4 * std::sqrt(first)) << describe(network);
      // All other parameters are the random ones.
      std::size_t k = 0;
      for (std::size_t i = 0; i < random.size(); ++i) {
        if (k < at.size() && at[k] == i) {
          ++k;
        } else {
          EXPECT_EQ(fit.theta[i], random[i]);
        }
      }
    }
  }
}

TEST(LastLayer, OfANonlinearProblemLowersTheLoss) {
  Problem p = heat();
  p.equation = {d(u, t) + 2 * u * d(u, x) == 0.25 * d(u, x, x) + exp(u) * 0.1};
  Fitted fit(p, fitted());
  Fitted random(p, small());
  EXPECT_LT(fit.training.loss().value(fit.theta), 0.2 * fit.training.loss().value(random.theta));
  EXPECT_EQ(fit.training.start_text().substr(0, 42), "the last layer, 9 numbers, was fitted: los");
  EXPECT_TRUE(random.training.start_text().empty());
}

TEST(LastLayer, OfConditionsLeavesTheEquationsAlone) {
  Fitted fit(heat(), fitted(LastLayerStart::conditions));
  Fitted random(heat(), small());
  Fitted all(heat(), fitted());
  const auto conditions = [&](const std::vector<double>& theta) {
    (void)fit.training.loss().value(theta);
    const std::span<const double> parts = fit.training.loss().parts();
    EXPECT_EQ(parts.size(), 3u);
    return parts[1] + parts[2];
  };
  EXPECT_LT(conditions(fit.theta), 1e-2 * conditions(random.theta));
  EXPECT_LT(conditions(fit.theta), conditions(all.theta));
  EXPECT_EQ(fit.training.loss().executor().weight(0), 1) << "the weight is back";
}

TEST(LastLayer, StaysWhereZeroIsNoStateAndWhereNothingIsBetter) {
  // log(u) is not finite at u = 0: the fit starts from the random layer, or keeps it.
  Problem p = heat();
  p.equation = {d(u, t) == log(u)};
  p.condition = {at(t == 0, u == 1), on_boundary(u == 1)};
  Fitted fit(p, fitted());
  for (const double w : fit.theta) EXPECT_TRUE(std::isfinite(w));
  EXPECT_FALSE(fit.training.start_text().empty());
}

TEST(LastLayer, ARunThatIsResumedHasTheSameBits) {
  Pinn m = fitted();
  m.stages = {{AdamOptions{}, 10}};
  const Solution whole = solve(heat(), m);
  ASSERT_EQ(whole.training->events.size(), 1u);
  const TemporaryFolder folder;
  StopAfter stop(4);
  RunOptions options{
      .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
  EXPECT_TRUE(solve(heat(), m, options).interrupted);
  options.progress = nullptr;
  const Solution rest = solve(heat(), m, options);
  EXPECT_EQ(rest.training->parameters, whole.training->parameters);
  EXPECT_EQ(rest.training->events.size(), 1u);
  Pinn random = m;
  random.last_layer = LastLayerStart::random;
  EXPECT_LT(whole.training->history[0].loss, 0.2 * solve(heat(), random).training->history[0].loss);
}

TEST(LastLayer, IsRefusedWhereThereIsNone) {
  struct Bounded final : NetworkPlugin {
    [[nodiscard]] std::string describe() const override { return "bounded"; }
    int add(Graph& graph, int input, int n_outputs) const override {
      return graph.activation(graph.affine(input, n_outputs), Activation::tanh);
    }
  };
  Pinn m = fitted();
  m.network = CustomNetwork{std::make_shared<const Bounded>()};
  EXPECT_EQ(message_of([&] { (void)prepare(heat(), m); }),
            "[method] last_layer: the network has no linear last layer that could be fitted; take "
            "last_layer = \"random\", or another network");
}

}  // namespace
}  // namespace cauchy::test_pinn_last_layer
