#include <cmath>
#include <numbers>

#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy {

void visit_options(ExponentialField& o, OptionVisitor& v) {
  v.numbers("length", o.length, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::positive);
  detail::visit_options(o.basis, v);
}

namespace detail {

// density = 2^d pi^((d-1)/2) Gamma((d+1)/2) (1 + q)^(-(d+1)/2): 2, 2 pi and 8 pi at q = 0.
StationaryKernel exponential_kernel(std::size_t d) {
  constexpr double pi = std::numbers::pi;
  const double at_zero = d == 1 ? 2 : d == 2 ? 2 * pi : 8 * pi;
  const double power = -0.5 * static_cast<double>(d + 1);
  return {[](double r) { return std::exp(-r); },
          [=](double q) { return at_zero * std::pow(1 + q, power); }};
}

MadeField make_field(const ExponentialField& o, const Axes& axes) {
  return make_spectral_field(exponential_kernel(axes.size()), o.sigma, o.length, o.basis, axes,
                             "[random_field.exponential]");
}

}  // namespace detail
}  // namespace cauchy
