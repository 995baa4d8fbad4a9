#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// A residual against smooth test functions: int (residual) v dx / int v dx, with derivatives by
/// parts so that only first ones are taken.
struct WeakMeans {
  std::vector<double> residuals;  ///< one per test function and time
  std::vector<double> moduli;     ///< the same for the moduli of its terms
  Points where;                   ///< centres of the test functions
  Expr form = {};                 ///< that was tested, for its size; 0: that of the problem
};

/// A field that fulfils equations and fluxes in the mean, not at points: piecewise polynomials,
/// whose second derivatives are no better than their order allows.
class TestedModel {
 public:
  virtual ~TestedModel() = default;
  /// An equation or condition of the problem by its number; none where it is to be looked at at
  /// points (given values), or cannot be tested. Thread-safe.
  [[nodiscard]] virtual std::optional<WeakMeans> means(TermCheck::Kind kind,
                                                       std::size_t number) const = 0;
  /// Length of the longest cell: slopes at a point are good to what they change by over it.
  [[nodiscard]] virtual double cell_size() const = 0;
};

}  // namespace cauchy::detail
