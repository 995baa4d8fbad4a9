#pragma once

#include <optional>
#include <string>

#include "solvers/pinn/pinn_graph.hpp"

namespace cauchy::detail {

/// hard_form() where values of conditions may be tabulated functions too, which then stand in the
/// extension.
[[nodiscard]] std::optional<HardForm> hard_form_of_functions(const Problem& problem,
                                                             const Lowering& lower,
                                                             const Sizes& sizes,
                                                             const std::string& field);

}  // namespace cauchy::detail
