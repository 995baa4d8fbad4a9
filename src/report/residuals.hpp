#pragma once

#include <string>
#include <vector>

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {

/// |residual| of the equations of a problem for its solution, in units of their size: what the loss
/// of a scaled training sees, anywhere in the domain.
class EquationResiduals final {
 public:
  /// The solution must outlive it, and have a model.
  explicit EquationResiduals(const Solution& solution);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// What counts as 1, per equation.
  [[nodiscard]] const std::vector<double>& sizes() const { return sizes_; }
  /// At rows of coordinates: row-major n x equations; NaN where an equation is not to hold.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> rows) const;

 private:
  PointEvaluator evaluator_;
  std::vector<std::string> names_;
  std::vector<double> sizes_;
  std::vector<Expr> outputs_;  // residuals, then what is 0 where an equation does not hold
};

}  // namespace cauchy::detail
