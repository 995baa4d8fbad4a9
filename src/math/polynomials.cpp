#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/polynomials.hpp>
#include <cmath>
#include <numbers>

namespace cauchy {
namespace {

void require_exponent(const char* name, double value) {
  if (!(value > -1) || !std::isfinite(value))
    throw Error(fmt::format("{} must be finite and greater than -1, got {}", name, value),
                "[math.polynomials]");
}

}  // namespace

OrthogonalPolynomials OrthogonalPolynomials::chebyshev_t() noexcept {
  return OrthogonalPolynomials(Family::chebyshev_t);
}
OrthogonalPolynomials OrthogonalPolynomials::chebyshev_u() noexcept {
  return OrthogonalPolynomials(Family::chebyshev_u);
}
OrthogonalPolynomials OrthogonalPolynomials::legendre() noexcept {
  return OrthogonalPolynomials(Family::legendre);
}
OrthogonalPolynomials OrthogonalPolynomials::jacobi(double alpha, double beta) {
  require_exponent("alpha", alpha);
  require_exponent("beta", beta);
  return OrthogonalPolynomials(Family::jacobi, alpha, beta);
}
OrthogonalPolynomials OrthogonalPolynomials::hermite() noexcept {
  return OrthogonalPolynomials(Family::hermite);
}
OrthogonalPolynomials OrthogonalPolynomials::hermite_probabilists() noexcept {
  return OrthogonalPolynomials(Family::hermite_prob);
}
OrthogonalPolynomials OrthogonalPolynomials::laguerre(double alpha) {
  require_exponent("alpha", alpha);
  return OrthogonalPolynomials(Family::laguerre, alpha);
}

OrthogonalPolynomials::Step OrthogonalPolynomials::step(std::size_t i) const noexcept {
  const double n = static_cast<double>(i);
  switch (family_) {
    case Family::chebyshev_t:
      return {i == 0 ? 1.0 : 2.0, 0, i == 0 ? 0.0 : 1.0};
    case Family::chebyshev_u:
      return {2, 0, i == 0 ? 0.0 : 1.0};
    case Family::legendre:
      return {(2 * n + 1) / (n + 1), 0, n / (n + 1)};
    case Family::hermite:
      return {2, 0, 2 * n};
    case Family::hermite_prob:
      return {1, 0, n};
    case Family::laguerre:
      return {-1 / (n + 1), (2 * n + 1 + alpha_) / (n + 1), i == 0 ? 0.0 : (n + alpha_) / (n + 1)};
    case Family::jacobi:
      break;
  }
  const double s = alpha_ + beta_;
  // The general formula is 0/0 at i = 0 when alpha + beta is 0 or -1.
  if (i == 0) return {(s + 2) / 2, (alpha_ - beta_) / 2, 0};
  const double t = 2 * n + s, d = 2 * (n + 1) * (n + 1 + s);
  return {(t + 1) * (t + 2) / d, (t + 1) * (alpha_ - beta_) * s / (d * t),
          2 * (n + alpha_) * (n + beta_) * (t + 2) / (d * t)};
}

void OrthogonalPolynomials::evaluate(double x, std::span<double> values) const noexcept {
  double previous = 0, current = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = current;
    const Step s = step(i);
    const double next = (s.a * x + s.b) * current - s.c * previous;
    previous = current;
    current = next;
  }
}

void OrthogonalPolynomials::evaluate(double x, MatrixView<double> out) const noexcept {
  const std::size_t n = out.cols();
  for (std::size_t k = 0; k < out.rows(); ++k) {
    if (n > 0) out(k, 0) = k == 0 ? 1 : 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      // k-th derivative of (a x + b) p_i is (a x + b) p_i^(k) + k a p_i^(k-1).
      const Step s = step(i);
      double next = (s.a * x + s.b) * out(k, i);
      if (i > 0) next -= s.c * out(k, i - 1);
      if (k > 0) next += static_cast<double>(k) * s.a * out(k - 1, i);
      out(k, i + 1) = next;
    }
  }
}

double OrthogonalPolynomials::series(std::span<const double> coefficients,
                                     double x) const noexcept {
  double y1 = 0, y2 = 0;  // y_{i+1}, y_{i+2} of y_i = c_i + (a_i x + b_i) y_{i+1} - c_{i+1} y_{i+2}
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    const Step s = step(i);
    const double y = coefficients[i] + (s.a * x + s.b) * y1 - step(i + 1).c * y2;
    y2 = y1;
    y1 = y;
  }
  return y1;
}

double OrthogonalPolynomials::norm_squared(std::size_t i) const noexcept {
  using std::numbers::pi;
  const double n = static_cast<double>(i);
  switch (family_) {
    case Family::chebyshev_t:
      return i == 0 ? pi : pi / 2;
    case Family::chebyshev_u:
      return pi / 2;
    case Family::legendre:
      return 2 / (2 * n + 1);
    case Family::hermite:
      return std::sqrt(pi) * std::exp2(n) * std::tgamma(n + 1);
    case Family::hermite_prob:
      return std::sqrt(2 * pi) * std::tgamma(n + 1);
    case Family::laguerre:
      return std::exp(std::lgamma(n + alpha_ + 1) - std::lgamma(n + 1));
    case Family::jacobi:
      break;
  }
  const double s = alpha_ + beta_;
  const double total = std::exp2(s + 1) * std::exp(std::lgamma(alpha_ + 1) +
                                                   std::lgamma(beta_ + 1) - std::lgamma(s + 2));
  if (i == 0) return total;
  // By ratios of successive norms: the closed form has a pole at n = 0, alpha + beta = -1.
  double norm = total * (alpha_ + 1) * (beta_ + 1) / (s + 3);
  for (std::size_t k = 2; k <= i; ++k) {
    const double m = static_cast<double>(k);
    norm *= (m + alpha_) * (m + beta_) * (2 * m + s - 1) / ((2 * m + s + 1) * m * (m + s));
  }
  return norm;
}

}  // namespace cauchy
