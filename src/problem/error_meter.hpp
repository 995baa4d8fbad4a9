#pragma once

#include <optional>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Measures errors of fields against the reference of a problem at about n points of its domain, or
/// at the points of a scattered reference.
/// The reference is evaluated once, so that the error of a run can be watched.
class ErrorMeter final {
 public:
  explicit ErrorMeter(const Problem& problem, std::size_t n = 20'000);

  /// Errors of the fields; empty when the problem has no reference.
  [[nodiscard]] ErrorReport measure(const FieldModel& model) const;
  /// The largest relative L2 error; NaN without a reference.
  [[nodiscard]] double largest(const FieldModel& model) const {
    return measure(model).relative_l2();
  }

 private:
  Points points_;
  std::optional<ReferenceValues> reference_;
};

}  // namespace cauchy::detail
