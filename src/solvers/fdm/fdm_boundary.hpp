#pragma once

#include <string>
#include <vector>

#include "solvers/fdm/fdm_form.hpp"
#include "solvers/fdm/fdm_grid.hpp"

namespace cauchy::detail {

/// A condition that holds at a boundary point, on one of the pieces that meet there.
struct FdmClaim {
  std::size_t condition = 0;  ///< index in FdmForm::conditions
  std::size_t side = 0;       ///< of the foot
};

/// Conditions of every foot, by the field that each of them determines; values before derivatives.
/// At a corner of several pieces one condition per field is kept.
///   returns  [foot][field]
[[nodiscard]] std::vector<std::vector<std::vector<FdmClaim>>> fdm_claims(const Problem& problem,
                                                                         const FdmForm& form,
                                                                         const FdmGrid& grid);

/// Highest order of the derivatives of a field (or of its rates in time) along an axis, in all
/// equations; axis = dimension: the total order.
[[nodiscard]] int field_order(const FdmForm& form, std::size_t field, std::size_t axis);

}  // namespace cauchy::detail
