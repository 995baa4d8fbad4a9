#pragma once

#include <string_view>
#include <vector>

#include <cauchy/solvers/fvm.hpp>

namespace cauchy::detail {

/// A rule for slopes.
///   slope  from the differences to the cell behind (a) and before (b); symmetric, slope(a, a) = a
///   share  on triangles: of the slope that is kept where the face value would use up 1/r of the
///          room that the neighbours leave; null: needs rows of cells
struct Limiter {
  FvmLimiter kind;
  std::string_view name, description;
  double (*slope)(double a, double b);
  double (*share)(double r);
};
[[nodiscard]] const std::vector<Limiter>& all_limiters();
[[nodiscard]] const Limiter& limiter_of(FvmLimiter kind);

}  // namespace cauchy::detail
