#include <cauchy/base/error.hpp>

#include <fmt/format.h>

#include "sampling/random_fields/axis_bases.hpp"
#include "sampling/random_fields/random_fields.hpp"

namespace cauchy {

void visit_options(ConstantField& o, OptionVisitor& v) {
  v.number("lower", o.lower, NumberRange::any);
  v.number("upper", o.upper, NumberRange::any);
}

namespace detail {

MadeField make_field(const ConstantField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.constant]";
  if (!(o.lower <= o.upper)) {
    throw Error(fmt::format("lower must not be above upper, got {} and {}", o.lower, o.upper),
                place);
  }
  Series series = equal_series(cosine_basis(0), {1.0}, 0.5 * (o.upper - o.lower),
                               CoefficientLaw::uniform, axes.size(), place);
  series.offset = 0.5 * (o.lower + o.upper);
  return make_series_field(std::move(series), axes, place);
}

}  // namespace detail
}  // namespace cauchy
