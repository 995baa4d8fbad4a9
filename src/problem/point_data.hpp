#pragma once

#include <span>
#include <vector>

#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// The symbol that stands for the observed value in an observation's residual.
[[nodiscard]] Symbol observed_symbol();

/// Symbols and calls of data functions in expressions: what must come with the points.
[[nodiscard]] std::vector<Expr> data_of(std::span<const Expr> expressions);

/// Numbers for such data at points, row-major n x data: components of the normal, values of
/// tabulated functions, observed values (one per point).
[[nodiscard]] std::vector<double> point_data(const Problem& problem, std::span<const Expr> data,
                                             const Points& points,
                                             std::span<const double> observed = {});

/// The point of a condition at one, and the points of an observation.
[[nodiscard]] Points given_points(const Problem& problem, const Condition& condition);
[[nodiscard]] Points given_points(const Problem& problem, const Observation& observation);

/// Standard deviations of the observed values, one each; empty where the noise is not known.
[[nodiscard]] std::vector<double> noise_of(const Observation& observation);

/// Nodes and weights of an integral over "domain" or a part of the boundary of a space.
struct IntegralRule {
  Points points;
  bool gauss = true;  ///< false: the shape has no such rule, the points have equal weights
};
/// A rule of about n points, a Gauss rule of at least 2 and at most 40 points per axis where there
/// is one.
[[nodiscard]] IntegralRule integral_rule(const Domain& space, const std::string& where,
                                         std::size_t n);

}  // namespace cauchy::detail
