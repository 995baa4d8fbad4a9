#pragma once

#include <span>
#include <vector>

#include "solvers/classical/semi_discrete.hpp"
#include "solvers/time/error_norm.hpp"

namespace cauchy::detail {

/// F(t, y, a y + b) = 0 for y: what all implicit schemes have to solve at every stage. Newton's
/// method with a factored Jacobian that is kept while it converges quickly and `a` stays the same.
class ImplicitSolver final {
 public:
  ImplicitSolver(SemiDiscrete& system, const ErrorNorm& norm);

  /// y is the first guess.
  ///   returns  false when it does not converge with a Jacobian of this very place
  bool solve(double t, double a, std::span<const double> b, std::span<double> y);
  [[nodiscard]] std::size_t factorizations() const noexcept { return factorizations_; }

 private:
  enum class Outcome : unsigned char { converged, slow, failed };
  Outcome iterate(double t, double a, std::span<const double> b, std::span<double> y);
  bool factor(double t, double a, std::span<const double> b, std::span<const double> y);

  SemiDiscrete& system_;
  const ErrorNorm& norm_;
  SparseMatrix matrix_;
  SparseLu lu_;
  bool factored_ = false;
  double factored_a_ = 0;
  double rate_ = 1;  // by which corrections shrink
  std::size_t factorizations_ = 0;
  std::vector<double> dy_, d_, guess_;
};

}  // namespace cauchy::detail
