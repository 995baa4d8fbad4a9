#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// An energy that is trained at nodes which stay where they are.
struct EnergyAtNodes {
  Expr density;        ///< of fields, slopes and coordinates
  double unit = 1;     ///< the term of the loss times this is the energy
  double measure = 1;  ///< of the domain
};

/// A network can be flat at the nodes and steep between them: what is small there is then no
/// energy. The density is integrated over fresh points; where the nodes give less by more than
/// three standard errors and 1/20 of int |density|, a warning says so.
///   at_nodes  the energy that the nodes give
[[nodiscard]] std::optional<std::string> false_minimum(const Problem& problem,
                                                       const EnergyAtNodes& energy,
                                                       const FieldModel& answer, double at_nodes,
                                                       std::uint64_t seed);

}  // namespace cauchy::detail
