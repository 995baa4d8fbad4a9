#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/tensor/executor.hpp>

#include "operators/normalizer.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"

namespace cauchy::detail::test_normalizer {
namespace {

/// Two channels of four numbers, three functions each.
const std::vector<std::vector<double>> functions = {
    {1, 2, 3, 5}, {2, 2, 8, 5}, {0, 2, 1, 5}, {10, 10, 10, 10}, {10, 10, 10, 10}, {10, 10, 10, 10}};

Normalizer fitted(Normalization kind, const FieldGrid& grid) {
  Normalizer::Fit fit(kind, 2, grid);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) fit.next_pass();
    for (std::size_t i = 0; i < functions.size(); ++i) fit.add(i / 3, functions[i]);
  }
  return fit.finish();
}

/// The numbers of one sample behind what `add` does in a graph.
std::vector<double> through(const std::vector<double>& numbers, std::vector<int> grid,
                            const std::function<int(TensorGraph&, int)>& add) {
  auto graph = std::make_shared<TensorGraph>();
  const int in = graph->input("in", {2, std::move(grid)});
  const int out = add(*graph, in);
  const auto executor =
      make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  std::vector<double> result(graph->shape(out).size());
  const std::span<const double> inputs[] = {numbers};
  executor->predict(out, {}, 1, inputs, result);
  return result;
}

TEST(Normalizer, ChannelsHaveMeanZeroAndDeviationOne) {
  const FieldGrid grid = circle(4);
  const Normalizer n = fitted(Normalization::channel, grid);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> sample = functions[i];
    sample.insert(sample.end(), functions[3].begin(), functions[3].end());
    const auto v =
        through(sample, {4}, [&](TensorGraph& g, int x) { return n.add_normalized(g, x); });
    for (std::size_t k = 0; k < 4; ++k) {
      sum += v[k];
      squares += v[k] * v[k];
      EXPECT_EQ(v[4 + k], 0);  // what does not vary says nothing
    }
  }
  EXPECT_LT(std::abs(sum), 1e-14);
  EXPECT_LT(std::abs(squares / 12 - 1), 1e-14);
  // Mean 36 / 12 = 3, mean square 166 / 12: variance 29 / 6.
  EXPECT_LT(std::abs(n.deviation(0) - std::sqrt(29.0 / 6)), 1e-14);
}

TEST(Normalizer, PointsHaveTheirOwnNumbers) {
  const FieldGrid grid = circle(4);
  const Normalizer n = fitted(Normalization::point, grid);
  std::vector<double> sample = functions[1];
  sample.insert(sample.end(), functions[3].begin(), functions[3].end());
  const auto v =
      through(sample, {4}, [&](TensorGraph& g, int x) { return n.add_normalized(g, x); });
  // Point 0: 1, 2, 0 with mean 1 and deviation sqrt(2/3); point 2: 3, 8, 1, mean 4, sqrt(26/3).
  EXPECT_LT(std::abs(v[0] - 1 / std::sqrt(2.0 / 3)), 1e-14);
  EXPECT_LT(std::abs(v[2] - 4 / std::sqrt(26.0 / 3)), 1e-14);
  EXPECT_EQ(v[1], 0);
  EXPECT_EQ(v[3], 0);
}

TEST(Normalizer, RestoringInvertsNormalizing) {
  const FieldGrid grid = circle(4);
  for (const Normalization kind :
       {Normalization::none, Normalization::channel, Normalization::point}) {
    const Normalizer n = fitted(kind, grid);
    std::vector<double> sample = functions[2];
    sample.insert(sample.end(), functions[4].begin(), functions[4].end());
    const auto back = through(sample, {4}, [&](TensorGraph& g, int x) {
      return n.add_restored(g, n.add_normalized(g, x));
    });
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_LT(std::abs(back[i] - sample[i]), 1e-14 * 16) << to_string(kind) << " " << i;
    }
  }
}

TEST(Normalizer, NumbersOfPointsAreInterpolatedOnOtherGrids) {
  FieldGrid grid = {.axes = {{"x", 3, 0, 1}, {"y", 2, 0, 2}}};
  Normalizer::Fit fit(Normalization::point, 1, grid);
  // f = x + 10 y, and twice as much: mean 1.5 f, deviation 0.5 f; linear, so nothing is lost.
  const std::vector<double> f = {0, 20, 0.5, 20.5, 1, 21};
  std::vector<double> twice;
  for (const double v : f) twice.push_back(2 * v);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) fit.next_pass();
    fit.add(0, f);
    fit.add(0, twice);
  }
  const FieldGrid fine = grid.resized({5, 3});
  const Normalizer n = fit.finish().on(fine);
  auto graph = std::make_shared<TensorGraph>();
  const int in = graph->input("in", {1, {5, 3}});
  const int out = n.add_restored(*graph, in);
  const auto executor =
      make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  const std::vector<double> ones(15, 1.0);
  std::vector<double> result(15);
  const std::span<const double> inputs[] = {ones};
  executor->predict(out, {}, 1, inputs, result);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double exact = 2 * (fine.axes[0].node(i) + 10 * fine.axes[1].node(j));
      EXPECT_LT(std::abs(result[static_cast<std::size_t>(3 * i + j)] - exact), 1e-13);
    }
  }
}

TEST(Normalizer, ASaveKeepsTheBitsAndDamageIsSeen) {
  const FieldGrid grid = circle(4);
  const Normalizer n = fitted(Normalization::point, grid);
  Checkpoint c;
  n.save(c, "x/");
  const Normalizer back = Normalizer::load(c, "x/", grid);
  EXPECT_EQ(back.channels(), 2u);
  EXPECT_EQ(back.deviation(0), n.deviation(0));
  c.arrays["x/deviation"].values[0] = -1;
  EXPECT_NE(message_of([&] { (void)Normalizer::load(c, "x/", grid); }).find("damaged"),
            std::string::npos);
}

TEST(Normalizer, ChannelsAreTakenSeveralTimes) {
  const FieldGrid grid = circle(4);
  const Normalizer n = fitted(Normalization::channel, grid);
  const std::size_t picks[] = {1, 0, 0};
  const Normalizer three = n.picked(picks);
  EXPECT_EQ(three.channels(), 3u);
  EXPECT_EQ(three.deviation(0), 0);
  EXPECT_EQ(three.deviation(2), n.deviation(0));
  EXPECT_EQ(three.joined(n).deviation(3), n.deviation(0));
}

}  // namespace
}  // namespace cauchy::detail::test_normalizer
