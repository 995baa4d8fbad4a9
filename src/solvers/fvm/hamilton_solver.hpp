#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/solvers/fvm.hpp>

#include "problem/hamilton_jacobi.hpp"
#include "solvers/classical/classical_solver.hpp"

namespace cauchy::detail {

/// The viscosity solution of a Hamilton-Jacobi equation on the nodes of a box, by the monotone
/// scheme of Lax and Friedrichs with local speeds,
///   u_t = -H((p- + p+)/2) + sum_d a_d/2 (p+_d - p-_d),   a_d = max |H_p_d| between the slopes
/// p-, p+ to the two neighbours; Euler steps, of order 1 at edges. Without time the same steps
/// until nothing changes. Boundaries have values, slopes across them, a period, or nothing: then
/// the slope from inside is continued.
class HamiltonSolver final : public ClassicalSolver {
 public:
  /// error    throws Error (unsupported) for another region than a box, and other conditions
  HamiltonSolver(std::shared_ptr<const Problem> problem, HamiltonJacobi form, const Fvm& options);

  [[nodiscard]] int levels() const override;
  [[nodiscard]] MethodCost cost(int level) const override;
  [[nodiscard]] double order() const override { return 1; }
  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

 private:
  struct Grid;
  struct Side;
  class Scheme;
  [[nodiscard]] Grid grid(int level) const;
  [[nodiscard]] std::string describe(const Grid& grid) const;
  [[nodiscard]] Expr start() const;

  /// What holds on a side of the box: a value, or a slope along the axis.
  struct SideForm {
    std::size_t axis = 0;
    bool upper = false, slope = false;
    Expr amount = 0, where = 1;
  };

  std::shared_ptr<const Problem> problem_;
  HamiltonJacobi form_;
  Fvm options_;
  std::vector<double> lower_, upper_;
  std::vector<bool> periodic_;
  std::vector<SideForm> sides_;
};

}  // namespace cauchy::detail
