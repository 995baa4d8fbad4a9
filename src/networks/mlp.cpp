#include <cauchy/networks/mlp.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/networks/fourier_features.hpp>

namespace cauchy {
namespace {

constexpr double factor_spread = 0.1;  // as in all published experiments

}  // namespace

int add_network(Graph& graph, const Mlp& mlp, int input, int n_outputs) {
  const auto require_positive = [](std::string_view what, int n) {
    if (n < 1) throw Error(fmt::format("{} must be positive, got {}", what, n), "[networks.mlp]");
  };
  require_positive("width", mlp.width);
  require_positive("depth", mlp.depth);
  require_positive("the number of fields", n_outputs);
  if (mlp.depth > Mlp::max_depth) {
    throw Error(fmt::format("depth must be at most {}, got {}", Mlp::max_depth, mlp.depth),
                "[networks.mlp]");
  }
  if (mlp.fourier < 0 || !(mlp.fourier_scale > 0) || !std::isfinite(mlp.fourier_scale) ||
      !std::isfinite(mlp.factor_mean)) {
    throw Error(
        "fourier must not be negative, fourier_scale must be positive and factor_mean finite",
        "[networks.mlp]");
  }
  const auto layer_of = [&](int x, int rows, const char* name) {
    return mlp.factorized ? graph.factorized_affine(x, rows, mlp.factor_mean, factor_spread, name)
                          : graph.affine(x, rows, true, name);
  };
  const auto hidden = [&](int h) {
    for (int layer = 0; layer < mlp.depth; ++layer) {
      h = layer_of(h, mlp.width, "hidden");
      h = mlp.adaptive_slope ? graph.activation_with_slope(h, mlp.activation)
                             : graph.activation(h, mlp.activation);
    }
    return h;
  };
  const FourierFeatures features{
      .count = mlp.fourier, .scales = {mlp.fourier_scale}, .seed = mlp.fourier_seed};
  const int h =
      mlp.fourier > 0 ? add_fourier_layers(graph, features, input, hidden) : hidden(input);
  return layer_of(h, n_outputs, "output");
}

void visit_options(Mlp& mlp, OptionVisitor& v) {
  constexpr std::uint64_t most = 1'000'000;  // far beyond what fits in memory
  Words<Activation> activations;
  for (const Activation a : all_activations()) activations.emplace_back(to_string(a), a);
  v.count("width", mlp.width, 1, most);
  v.count("depth", mlp.depth, 1, Mlp::max_depth);
  v.word("activation", mlp.activation, activations);
  v.flag("adaptive_slope", mlp.adaptive_slope);
  v.count("fourier", mlp.fourier, 0, most);
  v.number("fourier_scale", mlp.fourier_scale, NumberRange::positive);
  v.seed("fourier_seed", mlp.fourier_seed);
  v.flag("factorized", mlp.factorized);
  v.number("factor_mean", mlp.factor_mean, NumberRange::any);
}

std::string describe(const Mlp& mlp) {
  std::string text = fmt::format("{} x {} {}", mlp.width, mlp.depth, to_string(mlp.activation));
  if (mlp.fourier > 0) text += fmt::format(", {} Fourier features", mlp.fourier);
  if (mlp.factorized) text += ", factorised";
  return text;
}

}  // namespace cauchy
