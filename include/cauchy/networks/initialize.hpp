#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/parameters.hpp>

namespace cauchy {

/// Distribution of the weights of a layer with n inputs and m outputs.
///   glorot  variance 2 / (n + m); he  variance 2 / n; lecun  variance 1 / n
///   siren   sin(w0 (W x + b)) with W, b as Sitzmann et al. 2020; w0 is multiplied into W and b, so
///           that the layer is sin(W x + b): |W| <= w0 / n in the first layer, sqrt(6 / n) in the
///           next ones, |b| <= w0 / sqrt(n); a last layer without activation has no such factor:
///           |W| <= sqrt(6 / n) / w0, |b| <= 1 / sqrt(n)
///   network what the network asks for (ParameterBlock::bound), glorot_normal where it asks for
///           nothing
///   torch   |W| <= 1 / sqrt(n), uniform: variance 1 / (3 n)
///   by_activation  he_uniform before relu, relu3, elu, silu, gelu and softplus, else
///   glorot_uniform
enum class Initialization : std::uint8_t {
  glorot_normal,
  glorot_uniform,
  he_normal,
  he_uniform,
  lecun_normal,
  lecun_uniform,
  siren,
  network,
  torch,
  by_activation,
};
/// Distribution of the biases: all zero, or uniform with |b| <= 1 / sqrt(n).
enum class BiasInitialization : std::uint8_t { zero, uniform };

/// All initialisations in the order of the enumeration.
[[nodiscard]] std::span<const Initialization> all_initializations() noexcept;
/// The name as written above.
[[nodiscard]] std::string_view to_string(Initialization kind) noexcept;

struct InitializeOptions {
  Initialization weights = Initialization::network;
  double siren_w0 = 30;
  BiasInitialization biases = BiasInitialization::zero;  ///< siren has its own
};

/// Bounds of uniform weights and biases.
struct UniformBounds {
  double weight, bias;
};
/// Those of siren for a layer with n inputs.
[[nodiscard]] UniformBounds siren_bounds(int n, bool first_layer, bool activated, double w0);

/// A first parameter vector for blocks that follow one another from 0: weights and biases as asked,
/// scales, shifts and unknown constants at their initial values or spread around them, factors and
/// norms such that products with weights are the weights of a plain layer; numbers that a network
/// gives itself (ParameterBlock::first) as they are. The bits depend on the seed of the generator
/// alone: every block draws from its own stream.
///   error    throws Error when siren is asked for with a w0 that is not positive, or when blocks
///            leave gaps
[[nodiscard]] std::vector<double> initial_parameters(std::span<const ParameterBlock> blocks,
                                                     const Rng& rng,
                                                     const InitializeOptions& options = {});

}  // namespace cauchy
