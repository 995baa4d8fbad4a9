#pragma once

#include <cauchy/base/threads.hpp>
#include <cauchy/optimizers/optimizer.hpp>
#include <cauchy/optimizers/schedule.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cauchy {

/// What all methods that take one gradient per step share: the rate of the schedule, clipping, the
/// best point and the saved state. A method adds its update of x. With v the move of a step (the
/// velocity), every method here reads
///   theta <- theta + v,  v = -rate * (something that points along the gradient)
/// so a velocity points downhill and is added, never subtracted.
///   rate      learning_rate * schedule factor of step t = 0, 1, ...
///   clipping  clip_norm > 0 shortens the gradient g to g * min(1, clip_norm / |g|) first
///   report    value and gradient norm (not clipped) at x on entry (at_x is false)
///   status    converged when the gradient is zero; stalled when x did not move; not_finite or
///             diverged (x overflowed), and x is then the lowest point since the objective last
///             changed
///   memory    3n doubles and n for each moment of the method
class FirstOrder : public Optimizer {
 public:
  StepReport step(Objective& objective, std::span<double> x) final;
  void objective_changed() final;
  void save(OptimizerState& state) const final;
  void restore(const OptimizerState& state) final;

  /// Long vectors are updated in pieces by the workers of this pool; the bits are the same without.
  void share(std::shared_ptr<Threads> pool) noexcept { pool_ = std::move(pool); }

  /// Steps taken: the t of the next one.
  [[nodiscard]] std::uint64_t steps() const noexcept { return t_; }
  /// The rate of the last step; learning_rate before the first one and after restore().
  [[nodiscard]] double rate() const noexcept { return rate_; }

 protected:
  struct Common {
    std::string_view place;  ///< "[optimizers.adam]", of a literal
    double learning_rate, clip_norm;
    std::vector<std::string> moments;  ///< names of the arrays of n that the method carries along
    bool by_entry = true;  ///< no entry looks at others: update() may be called for pieces, at once
  };
  /// Throws Error on a rate that is not positive, a negative clip_norm or a bad schedule.
  FirstOrder(Common common, const Schedule& schedule);

  using Moments = std::span<const std::span<double>>;

 private:
  /// The update of x along the (clipped) gradient g; t counts from 1 here. Returns true when the
  /// next step may move x although this one did not (a velocity that turns round).
  virtual bool update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
                      Moments moments) = 0;
  /// State beyond the moments. begin() is called once when n is known and may throw Error;
  /// restore_more() takes the state over, or throws Error and changes nothing.
  virtual void begin(std::size_t /*n*/) {}
  virtual void save_more(OptimizerState& /*state*/) const {}
  virtual void restore_more(const OptimizerState& /*state*/, std::size_t /*n*/) {}

  bool move(std::span<double> x);
  void fail(StepStatus status, Objective& objective, std::span<double> x, StepReport& report);

  Common common_;
  Schedule schedule_;
  PlateauState plateau_;
  std::size_t n_ = 0;
  std::uint64_t t_ = 0;
  double rate_;
  std::vector<std::vector<double>> moments_;
  /// The lowest point so far; its value is infinite when it is finite but no longer known.
  bool has_best_ = false;
  double best_value_ = std::numeric_limits<double>::infinity(), best_gradient_norm_ = 0;
  std::vector<double> best_x_, previous_x_, g_;
  std::shared_ptr<Threads> pool_;
};

}  // namespace cauchy
