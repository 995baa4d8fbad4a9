#pragma once

#include <memory>
#include <vector>

#include <cauchy/problem/solution.hpp>

#include "solvers/fdm/fdm_assembly.hpp"

namespace cauchy::detail {

/// States of an assembly as a field: a GridField on a box, a RegionField elsewhere. Fields that
/// equations give by others are computed at the nodes, by fluxes at faces where coefficients jump.
[[nodiscard]] std::shared_ptr<const FieldModel> fdm_model(
    const FdmAssembly& assembly, int accuracy, const std::vector<double>& times,
    const std::vector<std::vector<double>>& states);

}  // namespace cauchy::detail
