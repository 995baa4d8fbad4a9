#pragma once

#include <cstdint>

#include <cauchy/base/rng.hpp>

namespace cauchy::detail {

/// What dropout draws from: number i of a sample is dropped when uniform_at(i) < rate. Depends on
/// the sample, not on its place in a batch that is cut into parts.
[[nodiscard]] inline Rng dropout_numbers(std::uint64_t seed, std::uint64_t step, int value,
                                         std::uint64_t sample) noexcept {
  return Rng(seed).split(step).split(static_cast<std::uint64_t>(value)).split(sample);
}

}  // namespace cauchy::detail
