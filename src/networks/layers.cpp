#include "networks/layers.hpp"

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/networks/fourier_features.hpp>

namespace cauchy::detail {

int add_layer(Graph& graph, int x, int rows, const LayerForm& form, std::string_view name) {
  constexpr double factor_spread = 0.1;  // as in all published experiments
  if (form.factorized) {
    return graph.factorized_affine(x, rows, form.factor_mean, factor_spread, name);
  }
  return form.weight_norm ? graph.normalized_affine(x, rows, name)
                          : graph.affine(x, rows, true, name);
}

int add_embedding(Graph& graph, const Embedding& e, const LayerForm& form, std::string_view place) {
  if (e.fourier < 0 || !(e.scale > 0) || !std::isfinite(e.scale) ||
      !std::isfinite(form.factor_mean)) {
    throw Error(
        "fourier must not be negative, fourier_scale must be positive and factor_mean finite",
        place);
  }
  if (e.fourier == 0) return e.input;
  const FourierFeatures features{.count = e.fourier, .scales = {e.scale}, .seed = e.seed};
  return add_fourier_layers(graph, features, e.input, [](int phi) { return phi; });
}

GateEncoders add_encoders(Graph& graph, int x, int width, Activation activation,
                          const LayerForm& form) {
  const int u = graph.activation(add_layer(graph, x, width, form, "encoder"), activation);
  const int v = graph.activation(add_layer(graph, x, width, form, "encoder"), activation);
  return {u, graph.subtract(v, u)};
}

void require_count(std::string_view what, int n, int least, int most, std::string_view place) {
  if (n >= least && n <= most) return;
  const std::string range = n > most     ? fmt::format("at most {}", most)
                            : least == 1 ? std::string("positive")
                                         : fmt::format("at least {}", least);
  throw Error(fmt::format("{} must be {}, got {}", what, range, n), place);
}

void require_finite(std::string_view what, double value, std::string_view place) {
  if (std::isfinite(value)) return;
  throw Error(fmt::format("{} must be finite, got {}", what, value), place);
}

Words<Activation> activation_words() {
  Words<Activation> words;
  for (const Activation a : all_activations()) words.emplace_back(to_string(a), a);
  return words;
}

void visit_fourier(int& fourier, double& scale, std::uint64_t& seed, OptionVisitor& v) {
  v.count("fourier", fourier, 0, max_width);
  v.number("fourier_scale", scale, NumberRange::positive);
  v.seed("fourier_seed", seed);
}

std::string describe_form(int fourier, bool factorized) {
  std::string text;
  if (fourier > 0) text += fmt::format(", {} Fourier features", fourier);
  return text + (factorized ? ", factorised" : "");
}

}  // namespace cauchy::detail
