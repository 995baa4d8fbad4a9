#include <cmath>
#include <numbers>

#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy {

void visit_options(GaussianField& o, OptionVisitor& v) {
  v.numbers("length", o.length, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::positive);
  detail::visit_options(o.basis, v);
}

namespace detail {

StationaryKernel gaussian_kernel(std::size_t d) {
  const double at_zero = std::pow(2 * std::numbers::pi, 0.5 * static_cast<double>(d));
  return {[](double r) { return std::exp(-0.5 * r * r); },
          [=](double q) { return at_zero * std::exp(-0.5 * q); }};
}

MadeField make_field(const GaussianField& o, const Axes& axes) {
  return make_spectral_field(gaussian_kernel(axes.size()), o.sigma, o.length, o.basis, axes,
                             "[random_field.gaussian]");
}

}  // namespace detail
}  // namespace cauchy
