#include "solvers/time/explicit_runge_kutta.hpp"

#include <cauchy/base/work.hpp>

namespace cauchy::detail {
namespace {

class ExplicitRungeKutta final : public Stepper {
 public:
  ExplicitRungeKutta(const StepperParts& parts, RungeKuttaTable table)
      : rates_(parts.rates), norm_(parts.norm), table_(std::move(table)) {
    k_.assign(table_.b.size(), std::vector<double>(parts.system.size()));
    stage_.resize(parts.system.size());
  }

  [[nodiscard]] int order() const override { return table_.order; }
  [[nodiscard]] int error_power() const override { return table_.error_power; }
  [[nodiscard]] bool limited() const override { return true; }

  StepResult step(const TimePoint& from, double h, TimePoint& to) override {
    const std::size_t n = from.y.size(), s = table_.b.size();
    // Sums of stages stay in the cache.
    count_work(WorkKind::memory, 8 * static_cast<double>(n * s * (s + 3) / 2));
    k_[0] = from.dy;
    for (std::size_t i = 1; i < s; ++i) {
      stage_ = from.y;
      for (std::size_t j = 0; j < i; ++j) add(h * table_.a[i][j], k_[j], stage_);
      const double t = from.t + table_.c[i] * h;
      if (!rates_.project(t, stage_) || !rates_.rate(t, stage_, k_[i])) return {};
    }
    to.t = from.t + h;
    to.y = from.y;
    for (std::size_t j = 0; j < s; ++j) add(h * table_.b[j], k_[j], to.y);
    to.dy.resize(n);
    if (!rates_.project(to.t, to.y) || !rates_.rate(to.t, to.y, to.dy)) return {};
    stage_.assign(n, 0.0);
    for (std::size_t j = 0; j < s; ++j) add(h * table_.e[j], k_[j], stage_);
    add(h * table_.e[s], to.dy, stage_);
    return {true, norm_.error(stage_, to.y)};
  }

  [[nodiscard]] std::complex<double> amplification(std::complex<double> z) const override {
    const std::size_t s = table_.b.size();
    std::vector<std::complex<double>> k(s);
    std::complex<double> end = 1;
    for (std::size_t i = 0; i < s; ++i) {
      std::complex<double> y = 1;
      for (std::size_t j = 0; j < i; ++j) y += table_.a[i][j] * k[j];
      k[i] = z * y;
      end += table_.b[i] * k[i];
    }
    return end;
  }

 private:
  static void add(double factor, const std::vector<double>& v, std::vector<double>& to) {
    if (factor == 0) return;
    for (std::size_t i = 0; i < v.size(); ++i) to[i] += factor * v[i];
  }

  Rates& rates_;
  const ErrorNorm& norm_;
  RungeKuttaTable table_;
  std::vector<std::vector<double>> k_;
  std::vector<double> stage_;
};

}  // namespace

std::unique_ptr<Stepper> make_explicit_runge_kutta(const StepperParts& parts,
                                                   RungeKuttaTable table) {
  return std::make_unique<ExplicitRungeKutta>(parts, std::move(table));
}

}  // namespace cauchy::detail
