#include <cauchy/networks/initialize.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

/// Variance numerator / (n + m), or numerator / n; siren is not a matter of variance.
struct Law {
  Initialization kind;
  std::string_view name;
  double numerator;
  bool counts_outputs, uniform;

  [[nodiscard]] double deviation(double n, double m) const {
    return std::sqrt(numerator / (counts_outputs ? n + m : n));
  }
};

constexpr std::array laws{
    Law{Initialization::glorot_normal, "glorot_normal", 2, true, false},
    Law{Initialization::glorot_uniform, "glorot_uniform", 2, true, true},
    Law{Initialization::he_normal, "he_normal", 2, false, false},
    Law{Initialization::he_uniform, "he_uniform", 2, false, true},
    Law{Initialization::lecun_normal, "lecun_normal", 1, false, false},
    Law{Initialization::lecun_uniform, "lecun_uniform", 1, false, true},
    Law{Initialization::siren, "siren", 1, false, true},
    Law{Initialization::network, "network", 2, true, false},
    Law{Initialization::torch, "torch", 1.0 / 3, false, true},
    Law{Initialization::by_activation, "by_activation", 2, true, true},
};

const Law& law_of(Initialization kind) { return laws[static_cast<std::size_t>(kind)]; }

bool one_sided(Activation a) {
  return a == Activation::relu || a == Activation::relu3 || a == Activation::elu ||
         a == Activation::silu || a == Activation::gelu || a == Activation::softplus;
}

/// The law of one weight.
const Law& law_of(Initialization kind, const ParameterBlock& weight) {
  if (kind != Initialization::by_activation) return law_of(kind);
  return law_of(one_sided(weight.after) ? Initialization::he_uniform
                                        : Initialization::glorot_uniform);
}

/// The weight that the rows of a block of factors or norms belong to.
const ParameterBlock& weight_of(std::span<const ParameterBlock> blocks, std::size_t rows,
                                int weight) {
  const auto index = static_cast<std::size_t>(weight);
  if (index >= rows || blocks[index].rows != blocks[rows].rows) {
    throw Error(fmt::format("block '{}' belongs to no weight before it", blocks[rows].name),
                "[networks.initialize]", "give all blocks of a network, in order");
  }
  return blocks[index];
}

/// g v / |v| is to start as v alone would: g = |v| for every row.
void take_norms(std::span<const ParameterBlock> blocks, std::size_t norms,
                std::span<double> theta) {
  const ParameterBlock& weight = weight_of(blocks, norms, blocks[norms].norms);
  const auto cols = static_cast<std::size_t>(weight.cols);
  for (std::size_t r = 0; r < static_cast<std::size_t>(weight.rows); ++r) {
    double square = 0;
    for (const double v : theta.subspan(static_cast<std::size_t>(weight.offset) + r * cols, cols)) {
      square += v * v;
    }
    theta[static_cast<std::size_t>(blocks[norms].offset) + r] = std::sqrt(square);
  }
}

/// diag(exp(s)) V is to start as V alone would: the rows of V are divided by exp(s).
void divide_rows(std::span<const ParameterBlock> blocks, std::size_t factors,
                 std::span<double> theta) {
  const ParameterBlock& weight = weight_of(blocks, factors, blocks[factors].divides);
  const auto cols = static_cast<std::size_t>(weight.cols);
  for (std::size_t r = 0; r < static_cast<std::size_t>(weight.rows); ++r) {
    const double factor = std::exp(theta[static_cast<std::size_t>(blocks[factors].offset) + r]);
    const auto row = theta.subspan(static_cast<std::size_t>(weight.offset) + r * cols, cols);
    for (double& v : row) v /= factor;
  }
}

