#pragma once

#include <memory>

#include "solvers/classical/nodal_model.hpp"
#include "solvers/trust/bound_form.hpp"

namespace cauchy::detail {

/// An answer on a box minus a function that has its boundary defects: it fulfils u = g exactly. The
/// function is the transfinite interpolation of the defects, linear between opposite faces,
///   G = 1 - prod_i (1 - P_i),  P_i v = (1 - s_i) v(x_i = lower) + s_i v(x_i = upper),
/// with all its derivatives from those of answer and g along the faces.
/// Where g has two values at an edge of the box, it is off there by their difference.
class LiftedField final : public NodalModel {
 public:
  /// `form` must have values on all of the boundary of a box, and outlive it.
  LiftedField(const BoundForm& form, std::shared_ptr<const FieldModel> inner);

  void save(Checkpoint&) const override {}
  void derivatives(std::span<const Expr> atoms, std::span<const double> points,
                   std::span<double> out) const override;

 private:
  const BoundForm& form_;
  std::shared_ptr<const FieldModel> inner_;
};

/// The answer with the lifted field.
[[nodiscard]] Solution lifted(const BoundForm& form, const Solution& solution);

}  // namespace cauchy::detail
