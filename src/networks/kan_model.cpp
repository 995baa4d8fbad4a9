#include <cauchy/networks/kan_model.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "networks/kan_layers.hpp"

namespace cauchy {
namespace {

constexpr const char* model_place = "[networks.kan_model]";

std::vector<int>& hidden_of(Network& network) {
  return std::visit(
      [](auto& options) -> std::vector<int>& {
        if constexpr (requires { options.hidden; }) {
          if constexpr (std::is_same_v<decltype(options.hidden), std::vector<int>>) {
            return options.hidden;
          }
        }
        throw Error("this network has no edges of one variable", model_place);
      },
      network);
}

std::span<const double> kan_stretch(std::span<const double> all, std::ptrdiff_t at, std::size_t n) {
  return all.subspan(static_cast<std::size_t>(at), n);
}

double kan_silu(double x) { return x / (1 + std::exp(-x)); }

}  // namespace

KanModel::KanModel(Network network, int n_inputs, int n_outputs, std::span<const double> theta)
    : network_(std::move(network)), theta_(theta.begin(), theta.end()) {
  const auto shape = detail::kan_shape(network_, n_inputs, n_outputs);
  if (!shape) {
    throw Error(fmt::format("'{}' is no Kolmogorov-Arnold network", entry_of(network_).name),
                model_place, "use kan, fast_kan, chebyshev_kan or jacobi_kan");
  }
  if (shape->layer_norm && shape->n_layers() > 1) {
    throw Error("with layer_norm the edges are no functions of one variable", model_place,
                "train with layer_norm = false");
  }
  std::size_t total = 0;
  const auto offsets = detail::kan_offsets(*shape, &total);
  if (total != theta.size()) {
    throw Error(fmt::format("the network has {} parameters, got {}", total, theta.size()),
                model_place);
  }
  squash_ = shape->squash;
  for (std::size_t l = 0; l < shape->n_layers(); ++l) {
    const auto n_in = static_cast<std::size_t>(shape->widths[l]);
    const auto n_out = static_cast<std::size_t>(shape->widths[l + 1]);
    Layer layer{n_in, n_out, static_cast<std::size_t>(shape->bases[l][0]->size()), shape->bases[l],
                {},   {}};
    const auto c = kan_stretch(theta, offsets[l].coefficients, n_in * n_out * layer.n_functions);
    layer.coefficients.assign(c.begin(), c.end());
    if (offsets[l].scale >= 0) {
      const auto w = kan_stretch(theta, offsets[l].scale, n_in * n_out);
      for (std::size_t k = 0; k < c.size(); ++k) layer.coefficients[k] *= w[k / layer.n_functions];
    }
    if (offsets[l].base >= 0) {
      const auto w = kan_stretch(theta, offsets[l].base, n_in * n_out);
      layer.base.assign(w.begin(), w.end());
    }
    layers_.push_back(std::move(layer));
  }
}

/// The parameters of these layers, w_s = 1.
KanModel KanModel::with_layers(Network network, const std::vector<Layer>& layers) const {
  const int n_in = static_cast<int>(layers.front().n_in);
  const int n_out = static_cast<int>(layers.back().n_out);
  std::size_t total = 0;
  const auto offsets = detail::kan_offsets(*detail::kan_shape(network, n_in, n_out), &total);
  std::vector<double> theta(total, 1.0);
  const auto put = [&](const std::vector<double>& values, std::ptrdiff_t at) {
    if (at >= 0) std::ranges::copy(values, theta.begin() + at);
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    put(layers[l].coefficients, offsets[l].coefficients);
    put(layers[l].base, offsets[l].base);
  }
  return {std::move(network), n_in, n_out, theta};
}

std::size_t KanModel::n_features(std::size_t l) const {
  return l < layers_.size() ? layers_[l].n_in : layers_.back().n_out;
}

void KanModel::functions(const Layer& layer, std::size_t i, double x, std::span<double> out) const {
  layer.basis(i).derivatives(squash_ ? std::tanh(x) : x, 0, out.data());
}

double KanModel::edge(std::size_t l, std::size_t o, std::size_t i, double x) const {
  const Layer& layer = layers_.at(l);
  const std::size_t e = o * layer.n_in + i;
  std::vector<double> f(layer.n_functions);
  functions(layer, i, x, f);
  double sum = layer.base.empty() ? 0 : layer.base[e] * kan_silu(x);
  for (std::size_t j = 0; j < f.size(); ++j) {
    sum += layer.coefficients[e * layer.n_functions + j] * f[j];
  }
  return sum;
}

std::vector<std::vector<double>> KanModel::features(std::span<const double> points) const {
  const std::size_t d = n_features(0), n = points.size() / d;
  if (points.size() != n * d) {
    throw Error(fmt::format("{} numbers are no points of {} inputs", points.size(), d),
                model_place);
  }
  std::vector<std::vector<double>> all{{points.begin(), points.end()}};
  for (const Layer& layer : layers_) {
    const std::vector<double>& x = all.back();
    std::vector<double> y(n * layer.n_out, 0.0), f(layer.n_functions);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t i = 0; i < layer.n_in; ++i) {
        const double at = x[p * layer.n_in + i];
        functions(layer, i, at, f);
        for (std::size_t o = 0; o < layer.n_out; ++o) {
          const std::size_t e = o * layer.n_in + i;
          double& sum = y[p * layer.n_out + o];
          if (!layer.base.empty()) sum += layer.base[e] * kan_silu(at);
          for (std::size_t j = 0; j < f.size(); ++j) {
            sum += layer.coefficients[e * layer.n_functions + j] * f[j];
          }
        }
      }
    }
    all.push_back(std::move(y));
  }
  return all;
}

