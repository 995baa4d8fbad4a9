#include <cauchy/networks/multiplicative_filter.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>

#include "networks/layer_sizes.hpp"

namespace cauchy {
namespace {

using FilterKind = MultiplicativeFilter::Filter;

/// A gamma distributed number, mean `shape` (Marsaglia and Tsang 2000).
double gamma_number(double shape, Rng& rng) {
  if (shape < 1) {
    return gamma_number(shape + 1, rng) * std::pow(rng.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = rng.normal(), v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

/// exp(-c |x - mu|^2 / 2), a row per element of `c`.
int add_windows(Graph& graph, int input, const std::vector<double>& c, Rng& rng) {
  const int n = graph.rows(input), w = static_cast<int>(c.size());
  std::vector<double> centres(c.size() * static_cast<std::size_t>(n)), logarithms;
  for (double& v : centres) v = 1 - 2 * rng.uniform();  // -mu
  for (const double v : c) logarithms.push_back(std::log(v));
  const int difference = graph.shift(graph.tile(input, w), 0, true, "centre");
  graph.start_at(difference, std::move(centres));
  const int zeros = graph.expression(std::vector<Expr>(c.size(), Expr(0)));
  const int log_c = graph.shift(zeros, 0, true, "window");
  graph.start_at(log_c, std::move(logarithms));
  const int square = graph.row_sum(graph.multiply(difference, difference), n);
  const int half = graph.multiply(graph.number(-0.5), graph.activation(log_c, Activation::exp));
  return graph.activation(graph.multiply(half, square), Activation::exp);
}

int add_filter(Graph& graph, const MultiplicativeFilter& network, int input, Rng& rng) {
  const auto w = static_cast<std::size_t>(network.width);
  const int n = graph.rows(input);
  const bool gabor = network.filter == FilterKind::gabor;
  std::vector<double> c(w, 1.0), frequencies, phases(w);
  if (gabor) {
    // Windows that are wider than a thousand domains differ in nothing.
    for (double& v : c) v = std::max(1e-6, gamma_number(network.alpha / network.depth, rng));
  }
  for (std::size_t r = 0; r < w; ++r) {
    const double bound = network.scale * std::sqrt(c[r] / network.depth);
    for (int i = 0; i < n; ++i) frequencies.push_back(rng.uniform(-bound, bound));
    phases[r] = rng.uniform(-std::numbers::pi, std::numbers::pi);
  }
  const int product = graph.affine(input, network.width, false, "filter");
  graph.start_at(product, std::move(frequencies));
  const int angles = graph.shift(product, 0, true, "phase");
  graph.start_at(angles, std::move(phases));
  const int waves = graph.activation(angles, Activation::sin);
  return gabor ? graph.multiply(waves, add_windows(graph, input, c, rng)) : waves;
}

}  // namespace

int add_network(Graph& graph, const MultiplicativeFilter& network, int input, int n_outputs) {
  detail::check_layer_sizes(network.width, network.depth, n_outputs,
                            "[networks.multiplicative_filter]");
  for (const double v : {network.scale, network.alpha}) {
    if (v > 0 && std::isfinite(v)) continue;
    throw Error(fmt::format("filter_scale and alpha must be positive, got {}", v),
                "[networks.multiplicative_filter]");
  }
  const Rng seeded(network.seed);
  int z = -1;
  for (int i = 0; i < network.depth; ++i) {
    Rng rng = seeded.split(static_cast<std::uint64_t>(i));
    const int filter = add_filter(graph, network, input, rng);
    if (i == 0) {
      z = filter;
      continue;
    }
    const double bound = 1 / std::sqrt(network.width);
    const int layer = graph.affine(z, network.width, true, "hidden");
    graph.start_uniform(layer, bound, bound);
    z = graph.multiply(layer, filter);
  }
  return graph.affine(z, n_outputs, true, "output");
}

void visit_options(MultiplicativeFilter& network, OptionVisitor& v) {
  detail::visit_layer_sizes(network.width, network.depth, v);
  v.word("filter", network.filter,
         Words<FilterKind>{{"fourier", FilterKind::fourier}, {"gabor", FilterKind::gabor}});
  v.number("filter_scale", network.scale, NumberRange::positive);
  v.number("alpha", network.alpha, NumberRange::positive);
  v.seed("filter_seed", network.seed);
}

std::string describe(const MultiplicativeFilter& network) {
  const char* kind = network.filter == FilterKind::gabor ? "gabor" : "fourier";
  return fmt::format("{} x {} {} filters", network.width, network.depth, kind);
}

}  // namespace cauchy
