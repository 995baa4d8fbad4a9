#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <cauchy/engine/graph.hpp>

// Fully connected networks worked out by loops, for the tests of those of the library.

namespace cauchy::test {

using Dense = std::vector<double>;

inline Dense operator+(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// The weights and biases of a graph as those of plain layers: factors exp(s) multiplied in, norms
/// left out (they are those of the rows at the start).
inline std::vector<double> plain_parameters(const Graph& graph, std::span<const double> theta) {
  std::vector<double> plain;
  const auto& blocks = graph.parameters();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& b = blocks[i];
    if (b.role != ParameterBlock::Role::weight && b.role != ParameterBlock::Role::bias) continue;
    const ParameterBlock* factors = nullptr;
    if (i + 1 < blocks.size() && blocks[i + 1].divides == static_cast<int>(i)) {
      factors = &blocks[i + 1];
    }
    for (int k = 0; k < b.size(); ++k) {
      const double value = theta[static_cast<std::size_t>(b.offset + k)];
      const double factor =
          factors == nullptr
              ? 1
              : std::exp(theta[static_cast<std::size_t>(factors->offset + k / b.cols)]);
      plain.push_back(factor * value);
    }
  }
  return plain;
}

/// The layers of a graph in the order of their weights, one call after the other.
class PlainLayers final {
 public:
  PlainLayers(const Graph& graph, std::span<const double> theta)
      : theta_(plain_parameters(graph, theta)) {
    for (const ParameterBlock& b : graph.parameters()) {
      if (b.role == ParameterBlock::Role::weight) shapes_.emplace_back(b.rows, b.cols);
    }
  }

  /// W x + b of the next layer.
  Dense linear(const Dense& x) {
    const auto [rows, cols] = shapes_.at(layer_++);
    Dense y;
    const double* w = theta_.data() + at_;
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = w[rows * cols + r];
      for (std::size_t k = 0; k < cols; ++k) sum += w[r * cols + k] * x.at(k);
      y.push_back(sum);
    }
    at_ += rows * (cols + 1);
    return y;
  }
  /// tanh(slope (W x + b)) of the next layer.
  Dense tanh(const Dense& x, double slope = 1) {
    Dense y = linear(x);
    for (double& v : y) v = std::tanh(slope * v);
    return y;
  }

 private:
  std::vector<double> theta_;
  std::vector<std::pair<std::size_t, std::size_t>> shapes_;
  std::size_t layer_ = 0, at_ = 0;
};

}  // namespace cauchy::test
