#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/lstm.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_lstm {
namespace {

using Row = std::vector<double>;

const std::vector<std::string> two_fields{"u", "v"};

Row predict(const std::shared_ptr<const Graph>& graph, const Row& theta, const Row& at) {
  Row got(2);
  HostExecutor<double>(graph, {}).predict(std::vector<Expr>{Field("u"), Field("v")}, theta, at,
                                          got);
  return got;
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

/// W x + b with the weights of a block and of the one behind it.
Row linear(const Graph& graph, std::size_t block, const Row& theta, const Row& x) {
  const ParameterBlock& w = graph.parameters()[block];
  const ParameterBlock& b = graph.parameters()[block + 1];
  EXPECT_EQ(static_cast<std::size_t>(w.cols), x.size());
  Row y;
  for (int r = 0; r < w.rows; ++r) {
    double sum = theta[static_cast<std::size_t>(b.offset + r)];
    for (int k = 0; k < w.cols; ++k) {
      sum += theta[static_cast<std::size_t>(w.offset + r * w.cols + k)] *
             x[static_cast<std::size_t>(k)];
    }
    y.push_back(sum);
  }
  return y;
}

/// The cell by loops: states behind every time of a sequence.
std::vector<Row> plain_cell(const Graph& graph, std::size_t block, const Row& theta,
                            const std::vector<Row>& sequence, std::size_t width) {
  Row h(width, 0.0), c(width, 0.0);
  std::vector<Row> states;
  for (Row seen : sequence) {
    seen.insert(seen.end(), h.begin(), h.end());
    const Row sums = linear(graph, block, theta, seen);
    for (std::size_t r = 0; r < width; ++r) {
      const double input = sigmoid(sums[r]), forget = sigmoid(sums[width + r] + 1);
      const double output = sigmoid(sums[2 * width + r]),
                   candidate = std::tanh(sums[3 * width + r]);
      c[r] = forget * c[r] + input * candidate;
      h[r] = output * std::tanh(c[r]);
    }
    states.push_back(h);
  }
  return states;
}

std::shared_ptr<const Graph> graph_of(const Lstm& net) {
  return std::make_shared<const Graph>(make_network(net, {"t", "x"}, two_fields));
}

Row disturbed(const Graph& graph) {
  Row theta = initial_parameters(graph.parameters(), Rng(7));
  Rng rng(3);
  for (double& w : theta) w += 0.3 * rng.normal();
  return theta;
}

TEST(Lstm, HasAsManyParametersAsTheFormulaSays) {
  for (const int w : {1, 6}) {
    for (const int L : {1, 3}) {
      for (const int k : {1, 4}) {  // all times share the weights
        const int n = 2, m = 2;
        const int formula = 4 * (n + w + 1) * w + 4 * (L - 1) * (2 * w + 1) * w + (w + 1) * m;
        EXPECT_EQ(graph_of({.width = w, .layers = L, .sequence = k})->n_parameters(),
                  static_cast<std::size_t>(formula));
      }
    }
  }
}

TEST(Lstm, IsTheCellAlongTimesThatEndAtThePoint) {
  for (const int time : {0, 1}) {
    const auto graph =
        graph_of({.width = 3, .layers = 2, .sequence = 4, .step = 0.2, .time = time});
    const Row theta = disturbed(*graph), at{0.7, -0.4};
    std::vector<Row> sequence;
    for (int j = 0; j < 4; ++j) {
      sequence.push_back(at);
      sequence.back()[static_cast<std::size_t>(time)] -= 0.2 * (3 - j);
    }
    sequence = plain_cell(*graph, 0, theta, sequence, 3);
    sequence = plain_cell(*graph, 2, theta, sequence, 3);
    const Row want = linear(*graph, 4, theta, sequence.back()), got = predict(graph, theta, at);
    // Sums of some 10 numbers of size 1 in each of 8 cells.
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-14) << time;
  }
}

TEST(Lstm, RemembersNothingOnceItForgetsAll) {
  // With the forget gate shut and no way from the state to the gates only the last time counts.
  const auto graph = graph_of({.width = 3, .sequence = 4, .step = 0.3});
  const auto alone = graph_of({.width = 3, .sequence = 1});
  Row theta = disturbed(*graph);
  const ParameterBlock& w = graph->parameters()[0];
  const ParameterBlock& b = graph->parameters()[1];
  for (int r = 0; r < 12; ++r) {
    for (int k = 2; k < 5; ++k) theta[static_cast<std::size_t>(w.offset + r * w.cols + k)] = 0;
  }
  const Row at{0.7, -0.4};
  EXPECT_GT(std::abs(predict(graph, theta, at)[0] - predict(alone, theta, at)[0]), 1e-3);
  for (int r = 3; r < 6; ++r) theta[static_cast<std::size_t>(b.offset + r)] = -100;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(predict(graph, theta, at)[i] - predict(alone, theta, at)[i]), 1e-15);
  }
}

TEST(Lstm, RefusesNumbersOutOfRangeAndSaysWhatItIs) {
  const auto message = [](const Network& net) {
    return message_of([&] { (void)make_network(net, {"t", "x"}, two_fields); });
  };
  EXPECT_EQ(message(Lstm{.width = 0}), "[networks.lstm]: width must be positive, got 0");
  EXPECT_EQ(message(Lstm{.sequence = 0}), "[networks.lstm]: sequence must be positive, got 0");
  EXPECT_EQ(message(Lstm{.step = 0}), "[networks.lstm]: step must be positive, got 0");
  EXPECT_EQ(message(Lstm{.time = 2}),
            "[networks.lstm]: time must be one of the 2 inputs, counted from 0, got 2");
  EXPECT_EQ(describe(Network(Lstm{})), "lstm, 5 times, 1 layer of 16");
}

}  // namespace
}  // namespace cauchy::test_lstm
