#include "solvers/time/implicit_solver.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {

ImplicitSolver::ImplicitSolver(SemiDiscrete& system, const ErrorNorm& norm)
    : system_(system), norm_(norm), dy_(system.size()), d_(system.size()) {}

bool ImplicitSolver::factor(double t, double a, std::span<const double> b,
                            std::span<const double> y) {
  for (std::size_t i = 0; i < dy_.size(); ++i) dy_[i] = a * y[i] + b[i];
  system_.jacobian(t, y, dy_, a, matrix_);
  factored_ = lu_.factor(matrix_) == Factorization::ok;
  factored_a_ = a;
  rate_ = 1;
  ++factorizations_;
  return factored_;
}

bool ImplicitSolver::solve(double t, double a, std::span<const double> b, std::span<double> y) {
  guess_.assign(y.begin(), y.end());
  bool fresh = false;
  if (!factored_ || std::abs(a - factored_a_) > 1e-10 * std::abs(a)) {
    if (!factor(t, a, b, y)) return false;
    fresh = true;
  }
  Outcome outcome = iterate(t, a, b, y);
  // Far away from the solution a Jacobian of the way helps, as often as it does.
  for (int attempt = 0; outcome != Outcome::converged && attempt < 4; ++attempt) {
    if (outcome == Outcome::failed) {
      if (fresh) return false;
      std::copy(guess_.begin(), guess_.end(), y.begin());
    }
    if (!factor(t, a, b, y)) return false;
    fresh = true;
    outcome = iterate(t, a, b, y);
  }
  if (outcome == Outcome::converged && rate_ > 0.5) factored_ = false;  // anew next time
  return outcome == Outcome::converged;
}

ImplicitSolver::Outcome ImplicitSolver::iterate(double t, double a, std::span<const double> b,
                                                std::span<double> y) {
  constexpr double bar = 0.005;  // of the tolerance
  double before = 0;
  for (int iteration = 0; iteration < 8; ++iteration) {
    for (std::size_t i = 0; i < dy_.size(); ++i) dy_[i] = a * y[i] + b[i];
    system_.residual(t, y, dy_, d_);
    for (double& r : d_) r = -r;
    lu_.solve(d_);
    for (std::size_t i = 0; i < d_.size(); ++i) y[i] += d_[i];
    const double change = norm_.correction(d_, y);
    if (!std::isfinite(change)) return Outcome::failed;
    if (iteration > 0) rate_ = std::max(change / before, 1e-3);
    // What is still missing is at most a geometric series of corrections.
    if (change == 0 || (rate_ < 1 && change * rate_ / (1 - rate_) < bar)) {
      // A rate that was not measured again is trusted less and less.
      if (iteration == 0) rate_ = std::pow(rate_, 0.8);
      return Outcome::converged;
    }
    if (iteration > 0 && rate_ >= 0.9) {
      // Rounding alone does not shrink; it is far below what anyone asks for.
      if (change * norm_.tolerance() < 1e-10) return Outcome::converged;
      return rate_ < 2 ? Outcome::slow : Outcome::failed;
    }
    before = change;
  }
  return Outcome::slow;
}

}  // namespace cauchy::detail
