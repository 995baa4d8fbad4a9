#include <cauchy/base/options.hpp>

#include <algorithm>

namespace cauchy {

bool same_name(std::string_view name, std::string_view written) noexcept {
  const auto plain = [](char c) { return c == '-' ? '_' : c; };
  return std::equal(name.begin(), name.end(), written.begin(), written.end(),
                    [&](char a, char b) { return plain(a) == plain(b); });
}

bool in_range(double v, NumberRange range) noexcept {
  switch (range) {
    case NumberRange::any:
      return true;
    case NumberRange::positive:
      return v > 0;
    case NumberRange::not_negative:
      return v >= 0;
    case NumberRange::below_one:
      return v >= 0 && v < 1;
    case NumberRange::up_to_one:
      return v > 0 && v <= 1;
    case NumberRange::inside_one:
      return v > 0 && v < 1;
  }
  return false;
}

std::string_view described(NumberRange range) noexcept {
  switch (range) {
    case NumberRange::any:
      return "a number";
    case NumberRange::positive:
      return "positive";
    case NumberRange::not_negative:
      return "not negative";
    case NumberRange::below_one:
      return "in [0, 1)";
    case NumberRange::up_to_one:
      return "in (0, 1]";
    case NumberRange::inside_one:
      return "in (0, 1)";
  }
  return "";
}

}  // namespace cauchy
