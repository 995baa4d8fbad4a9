#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy {

/// Exactly n independent points of the box lower_k <= x_k <= upper_k with a density proportional to
/// `density`, row-major n x d: a uniform point x of the box is kept when U bound < density(x).
///   density  any non-negative function of a point; need not integrate to 1
///   bound    a number that the density never exceeds; the share of kept points is mean / bound
///   error    throws Error when the box is empty or not finite, the bound is not positive, the
///            density is negative, NaN or above the bound at a point tried, or more than max_tries
///            points in a row are rejected
///   cost     d + 1 random words and one call per try
[[nodiscard]] std::vector<double> rejection_sample(
    FunctionRef<double(std::span<const double>)> density, double bound,
    std::span<const double> lower, std::span<const double> upper, std::size_t n, Rng& rng,
    std::size_t max_tries = 1'000'000);

}  // namespace cauchy
