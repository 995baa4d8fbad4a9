#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// How an expression was written, where its canonical form has carried out derivatives of
/// expressions: one operation, whose operands carry their own written forms. What holds no such
/// derivative has no written form, Expr::written() is null, and its canonical form is the text.
/// Plain operands at the beginning of a sum or product are one; sums and products that begin with
/// one of their kind are flat. Reading the text of a written form gives the same form.
struct Written {
  enum class Op : std::uint8_t {
    sum,         ///< of args
    product,     ///< of args, divided by those that `divides` says, from left to right
    power,       ///< args[0]^args[1]
    function,    ///< `function` of args
    call,        ///< the data function `name`, differentiated `orders` times, at args
    derivative,  ///< of args[0] by coordinates[0]
    divergence,  ///< the sum of the derivatives of args[i] by coordinates[i]
  };
  /// Written forms nested deeper than this are not kept: the expression is then as canonical.
  static constexpr int max_depth = 64;

  Op op = Op::sum;
  std::vector<Expr> args;
  std::vector<Expr> coordinates = {};
  std::vector<bool> divides = {};
  Kind function = Kind::constant;
  std::string name = {};
  std::vector<int> orders = {};
  int depth = 1;
};

/// The expression without its written form.
[[nodiscard]] Expr plain(const Expr& e);

/// Carries out the derivatives of the written form again, from its plain operands up. The plain
/// reference of the canonical form that every expression has: the two are the same node.
[[nodiscard]] Expr expand_derivatives(const Expr& e);

/// Same canonical form, and written in the same way.
[[nodiscard]] bool same_written(const Expr& a, const Expr& b);

/// If v = c * grad(w), component by component over the coordinates: c and w.
struct GradientForm {
  Expr coefficient, potential;
  bool found = false;
};
[[nodiscard]] GradientForm gradient_form(const std::vector<Expr>& v,
                                         const std::vector<Expr>& coordinates);

/// A summand of an expression with its outermost derivative:
///   coefficient * (d(flux[0], by[0]) + d(flux[1], by[1]) + ...), or coefficient alone for no flux.
/// A divergence has one flux for each coordinate of space; d(f, x), u_t and c*u_xx have one.
struct Summand {
  Expr coefficient;
  std::vector<Expr> flux, by;

  [[nodiscard]] bool is_plain() const noexcept { return flux.empty(); }
  /// The whole summand, derivatives carried out.
  [[nodiscard]] Expr value() const;
};

/// The summands of an expression as it was written, brackets around sums opened: what is the
/// divergence of what, what is a plain term. Fluxes keep their own written forms. A term with one
/// derivative of a field as a factor counts as c * d(w, x), by the last coordinate of its index;
/// everything else is plain.
///   error    throws Error for more than 100,000 summands
[[nodiscard]] std::vector<Summand> summands(const Expr& e);
/// Of the residual, left - right.
[[nodiscard]] std::vector<Summand> summands(const Equation& equation);

}  // namespace cauchy
