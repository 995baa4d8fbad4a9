#include <cauchy/sampling/random_field.hpp>

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "base/option_ranges.hpp"
#include "sampling/random_fields/call_text.hpp"
#include "sampling/random_fields/random_fields.hpp"

namespace cauchy {
namespace {

const RandomFieldEntry& field_entry(const RandomFieldOptions& options) {
  for (const RandomFieldEntry& entry : all_random_fields()) {
    if (entry.options.index() == options.index()) return entry;
  }
  return all_random_fields().front();
}

void check_axes(const std::vector<RandomFieldAxis>& axes) {
  constexpr std::string_view place = "[random_field]";
  if (axes.empty() || axes.size() > 3) {
    throw Error(fmt::format("random fields have 1 to 3 axes, got {}", axes.size()), place);
  }
  for (const RandomFieldAxis& a : axes) {
    if (!(a.lower < a.upper) || !std::isfinite(a.upper - a.lower)) {
      throw Error(fmt::format("[{}, {}] is no axis of a box", a.lower, a.upper), place,
                  "give a lower end and a larger upper one");
    }
  }
}

RandomFieldOptions read_call(const detail::CallText& call) {
  std::vector<std::string> names;
  for (const RandomFieldEntry& entry : all_random_fields()) {
    names.emplace_back(entry.name);
    if (entry.name != call.name()) continue;
    RandomFieldOptions options = entry.options;
    call.read(OptionVisitor::Part(options));
    return options;
  }
  const std::string near = nearest_name(call.name(), names);
  throw Error(ErrorKind::not_found, fmt::format("unknown random field '{}'", call.name()),
              call.place(),
              near.empty() ? fmt::format("random fields are: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

}  // namespace

const std::vector<RandomFieldEntry>& all_random_fields() {
  static const std::vector<RandomFieldEntry> all = {
      {"grf", "sigma^2 (-Laplace + tau^2)^(-alpha), as in the data of Fourier neural operators",
       GrfField{}},
      {"matern", "Matern covariance of any smoothness", MaternField{}},
      {"gaussian", "covariance exp(-r^2 / 2), smooth", GaussianField{}},
      {"exponential", "covariance exp(-r), rough", ExponentialField{}},
      {"kl", "Karhunen-Loeve series of a covariance on an interval", KarhunenLoeveField{}},
      {"gp", "Gaussian process with covariance exp(-r^2 / 2) on an interval",
       GaussianProcessField{}},
      {"chebyshev", "series of Chebyshev polynomials, uniform coefficients", ChebyshevField{}},
      {"polynomial", "series of powers, uniform coefficients", PolynomialField{}},
      {"sines", "series of sines, normal coefficients", SineField{}},
      {"constant", "one number, uniform between two", ConstantField{}},
  };
  return all;
}

void visit_options(RandomFieldOptions& options, OptionVisitor& v) {
  std::visit([&](auto& o) { visit_options(o, v); }, options);
}

std::unique_ptr<RandomField> make_random_field(const RandomFieldOptions& options,
                                               const std::vector<RandomFieldAxis>& axes) {
  check_axes(axes);
  detail::check_ranges(options, fmt::format("[random_field.{}]", field_entry(options).name));
  return std::visit([&](const auto& o) { return detail::make_field(o, axes); }, options);
}

RandomFieldOptions parse_random_field(std::string_view text) {
  return parse_random_field(text, {"random field", 1, 1});
}

RandomFieldOptions parse_random_field(std::string_view text, const TextPlace& place) {
  return read_call(detail::CallText(text, place));
}

std::unique_ptr<RandomField> make_random_field(std::string_view text,
                                               const std::vector<RandomFieldAxis>& axes) {
  return make_random_field(text, axes, {"random field", 1, 1});
}

std::unique_ptr<RandomField> make_random_field(std::string_view text,
                                               const std::vector<RandomFieldAxis>& axes,
                                               const TextPlace& place) {
  const detail::CallText call(text, place);
  const RandomFieldOptions options = read_call(call);
  try {
    return make_random_field(options, axes);
  } catch (const Error& e) {
    throw e.at(call.place());
  }
}

}  // namespace cauchy
