#include <cauchy/networks/fno.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

#include "networks/fields/field_layers.hpp"
#include "networks/fields/fno_features.hpp"
#include "networks/layer_sizes.hpp"
#include "networks/layers.hpp"

namespace cauchy {
namespace {

constexpr std::string_view fno_place = "[networks.fno]";
constexpr int most_modes = 10'000;

void check_fno(const Fno& f) {
  using detail::require_count;
  require_count("width", f.width, 1, detail::max_width, fno_place);
  require_count("depth", f.depth, 1, Mlp::max_depth, fno_place);
  require_count("lifting", f.lifting, 0, detail::max_width, fno_place);
  require_count("projection", f.projection, 0, detail::max_width, fno_place);
  detail::require_between_layers(f.activation, fno_place);
  if (!(f.padding >= 0 && f.padding <= 4)) {
    throw Error(fmt::format("padding must be between 0 and 4, got {}", f.padding), fno_place);
  }
  if (!(f.dropout >= 0 && f.dropout < 1)) {
    throw Error(fmt::format("dropout must be in [0, 1), got {}", f.dropout), fno_place);
  }
  if (f.local != 0) detail::require_kernel(f.local, fno_place);
  if (f.factorization == FnoFactorization::none) return;
  if (f.separable) {
    throw Error("weights are factorised or separable, not both", fno_place);
  }
  require_count("rank", f.rank, 1, detail::max_width, fno_place);
  if (f.factorization == FnoFactorization::tucker && f.rank > f.width) {
    throw Error(fmt::format("rank must be at most the width, got {} and {}", f.rank, f.width),
                fno_place);
  }
}

/// Zeros behind the end of every axis: the period n + p points is 1 + padding lengths, where that
/// is a whole number on every grid of the axis, so that modes are the same functions.
std::vector<int> padding_of(const Fno& f, const FieldGrid& grid) {
  std::vector<int> points;
  for (const FieldGrid::Axis& axis : grid.axes) {
    const double p = axis.periodic ? 0 : f.padding * (axis.n - 1) - 1;
    points.push_back(std::max(0, static_cast<int>(std::lround(p))));
  }
  return points;
}

/// Weights of the trapezoidal rule on a padded grid, in units of a cell: 1 inside of the box, 1/2
/// on its sides, 0 behind them. With a full weight on the sides a box would be larger by half a
/// cell, another one on every grid.
std::vector<double> box_weights(const FieldGrid& grid, const std::vector<int>& padded) {
  std::vector<double> weights{1};
  for (std::size_t a = 0; a < padded.size(); ++a) {
    const FieldGrid::Axis& axis = grid.axes[a];
    std::vector<double> longer;
    for (const double w : weights) {
      for (int i = 0; i < padded[a]; ++i) {
        const bool side = !axis.periodic && padded[a] > axis.n && (i == 0 || i + 1 == axis.n);
        longer.push_back(i >= axis.n ? 0 : side ? w / 2 : w);
      }
    }
    weights = std::move(longer);
  }
  return weights;
}

/// Kept modes of every axis of a grid that has been padded.
std::vector<int> fno_modes(const Fno& f, const FieldGrid& grid, const std::vector<int>& sizes) {
  std::vector<int> modes = detail::per_axis("modes", f.modes, grid.axes.size(), fno_place);
  for (std::size_t a = 0; a < modes.size(); ++a) {
    const bool last = a + 1 == modes.size();
    const int most = last ? sizes[a] / 2 + 1 : (sizes[a] + 1) / 2;
    if (modes[a] <= most) continue;
    const bool padded = sizes[a] > grid.axes[a].n;
    throw Error(
        fmt::format("{} modes along '{}' are more than the {} frequencies of {} points{}", modes[a],
                    grid.axes[a].name, most, sizes[a], padded ? " (with padding)" : ""),
        fno_place, "take fewer modes or a finer grid");
  }
  return modes;
}

/// F^-1 R F v, integrals over the box: v is multiplied by `weights` first (-1: by none).
int spectral_part(TensorGraph& graph, const Fno& f, int v, int weights,
                  const std::vector<int>& modes) {
  int c = graph.spectrum(weights < 0 ? v : graph.multiply(v, weights), modes);
  switch (f.factorization) {
    case FnoFactorization::none:
      c = f.separable ? graph.mode_scale(c) : graph.mode_linear(c, f.width);
      break;
    case FnoFactorization::tucker:
      c = graph.complex_linear(c, f.rank, 1, false, "modes_in");
      c = graph.mode_linear(c, f.rank);
      c = graph.complex_linear(c, f.width, 1, false, "modes_out");
      break;
    case FnoFactorization::cp:
      c = graph.complex_linear(c, f.rank, 1, false, "modes_in");
      c = graph.mode_scale(c);
      c = graph.complex_linear(c, f.width, 1, false, "modes_out");
      break;
  }
  return graph.from_spectrum(c, graph.shape(v).grid);
}

/// s(W v + b + C v + F^-1 R F v), no W and C when it is to be smooth.
int fourier_layer(TensorGraph& graph, const Fno& f, int v, int weights,
                  const std::vector<int>& modes, const std::vector<bool>& periodic,
                  Activation activation, bool smooth) {
  int sum = spectral_part(graph, f, v, weights, modes);
  if (smooth) return graph.shift(sum, 0, false, "bias");
  if (f.local > 0) {
    const int c = detail::add_convolution(
        graph, v, periodic,
        {.channels = f.width, .kernel = f.local, .bias = false, .name = "local"});
    sum = graph.add(sum, c);
  }
  if (f.skip == FnoSkip::linear) {
    return graph.linear(v, f.width, activation, true, "skip", sum);
  }
  if (f.skip == FnoSkip::identity) sum = graph.add(sum, v);
  sum = graph.shift(sum, 0, false, "bias");
  return activation == Activation::identity ? sum : graph.activation(sum, activation);
}

}  // namespace

namespace detail {

FnoFeatures add_fno_features(TensorGraph& graph, const Fno& f, int input, const FieldGrid& grid) {
  const std::vector<int> sizes = grid.sizes(), padding = padding_of(f, grid);
  std::vector<int> padded = sizes;
  for (std::size_t a = 0; a < sizes.size(); ++a) padded[a] += padding[a];
  const std::vector<int> modes = fno_modes(f, grid, padded);

  int v = with_positions(graph, input, grid, f.coordinates, 0, fno_place);
  v = add_point_layers(graph, v, f.lifting, f.width, f.activation, "lifting");
  const std::vector<int> nothing(sizes.size(), 0);
  int weights = -1;
  if (padded != sizes) {
    v = graph.pad(v, nothing, padding);
    if (f.trapezoid) weights = graph.constant({1, padded}, box_weights(grid, padded));
  }
  for (int l = 0; l < f.depth; ++l) {
    const bool last = l + 1 == f.depth;
    v = fourier_layer(graph, f, v, weights, modes, periodic_axes(grid),
                      last ? Activation::identity : f.activation, last && f.smooth);
    if (f.dropout > 0 && !last) v = graph.dropout(v, f.dropout);
  }
  FnoFeatures made{.value = v, .period = grid};
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    FieldGrid::Axis& axis = made.period.axes[a];
    axis.upper = axis.lower + padded[a] * axis.spacing();
    axis.n = padded[a];
    axis.periodic = true;
  }
  return made;
}

void check_fno_field(const TensorGraph& graph, const Fno& f, int input, const FieldGrid& grid,
                     int n_outputs) {
  check_fno(f);
  require_field(graph, input, grid, n_outputs, false, fno_place);
}

}  // namespace detail

