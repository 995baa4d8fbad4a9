#pragma once

#include <span>
#include <vector>

#include <cauchy/engine/executor.hpp>
#include <cauchy/optimizers/least_squares.hpp>

namespace cauchy {

/// The loss of an executor as a function to be minimised: value, gradient, and the rows of its sum
/// of squares, all with the weights that the executor has at the time of the call.
///   error    rows throw Error when a term is an energy (TermForm::identity)
class TrainingLoss final : public LeastSquares {
 public:
  /// The executor must outlive the loss.
  explicit TrainingLoss(Executor& executor)
      : executor_(executor), parts_(executor.n_terms(), 0.0) {}

  [[nodiscard]] std::size_t size() const override { return executor_.n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override;
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override;

  [[nodiscard]] std::size_t n_residuals() const override { return executor_.n_rows(); }
  void residuals(std::span<const double> x, std::span<double> r) override;
  void jacobian(std::span<const double> x, std::span<double> r, std::span<double> j) override;
  void jacobian_times(std::span<const double> x, std::span<const double> v,
                      std::span<double> out) override;
  void jacobian_transposed_times(std::span<const double> x, std::span<const double> w,
                                 std::span<double> out) override;

  /// Weighted loss of each term at the last value(), gradient(), residuals() or jacobian().
  [[nodiscard]] std::span<const double> parts() const noexcept { return parts_; }
  [[nodiscard]] Executor& executor() noexcept { return executor_; }

 private:
  Executor& executor_;
  std::vector<double> parts_;
};

}  // namespace cauchy