std::vector<std::vector<double>> KanModel::norms(
    const std::vector<std::vector<double>>& features) const {
  std::vector<std::vector<double>> all;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::size_t n = features.at(l).size() / layer.n_in;
    std::vector<double> sums(layer.n_in * layer.n_out, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t e = 0; e < sums.size(); ++e) {
        const std::size_t i = e % layer.n_in;
        const double x = features[l][p * layer.n_in + i];
        sums[e] += std::abs(edge(l, e / layer.n_in, i, x)) / static_cast<double>(n);
      }
    }
    all.push_back(std::move(sums));
  }
  return all;
}

KanModel KanModel::pruned(std::span<const double> points, double threshold) const {
  const auto size = norms(features(points));
  Network network = network_;
  std::vector<int>& hidden = hidden_of(network);
  std::vector<Layer> layers = layers_;
  std::vector<std::vector<std::size_t>> kept(layers_.size() + 1);
  for (std::size_t l = 0; l <= layers_.size(); ++l) {
    double best = -1;
    std::size_t best_node = 0;
    for (std::size_t i = 0; i < n_features(l); ++i) {
      if (l == 0 || l == layers_.size()) {
        kept[l].push_back(i);
        continue;
      }
      const Layer &before = layers_[l - 1], &after = layers_[l];
      double in = 0, out = 0;
      for (std::size_t k = 0; k < before.n_in; ++k) {
        in = std::max(in, size[l - 1][i * before.n_in + k]);
      }
      for (std::size_t k = 0; k < after.n_out; ++k) {
        out = std::max(out, size[l][k * after.n_in + i]);
      }
      const double score = std::min(in, out);
      if (score > threshold) kept[l].push_back(i);
      if (score > best) {
        best = score;
        best_node = i;
      }
    }
    if (kept[l].empty()) kept[l].push_back(best_node);
    if (l > 0 && l < layers_.size()) hidden[l - 1] = static_cast<int>(kept[l].size());
  }
  Kan* splines = std::get_if<Kan>(&network);
  std::vector<double> knots;
  std::span<const double> old = splines != nullptr ? splines->knots : std::span<const double>();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& from = layers_[l];
    Layer to{kept[l].size(), kept[l + 1].size(), from.n_functions, {}, {}, {}};
    for (const std::size_t o : kept[l + 1]) {
      for (const std::size_t i : kept[l]) {
        const std::size_t e = o * from.n_in + i;
        const auto c = std::span(from.coefficients).subspan(e * from.n_functions, from.n_functions);
        to.coefficients.insert(to.coefficients.end(), c.begin(), c.end());
        if (!from.base.empty()) to.base.push_back(from.base[e]);
      }
    }
    layers[l] = std::move(to);
    if (old.empty()) continue;
    const auto per_input = static_cast<std::size_t>(splines->grid) + 1;
    for (const std::size_t i : kept[l]) {
      const auto ends = old.subspan(i * per_input, per_input);
      knots.insert(knots.end(), ends.begin(), ends.end());
    }
    old = old.subspan(from.n_in * per_input);
  }
  if (splines != nullptr) splines->knots = std::move(knots);
  return with_layers(std::move(network), layers);
}

}  // namespace cauchy