int add_field_network(TensorGraph& graph, const Fno& f, int input, const FieldGrid& grid,
                      int n_outputs) {
  detail::check_fno_field(graph, f, input, grid, n_outputs);
  int v = detail::add_fno_features(graph, f, input, grid).value;
  const std::vector<int> sizes = grid.sizes();
  if (graph.shape(v).grid != sizes) v = graph.crop(v, std::vector<int>(sizes.size(), 0), sizes);
  return detail::add_point_layers(graph, v, f.projection, n_outputs, f.activation, "projection");
}

void visit_options(Fno& f, OptionVisitor& v) {
  detail::visit_layer_sizes(f.width, f.depth, v);
  detail::visit_whole_numbers("modes", f.modes, most_modes, v);
  v.count("lifting", f.lifting, 0, detail::max_width);
  v.count("projection", f.projection, 0, detail::max_width);
  detail::visit_activation(f.activation, v);
  v.flag("coordinates", f.coordinates);
  v.number("padding", f.padding, NumberRange::not_negative);
  v.flag("trapezoid", f.trapezoid);
  v.word("skip", f.skip,
         {{"linear", FnoSkip::linear}, {"identity", FnoSkip::identity}, {"none", FnoSkip::none}});
  v.count("local", f.local, 0, 99);
  v.word("factorization", f.factorization,
         {{"none", FnoFactorization::none},
          {"tucker", FnoFactorization::tucker},
          {"cp", FnoFactorization::cp}});
  v.count("rank", f.rank, 1, detail::max_width);
  v.flag("separable", f.separable);
  v.number("dropout", f.dropout, NumberRange::below_one);
  v.flag("smooth", f.smooth);
  v.check([&] { check_fno(f); });
}

std::string describe(const Fno& f) {
  std::string text = fmt::format("FNO of width {}, {} layers, {} modes", f.width, f.depth,
                                 detail::times_text(f.modes));
  if (f.factorization == FnoFactorization::tucker) text += fmt::format(", Tucker rank {}", f.rank);
  if (f.factorization == FnoFactorization::cp) text += fmt::format(", CP rank {}", f.rank);
  if (f.separable) text += ", separable";
  if (f.smooth) text += ", a Fourier series at the end";
  if (f.local > 0) text += fmt::format(", convolutions of {} points", f.local);
  return text;
}

}  // namespace cauchy
