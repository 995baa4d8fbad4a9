#pragma once

#include <cstddef>
#include <cstdint>

#include <cauchy/base/error.hpp>
#include <cauchy/base/function_ref.hpp>
#include <cauchy/sampling/points.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy::detail {

/// Candidates without success after which a set counts as empty; from then on a share of accepted
/// candidates below least_share is an error too.
inline constexpr std::uint64_t most_tries = 1U << 22;
inline constexpr double least_share = 1e-6;

[[nodiscard]] inline bool is_hopeless(std::uint64_t tried, std::uint64_t accepted) noexcept {
  return tried >= most_tries &&
         static_cast<double>(accepted) < least_share * static_cast<double>(tried);
}

/// Appends the accepted ones of `rows` unit points to the set, in order.
using Accept = FunctionRef<void(const double* u, std::size_t rows, Points& out)>;
/// The error for a set that is never met.
using Hopeless = FunctionRef<Error()>;

/// Exactly n accepted points, in the order of the sampler. Sequences go on until there are n. A
/// finite set is made again with more points until n are accepted; of the surplus, points are left
/// out evenly over the order.
///   out      empty but for its columns
///   share    guess of the accepted share of candidates
Points collect(const SamplerOptions& options, std::size_t dimension, std::size_t n, double share,
               Points out, Accept accept, Hopeless hopeless);

/// Leaves n of the points, evenly over their order.
void thin(Points& points, std::size_t n);

/// Throws Error when n is 0, or a table of n points with so many columns does not fit in memory.
void check_count(std::size_t n, std::size_t columns);

}  // namespace cauchy::detail
