#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/weak_form.hpp>
#include <cauchy/expr/written.hpp>

namespace cauchy::detail {

/// Highest order of a derivative of a field by the coordinates of space together.
[[nodiscard]] int space_order(const Expr& e, const Space& space);

/// Multiplied out and collected where that makes it smaller, without a written form.
[[nodiscard]] Expr reduced(const Expr& e);
/// Whether it is zero for all values of its atoms, as far as rewriting can tell.
[[nodiscard]] bool vanishes(const Expr& e);
/// Whether a - b is zero, or nothing but rounding of its numbers for some values of its atoms.
[[nodiscard]] bool agree(const Expr& a, const Expr& b);

/// Summands of the equations with third and fourth derivatives replaced by derivatives of auxiliary
/// fields, and the equations of these, aux - laplacian(u) = 0, behind them.
struct LoweredOrder {
  std::vector<std::vector<Summand>> summands;
  std::vector<AuxiliaryField> auxiliary;
};
[[nodiscard]] LoweredOrder lower_order(std::span<const Equation> equations,
                                       std::span<const std::string> fields, const Space& space);

/// Multiplies the rows of auxiliary fields so that the form is symmetric where it can be.
void scale_auxiliary_rows(WeakForm& form);

}  // namespace cauchy::detail
