#include "io/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace cauchy::detail {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Number of insertions, deletions and substitutions that turn a into b; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] =
          std::min({above + 1, row[j] + 1, diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name_hint(std::string_view name, std::span<const std::string> known,
                              std::string_view what) {
  if (known.empty()) return fmt::format("there are no {}", what);
  constexpr std::size_t kLongest = 200, kListed = 12;
  std::string_view near;
  std::size_t best = name.size() / 2 + 1;  // farther than this is another word
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (name.size() <= kLongest && known[i].size() <= kLongest) {
      const std::size_t distance = edit_distance(name, known[i]);
      if (distance < std::min(best, std::max(name.size(), known[i].size()))) {
        best = distance;
        near = known[i];
      }
    }
    if (i < kListed) list += fmt::format("{}{}", i == 0 ? "" : ", ", known[i]);
  }
  if (known.size() > kListed) list += ", ...";
  const std::string names = fmt::format("{} are: {}", what, list);
  return near.empty() ? names : fmt::format("did you mean '{}'? {}", near, names);
}

}  // namespace cauchy::detail
