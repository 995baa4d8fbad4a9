#include "solvers/fvm/fvm_stepper.hpp"

namespace cauchy::detail {
namespace {

class RungeKutta final : public FvmStepper {
 public:
  RungeKutta(FvmOperator& balance, int stages) : balance_(&balance), stages_(stages) {}

  [[nodiscard]] double largest_step(double t, const Rows& q) override {
    return balance_->largest_step(t, q);
  }

  double step(double t, double dt, Rows& q) override {
    if (stages_ > 1) first_ = q;
    rate_.resize(q.size());
    for (std::size_t k = 0; k < q.size(); ++k) rate_[k].resize(q[k].size());
    // q <- a q0 + (1 - a)(q + dt L(q)), at the times of the stages.
    const double keep[3] = {0, stages_ == 2 ? 0.5 : 0.75, 1.0 / 3};
    const double time[3] = {t, t + dt, t + 0.5 * dt};
    for (int s = 0; s < stages_; ++s) {
      balance_->rate(time[s], dt, q, rate_);
      for (std::size_t k = 0; k < q.size(); ++k) {
        for (std::size_t c = 0; c < q[k].size(); ++c) {
          const double euler = q[k][c] + dt * rate_[k][c];
          q[k][c] = s == 0 ? euler : keep[s] * first_[k][c] + (1 - keep[s]) * euler;
        }
      }
    }
    return balance_->largest_step(t + dt, q);
  }

 private:
  FvmOperator* balance_;
  int stages_;
  Rows first_, rate_;
};

}  // namespace

std::unique_ptr<FvmStepper> make_stepper(FvmOperator& balance, FvmTime time) {
  const int stages = time == FvmTime::ssprk3 ? 3 : time == FvmTime::ssprk2 ? 2 : 1;
  return std::make_unique<RungeKutta>(balance, stages);
}

}  // namespace cauchy::detail
