#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/solvers/fem.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fem/fem_field.hpp"
#include "solvers/fem/fem_mesher.hpp"
#include "solvers/fem/fem_system.hpp"
#include "solvers/time/integrate.hpp"

namespace cauchy::detail {

/// Finite elements on one mesh after the other. A nonlinear problem starts from the answer of the
/// mesh before.
class FemSolver final : public ClassicalSolver {
 public:
  ///   error    throws Error (unsupported) for what the method cannot treat
  FemSolver(std::shared_ptr<const Problem> problem, const Fem& method, int threads);

  [[nodiscard]] int levels() const override;
  [[nodiscard]] MethodCost cost(int level) const override;
  [[nodiscard]] int coarser() const override;
  [[nodiscard]] double order() const override { return order_ + 1; }
  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  [[nodiscard]] int cells_of(int level) const;
  [[nodiscard]] Work work_on(double nodes, double unknowns, int level) const;
  [[nodiscard]] std::shared_ptr<const FemMesh> mesh_of(int level) const;
  [[nodiscard]] ClassicalAnswer solve_on(std::shared_ptr<const FemMesh> mesh, int level,
                                         const RunOptions& options);
  /// Refines the mesh of the level before, solve after solve, until it has about 2^d times as many
  /// cells.
  [[nodiscard]] ClassicalAnswer solve_adaptive(int level, const RunOptions& options);
  [[nodiscard]] ClassicalAnswer solve_steady(FemSystem& system, const RunOptions& options);
  [[nodiscard]] ClassicalAnswer solve_in_time(FemSystem& system, int level,
                                              const RunOptions& options);
  [[nodiscard]] std::shared_ptr<const FieldModel> field_of(
      const FemSystem& system, const std::vector<double>& times,
      std::span<const std::vector<double>> states) const;
  [[nodiscard]] std::vector<double> first_guess(const FemSystem& system) const;

  std::shared_ptr<const Problem> problem_;  // without fluxes among its fields
  std::vector<Replacement> fluxes_;
  Fem method_;
  int threads_, order_ = 2;
  std::shared_ptr<const FemForm> form_;
  std::unique_ptr<FemMesher> mesher_;
  bool box_ = false;
  std::shared_ptr<const Mesh> given_;  // that the region was read from
  std::vector<double> lower_, upper_;  // of the bounding box
  std::optional<Expr> goal_;
  std::shared_ptr<const FemMesh> adapted_;
  std::vector<double> indicators_;  // of its cells
  std::shared_ptr<const FemSystem> last_system_;
  std::vector<double> last_;  // unknowns of the mesh before
};

/// How a linear system of elements was solved.
struct FemLinearResult {
  bool solved = false;
  std::string how;      ///< "Cholesky factors", "multigrid, 12 iterations"
  std::string trouble;  ///< one sentence
};
/// A x = b for a matrix of this form: factors, or multigrid for large definite ones of one field.
[[nodiscard]] FemLinearResult solve_elements(const SparseMatrix& a, std::span<const double> b,
                                             std::span<double> x, const FemForm& form);

/// Unknowns above which multigrid is taken where it can be, in a region of this dimension.
[[nodiscard]] double most_direct(std::size_t dimension);

/// Rows and columns of given values become those of the identity.
void constrain(SparseMatrix& a, const std::vector<char>& fixed);

/// A flow with a pressure in equal steps of BDF2 (the first one of implicit Euler), or of the theta
/// scheme with theta >= 1/2, whose pressure is that between two steps.
[[nodiscard]] TimeResult march_flow(FemSystem& system, const TimeTask& task,
                                    const TimeOptions& options, std::size_t steps,
                                    const StopAsked& stop);

/// What Newton's method found.
struct FemNewton {
  bool converged = false, interrupted = false, finite = true;
  int iterations = 0;
  double change = 0;  ///< relative, of the last step
  std::string how, trouble;
};
/// R(y) = 0 from y, whose given values are set.
[[nodiscard]] FemNewton newton_elements(FemSystem& system, std::span<double> y, bool linear,
                                        const std::function<bool()>& stop);

}  // namespace cauchy::detail
