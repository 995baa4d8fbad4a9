#pragma once

#include <string>
#include <vector>

#include <cauchy/expr/program.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// |residual| of the equations of a problem for its solution, in units of their size: what the loss
/// of a scaled training sees, anywhere in the domain.
class EquationResiduals final {
 public:
  /// Keeps a reference to the solution, which must have a model.
  explicit EquationResiduals(const Solution& solution);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// What counts as 1, per equation.
  [[nodiscard]] const std::vector<double>& sizes() const { return sizes_; }
  /// At rows of coordinates: row-major n x equations; NaN where an equation is not to hold.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> rows) const;

 private:
  const Solution& solution_;
  std::vector<std::string> names_;
  std::vector<double> sizes_, constants_;
  std::vector<std::size_t>
      place_;  // output of the program that is 0 where k does not hold; 0: none
  std::vector<Expr> atoms_, calls_;  // fields with derivatives, and calls of tabulated functions
  std::unique_ptr<const Program<double>> program_;
};

}  // namespace cauchy::detail
