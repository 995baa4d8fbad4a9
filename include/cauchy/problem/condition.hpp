#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/geometry/domain.hpp>

namespace cauchy {

/// Something that holds on a part of the closure of the domain.
///   general    form holds at every point of `where`: a part of the boundary for all times ("left",
///              "y = 0 and x > 0.3"; "boundary" for all of it) or for some ("left and t > 0.5"), or
///              all of space at one time ("t = 0", or "initial")
///   periodic   the fields agree on both ends of `coordinate`, with derivatives up to `order`
///   point      form holds at one point
///   integral   the integral of the left side over `where` ("domain", or a part of the boundary)
///              equals the right side, a number; at every time when the domain has one
///   interface  form holds on a surface inside the domain, where = "x = 0.5" or "x^2 + y^2 = 0.25";
///              its fields stand in jump(...), and u_n, n_x belong to the normal into the side
///              where left - right is positive
/// In forms, u_n is the outward normal derivative of field u; n_x, n_y, ... are the components of
/// the normal.
struct Condition {
  enum class Kind : std::uint8_t { general, periodic, point, integral, interface };

  Kind kind = Kind::general;
  std::string name = {};  ///< for reports; empty: made from where and form
  std::string where = {};
  Equation form = {};
  Expr weight = 1;    ///< not negative: a number, or an expression of coordinates and parameters
  bool hard = false;  ///< built into the trial functions instead of the loss
  std::string coordinate = {};
  int order = 1;
  std::vector<std::pair<std::string, double>> point = {};  ///< one number per coordinate
};

/// all of space at one time: at(t == 0, u == sin(pi * x)).
///   error    throws Error unless the first equation is "coordinate = number"
[[nodiscard]] Condition at(const Equation& time, const Equation& form);
/// On all of the boundary, or on a part of it; on a surface inside for a form with jumps:
/// on("x = 0.5", jump(u) == 0).
[[nodiscard]] Condition on_boundary(const Equation& form);
[[nodiscard]] Condition on(std::string_view where, const Equation& form);
[[nodiscard]] Condition periodic(const Coordinate& coordinate, int order = 1);
[[nodiscard]] Condition at_point(std::vector<std::pair<std::string, double>> point,
                                 const Equation& form);
[[nodiscard]] Condition integral(const Equation& form, std::string_view where = "domain");
/// The same condition with other settings: hard(on_boundary(u == 0)), weighted(100, ...).
[[nodiscard]] Condition hard(Condition condition);
[[nodiscard]] Condition weighted(const Expr& weight, Condition condition);

/// The value of an expression on the positive side of the surface of a condition, where left -
/// right of its `where` is positive, minus the one on the negative side.
[[nodiscard]] Expr jump(const Expr& e);

/// The outward normal derivative of a field in the given space coordinates: sum n_i u_{x_i}.
[[nodiscard]] Expr normal_derivative(const Expr& field, std::span<const std::string> space);
/// normal_derivative(u, {"x", "y"}).
[[nodiscard]] Expr normal_derivative(const Expr& field,
                                     std::initializer_list<std::string_view> space);
/// The component of the outward normal along a coordinate: the symbol n_x.
[[nodiscard]] Symbol normal_component(std::string_view coordinate);

}  // namespace cauchy
