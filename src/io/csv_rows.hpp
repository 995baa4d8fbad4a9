#pragma once

#include <span>
#include <string>

namespace cauchy::detail {

/// Appends the line of names, quoted where a reader would misread them.
void append_csv_names(std::string& out, std::span<const std::string> names, char separator);

/// Appends one line of numbers.
void append_csv_row(std::string& out, std::span<const double> row, char separator);

}  // namespace cauchy::detail
