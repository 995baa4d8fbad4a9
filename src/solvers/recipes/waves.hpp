#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// The box around the domain, one interval per coordinate.
struct DomainBox {
  std::vector<std::string> names;
  std::vector<double> lower, upper;
};
[[nodiscard]] DomainBox box_of(const Sizes& sizes);

/// Made of numbers and coordinates alone: no fields, tables, unknown constants.
[[nodiscard]] bool is_plain(const Expr& e);

/// Half waves of a known function along the axes [first, last), on lines through the box: how often
/// it crosses its mean. On the line of a box of one coordinate small ripples count too, where it
/// turns by more than a hundredth of its range; up to 2,000 of them are seen.
[[nodiscard]] double half_waves(const Expr& f, const DomainBox& box, std::size_t first,
                                std::size_t last);

/// Half waves of free solutions of c0 u + c2 u_xx = ... along an axis, for constant coefficients of
/// the same sign.
[[nodiscard]] double free_waves(const Expr& residual, const std::string& field,
                                const std::string& axis, double length);

/// On a box of one coordinate: the fastest rate of free solutions of c0 u + c1 u_x + ... = 0, of
/// waves and of layers, as half waves over the box: max (|c_k| / |c_m|)^(1 / (m - k)) length / pi
/// over all places, c_m that of the highest order. 0 where coefficients hold fields; infinite where
/// c_m vanishes.
[[nodiscard]] double free_rates(const Expr& residual, const std::string& field,
                                const DomainBox& box);

}  // namespace cauchy::detail
