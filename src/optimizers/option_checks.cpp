#include "optimizers/option_checks.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cmath>

namespace cauchy::detail {

void require_positive(std::string_view what, double value, std::string_view place) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be positive and finite, got {}", what, value), place);
  }
}

void require_fraction(std::string_view what, double value, std::string_view place) {
  if (!(value >= 0 && value < 1)) {
    throw Error(fmt::format("{} must be in [0, 1), got {}", what, value), place);
  }
}

void require_not_negative(std::string_view what, double value, std::string_view place) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be finite and not negative, got {}", what, value), place);
  }
}

}  // namespace cauchy::detail
