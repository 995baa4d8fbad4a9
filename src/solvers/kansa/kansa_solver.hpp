#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/math/lapack.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/kansa/collocation_system.hpp"

namespace cauchy::detail {

/// Collocation with radial basis functions at one resolution after the other. A nonlinear problem
/// is solved by Gauss-Newton steps, from zero or from the answer of the level before.
class KansaSolver final : public ClassicalSolver {
 public:
  ///   error    throws Error (unsupported) for what the method cannot treat
  KansaSolver(std::shared_ptr<const Problem> problem, const Kansa& method);

  [[nodiscard]] int levels() const override;
  [[nodiscard]] MethodCost cost(int level) const override;
  [[nodiscard]] double order() const override { return 0; }
  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  /// One linearised system, solved.
  struct Step {
    Factorization status = Factorization::ok;
    std::vector<double> change;  // of the coefficients
    std::vector<double> scale;   // of the rows
    std::size_t rank = 0, free = 0;
    std::optional<double> condition;  // known from singular values
  };
  [[nodiscard]] int centres_of(int level) const;
  [[nodiscard]] Step linear_step(CollocationSystem& system, const RbfBasis& basis,
                                 std::span<const double> coefficients,
                                 std::span<const double> residual) const;
  /// Coefficients of a basis that are nearest to the answer of the last level.
  [[nodiscard]] std::vector<double> first_guess(const CollocationSystem& system,
                                                const RbfBasis& basis) const;

  std::shared_ptr<const Problem> problem_;
  Kansa method_;
  UnitFrame frame_;
  bool linear_ = true;
  std::shared_ptr<const RbfField> last_;
};

}  // namespace cauchy::detail
