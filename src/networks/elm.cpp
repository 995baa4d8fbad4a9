#include <cauchy/networks/elm.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy {
namespace {

constexpr int most_random_layers = 20;

void check_elm(const Elm& elm, int n_inputs, int n_outputs) {
  const auto refuse = [](const std::string& why) { throw Error(why, "[networks.elm]"); };
  if (elm.features < 1) refuse(fmt::format("features must be positive, got {}", elm.features));
  if (elm.depth < 1 || elm.depth > most_random_layers) {
    refuse(fmt::format("depth must be 1 to {}, got {}", most_random_layers, elm.depth));
  }
  if (n_outputs < 1) {
    refuse(fmt::format("the number of fields must be positive, got {}", n_outputs));
  }
  if (!(elm.scale >= 0) || !std::isfinite(elm.scale)) {
    refuse(fmt::format("the scale must not be negative, got {}", elm.scale));
  }
  if (!elm.stretch.empty() && elm.stretch.size() != static_cast<std::size_t>(n_inputs)) {
    refuse(fmt::format("stretch has {} numbers for {} inputs (a periodic coordinate is several)",
                       elm.stretch.size(), n_inputs));
  }
  for (const double s : elm.stretch) {
    if (!(s > 0) || !std::isfinite(s)) refuse(fmt::format("stretch must be positive, got {}", s));
  }
  if (elm.activation == Activation::wavelet) {
    refuse("the wavelet has parameters that are trained, use sin or cos");
  }
}

bool is_wave(Activation a) { return a == Activation::sin || a == Activation::cos; }

/// One random layer: weights of size `size`, along input i times `stretch[i]`, and biases such that
/// every feature turns within [-1, 1]^n.
int random_layer(Graph& graph, const Elm& elm, int x, double size,
                 const std::vector<double>& stretch, Rng rng) {
  const auto n = static_cast<std::size_t>(graph.rows(x));
  const auto m = static_cast<std::size_t>(elm.features);
  std::vector<double> weights(m * n), biases(m);
  for (std::size_t k = 0; k < m; ++k) {
    double at_centre = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double along = stretch.empty() ? size : size * stretch[i];
      const double w =
          along * (elm.law == FeatureLaw::normal ? rng.normal() : 2 * rng.uniform() - 1);
      weights[k * n + i] = w;
      at_centre += w * (2 * rng.uniform() - 1);
    }
    biases[k] = is_wave(elm.activation) ? 2 * std::numbers::pi * rng.uniform() : -at_centre;
  }
  return graph.activation(graph.fixed_affine(x, std::move(weights), std::move(biases)),
                          elm.activation);
}

}  // namespace

double automatic_scale(const Elm& elm, int n_inputs) {
  // From errors of Poisson problems in one to five dimensions, 30 to 1000 features, scales 0.3
  // to 8.
  const bool wave = is_wave(elm.activation);
  const double even = (wave ? 0.27 : 0.07) * std::pow(elm.features, 1.0 / n_inputs);
  const double uniform = std::clamp(even, wave ? 2.0 : 0.3, wave ? 30.0 : 8.0);
  return elm.law == FeatureLaw::normal ? uniform / std::sqrt(3) : uniform;  // the same variance
}

int add_network(Graph& graph, const Elm& elm, int input, int n_outputs) {
  check_elm(elm, graph.rows(input), n_outputs);
  const Rng rng(elm.seed);
  int h = input;
  for (int layer = 0; layer < elm.depth; ++layer) {
    const double first = elm.scale > 0 ? elm.scale : automatic_scale(elm, graph.rows(input));
    // The features of a layer are about 1 in size: sums of them stay so.
    const double later =
        (elm.law == FeatureLaw::normal ? std::sqrt(3) : 3) / std::sqrt(elm.features);
    const double size = layer == 0 ? first : later;
    h = random_layer(graph, elm, h, size, layer == 0 ? elm.stretch : std::vector<double>(),
                     rng.split(static_cast<std::uint64_t>(layer)));
  }
  return graph.affine(h, n_outputs, true, "output");
}

void visit_options(Elm& elm, OptionVisitor& v) {
  Words<Activation> activations;
  for (const Activation a : all_activations()) {
    if (a != Activation::wavelet) activations.emplace_back(to_string(a), a);
  }
  v.count("features", elm.features, 1, 1'000'000);
  v.count("depth", elm.depth, 1, most_random_layers);
  v.word("activation", elm.activation, activations);
  v.word("law", elm.law,
         Words<FeatureLaw>{{"uniform", FeatureLaw::uniform}, {"normal", FeatureLaw::normal}});
  v.number("scale", elm.scale, NumberRange::not_negative);
  v.numbers("stretch", elm.stretch, NumberRange::positive);
  v.seed("seed", elm.seed);
}

std::string describe(const Elm& elm) {
  std::string text = fmt::format("{} random {} features", elm.features, to_string(elm.activation));
  if (elm.depth > 1) text += fmt::format(" of {} layers", elm.depth);
  return text;
}

}  // namespace cauchy
