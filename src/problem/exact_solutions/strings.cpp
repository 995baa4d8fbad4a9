#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/math/roots.hpp>
#include <cauchy/problem/exact_solutions.hpp>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy {

std::vector<double> robin_roots(double alpha, std::size_t n) {
  if (!(alpha >= 0) || !std::isfinite(alpha)) {
    throw Error(fmt::format("needs a finite alpha >= 0, got {}", alpha), "[problem.robin_roots]",
                "with alpha < 0 the end feeds energy in and the string may not oscillate");
  }
  using std::numbers::pi;
  std::vector<double> roots(n);
  for (std::size_t i = 0; i < n; ++i) {
    // y = k pi - theta turns tan y = -alpha y into theta = atan(alpha y): the difference grows
    // with theta, is not positive at 0 and not negative at pi / 2, for every alpha.
    const double top = pi * static_cast<double>(i + 1);
    const auto defect = [&](double theta) { return theta - std::atan(alpha * (top - theta)); };
    const RootResult found = find_root(defect, 0, pi / 2);
    // A huge alpha rounds the arc tangent to the end of the bracket.
    roots[i] = top - (found.status == RootStatus::no_sign_change ? pi / 2 : found.root);
  }
  return roots;
}

namespace detail {
namespace {

using std::numbers::pi;

double pluck(double x) { return std::pow(4 * x * (1 - x), 8); }

/// sum_n c_n sin(y_n x) cos(y_n c t) with
///   c_n = int_0^1 f sin(y_n x) dx / (1/2 - sin(2 y_n) / (4 y_n)).
/// The pluck f has eight zeros at both ends, so that c_n < 2 8! 4^8 / y_n^9 and the terms left out
/// beyond 200 add up to less than 2 8! 4^8 / (8 pi (200 pi)^8) = 1e-14.
class StringSeries {
 public:
  StringSeries(double speed, double alpha) : speed_(speed), roots_(robin_roots(alpha, n_terms)) {
    // n nodes integrate exp(i k x) on an interval of length 1 to rounding for n > k / 4 + 30.
    const Rule rule = scaled(gauss_legendre(260), 0, 1);
    for (const double y : roots_) {
      const double projection =
          rule.integrate([&](double x) { return pluck(x) * std::sin(y * x); });
      coefficients_.push_back(projection / (0.5 - std::sin(2 * y) / (4 * y)));
    }
  }
  [[nodiscard]] double operator()(double t, double x) const {
    double sum = 0;
    for (std::size_t n = n_terms; n-- > 0;) {  // small terms first
      sum += coefficients_[n] * std::sin(roots_[n] * x) * std::cos(roots_[n] * speed_ * t);
    }
    return sum;
  }

 private:
  static constexpr std::size_t n_terms = 200;
  double speed_;
  std::vector<double> roots_, coefficients_;
};

ExactEvaluator string_series(double speed, double alpha) {
  const auto series = std::make_shared<const StringSeries>(speed, alpha);
  return point_by_point(2, 1, [series](std::span<const double> point, std::span<double> u) {
    u[0] = (*series)(point[0], point[1]);
  });
}

/// The string pulled aside by h at p; waves run off to both sides and are reflected with the
/// opposite sign: d'Alembert's formula with the odd extension of period 2.
ExactEvaluator triangle(std::span<const double> parameters) {
  const double c = parameters[0], p = parameters[1], h = parameters[2];
  const auto extended = [=](double x) {
    const double y = x - 2 * std::round(x / 2);  // in [-1, 1]
    const double size = std::abs(y);
    return std::copysign(size < p ? h * size / p : h * (1 - size) / (1 - p), y);
  };
  return point_by_point(2, 1, [=](std::span<const double> point, std::span<double> u) {
    u[0] = (extended(point[1] - c * point[0]) + extended(point[1] + c * point[0])) / 2;
  });
}

}  // namespace

std::vector<ExactSolution> string_solutions() {
  return {
      {.name = "string_dirichlet",
       .description = "A string held at both ends, let go from a smooth bump.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"c", 1}},
       .domain = {{"0", "2"}, {"0", "1"}},
       .equations = {"u_tt = c^2*u_xx"},
       .conditions = {{"t = 0", "u = (4*x*(1 - x))^8"},
                      {"t = 0", "u_t = 0"},
                      {"x = 0", "u = 0"},
                      {"x = 1", "u = 0"}},
       .method = "series in sin(n pi x) cos(n pi c t), 200 terms",
       .accuracy = 1e-12,
       .build = [](std::span<const double> p) { return string_series(p[0], 0); }},
      {.name = "string_robin",
       .description = "A string with a loose end at x = 1, let go from a smooth bump; alpha = 0 is "
                      "the fixed end, large alpha the free one.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"c", 1}, {"alpha", 1}},
       .requirements = {"alpha >= 0"},
       .domain = {{"0", "2"}, {"0", "1"}},
       .equations = {"u_tt = c^2*u_xx"},
       .conditions = {{"t = 0", "u = (4*x*(1 - x))^8"},
                      {"t = 0", "u_t = 0"},
                      {"x = 0", "u = 0"},
                      {"x = 1", "u + alpha*u_x = 0"}},
       .method = "series in sin(y x) cos(y c t) over the roots of tan y = -alpha y, 200 terms",
       .accuracy = 1e-12,
       .build = [](std::span<const double> p) { return string_series(p[0], p[1]); }},
      {.name = "string_triangle",
       .description = "A string held at both ends, pulled aside by h at x = p and let go.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"c", 1}, {"p", 0.5}, {"h", 1}},
       .requirements = {"p > 0", "p < 1"},
       .domain = {{"0", "2"}, {"0", "1"}},
       .equations = {"u_tt = c^2*u_xx"},
       .conditions = {{"t = 0", "u = h*min(x/p, (1 - x)/(1 - p))"},
                      {"x = 0", "u = 0"},
                      {"x = 1", "u = 0"}},
       .method = "d'Alembert's formula with the odd extension of period 2; the equation holds away "
                 "from the kinks",
       .build = triangle},
  };
}

}  // namespace detail
}  // namespace cauchy
