#include "cli/text_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/plain_text.hpp"

namespace cauchy::cli {
namespace {

/// Characters of UTF-8 text; bytes that continue one do not count.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

void print_table(std::ostream& out, std::vector<std::vector<std::string>> rows,
                 std::size_t indent) {
  for (auto& row : rows) {
    for (std::string& word : row) word = plain_text(word);
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  }
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += row[k];
      if (k + 1 < row.size()) line.append(widths[k] - width_of(row[k]) + 2, ' ');
    }
    out << line << '\n';
  }
}

std::string short_number(double value) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.2e}", value);
}

}  // namespace cauchy::cli
