#include "optimizers/option_checks.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
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

void require_memory(double bytes, std::uint64_t max_bytes, std::string_view what,
                    std::string_view hint, std::string_view place) {
  const double allowed =
      max_bytes > 0 ? static_cast<double>(max_bytes) : process_memory().total / 2;
  if (bytes <= allowed) return;
  throw Error(ErrorKind::memory,
              fmt::format("{} would take {} of memory, {} are allowed", what,
                          bytes_to_string(bytes), bytes_to_string(allowed)),
              place, hint);
}

}  // namespace cauchy::detail
