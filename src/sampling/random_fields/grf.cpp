#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy {

void visit_options(GrfField& o, OptionVisitor& v) {
  v.number("alpha", o.alpha, NumberRange::positive);
  v.number("tau", o.tau, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::not_negative);
  detail::visit_options(o.basis, v);
}

namespace detail {

MadeField make_field(const GrfField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.grf]";
  const std::size_t d = axes.size();
  const double nu = o.alpha - 0.5 * static_cast<double>(d);  // that of the Matern field it is
  if (!(nu > 0 && nu <= largest_nu)) {
    throw Error(fmt::format("alpha must lie in ({}, {}] over {} {}, got {}", o.alpha - nu,
                            o.alpha - nu + largest_nu, d, d == 1 ? "axis" : "axes", o.alpha),
                place, nu > 0 ? "use 'gaussian'" : "rougher fields have no values at points");
  }
  const StationaryKernel matern = matern_kernel(nu, d);
  const double scale = o.tau / std::sqrt(2 * nu);
  const StationaryKernel kernel = {
      [=](double r) { return matern.correlation(scale * r); },
      [alpha = o.alpha, tau = o.tau](double q) { return std::pow(q + tau * tau, -alpha); }};
  const double sigma = o.sigma > 0 ? o.sigma : std::pow(o.tau, nu);
  return make_spectral_field(kernel, sigma, {1.0}, o.basis, axes, place);
}

}  // namespace detail
}  // namespace cauchy
