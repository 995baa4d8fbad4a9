#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/io/table.hpp>

namespace cauchy {

/// Answers at points of their own, as they were measured: rows (sample, point, values). Samples
/// need not share points, nor have as many.
struct Triples {
  std::vector<std::string> coordinates = {};  ///< "t", "x"
  std::vector<std::string> fields = {};
  std::vector<std::size_t> sample = {};  ///< of every row: a sample of the training, from 0
  std::vector<double> points = {};       ///< row-major rows x coordinates
  std::vector<double> values = {};       ///< row-major rows x fields; NaN: not seen

  [[nodiscard]] std::size_t size() const noexcept { return sample.size(); }
  [[nodiscard]] bool empty() const noexcept { return sample.empty(); }
};

/// The triples of a table with a column "sample", one per coordinate and one per field; "nan" in a
/// field: not seen.
///   error    throws Error with the row: a sample that is no whole number from 0 on, a point or a
///            value that is infinite or a coordinate that is nan, a row without any value; an
///            unknown column; no rows
[[nodiscard]] Triples triples_of(const Table& table, const std::vector<std::string>& coordinates,
                                 const std::vector<std::string>& fields);

/// Throws Error for lengths that do not fit and points that are not finite.
void check(const Triples& triples);

}  // namespace cauchy
