#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/base/work.hpp>
#include <cauchy/solvers/fvm.hpp>

#include "solvers/classical/classical_solver.hpp"
#include "solvers/fvm/fvm_stepper.hpp"

namespace cauchy::detail {

/// A balance law on meshes of finer and finer cells.
class FvmSolver final : public ClassicalSolver {
 public:
  /// error    throws Error (unsupported) for what finite volumes or these options cannot treat
  FvmSolver(std::shared_ptr<const Problem> problem, const Fvm& options, int threads);

  [[nodiscard]] int levels() const override;
  [[nodiscard]] MethodCost cost(int level) const override;
  [[nodiscard]] int coarser() const override;
  [[nodiscard]] double order() const override;
  [[nodiscard]] bool jumps() const override { return may_jump_; }
  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override;

  [[nodiscard]] const BalanceLaw& law() const noexcept { return law_; }
  [[nodiscard]] const std::optional<GasForm>& gas() const noexcept { return gas_; }
  [[nodiscard]] const FvmScheme& scheme() const noexcept { return scheme_; }
  [[nodiscard]] FvmTime time() const noexcept { return time_; }
  [[nodiscard]] FvmMesh mesh(std::size_t n) const;
  [[nodiscard]] FvmMesh mesh_of_level(int level) const { return mesh(cells_along(level)); }

 private:
  [[nodiscard]] std::size_t cells_along(int level) const;
  /// Cells and steps in time of a level, guessed.
  struct Guess {
    double cells, steps;
  };
  [[nodiscard]] Guess guess(int level) const;
  [[nodiscard]] std::string describe(std::size_t cells) const;
  /// Conditions with jumps, by themselves, where they meet or over a period, or equations that make
  /// them.
  [[nodiscard]] bool may_jump() const;
  [[nodiscard]] Work work_in_step(double cells) const;

  std::shared_ptr<const Problem> problem_;
  Lowering lower_;
  Fvm options_;
  int threads_;
  BalanceLaw law_;
  std::optional<GasForm> gas_;
  FvmScheme scheme_;
  FvmTime time_ = FvmTime::euler;
  std::vector<double> lower_end_, upper_end_;
  std::vector<bool> periodic_;
  bool triangles_ = false, may_jump_ = false;
  double rate_zero_ = 0, rate_one_ = 0, rate_two_ = 0;  // 1/step = zero + one n + two n^2
};

}  // namespace cauchy::detail
