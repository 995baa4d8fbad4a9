#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace cauchy::cli {

/// Rows of words in columns of equal width, each line after `indent` spaces; the first row is the
/// heading. Words are made plain_text.
void print_table(std::ostream& out, std::vector<std::vector<std::string>> rows,
                 std::size_t indent = 0);

/// "3.1e-04"; "-" for NaN.
[[nodiscard]] std::string short_number(double value);
/// "0.8 ms", "12.3 s", "4 min 05 s".
[[nodiscard]] std::string duration(double seconds);
/// "12,345".
[[nodiscard]] std::string grouped(double whole);

}  // namespace cauchy::cli
