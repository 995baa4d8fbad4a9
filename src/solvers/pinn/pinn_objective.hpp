#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/optimizers/least_squares.hpp>

#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// The loss of a PINN as a function of its parameters: the terms of the executor, and integral
/// conditions
///   weight / n_times * sum_j (sum_i w_i e(x_i, t_j) - target_j)^2
/// whose gradient is J' v with v_ij = 2 weight / n_times * (S_j - target_j) w_i. As a sum of
/// squares the rows are the residuals of the terms, times sqrt(weight / points), then one per
/// integral and time.
class PinnObjective final : public LeastSquares {
 public:
  PinnObjective(const Problem& problem, const PinnLoss& loss, std::shared_ptr<const Graph> graph,
                ExecutorOptions options);

  [[nodiscard]] std::size_t size() const override { return executor_->n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;

  [[nodiscard]] std::size_t n_residuals() const override;
  void residuals(std::span<const double> x, std::span<double> r) override;
  void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) override;
  void jacobian_times(std::span<const double> x, std::span<const double> v,
                      std::span<double> out) override;
  void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                 std::span<double> out) override;

  /// Weighted parts at the last evaluation: the terms, then the integrals.
  [[nodiscard]] std::span<const double> parts() const noexcept { return parts_; }
  [[nodiscard]] Executor& executor() noexcept { return *executor_; }
  /// Puts points (and their data) into a term; `rows` chooses some of them, empty: all.
  void set_points(std::size_t term, const Points& points, std::span<const std::size_t> rows = {});

 private:
  double add_integrals(std::span<const double> x, std::span<double> g);
  /// Factor of the rows of a term, and of an integral.
  [[nodiscard]] double row_factor(std::size_t term) const;
  [[nodiscard]] static double row_factor(const PinnIntegral& integral);

  const Problem& problem_;
  const PinnLoss& loss_;
  std::unique_ptr<Executor> executor_, integrals_;
  std::vector<double> parts_, residuals_, seeds_, slope_, part_slope_;
};

}  // namespace cauchy::detail
