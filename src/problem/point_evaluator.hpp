#pragma once

#include <span>
#include <vector>

#include <cauchy/problem/solution.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// Expressions of a problem on an answer: fields and derivatives by its model, unknown constants by
/// the values that were found, normals and tabulated functions by the points.
class PointEvaluator final {
 public:
  /// The solution must outlive it. Unknown constants that are not finite have their first values.
  explicit PointEvaluator(const Solution& solution);
  /// For expressions without fields; unknown constants have their first values.
  explicit PointEvaluator(const Problem& problem);

  /// The problem with the values of the unknown constants among its parameters.
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  /// Expressions as they are evaluated: parameters are numbers.
  [[nodiscard]] const Lowering& lower() const noexcept { return lower_; }

  /// Values of lowered expressions, one row per expression; `observed` per point, for the symbol.
  [[nodiscard]] std::vector<std::vector<double>> operator()(
      std::span<const Expr> expressions, const Points& points,
      std::span<const double> observed = {}) const;

 private:
  const FieldModel* model_;
  Problem problem_;
  Lowering lower_;
};

}  // namespace cauchy::detail
