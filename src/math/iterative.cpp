#include <cauchy/math/iterative.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "math/iteration.hpp"

namespace cauchy {
namespace {

constexpr const char* iterative_place = "[math.iterative]";

void check_system(const SparseMatrix& a, std::span<const double> b, std::span<const double> x) {
  if (a.rows() != a.cols() || b.size() != a.rows() || x.size() != a.rows()) {
    throw Error(fmt::format("a system of {} x {} has {} right-hand sides and {} unknowns", a.rows(),
                            a.cols(), b.size(), x.size()),
                iterative_place);
  }
}

/// r = b - A x, returns |r|.
double residual_of(const SparseMatrix& a, std::span<const double> b, std::span<const double> x,
                   std::span<double> r) {
  a.multiply(x, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
  return std::sqrt(detail::dot_product(r, r));
}

bool has_zero(std::span<const double> diagonal) {
  return std::any_of(diagonal.begin(), diagonal.end(), [](double v) { return !(v != 0); });
}

/// One sweep of SOR over all rows; returns the norm of the change.
double sor_sweep(const SparseMatrix& a, std::span<const double> diagonal, std::span<const double> b,
                 std::span<double> x, double relaxation) {
  const auto begin = a.begin(), columns = a.columns();
  const auto values = a.values();
  double change = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double r = b[i];
    for (auto k = static_cast<std::size_t>(begin[i]); k < static_cast<std::size_t>(begin[i + 1]);
         ++k) {
      r -= values[k] * x[static_cast<std::size_t>(columns[k])];
    }
    const double step = relaxation * r / diagonal[i];
    x[i] += step;
    change += step * step;
  }
  return std::sqrt(change);
}

/// Finds the relaxation of Young from the rate at which the changes of a sweep fall: for a
/// consistently ordered matrix (lambda + omega - 1)^2 = lambda omega^2 rho^2 ties the largest
/// eigenvalue lambda of SOR to the radius rho of Jacobi, as long as omega is below the best one.
class RelaxationSearch final {
 public:
  [[nodiscard]] double omega() const noexcept { return omega_; }

  void look_at(double change) {
    const double rate = last_change_ > 0 ? change / last_change_ : 0;
    last_change_ = change;
    ++sweeps_;
    // After a change of omega, transients k (omega - 1)^(k-1) have to fade first.
    const bool settled = sweeps_ >= 8 &&
                         static_cast<double>(sweeps_) * std::pow(omega_ - 1, sweeps_ - 1) <= 0.02 &&
                         std::abs(rate - last_rate_) <= 0.02 * std::abs(1 - rate);
    last_rate_ = rate;
    if (!settled || !(rate < 1) || !(rate > omega_ - 1)) return;
    const double rho = (rate + omega_ - 1) / (omega_ * std::sqrt(rate));
    if (!(rho < 1)) return;
    const double best = 2 / (1 + std::sqrt(1 - rho * rho));
    if (best - omega_ <= 0.02 * (2 - omega_)) return;
    omega_ = best;
    sweeps_ = 0;
    last_change_ = 0;
  }

 private:
  double omega_ = 1, last_change_ = 0, last_rate_ = 0;
  int sweeps_ = 0;
};

/// y = M^-1 x of a preconditioner.
class SparsePreconditioner final {
 public:
  SparsePreconditioner(const SparseMatrix& a, Preconditioner kind)
      : a_(a), kind_(kind), diagonal_(a.diagonal()) {}

  [[nodiscard]] bool breaks_down() const {
    return kind_ != Preconditioner::none && has_zero(diagonal_);
  }

  void operator()(std::span<const double> x, std::span<double> y) const {
    if (kind_ == Preconditioner::none) {
      std::copy(x.begin(), x.end(), y.begin());
    } else if (kind_ == Preconditioner::jacobi) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] / diagonal_[i];
    } else {
      // (D + L) z = x, then (I + D^-1 U) y = z: each sum runs over what is known by then.
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = (x[i] - part(i, y, true)) / diagonal_[i];
      for (std::size_t i = y.size(); i-- > 0;) y[i] -= part(i, y, false) / diagonal_[i];
    }
  }

