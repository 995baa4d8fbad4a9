#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy::detail {

/// A known expression as a function of one coordinate.
using Along = std::function<double(double)>;

/// Where comparisons, signs, kinks and steps that depend on one coordinate alone change inside
/// (lower, upper), ascending. Changes of an expression within another one are places of its own to
/// look at, and between samples an expression is followed to where it comes closest to 0, so that
/// two changes that lie close together are two.
///   along   makes the function of an expression that holds no field; empty where it depends on
///           more than the coordinate
[[nodiscard]] std::vector<double> switch_places(std::span<const Expr> expressions, double lower,
                                                double upper,
                                                const std::function<Along(const Expr&)>& along);

/// Of expressions without tables, evaluated as they stand.
[[nodiscard]] std::vector<double> switch_places(std::span<const Expr> expressions,
                                                const std::string& coordinate, double lower,
                                                double upper);

}  // namespace cauchy::detail
