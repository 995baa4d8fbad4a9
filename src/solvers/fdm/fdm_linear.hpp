#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/math/multigrid.hpp>
#include <cauchy/math/sparse.hpp>
#include <cauchy/solvers/fdm.hpp>

#include "solvers/fdm/fdm_system.hpp"

namespace cauchy::detail {

/// Whether multigrid may be chosen for these settings.
[[nodiscard]] bool fdm_multigrid_fits(const Fdm& method);
/// Unknowns of a grid of this dimension above which it is.
[[nodiscard]] double fdm_most_direct(std::size_t dimension);

/// The chosen solver of A x = b for matrices of differences.
class FdmLinear final {
 public:
  FdmLinear(LinearSolver kind, FdmSystem::Tensor tensor, int order);

  /// Throws Error (unsupported) when the solver cannot treat matrices like this one.
  void require(const SparseMatrix& a) const;
  /// Takes a matrix; solve() is then for this one.
  ///   returns  a sentence when it failed, else nothing
  [[nodiscard]] std::string factor(const SparseMatrix& a);
  /// Starts from x.
  ///   tolerance  of iterations: residual relative to that of x = 0
  [[nodiscard]] std::string solve(std::span<const double> b, std::span<double> x,
                                  const std::function<bool()>& stop, double tolerance = 1e-11);
  /// What people should know of the choice.
  [[nodiscard]] const std::string& remark() const noexcept { return remark_; }

 private:
  [[nodiscard]] std::string factor_directly();
  [[nodiscard]] std::string iterate(std::span<const double> b, std::span<double> x,
                                    const IterationOptions& options);

  LinearSolver kind_;
  FdmSystem::Tensor tensor_;
  SparseMatrix matrix_;        // with rows scaled to the size 1
  std::vector<double> scale_;  // of the rows
  SparseLu lu_;
  bool factored_ = false;
  std::optional<GridMultigrid> multigrid_;
  // For cg: the rows that are more than a diagonal, with the sign of a positive matrix.
  SparseMatrix inner_;
  std::vector<std::size_t> free_;
  double sign_ = 1;
  std::string remark_;
};

}  // namespace cauchy::detail
