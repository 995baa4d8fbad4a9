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
};

const Law& law_of(Initialization kind) { return laws[static_cast<std::size_t>(kind)]; }

/// diag(exp(s)) V is to start as V alone would: the rows of V are divided by exp(s).
void divide_rows(std::span<const ParameterBlock> blocks, std::size_t factors,
                 std::span<double> theta) {
  const auto index = static_cast<std::size_t>(blocks[factors].divides);
  if (index >= factors || blocks[index].rows != blocks[factors].rows) {
    throw Error(fmt::format("block '{}' belongs to no weight before it", blocks[factors].name),
                "[networks.initialize]", "give all blocks of a network, in order");
  }
  const ParameterBlock& weight = blocks[index];
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
  const Law& law = law_of(options.weights);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ParameterBlock& block = blocks[i];
    Rng draw = rng.split(i);
    double* at = theta.data() + block.offset;
    const std::ptrdiff_t count = block.size();
    const auto fill_uniform = [&](double bound) {
      for (std::ptrdiff_t k = 0; k < count; ++k) at[k] = bound * (2 * draw.uniform() - 1);
    };
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
        if (siren) fill_uniform(bounds.bias);
        break;
      case ParameterBlock::Role::scale:
      case ParameterBlock::Role::shift:
      case ParameterBlock::Role::constant:
        for (std::ptrdiff_t k = 0; k < count; ++k) {
          at[k] = block.initial + (block.spread > 0 ? block.spread * draw.normal() : 0);
        }
        if (block.divides >= 0) divide_rows(blocks, i, theta);
        break;
    }
  }
  return theta;
}

}  // namespace cauchy
