#include "solvers/time/stepper.hpp"

namespace cauchy::detail {
namespace {

/// y1 = y0 + h ((1 - theta) y0' + theta y1'). Its local error is
///   (1/2 - theta) h^2 y'' + (1/6 - theta/2) h^3 y''',
/// with derivatives from differences of y'.
class ThetaStepper final : public Stepper {
 public:
  explicit ThetaStepper(const StepperParts& parts)
      : theta_(parts.theta), norm_(parts.norm), solver_(parts.system, parts.norm) {}

  [[nodiscard]] int order() const override { return theta_ == 0.5 ? 2 : 1; }
  [[nodiscard]] int error_power() const override { return order() + 1; }
  [[nodiscard]] bool limited() const override { return theta_ < 0.5; }
  [[nodiscard]] std::complex<double> amplification(std::complex<double> z) const override {
    return (1.0 + (1 - theta_) * z) / (1.0 - theta_ * z);
  }

  StepResult step(const TimePoint& from, double h, TimePoint& to) override {
    const std::size_t n = from.y.size();
    const double a = 1 / (theta_ * h);
    b_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      b_[i] = -a * from.y[i] - (1 - theta_) / theta_ * from.dy[i];
    }
    to.t = from.t + h;
    to.y = from.y;
    if (!solver_.solve(to.t, a, b_, to.y)) return {};
    to.dy.resize(n);
    for (std::size_t i = 0; i < n; ++i) to.dy[i] = a * to.y[i] + b_[i];
    // y''' = 2 y'[t1, t0, t-1]; unknown in the first step, where y'' alone must do.
    std::vector<double> e(n);
    const double before = from.t - before_.t;
    for (std::size_t i = 0; i < n; ++i) {
      const double second = (to.dy[i] - from.dy[i]) / h;
      e[i] = (0.5 - theta_) * h * h * second;
      if (before_.dy.empty()) {
        e[i] = 0.5 * h * h * second;
      } else {
        const double third = 2 * (second - (from.dy[i] - before_.dy[i]) / before) / (h + before);
        e[i] += (1.0 / 6 - theta_ / 2) * h * h * h * third;
      }
    }
    tried_ = from.t;
    tried_dy_ = &from.dy;
    return {true, norm_.error(e, to.y)};
  }

  void accept(const TimePoint& /*to*/) override {
    before_.t = tried_;
    before_.dy = *tried_dy_;
  }
  void restart() override { before_.dy.clear(); }
  [[nodiscard]] double growth(double error) const override {
    const double factor = Stepper::growth(error);
    return factor > 1 && factor < 1.2 ? 1 : std::min(factor, 2.0);  // spares a factorisation
  }

 private:
  double theta_;
  const ErrorNorm& norm_;
  ImplicitSolver solver_;
  std::vector<double> b_;
  TimePoint before_;
  double tried_ = 0;
  const std::vector<double>* tried_dy_ = nullptr;  // of the point that the driver still holds
};

}  // namespace

std::unique_ptr<Stepper> make_theta(const StepperParts& parts) {
  if (parts.theta == 0) return make_explicit_euler(parts);
  return std::make_unique<ThetaStepper>(parts);
}

}  // namespace cauchy::detail
