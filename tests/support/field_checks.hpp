#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/field_network.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/tensor/executor.hpp>

// What the tests of field networks share: grids, values of a graph, the gradient by differences.

namespace cauchy::test {

inline const TensorExecutorOptions plain_f64{
    .threads = 1, .precision = Precision::f64, .backend = BackendKind::reference};

/// A grid over the unit box.
inline FieldGrid unit_grid(const std::vector<int>& sizes, bool periodic) {
  static const std::vector<std::string> names{"x", "y", "z"};
  FieldGrid grid;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    grid.axes.push_back({.name = names[a], .n = sizes[a], .periodic = periodic});
  }
  return grid;
}

/// n points of the unit square, not evenly spread, with weights that are not all the same.
inline FieldGrid unit_cloud(std::size_t n, std::uint64_t seed = 3) {
  FieldGrid grid = unit_grid({1, 1}, false);
  Rng draw(seed);
  grid.cloud.resize(2 * n);
  draw.fill_uniform(grid.cloud);
  grid.cloud_weights.resize(n);
  double sum = 0;
  for (double& w : grid.cloud_weights) sum += w = 0.5 + draw.uniform();
  for (double& w : grid.cloud_weights) w /= sum;
  return grid;
}

/// f at every point of a grid, for one channel after the other.
using PointFunction = std::function<double(int channel, std::span<const double> x)>;
inline std::vector<double> sampled(const FieldGrid& grid, int channels, const PointFunction& f) {
  const std::vector<double> positions = grid.positions();
  const std::size_t d = grid.axes.size();
  std::vector<double> values;
  for (int c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < grid.n_points(); ++i) {
      values.push_back(f(c, std::span(positions).subspan(i * d, d)));
    }
  }
  return values;
}
/// Smooth, of period 1 along every axis, another one for every channel.
inline double smooth_wave(int channel, std::span<const double> x) {
  double sum = 0.3 * (channel + 1);
  for (std::size_t a = 0; a < x.size(); ++a) {
    const double angle = 2 * M_PI * x[a];
    sum += std::sin(angle + channel) / (1.0 + static_cast<double>(a)) + 0.4 * std::cos(2 * angle);
  }
  return sum;
}

inline double largest(std::span<const double> a) {
  double most = 0;
  for (const double v : a) most = std::max(most, std::abs(v));
  return most;
}
/// The largest difference; infinite when one of them is no number or sizes differ.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= most)) most = std::isnan(d) ? INFINITY : d;
  }
  return most;
}

/// A graph with one input "a", one value that is looked at, and parameters.
struct TriedField {
  std::shared_ptr<const TensorGraph> graph;
  int out = -1;
  std::vector<double> theta;

  /// The value that `build` makes of the input.
  using Build = std::function<int(TensorGraph&, int)>;
  TriedField(TensorShape input, const Build& build) {
    auto g = std::make_shared<TensorGraph>();
    out = build(*g, g->input("a", std::move(input)));
    theta = initial_parameters(g->parameters(), Rng(5));
    graph = std::move(g);
  }
  /// A network on a grid; first parameters are moved a little, so that nothing is zero.
  TriedField(const FieldNetwork& network, const FieldGrid& grid, int inputs = 1, int outputs = 1,
             double moved = 0.1)
      : TriedField({inputs, grid.sizes()}, [&](TensorGraph& g, int a) {
          return add_field_network(g, network, a, grid, outputs);
        }) {
    Rng draw(7);
    for (double& v : theta) v += moved * draw.normal();
  }

  /// The numbers of the i-th block of parameters whose name begins so.
  std::span<double> block(std::string_view name, int i = 0) {
    for (const ParameterBlock& b : graph->parameters()) {
      if (b.name.starts_with(name) && i-- == 0) {
        return std::span(theta).subspan(static_cast<std::size_t>(b.offset),
                                        static_cast<std::size_t>(b.size()));
      }
    }
    ADD_FAILURE() << "no block " << name;
    return {};
  }
  /// The value for inputs of any number of samples.
  [[nodiscard]] std::vector<double> values(const std::vector<double>& a) const {
    const auto executor = make_tensor_executor(graph, {}, plain_f64);
    const std::size_t n = a.size() / graph->shape(graph->inputs()[0].value).size();
    std::vector<double> result(n * graph->shape(out).size());
    const std::vector<std::span<const double>> inputs{a};
    executor->predict(out, theta, n, inputs, result);
    return result;
  }
};

/// Adds the mean square of a value, the loss of the tests.
inline int mean_square(TensorGraph& graph, int value) {
  const int squares = graph.function(value, ElementFunction::square);
  const int flat = graph.reshape(squares, {1, {static_cast<int>(graph.shape(value).size())}});
  return graph.reduce(flat);
}

/// The gradient of the mean square of the answers against central differences along some
/// directions.
inline void expect_gradient_by_differences(const FieldNetwork& network, const FieldGrid& grid) {
  const int inputs = 2, outputs = 2;
  int loss = -1;
  TriedField tried({inputs, grid.sizes()}, [&](TensorGraph& g, int a) {
    return loss = mean_square(g, add_field_network(g, network, a, grid, outputs));
  });
  Rng draw(11);
  for (double& v : tried.theta) v += 0.1 * draw.normal();
  std::vector<double> a(2 * static_cast<std::size_t>(inputs) * grid.n_points());
  draw.fill_normal(a);
  const auto executor = make_tensor_executor(tried.graph, {{"loss", loss, 1}}, plain_f64);
  executor->set_batch(2, std::vector<std::span<const double>>{a});
  std::vector<double> gradient(tried.theta.size());
  const double value = executor->gradient(tried.theta, gradient);
  ASSERT_TRUE(std::isfinite(value));
  ASSERT_GT(value, 0);
  double length = 0;
  for (const double g : gradient) length += g * g;
  length = std::sqrt(length);
  ASSERT_GT(length, 0);
  // Every layer takes part.
  for (const ParameterBlock& block : tried.graph->parameters()) {
    EXPECT_GT(largest(std::span(gradient).subspan(static_cast<std::size_t>(block.offset),
                                                  static_cast<std::size_t>(block.size()))),
              0)
        << block.name;
  }
  for (int direction = 0; direction < 3; ++direction) {
    std::vector<double> d(gradient.size()), up = tried.theta, down = tried.theta;
    draw.fill_normal(d);
    const double h = 1e-5;
    double slope = 0, size = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      slope += gradient[i] * d[i];
      size += d[i] * d[i];
      up[i] += h * d[i];
      down[i] -= h * d[i];
    }
    const double by_difference = (executor->loss(up) - executor->loss(down)) / (2 * h);
    // h^2 times third derivatives along d, and eps |loss| / h.
    EXPECT_LT(std::abs(by_difference - slope), 1e-6 * (length * std::sqrt(size) + value));
  }
}

}  // namespace cauchy::test
