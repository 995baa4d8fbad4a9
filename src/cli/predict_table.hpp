#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/expr/expr.hpp>
#include <cauchy/io/table.hpp>
#include <cauchy/problem/problem.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

/// What is evaluated: columns with their expressions.
struct Quantities {
  std::vector<std::string> names;
  std::vector<Expr> expressions;
};
/// Those of --of, "u, speed=sqrt(u^2+v^2)"; all fields where it is empty.
///   error    throws Error at --of
[[nodiscard]] Quantities quantities_of(const std::string& text, const Problem& problem);

/// The columns of these names of a table as rows of points.
[[nodiscard]] std::vector<double> points_in(const std::string& file,
                                            const std::vector<std::string>& coordinates);

/// A table of answers: into a file, of which is told, or printed as CSV or JSON.
struct Delivery {
  std::string out;  ///< file; empty: printed
  bool json = false;
  std::vector<std::string> quantities;
  const char* unit = "points";              ///< what its rows are
  std::optional<std::size_t> outside = {};  ///< points that lie outside of the domain
};
void deliver(const Table& table, const Delivery& delivery, Console& console);
/// The words of it, where the file has been written.
void tell_delivery(std::size_t rows, const Delivery& delivery, Console& console);

}  // namespace cauchy::cli
