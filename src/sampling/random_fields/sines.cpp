#include <cmath>

#include "sampling/random_fields/axis_bases.hpp"
#include "sampling/random_fields/random_fields.hpp"

namespace cauchy {

void visit_options(SineField& o, OptionVisitor& v) {
  v.count("n", o.n, 1, 4096);
  v.number("size", o.size, NumberRange::positive);
  v.number("decay", o.decay, NumberRange::not_negative);
}

namespace detail {

MadeField make_field(const SineField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.sines]";
  refuse_periodic(axes, place);
  std::vector<double> amplitude;
  for (std::size_t k = 1; k <= o.n; ++k) {
    amplitude.push_back(std::pow(static_cast<double>(k), -o.decay));
  }
  return make_series_field(
      equal_series(sine_basis(o.n), amplitude, o.size, CoefficientLaw::normal, axes.size(), place),
      axes, place);
}

}  // namespace detail
}  // namespace cauchy
