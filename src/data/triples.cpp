#include <cauchy/data/triples.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr double most_samples = 1e9;

}  // namespace

Triples triples_of(const Table& table, const std::vector<std::string>& coordinates,
                   const std::vector<std::string>& fields) {
  Triples t{.coordinates = coordinates, .fields = fields};
  const std::vector<double> samples = table.column("sample");
  std::vector<std::size_t> at, of;
  for (const std::string& name : coordinates) at.push_back(table.index(name));
  for (const std::string& name : fields) of.push_back(table.index(name));
  if (table.rows() == 0) throw Error(ErrorKind::file, "the table has no rows", table.source);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto refuse = [&](const std::string& what, const char* fix) {
      throw Error(ErrorKind::file, what, fmt::format("{}: row {}", table.source, r + 1), fix);
    };
    const double s = samples[r];
    if (!(s >= 0 && s <= most_samples && s == std::floor(s))) {
      refuse(fmt::format("'sample' must be a whole number from 0 on, got {}", s),
             "number the input functions from 0");
    }
    t.sample.push_back(static_cast<std::size_t>(s));
    const double* const row = &table.values[r * table.columns.size()];
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (!std::isfinite(row[at[k]])) {
        refuse(fmt::format("'{}' is {}", coordinates[k], row[at[k]]), "remove the row");
      }
      t.points.push_back(row[at[k]]);
    }
    bool any = false;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const double v = row[of[k]];
      if (std::isinf(v)) refuse(fmt::format("'{}' is infinite", fields[k]), "write nan: not seen");
      any = any || !std::isnan(v);
      t.values.push_back(v);
    }
    if (!any) refuse("no value of the row is given", "remove it");
  }
  return t;
}

void check(const Triples& t) {
  constexpr const char* place = "[data.triples]";
  if (t.points.size() != t.size() * t.coordinates.size() ||
      t.values.size() != t.size() * t.fields.size()) {
    throw Error(fmt::format("{} numbers of points and {} values for {} rows of {} coordinates and "
                            "{} fields",
                            t.points.size(), t.values.size(), t.size(), t.coordinates.size(),
                            t.fields.size()),
                place);
  }
  for (std::size_t i = 0; i < t.points.size(); ++i) {
    if (std::isfinite(t.points[i])) continue;
    throw Error(fmt::format("the point of row {} is not finite", i / t.coordinates.size() + 1),
                place, "remove the row");
  }
}

}  // namespace cauchy
