#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/problem/weak_problem.hpp>

#include "problem/boundary_parts.hpp"

namespace cauchy::detail {

/// The conditions of a problem on its boundary.
struct FluxConditions {
  std::vector<std::pair<std::size_t, Expr>> fluxes;  ///< number of a condition, residual
  std::vector<std::optional<std::size_t>> rows;      ///< per condition: row whose field it gives
  std::vector<std::size_t> place;                    ///< per condition: number of its place
  std::vector<std::string> places;                   ///< texts
};

struct NaturalFluxes {
  std::vector<WeakCondition> conditions;
  std::optional<std::size_t> unfit = {};  ///< a condition that gives no flux
  bool too_many = false;                  ///< it would, if there were no other ones
};

/// On every part of the boundary: the natural fluxes of all rows whose fields are not given there,
/// from the conditions on fluxes that hold there, solved together. Each condition belongs to one
/// row there; what it gives on all of its place is one entry where it can be.
[[nodiscard]] NaturalFluxes natural_fluxes(const WeakForm& form, const FluxConditions& given,
                                           std::span<const BoundaryPart> parts);

}  // namespace cauchy::detail
