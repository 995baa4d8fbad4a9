#include "problem/scattered_reference.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "problem/grid_table.hpp"

namespace cauchy::detail {

std::optional<ScatteredReference> scattered_reference(const Problem& problem) {
  const Reference& r = problem.reference;
  const bool is_table = r.exact.empty() && r.formulas.empty() && !r.table.columns.empty();
  const std::vector<std::string> names = problem.coordinates();
  if (!is_table || !is_scattered(r.table, names)) return std::nullopt;
  const std::size_t n = r.table.rows();
  ScatteredReference out;
  out.points.columns = names;
  out.reference.description =
      fmt::format("table {}, {} scattered point{}", r.file.empty() ? "in memory" : r.file, n,
                  n == 1 ? "" : "s");
  std::vector<std::vector<double>> axes, values;
  for (const std::string& name : names) axes.push_back(r.table.column(name));
  for (const std::string& field : problem.all_fields()) {
    const auto& columns = r.table.columns;
    if (std::find(columns.begin(), columns.end(), field) == columns.end()) continue;
    out.reference.fields.push_back(field);
    values.push_back(r.table.column(field));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& axis : axes) out.points.values.push_back(axis[i]);
    for (std::size_t f = 0; f < values.size(); ++f) {
      if (!std::isfinite(values[f][i])) {
        throw Error(fmt::format("row {}: '{}' is {}", i + 1, out.reference.fields[f], values[f][i]),
                    "reference");
      }
      out.reference.values.push_back(values[f][i]);
    }
  }
  return out;
}

}  // namespace cauchy::detail
