#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// The error of an answer to a problem without ranges; none where it cannot be estimated.
using MemberEstimate = std::function<std::optional<ErrorEstimate>(const Solution& member)>;

/// One member of a family and what was found there.
struct FamilyMember {
  std::vector<double> values;  ///< of the ranges, in their order
  std::optional<ErrorEstimate> estimate = {};
};

/// Errors of members of a family of problems.
struct FamilyError {
  std::vector<FamilyMember> members;
  std::size_t estimated = 0;  ///< of them
  /// Of those that could be estimated: the largest relative L2 error, where it is, and the root
  /// mean square. NaN when there is none, or when one is.
  double worst_l2 = std::numeric_limits<double>::quiet_NaN();
  std::size_t worst = 0;  ///< index into members
  double mean_l2 = std::numeric_limits<double>::quiet_NaN();
  std::string how;  ///< "9 of 9 members of the family, worst at nu = 0.01: ..."

  /// The worst one as an estimate of the whole answer; none when no member was estimated.
  [[nodiscard]] std::optional<ErrorEstimate> estimate() const;
};

/// Looks at members of a family: the corners of the ranges (the two outermost ones where there are
/// more than three ranges), their middle, and random ones, always the same.
///   n        members, at least 1
///   estimate is called with the answer at one member after the other: a problem with numbers in
///            place of its ranges, no reference, and the answer's field there
///   error    throws Error when the problem has no ranges, and what `estimate` throws
[[nodiscard]] FamilyError family_error(const Solution& solution, const MemberEstimate& estimate,
                                       std::size_t n = 12);

/// The answer of a family for given values of the ranges. It holds the answer's field.
///   error    throws Error unless there is one value per range
[[nodiscard]] Solution member_answer(const Solution& family, std::span<const double> values);

}  // namespace cauchy
