#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/special.hpp>

#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy {

void visit_options(MaternField& o, OptionVisitor& v) {
  v.number("nu", o.nu, NumberRange::positive);
  v.numbers("length", o.length, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::positive);
  detail::visit_options(o.basis, v);
}

namespace detail {
namespace {

/// 2^(1 - nu) / Gamma(nu) z^nu K_nu(z), z = sqrt(2 nu) r.
double matern_correlation(double nu, double r) {
  const double z = std::sqrt(2 * nu) * r;
  if (nu == 0.5) return std::exp(-z);
  if (nu == 1.5) return (1 + z) * std::exp(-z);
  if (nu == 2.5) return (1 + z + z * z / 3) * std::exp(-z);
  if (z == 0 || (nu > 1 && z < 1e-8)) return 1;  // 1 - O(z^2); K_nu would overflow
  if (z > 700) return 0;                         // K_nu underflows
  return std::exp((1 - nu) * std::numbers::ln2 - log_gamma(nu) + nu * std::log(z)) *
         std::cyl_bessel_k(nu, z);
}

}  // namespace

StationaryKernel matern_kernel(double nu, std::size_t d) {
  const double half = 0.5 * static_cast<double>(d);
  const double log_at_zero = half * std::log(4 * std::numbers::pi) + log_gamma(nu + half) -
                             log_gamma(nu) - half * std::log(2 * nu);
  return {[=](double r) { return matern_correlation(nu, r); },
          [=](double q) { return std::exp(log_at_zero - (nu + half) * std::log1p(q / (2 * nu))); }};
}

void check_nu(double nu, std::string_view place) {
  if (nu > 0 && nu <= largest_nu) return;
  throw Error(fmt::format("nu must lie in (0, {}], got {}", largest_nu, nu), place,
              nu > largest_nu ? "use 'gaussian', which is the limit" : "");
}

MadeField make_field(const MaternField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.matern]";
  check_nu(o.nu, place);
  return make_spectral_field(matern_kernel(o.nu, axes.size()), o.sigma, o.length, o.basis, axes,
                             place);
}

}  // namespace detail
}  // namespace cauchy