 private:
  [[nodiscard]] double part(std::size_t i, std::span<const double> y, bool lower) const {
    const auto columns = a_.columns();
    const auto values = a_.values();
    const auto first = static_cast<std::size_t>(a_.begin()[i]);
    const auto last = static_cast<std::size_t>(a_.begin()[i + 1]);
    double sum = 0;
    if (lower) {
      for (std::size_t k = first; k < last && static_cast<std::size_t>(columns[k]) < i; ++k) {
        sum += values[k] * y[static_cast<std::size_t>(columns[k])];
      }
    } else {
      for (std::size_t k = last; k-- > first && static_cast<std::size_t>(columns[k]) > i;) {
        sum += values[k] * y[static_cast<std::size_t>(columns[k])];
      }
    }
    return sum;
  }

  const SparseMatrix& a_;
  Preconditioner kind_;
  std::vector<double> diagonal_;
};

IterationResult broken_down() {
  IterationResult result;
  result.status = IterationStatus::breakdown;
  return result;
}

}  // namespace

const char* to_string(IterationStatus status) noexcept {
  switch (status) {
    case IterationStatus::converged:
      return "converged";
    case IterationStatus::max_iterations:
      return "max_iterations";
    case IterationStatus::diverged:
      return "diverged";
    case IterationStatus::breakdown:
      return "breakdown";
    case IterationStatus::stopped:
      return "stopped";
  }
  return "unknown";
}

IterationResult jacobi(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                       const IterationOptions& options, double damping) {
  check_system(a, b, x);
  if (!(damping > 0 && damping < 2)) {
    throw Error(fmt::format("damping must lie between 0 and 2, got {}", damping), iterative_place);
  }
  const std::vector<double> diagonal = a.diagonal();
  if (has_zero(diagonal)) return broken_down();
  std::vector<double> r(x.size());
  detail::Iteration iteration(options, b, x);
  while (iteration.go_on(residual_of(a, b, x, r))) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += damping * r[i] / diagonal[i];
  }
  return iteration.result();
}

IterationResult sor(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                    const IterationOptions& options, double relaxation) {
  check_system(a, b, x);
  if (!(relaxation >= 0 && relaxation < 2)) {
    throw Error(fmt::format("relaxation must lie between 0 and 2, got {}", relaxation),
                iterative_place);
  }
  const std::vector<double> diagonal = a.diagonal();
  if (has_zero(diagonal)) return broken_down();
  std::vector<double> r(x.size());
  detail::Iteration iteration(options, b, x);
  RelaxationSearch search;
  double omega = relaxation;
  while (iteration.go_on(residual_of(a, b, x, r))) {
    if (relaxation == 0) omega = search.omega();
    const double change = sor_sweep(a, diagonal, b, x, omega);
    if (relaxation == 0) search.look_at(change);
  }
  IterationResult result = iteration.result();
  result.relaxation = omega;
  return result;
}

IterationResult gauss_seidel(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                             const IterationOptions& options) {
  return sor(a, b, x, options, 1);
}

IterationResult conjugate_gradients(const SparseMatrix& a, std::span<const double> b,
                                    std::span<double> x, const IterationOptions& options,
                                    Preconditioner preconditioner) {
  check_system(a, b, x);
  const SparsePreconditioner inverse(a, preconditioner);
  if (inverse.breaks_down()) return broken_down();
  return conjugate_gradients([&](auto in, auto out) { a.multiply(in, out); }, inverse, b, x,
                             options);
}

IterationResult bicgstab(const SparseMatrix& a, std::span<const double> b, std::span<double> x,
                         const IterationOptions& options, Preconditioner preconditioner) {
  check_system(a, b, x);
  const SparsePreconditioner inverse(a, preconditioner);
  if (inverse.breaks_down()) return broken_down();
  return bicgstab([&](auto in, auto out) { a.multiply(in, out); }, inverse, b, x, options);
}

}  // namespace cauchy
