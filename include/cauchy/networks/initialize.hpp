#pragma once

#include <cstdint>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

/// Distribution of the weights of a layer with n inputs and m outputs.
///   glorot  variance 2 / (n + m); he  variance 2 / n; lecun  variance 1 / n
///   siren   sin(w0 (W x + b)) with W, b as Sitzmann et al. 2020; w0 is multiplied into W and b, so
///           that the layer is sin(W x + b): |W| <= w0 / n in the first layer, sqrt(6 / n) in the
///           next ones, |b| <= w0 / sqrt(n); a last layer without activation has no such factor:
///           |W| <= sqrt(6 / n) / w0, |b| <= 1 / sqrt(n)
enum class Initialization : std::uint8_t {
  glorot_normal,
  glorot_uniform,
  he_normal,
  he_uniform,
  lecun_normal,
  lecun_uniform,
  siren,
};

struct InitializeOptions {
  Initialization weights = Initialization::glorot_normal;
  double siren_w0 = 30;
};

/// A first parameter vector: weights as asked, biases zero (siren: uniform), scales and unknown
/// constants at their initial values. The bits depend on the seed of the generator alone: every
/// block of parameters draws from its own stream.
///   error    throws Error when siren is asked for with a w0 that is not positive
[[nodiscard]] std::vector<double> initial_parameters(const Graph& graph, const Rng& rng,
                                                     const InitializeOptions& options = {});

}  // namespace cauchy
