#include <cauchy/optimizers/broyden.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

double self_scaling(const BroydenParameters& k, std::size_t n) {
  const double tau1 = std::min(1.0, 1 / k.b);
  const double root = n > 1 ? std::pow(std::abs(k.sigma), -1 / (static_cast<double>(n) - 1)) : 1.0;
  if (k.theta > 0) return tau1 * std::min(root, 1 / k.theta);
  return std::min(tau1 * root, k.sigma);
}

}  // namespace

BroydenParameters broyden_parameters(QuasiNewtonUpdate update, double b, double h, std::size_t n,
                                     bool scale) noexcept {
  const auto usable = [](double v) { return v > 0 && std::isfinite(v); };
  if (!usable(b) || !usable(h) || !std::isfinite(b * h)) return {};
  BroydenParameters k;
  k.b = b;
  k.h = h;
  k.a = std::max(0.0, h * b - 1);  // negative by rounding only
  k.c = std::sqrt(k.a / (1 + k.a));
  // h (1 - c) = 1 / (b (1 + c)), because (1 - c)(1 + c) = 1 / (1 + a) = 1 / (h b): no cancellation.
  k.theta_plus = std::max(1.0, b * (1 + k.c));
  k.rho_minus = 1 / k.theta_plus;
  if (k.rho_minus < 1) {
    k.theta_minus = k.a > 0 ? (k.rho_minus - 1) / k.a : -std::numeric_limits<double>::infinity();
  }
  switch (update) {
    case QuasiNewtonUpdate::bfgs:
    case QuasiNewtonUpdate::ssbfgs:
      k.theta = 0;
      break;
    case QuasiNewtonUpdate::dfp:
      k.theta = 1;
      break;
    case QuasiNewtonUpdate::ssbroyden:
      k.theta = std::max(k.theta_minus, std::min(k.theta_plus, (1 - b) / b));
      break;
  }
  // At theta_minus the difference 1 + a theta would lose every digit of rho_minus.
  k.sigma = k.theta == k.theta_minus && k.a > 0 ? k.rho_minus : 1 + k.a * k.theta;
  k.phi = (1 - k.theta) / k.sigma;
  if (scale) {
    k.tau = h / k.sigma;
  } else if (update == QuasiNewtonUpdate::ssbfgs) {
    k.tau = std::min(1.0, 1 / b);
  } else if (update == QuasiNewtonUpdate::ssbroyden) {
    k.tau = self_scaling(k, n);
  }
  if (!usable(k.tau) || !usable(1 / k.tau) || !std::isfinite(k.phi)) return {};
  return k;
}

void broyden_update(std::span<double> h, std::span<const double> s, std::span<const double> y,
                    double tau, double phi) {
  constexpr std::string_view place = "[optimizers.broyden]";
  const std::size_t n = s.size();
  if (y.size() != n || h.size() != n * n) {
    throw Error(fmt::format("H has {} entries, s {} and y {}", h.size(), n, y.size()), place,
                "H is n x n, s and y have n entries");
  }
  std::vector<double> hy(n), v(n);
  for (std::size_t i = 0; i < n; ++i) hy[i] = detail::dot(h.subspan(i * n, n), y);
  const double ys = detail::dot(y, s), yhy = detail::dot(y, hy);
  if (ys == 0 || yhy == 0 || tau == 0) {
    throw Error(fmt::format("y's = {}, y'Hy = {} and tau = {} must not be zero", ys, yhy, tau),
                place);
  }
  // v / sqrt(y'Hy), so that a y'Hy of either sign is as good.
  for (std::size_t i = 0; i < n; ++i) v[i] = s[i] / ys - hy[i] / yhy;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double& entry = h[i * n + j];
      entry = (entry - hy[i] * hy[j] / yhy + phi * yhy * v[i] * v[j]) / tau + s[i] * s[j] / ys;
    }
  }
}

}  // namespace cauchy
