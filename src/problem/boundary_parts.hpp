#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Points of one piece of the boundary where the same of some places hold.
struct BoundaryPart {
  std::vector<char> holds;  ///< one per place
  std::string piece;
  std::vector<double> lowest, highest;  ///< of the components of the outward normal
};

/// The boundary, cut by places (texts of conditions such as "y = 1" or "left or right"); where none
/// of them holds is left out. Seen are places of at least a few percent of another one, or a piece.
///   error    throws Error naming the place when a text makes no sense or selects nothing
[[nodiscard]] std::vector<BoundaryPart> boundary_parts(const Problem& problem,
                                                       std::span<const Condition* const> places);

/// The components of the normal that are the same on all of these parts and 0 (or also 1 or -1).
[[nodiscard]] std::vector<Replacement> known_normals(std::span<const BoundaryPart* const> parts,
                                                     const std::vector<std::string>& space,
                                                     bool zeros_alone);

}  // namespace cauchy::detail
