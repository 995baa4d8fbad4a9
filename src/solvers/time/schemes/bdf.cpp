#include <deque>

#include <cauchy/math/difference.hpp>

#include "solvers/time/stepper.hpp"

namespace cauchy::detail {
namespace {

/// y' at the new time from the polynomial through the last k + 1 states, at whatever times these
/// are. With T_j the distance to the j-th state back and D the divided difference of order k + 1,
/// the error of y' is D T_1 ... T_k, that of y the same divided by w_0 = sum 1/T_j.
class BdfStepper final : public Stepper {
 public:
  BdfStepper(const StepperParts& parts, int most)
      : most_(most), norm_(parts.norm), solver_(parts.system, parts.norm) {}

  [[nodiscard]] int order() const override { return most_; }
  [[nodiscard]] int error_power() const override { return most_ + 1; }

  StepResult step(const TimePoint& from, double h, TimePoint& to) override {
    if (past_.empty()) past_.push_front({from.t, from.y});
    const std::size_t n = from.y.size();
    // A lower order in the first steps: as many states as there are.
    const auto k = std::min(static_cast<std::size_t>(k_), past_.size());
    to.t = from.t + h;
    const Matrix w = difference_weights(to.t, times(to.t, k), 1);
    b_.assign(n, 0.0);
    for (std::size_t j = 1; j <= k; ++j) {
      for (std::size_t i = 0; i < n; ++i) b_[i] += w(1, j) * past_[j - 1].y[i];
    }
    predict(to, std::min(k + 1, past_.size()));
    if (!solver_.solve(to.t, w(1, 0), b_, to.y)) return {};
    to.dy.resize(n);
    for (std::size_t i = 0; i < n; ++i) to.dy[i] = w(1, 0) * to.y[i] + b_[i];
    if (past_.size() == 1) {  // h^2/2 y'' of the implicit Euler step
      std::vector<double> e(n);
      for (std::size_t i = 0; i < n; ++i) e[i] = h / 2 * (to.dy[i] - from.dy[i]);
      used_ = 1;
      return {true, norm_.error(e, to.y)};
    }
    used_ = static_cast<int>(std::min(k, past_.size() - 1));
    return {true, error_of(used_, to)};
  }

  void accept(const TimePoint& to) override {
    const double h = to.t - past_.front().t;
    same_ = std::abs(h - last_) <= 1e-9 * h ? same_ + 1 : 1;
    last_ = h;
    const int k = std::min(k_, static_cast<int>(past_.size()));
    proposed_ = 0;
    if (most_ > 2 && (same_ > k || k < k_)) choose_order(to, k);
    past_.push_front({to.t, to.y});
    while (past_.size() > static_cast<std::size_t>(most_) + 2) past_.pop_back();
    if (most_ == 2) k_ = 2;
  }

  void restart() override {
    past_.clear();
    k_ = 1;
    same_ = 0;
  }

  [[nodiscard]] double growth(double error) const override {
    // High orders are stable with few changes of the step only.
    if (error > 1) return std::clamp(0.9 * std::pow(error, -1.0 / (used_ + 1)), 0.2, 0.9);
    if (most_ > 2 && same_ <= used_) return 1;
    const double factor =
        proposed_ > 0 ? proposed_ : 0.9 * std::pow(std::max(error, 1e-10), -1.0 / (used_ + 1));
    return factor < 1.2 ? (factor < 0.9 ? std::max(factor, 0.5) : 1) : std::min(factor, 2.0);
  }

 private:
  struct Past {
    double t;
    std::vector<double> y;
  };
  [[nodiscard]] std::vector<double> times(double t, std::size_t count) const {
    std::vector<double> out = {t};
    for (std::size_t j = 0; j < count; ++j) out.push_back(past_[j].t);
    return out;
  }
  void predict(TimePoint& to, std::size_t count) const {
    std::vector<double> nodes;
    for (std::size_t j = 0; j < count; ++j) nodes.push_back(past_[j].t);
    const Matrix w = difference_weights(to.t, nodes, 0);
    to.y.assign(past_.front().y.size(), 0.0);
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < to.y.size(); ++i) to.y[i] += w(0, j) * past_[j].y[i];
    }
  }
  /// Local error of order k at `to`; needs k + 1 states of the past.
  [[nodiscard]] double error_of(int k, const TimePoint& to) const {
    const auto count = static_cast<std::size_t>(k) + 1;
    const std::vector<double> nodes = times(to.t, count);
    const Matrix w = difference_weights(to.t, nodes, k + 1);
    double product = 1, w0 = 0;
    for (std::size_t j = 1; j <= static_cast<std::size_t>(k); ++j) {
      product *= to.t - nodes[j];
      w0 += 1 / (to.t - nodes[j]);
    }
    const double factor = product / w0 / std::tgamma(k + 2);
    std::vector<double> e(to.y.size());
    for (std::size_t i = 0; i < e.size(); ++i) e[i] = factor * w(count, 0) * to.y[i];
    for (std::size_t j = 1; j <= count; ++j) {
      for (std::size_t i = 0; i < e.size(); ++i) e[i] += factor * w(count, j) * past_[j - 1].y[i];
    }
    return norm_.error(e, to.y);
  }
  /// The order among k - 1, k, k + 1 that allows the largest step.
  void choose_order(const TimePoint& to, int k) {
    double best = 0;
    for (int m = std::max(1, k - 1); m <= std::min(most_, k + 1); ++m) {
      if (past_.size() < static_cast<std::size_t>(m) + 1) break;
      // A change of order must pay.
      const double care = m == k ? 0.9 : 0.75;
      const double factor = care * std::pow(std::max(error_of(m, to), 1e-10), -1.0 / (m + 1));
      if (factor > best) {
        best = factor;
        k_ = m;
      }
    }
    if (best == 0) k_ = std::min(k + 1, most_);  // the very first steps
    proposed_ = best;
  }

  int most_, k_ = 1, used_ = 1;
  int same_ = 0;  // steps of the same size
  double last_ = 0, proposed_ = 0;
  const ErrorNorm& norm_;
  ImplicitSolver solver_;
  std::deque<Past> past_;  // newest first
  std::vector<double> b_;
};

}  // namespace

std::unique_ptr<Stepper> make_bdf2(const StepperParts& parts) {
  return std::make_unique<BdfStepper>(parts, 2);
}

std::unique_ptr<Stepper> make_bdf(const StepperParts& parts) {
  return std::make_unique<BdfStepper>(parts, 5);
}

}  // namespace cauchy::detail
