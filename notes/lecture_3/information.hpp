#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/cauchy.hpp>
#include <cauchy/training/loss.hpp>

namespace cauchy::notes {

/// Entropy of samples in bits: how often each one occurs.
template <class T>
double entropy(const std::vector<T>& samples) {
  std::map<T, double> count;
  for (const T& s : samples) count[s] += 1 / double(samples.size());
  double h = 0;
  for (const auto& [s, p] : count) h -= p * std::log2(p);
  return h;
}

/// I(A; B) = H(A) + H(B) - H(A, B) of samples that belong together, in bits.
template <class A, class B>
double mutual_information(const std::vector<A>& a, const std::vector<B>& b) {
  std::vector<std::pair<A, B>> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.emplace_back(a[i], b[i]);
  return entropy(a) + entropy(b) - entropy(both);
}

/// Hidden layers of a plain network at a point: blocks of weights and biases in turn.
inline std::vector<std::vector<double>> hidden_layers(std::span<const ParameterBlock> blocks,
                                                      std::span<const double> theta,
                                                      std::vector<double> h, bool relu) {
  std::vector<std::vector<double>> layers;
  for (std::size_t k = 0; k + 1 < blocks.size(); k += 2) {
    const auto rows = std::size_t(blocks[k].rows), cols = std::size_t(blocks[k].cols);
    const double* w = &theta[std::size_t(blocks[k].offset)];
    const double* b = &theta[std::size_t(blocks[k + 1].offset)];
    std::vector<double> next(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      next[i] = b[i];
      for (std::size_t j = 0; j < cols; ++j) next[i] += w[i * cols + j] * h[j];
      if (k + 2 < blocks.size()) next[i] = relu ? std::max(0.0, next[i]) : std::tanh(next[i]);
    }
    layers.push_back(h = next);
  }
  return layers;  // the last one is the output
}

/// All 1,024 patterns of ten signs with the label of a rule of second order, in 16 batches, and a
/// network 10-8-6-4-3-1 that is to learn it.
struct SignTask {
  static constexpr std::size_t n = 1024, inputs = 10, batches = 16;
  std::vector<double> points;
  std::vector<int> labels;
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Executor> executor;
  std::vector<double> theta;

  explicit SignTask(bool relu, int threads) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < inputs; ++i) names.push_back("x" + std::to_string(i));
    const auto x = [&](std::size_t i) { return Expr(Coordinate(names[i])); };
    const Expr rule = x(0) * x(1) + x(2) * x(3) + x(4) * x(5) + x(6) + x(7) + 0.5;
    const Expr label = where(rule > 0, 1, -1);
    Rng rng(2);
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n - 1; i > 0; --i) {
      std::swap(order[i], order[std::size_t(rng.uniform() * double(i + 1))]);
    }
    for (const std::size_t pattern : order) {
      double s[inputs];
      for (std::size_t k = 0; k < inputs; ++k) {
        s[k] = (pattern >> k) % 2 == 0 ? -1 : 1;
        points.push_back(s[k]);
      }
      labels.push_back(s[0] * s[1] + s[2] * s[3] + s[4] * s[5] + s[6] + s[7] + 0.5 > 0 ? 1 : -1);
    }
    const Mlp mlp{.widths = {8, 6, 4, 3}, .activation = relu ? Activation::relu : Activation::tanh};
    const std::vector<std::string> fields{"u"};
    graph = std::make_shared<const Graph>(make_network(mlp, names, fields));
    theta = initial_parameters(graph->parameters(), Rng(5));
    std::vector<Term> terms;  // one per batch, so that their gradients are known one by one
    for (std::size_t b = 0; b < batches; ++b) {
      terms.push_back({"batch " + std::to_string(b), {Field("u") - label}, 1.0 / batches});
    }
    executor = make_executor(graph, terms, {.threads = threads});
    const std::size_t rows = n / batches * inputs;
    for (std::size_t b = 0; b < batches; ++b) {
      executor->set_points(b, std::span(points).subspan(b * rows, rows));
    }
  }
};

/// Norms of the mean and of the standard deviation over rows of gradients.
struct GradientSpread {
  double mean = 0, deviation = 0;
  [[nodiscard]] double signal_to_noise() const { return mean / deviation; }
};
inline GradientSpread spread_of(MatrixView<const double> g, std::size_t first, std::size_t count) {
  GradientSpread s;
  for (std::size_t j = first; j < first + count; ++j) {
    double mean = 0, square = 0;
    for (std::size_t b = 0; b < g.rows(); ++b) {
      mean += g(b, j) / double(g.rows());
      square += g(b, j) * g(b, j) / double(g.rows());
    }
    s.mean += mean * mean;
    s.deviation += std::max(0.0, square - mean * mean);
  }
  return {std::sqrt(s.mean), std::sqrt(s.deviation)};
}

}  // namespace cauchy::notes
