#pragma once

#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/optimizers/schedule.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace cauchy {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Adam (Kingma and Ba 2015) with bias correction:
///   m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2
///   theta <- theta - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
///   error    throws Error on a rate or epsilon that is not positive, or a beta outside [0, 1)
class Adam final {
 public:
  explicit Adam(std::size_t n_parameters, const AdamOptions& options = {});

  /// One step along the gradient at theta.
  void step(std::span<double> theta, std::span<const double> gradient);
  void set_learning_rate(double rate);
  [[nodiscard]] double learning_rate() const noexcept { return options_.learning_rate; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return t_; }
  [[nodiscard]] std::size_t size() const noexcept { return m_.size(); }

  /// Arrays "m" and "v", number "t"; the learning rate is an option, not state. restore() throws
  /// Error when they are missing or the arrays differ in length, and takes over their length.
  void save(OptimizerState& state) const;
  void restore(const OptimizerState& state);

 private:
  AdamOptions options_;
  std::uint64_t t_ = 0;
  std::vector<double> m_, v_;
};

/// Adam behind the common interface: one gradient per step, rate learning_rate * schedule factor.
///   report   value and gradient norm at x on entry (at_x is false)
///   status   converged when the gradient is zero; not_finite or diverged (x overflowed), and x is
///            then the lowest point since the objective last changed
///   memory   6n doubles
///   error    as Adam, and on options that Schedule does not accept
class AdamOptimizer final : public Optimizer {
 public:
  explicit AdamOptimizer(const AdamOptions& options = {}, const Schedule& schedule = {});

  [[nodiscard]] std::string_view name() const noexcept override { return "adam"; }
  StepReport step(Objective& objective, std::span<double> x) override;
  void objective_changed() override;
  void save(OptimizerState& state) const override;
  void restore(const OptimizerState& state) override;

 private:
  void fail(StepStatus status, Objective& objective, std::span<double> x, StepReport& report);

  AdamOptions options_;
  Schedule schedule_;
  Adam adam_;
  /// The lowest point so far; its value is infinite when it is finite but no longer known.
  bool has_best_ = false;
  double best_value_ = std::numeric_limits<double>::infinity(), best_gradient_norm_ = 0;
  std::vector<double> best_x_, previous_x_, g_;
};

}  // namespace cauchy
