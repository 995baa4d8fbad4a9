#pragma once

#include <optional>

#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// A reference that is known at its own points only.
struct ScatteredReference {
  Points points;
  ReferenceValues reference;  ///< at the points
};

/// The reference of a problem when it is a table of scattered points; none for every other one.
///   error    throws Error naming row and column of a number that is not finite
[[nodiscard]] std::optional<ScatteredReference> scattered_reference(const Problem& problem);

}  // namespace cauchy::detail
