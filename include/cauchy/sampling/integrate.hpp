#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy {

/// A function of a row of the columns time, space, ranges.
using RowFunction = FunctionRef<double(std::span<const double> row)>;

// Monte Carlo integration over a domain D: I_N = |D| / N sum_i f(X_i) for points X_i that are
// uniform in D, an unbiased estimate of the integral of f over D.
//   error     for independent points Var(I_N) = |D|^2 Var(f(X)) / N, estimated by the sample
//             variance. Other point sets have no such formula: the same set is randomised
//             independently `replicates` times, and the spread of the results gives the error.
//   measure   |D| in closed form. Where the shape has none, or depends on a range, the points fill
//             the bounding box B and f counts as 0 outside: |B| / N sum_i f(X_i) [X_i in D].
//   NaN       a value of f that is not finite makes the estimate not finite
//   error     throws Error when there are fewer than two points (uniform) or two replicates of one
//             point (other sets), and the errors of interior_points

/// n evaluations, rounded up to a multiple of the replicates. The default of 16 sets of Sobol
/// points is best with n a power of two. `uniform` takes no replicates.
[[nodiscard]] Estimate integrate(RowFunction f, const Domain& domain, std::size_t n,
                                 const SamplerOptions& options = {}, std::size_t replicates = 16);
/// The same for an expression of the columns (time and space are coordinates, ranges parameters).
///   error    throws Error naming an atom that is no column
[[nodiscard]] Estimate integrate(const Expr& f, const Domain& domain, std::size_t n,
                                 const SamplerOptions& options = {}, std::size_t replicates = 16);

/// Importance sampling: the mean of f(X) / q(X) for points X with density q, which estimates the
/// integral of f over the set where q > 0. The variance is 0 when q is proportional to f.
///   draw     fills one row of `dimension` numbers with a point of density q
///   pdf      q, normalised; throws Error when it is not positive and finite at a drawn point
[[nodiscard]] Estimate integrate_importance(RowFunction f, RowFunction pdf,
                                            FunctionRef<void(Rng&, std::span<double>)> draw,
                                            std::size_t dimension, std::size_t n,
                                            std::uint64_t seed = 0);
/// The same for given independent points of density q, row-major n x dimension.
[[nodiscard]] Estimate integrate_importance(RowFunction f, RowFunction pdf,
                                            std::span<const double> rows, std::size_t dimension);

/// Hit or miss: n random points (X, Y) in the box around the graph, X in the bounding box B of the
/// domain and Y in [lower, upper]. A point hits when X is inside and Y < f(X):
///   |B| / n sum_i [X_i inside] (lower + (upper - lower) [Y_i < f(X_i)])
/// Unbiased, and never better than integrate().
///   error    throws Error when f leaves [lower, upper] at a point
[[nodiscard]] Estimate integrate_hit_or_miss(RowFunction f, const Domain& domain, double lower,
                                             double upper, std::size_t n, std::uint64_t seed = 0);

}  // namespace cauchy