/// Number of all parameters.
std::size_t total_size(std::span<const ParameterBlock> blocks) {
  std::ptrdiff_t end = 0;
  for (const ParameterBlock& block : blocks) {
    if (block.offset != end) {
      throw Error(
          fmt::format("block '{}' begins at {} instead of {}", block.name, block.offset, end),
          "[networks.initialize]", "give all blocks of a network, in order");
    }
    end += block.size();
  }
  return static_cast<std::size_t>(end);
}

}  // namespace

std::span<const Initialization> all_initializations() noexcept {
  static constexpr auto all = [] {
    std::array<Initialization, laws.size()> kinds{};
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = laws[i].kind;
    return kinds;
  }();
  return all;
}

UniformBounds siren_bounds(int n, bool first_layer, bool activated, double w0) {
  const double next = std::sqrt(6.0 / n) / (activated ? 1 : w0), factor = activated ? w0 : 1;
  return {first_layer ? factor / n : next, factor / std::sqrt(n)};
}

std::string_view to_string(Initialization kind) noexcept { return law_of(kind).name; }

std::vector<double> initial_parameters(std::span<const ParameterBlock> blocks, const Rng& rng,
                                       const InitializeOptions& options) {
  const bool siren = options.weights == Initialization::siren;
  if (siren && (!(options.siren_w0 > 0) || !std::isfinite(options.siren_w0))) {
    throw Error(fmt::format("siren_w0 must be positive, got {}", options.siren_w0),
                "[networks.initialize]");
  }
  std::vector<double> theta(total_size(blocks), 0.0);
  UniformBounds bounds{};  // of siren, for a weight and the bias behind it
  double bias_bound = 0;   // of other laws
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& block = blocks[i];
    Rng draw = rng.split(i);
    double* at = theta.data() + block.offset;
    const std::ptrdiff_t count = block.size();
    const auto fill_uniform = [&](double bound) {
      for (std::ptrdiff_t k = 0; k < count; ++k) at[k] = bound * (2 * draw.uniform() - 1);
    };
    if (block.role == ParameterBlock::Role::weight) bias_bound = 1 / std::sqrt(block.cols);
    if (siren && block.role == ParameterBlock::Role::weight) {
      bounds = siren_bounds(block.cols, block.first_layer, block.activated, options.siren_w0);
    }
    if (!block.first.empty()) {
      if (static_cast<std::ptrdiff_t>(block.first.size()) != count) {
        throw Error(fmt::format("block '{}' has {} first values instead of {}", block.name,
                                block.first.size(), count),
                    "[networks.initialize]");
      }
      std::copy(block.first.begin(), block.first.end(), at);
      continue;
    }
    if (block.bound > 0 && options.weights == Initialization::network) {
      fill_uniform(block.bound);
      continue;
    }
    switch (block.role) {
      case ParameterBlock::Role::weight: {
        if (block.spread > 0) {
          for (std::ptrdiff_t k = 0; k < count; ++k) at[k] = block.spread * draw.normal();
          break;
        }
        const Law& law = law_of(options.weights, block);
        const double sigma = law.deviation(block.cols, block.rows / block.groups);
        if (siren) {
          fill_uniform(bounds.weight);
        } else if (law.uniform) {
          fill_uniform(std::sqrt(3.0) * sigma);
        } else {
          for (std::ptrdiff_t k = 0; k < count; ++k) at[k] = sigma * draw.normal();
        }
        break;
      }
      case ParameterBlock::Role::bias:
        if (siren) {
          fill_uniform(bounds.bias);
        } else if (options.biases == BiasInitialization::uniform) {
          fill_uniform(bias_bound);
        }
        break;
      case ParameterBlock::Role::scale:
      case ParameterBlock::Role::shift:
      case ParameterBlock::Role::constant:
        for (std::ptrdiff_t k = 0; k < count; ++k) {
          at[k] = block.initial + (block.spread > 0 ? block.spread * draw.normal() : 0);
        }
        if (block.divides >= 0) divide_rows(blocks, i, theta);
        if (block.norms >= 0) take_norms(blocks, i, theta);
        break;
    }
  }
  return theta;
}

}  // namespace cauchy
