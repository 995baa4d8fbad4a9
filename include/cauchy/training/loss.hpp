#pragma once

#include <memory>
#include <span>

#include <cauchy/engine/executor.hpp>
#include <cauchy/optimizers/least_squares.hpp>

namespace cauchy {

class TrainingLoss final : public LeastSquares {
 public:
  explicit TrainingLoss(Executor& executor) : executor_(executor) {}
  [[nodiscard]] std::size_t size() const override { return executor_.n_parameters(); }
  [[nodiscard]] double value(std::span<const double> x) override { return executor_.loss(x); }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override { return executor_.gradient(x, g); }
  [[nodiscard]] std::size_t n_residuals() const override { return executor_.n_residuals(); }
  void residuals(std::span<const double>, std::span<double>) override {}
  void jacobian(std::span<const double>, std::span<double>, std::span<double>) override {}
  void jacobian_times(std::span<const double>, std::span<const double>, std::span<double>) override {}
  void jacobian_transposed_times(std::span<const double>, std::span<const double>, std::span<double>) override {}
  [[nodiscard]] std::span<const double> parts() const noexcept { return executor_.last_terms(); }
  [[nodiscard]] Executor& executor() noexcept { return executor_; }

 private:
  Executor& executor_;
};

}  // namespace cauchy
