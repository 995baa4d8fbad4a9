#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/tensor/executor.hpp>

namespace cauchy::test {

/// A value of a graph for samples that follow one another in the arrays of the inputs, by plain
/// loops in double.
inline std::vector<double> run_tensor(const TensorGraph& graph, int value,
                                      const std::vector<std::vector<double>>& inputs,
                                      std::span<const double> theta = {}, std::size_t n = 1) {
  const auto e = make_tensor_executor(std::make_shared<const TensorGraph>(graph), {},
                                      {.threads = 1,
                                       .precision = Precision::f64,
                                       .backend = BackendKind::reference,
                                       .poison = true});
  std::vector<double> out(n * graph.shape(value).size());
  const std::vector<std::span<const double>> spans(inputs.begin(), inputs.end());
  e->predict(value, theta, n, spans, out);
  return out;
}

inline std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> x(n);
  Rng rng(seed);
  for (double& v : x) v = rng.uniform(-1, 1);
  return x;
}

/// The largest difference; NaN where there is one.
inline double distance(std::span<const double> a, std::span<const double> b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

}  // namespace cauchy::test
