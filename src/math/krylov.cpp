#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/math/iterative.hpp>

#include "math/iteration.hpp"

namespace cauchy {
namespace detail {

double dot_product(std::span<const double> a, std::span<const double> b) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Sums and products of some vectors of doubles in an iteration.
constexpr double bytes_of_vectors = 100;

Iteration::Iteration(const IterationOptions& options, std::span<const double> b,
                     std::span<double> x)
    : options_(options) {
  if (!(options.tolerance > 0 && options.tolerance < 1)) {
    throw Error(fmt::format("tolerance must lie between 0 and 1, got {}", options.tolerance),
                "[math.iterative]");
  }
  if (b.size() != x.size()) {
    throw Error(fmt::format("{} right-hand sides for {} unknowns", b.size(), x.size()),
                "[math.iterative]");
  }
  size_ = x.size();
  scale_ = std::sqrt(dot_product(b, b));
  if (scale_ == 0) {
    for (double& v : x) v = 0;
  }
}

bool Iteration::go_on(double residual) {
  const double relative = scale_ == 0 ? 0 : residual / scale_;
  if (!result_.residuals.empty()) ++result_.iterations;
  count_work(WorkKind::memory, bytes_of_vectors * static_cast<double>(size_));
  result_.residuals.push_back(relative);
  if (relative <= options_.tolerance) {
    result_.status = IterationStatus::converged;
  } else if (!std::isfinite(relative) || relative > 1e10 * result_.residuals.front()) {
    result_.status = IterationStatus::diverged;
  } else if (result_.iterations >= options_.max_iterations) {
    result_.status = IterationStatus::max_iterations;
  } else if ((options_.stop && options_.stop()) || limit_of_thread().reached()) {
    result_.status = IterationStatus::stopped;
  } else {
    return true;
  }
  return false;
}

}  // namespace detail

namespace {

using detail::dot_product;

double krylov_residual(LinearMap a, std::span<const double> b, std::span<const double> x,
                       std::span<double> r) {
  a(x, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
  return std::sqrt(dot_product(r, r));
}

}  // namespace

IterationResult conjugate_gradients(LinearMap a, LinearMap inverse, std::span<const double> b,
                                    std::span<double> x, const IterationOptions& options) {
  const std::size_t n = x.size();
  std::vector<double> r(n), z(n), p(n), ap(n);
  detail::Iteration iteration(options, b, x);
  double norm = krylov_residual(a, b, x, r), last = 0;
  while (iteration.go_on(norm)) {
    inverse(r, z);
    const double rz = dot_product(r, z);
    const double beta = last == 0 ? 0 : rz / last;
    last = rz;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    a(p, ap);
    const double curvature = dot_product(p, ap);
    if (!(curvature > 0 && rz > 0)) {
      iteration.break_down();
      break;
    }
    const double alpha = rz / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    norm = std::sqrt(dot_product(r, r));
  }
  return iteration.result();
}

IterationResult bicgstab(LinearMap a, LinearMap inverse, std::span<const double> b,
                         std::span<double> x, const IterationOptions& options) {
  // r0 the shadow residual, p the direction, v = A M^-1 p, s the residual halfway, t = A M^-1 s.
  const std::size_t n = x.size();
  std::vector<double> r(n), r0, p(n), v(n), y(n), t(n);
  detail::Iteration iteration(options, b, x);
  double norm = krylov_residual(a, b, x, r), rho = 1, alpha = 1, omega = 1;
  r0 = r;
  while (iteration.go_on(norm)) {
    const double next = dot_product(r0, r);
    const double beta = (next / rho) * (alpha / omega);
    rho = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    inverse(p, y);
    a(y, v);
    alpha = rho / dot_product(r0, v);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * y[i];
      r[i] -= alpha * v[i];
    }
    inverse(r, y);
    a(y, t);
    const double tt = dot_product(t, t);
    omega = tt > 0 ? dot_product(t, r) / tt : 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += omega * y[i];
      r[i] -= omega * t[i];
    }
    norm = std::sqrt(dot_product(r, r));
    if (!std::isfinite(alpha) || (omega == 0 && norm > 0)) {
      iteration.break_down();
      break;
    }
  }
  return iteration.result();
}

}  // namespace cauchy
