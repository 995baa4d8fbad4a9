#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/kansa/gauss_newton.hpp"
#include "solvers/kansa/rbf_field.hpp"

namespace cauchy::detail {

/// Collocation with radial basis functions at one resolution after the other. A nonlinear problem
/// is solved by Gauss-Newton steps, from zero or from the answer of the level before.
class KansaSolver final : public ClassicalSolver {
 public:
  ///   error    throws Error (unsupported) for what the method cannot treat
  KansaSolver(std::shared_ptr<const Problem> problem, const Kansa& method);

  [[nodiscard]] int levels() const override;
  [[nodiscard]] MethodCost cost(int level) const override;
  [[nodiscard]] int coarser() const override { return method_.n >= 9 ? 2 : 0; }
  [[nodiscard]] double order() const override { return 0; }
  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  struct Attempt {
    ClassicalAnswer answer;
    std::shared_ptr<const RbfField> field;
    double left = 0;  // residual of a linear system, relative to its right side
    int steps = 1;    // least-squares problems
  };
  [[nodiscard]] int centres_of(int level) const;
  [[nodiscard]] Attempt attempt(int level, const RunOptions& options, double flatness) const;
  [[nodiscard]] bool by_svd(std::size_t columns) const;
  [[nodiscard]] double steps_of(int level) const;
  void report(const GaussNewtonResult& found, std::size_t n_rows, double eps,
              ClassicalAnswer& answer) const;
  /// Coefficients of a basis that are nearest to the answer of the last level.
  [[nodiscard]] std::vector<double> first_guess(const CollocationSystem& system,
                                                const RbfBasis& basis) const;

  std::shared_ptr<const Problem> problem_;
  Kansa method_;
  UnitFrame frame_;
  bool linear_ = true;
  double flatness_;  // eps * spacing^2 of the automatic shape
  std::shared_ptr<const RbfField> last_;
  int last_level_ = -1;
  double last_steps_ = 0;   // of that level
  double first_steps_ = 0;  // of the last one that began from zero
};

}  // namespace cauchy::detail
