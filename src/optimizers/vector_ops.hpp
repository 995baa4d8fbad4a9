#pragma once

#include <cstddef>
#include <span>

#include <cauchy/optimizers/optimizer.hpp>

// Operations on parameter vectors with sums in a fixed order. The BLAS would divide long sums among
// its threads, and the bits of an optimisation would depend on their number.

namespace cauchy::detail {

/// x'y: eight interleaved partial sums in blocks, blocks added as a binary tree.
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y) noexcept;

/// Euclidean norm; no overflow or underflow on the way. NaN or infinite when an entry is.
[[nodiscard]] double norm(std::span<const double> x) noexcept;

/// y <- y + a x.
void add_scaled(double a, std::span<const double> x, std::span<double> y) noexcept;

[[nodiscard]] bool all_finite(std::span<const double> x) noexcept;

/// Throws Error unless x and the objective have n entries; n = 0 stands for any number above 0.
void check_sizes(const Objective& objective, std::size_t x_size, std::size_t n,
                 std::string_view place);

/// An array or a number of a saved state; throws Error when it is missing.
[[nodiscard]] std::span<const double> array_of(const OptimizerState& state, const std::string& key,
                                               std::string_view place);
[[nodiscard]] std::uint64_t number_of(const OptimizerState& state, const std::string& key,
                                      std::string_view place);

/// Throws Error unless the state's arrays fit together, as `fits` says.
void require_consistent(bool fits, std::string_view place);

}  // namespace cauchy::detail
