#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/quantity_text.hpp"

namespace cauchy::cli {

/// Rows of words in columns of equal width, each line after `indent` spaces; the first row is the
/// heading. Words are made plain_text.
void print_table(std::ostream& out, std::vector<std::vector<std::string>> rows,
                 std::size_t indent = 0);

/// "3.1e-04"; "-" for NaN.
[[nodiscard]] std::string short_number(double value);
using detail::duration;
using detail::grouped;

}  // namespace cauchy::cli
