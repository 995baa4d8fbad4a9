#include "solvers/time/diagonal_runge_kutta.hpp"

namespace cauchy::detail {
namespace {

class DiagonalRungeKutta final : public Stepper {
 public:
  DiagonalRungeKutta(const StepperParts& parts, const DiagonalTable& table)
      : parts_(parts),
        implicit_(parts.implicit_part != nullptr ? *parts.implicit_part : parts.system),
        table_(table),
        solver_(implicit_, parts.norm) {
    const std::size_t n = parts.system.size(), s = table.b.size();
    k_.assign(s, std::vector<double>(n));
    if (split()) rest_.assign(s, std::vector<double>(n));
    b_.resize(n);
    stage_.resize(n);
    force_.resize(n);
  }

  [[nodiscard]] int order() const override { return table_.order; }
  [[nodiscard]] int error_power() const override { return table_.error_power; }

  StepResult step(const TimePoint& from, double h, TimePoint& to) override {
    const std::size_t n = from.y.size(), s = table_.b.size();
    const double a = 1 / (table_.diagonal * h);
    k_[0] = from.dy;
    if (split()) {
      if (!rest(from.t, from.y, rest_[0])) return {};
      for (std::size_t i = 0; i < n; ++i) k_[0][i] -= rest_[0][i];
    }
    stage_ = from.y;
    for (std::size_t i = 1; i < s; ++i) {
      b_ = from.y;
      for (std::size_t j = 0; j < i; ++j) {
        add(h * table_.implicit_a[i][j], k_[j], b_);
        if (split()) add(h * table_.explicit_a[i][j], rest_[j], b_);
      }
      for (double& v : b_) v *= -a;
      const double t = from.t + table_.c[i] * h;
      // The stage before is a safe first guess: extrapolation would be wild in stiff modes.
      if (!solver_.solve(t, a, b_, stage_)) return {};
      for (std::size_t q = 0; q < n; ++q) k_[i][q] = a * stage_[q] + b_[q];
      if (split() && !rest(t, stage_, rest_[i])) return {};
    }
    to.t = from.t + h;
    if (split()) {
      to.y = from.y;
      for (std::size_t j = 0; j < s; ++j) {
        add(h * table_.b[j], k_[j], to.y);
        add(h * table_.b[j], rest_[j], to.y);
      }
      to.dy.resize(n);
      if (!parts_.rates.project(to.t, to.y) || !parts_.rates.rate(to.t, to.y, to.dy)) return {};
    } else {  // the last stage is the new state
      to.y = stage_;
      to.dy = k_[s - 1];
    }
    b_.assign(n, 0.0);
    for (std::size_t j = 0; j < s; ++j) {
      add(h * (table_.b[j] - table_.embedded[j]), k_[j], b_);
      if (split()) add(h * (table_.b[j] - table_.embedded[j]), rest_[j], b_);
    }
    return {true, parts_.norm.error(b_, to.y)};
  }

  [[nodiscard]] double growth(double error) const override {
    const double factor = Stepper::growth(error);
    return factor > 1 && factor < 1.2 ? 1 : factor;  // spares a factorisation
  }

 private:
  [[nodiscard]] bool split() const noexcept { return parts_.implicit_part != nullptr; }
  /// Rate of what the implicit part leaves out.
  bool rest(double t, const std::vector<double>& y, std::vector<double>& k) {
    std::vector<double> zero(y.size(), 0.0), part(y.size());
    parts_.system.residual(t, y, zero, force_);
    implicit_.residual(t, y, zero, part);
    for (std::size_t i = 0; i < y.size(); ++i) force_[i] -= part[i];
    return parts_.rates.solve_mass(t, y, force_, k);
  }
  static void add(double factor, const std::vector<double>& v, std::vector<double>& to) {
    if (factor == 0) return;
    for (std::size_t i = 0; i < v.size(); ++i) to[i] += factor * v[i];
  }

  StepperParts parts_;
  SemiDiscrete& implicit_;
  const DiagonalTable& table_;
  ImplicitSolver solver_;
  std::vector<std::vector<double>> k_, rest_;
  std::vector<double> b_, stage_, force_;
};

}  // namespace

const DiagonalTable& kennedy_carpenter() {
  static const DiagonalTable table = {
      .implicit_a = {{},
                     {1.0 / 4},
                     {8611.0 / 62500, -1743.0 / 31250},
                     {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108},
                     {15267082809.0 / 155376265600, -71443401.0 / 120774400,
                      730878875.0 / 902184768, 2285395.0 / 8070912},
                     {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211}},
      .explicit_a = {{},
                     {1.0 / 2},
                     {13861.0 / 62500, 6889.0 / 62500},
                     {-116923316275.0 / 2393684061468, -2731218467317.0 / 15368042101831,
                      9408046702089.0 / 11113171139209},
                     {-451086348788.0 / 2902428689909, -2682348792572.0 / 7519795681897,
                      12662868775082.0 / 11960479115383, 3355817975965.0 / 11060851509271},
                     {647845179188.0 / 3216320057751, 73281519250.0 / 8382639484533,
                      552539513391.0 / 3454668386233, 3354512671639.0 / 8306763924573,
                      4040.0 / 17871}},
      .diagonal = 0.25,
      .b = {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 1.0 / 4},
      .embedded = {4586570599.0 / 29645900160, 0, 178811875.0 / 945068544, 814220225.0 / 1159782912,
                   -3700637.0 / 11593932, 61727.0 / 225920},
      .c = {0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1},
      .order = 4,
      .error_power = 4};
  return table;
}

std::unique_ptr<Stepper> make_diagonal_runge_kutta(const StepperParts& parts,
                                                   const DiagonalTable& table) {
  return std::make_unique<DiagonalRungeKutta>(parts, table);
}

}  // namespace cauchy::detail
