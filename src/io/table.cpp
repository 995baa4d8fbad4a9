#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include <cauchy/base/error.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/io/table.hpp>

#include "io/nearest_name.hpp"

namespace cauchy {
namespace {

constexpr std::string_view kEndings = "endings are: .csv .tsv .txt .npy .npz .h5 .hdf5";

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

[[noreturn]] void throw_unknown_ending(const std::filesystem::path& path) {
  throw Error(ErrorKind::unsupported,
              fmt::format("ending '{}' is not one of a table", path.extension().string()),
              path.string(), kEndings);
}

Table from_matrix(Array array, const std::string& place, const TableOptions& options) {
  if (array.shape.size() != 1 && array.shape.size() != 2)
    throw Error(ErrorKind::file,
                fmt::format("a table needs an array of one or two axes, got shape ({})",
                            fmt::join(array.shape, ", ")),
                place);
  const std::size_t n = array.shape.size() == 1 ? 1 : array.shape[1];
  if (options.columns.empty())
    throw Error(ErrorKind::file, "the file has no column names", place,
                "give the names of the columns");
  if (options.columns.size() != n)
    throw Error(
        fmt::format("the array has {} columns, but {} names were given", n, options.columns.size()),
        place);
  return {options.columns, std::move(array.values), place};
}

Table from_arrays(const std::map<std::string, Array>& arrays, const std::string& place,
                  const TableOptions& options) {
  if (arrays.empty()) throw Error(ErrorKind::file, "file holds no arrays of numbers", place);
  Table table{{}, {}, place};
  std::vector<const Array*> columns;
  const auto add = [&](const std::string& name, const Array& array) {
    const bool is_column =
        array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
    if (!is_column)
      throw Error(ErrorKind::file,
                  fmt::format("array '{}' is no column: it has shape ({})", name,
                              fmt::join(array.shape, ", ")),
                  place, "columns are arrays of one axis");
    if (!columns.empty() && array.values.size() != columns.front()->values.size())
      throw Error(ErrorKind::file,
                  fmt::format("column '{}' has {} rows, but '{}' has {}", name, array.values.size(),
                              table.columns.front(), columns.front()->values.size()),
                  place);
    table.columns.push_back(name);
    columns.push_back(&array);
  };
  for (const auto& [name, array] : arrays) add(name, array);
  std::vector<std::string> expected = options.columns;
  std::sort(expected.begin(), expected.end());
  if (!expected.empty() && expected != table.columns)
    throw Error(ErrorKind::file,
                fmt::format("the columns are {}, but {} were expected",
                            fmt::join(table.columns, ", "), fmt::join(options.columns, ", ")),
                place);
  const std::size_t n_rows = columns.front()->values.size();
  table.values.reserve(n_rows * columns.size());
  for (std::size_t row = 0; row < n_rows; ++row)
    for (const Array* column : columns) table.values.push_back(column->values[row]);
  return table;
}

Table read_hdf5_table(const std::filesystem::path& path, const TableOptions& options) {
  const std::map<std::string, Array> arrays =
      read_hdf5(path, options.group, Hdf5Depth::direct).arrays;
  if (arrays.empty())
    throw Error(ErrorKind::not_found,
                fmt::format("group '{}' holds no arrays of numbers", options.group), path.string(),
                "name the group that holds the columns");
  return from_arrays(arrays, path.string(), options);
}

std::map<std::string, Array> to_arrays(const Table& table) {
  std::map<std::string, Array> arrays;
  for (const std::string& name : table.columns)
    arrays.emplace(name, Array::list(table.column(name)));
  return arrays;
}

void check_finite(const Table& table) {
  const auto bad = std::find_if(table.values.begin(), table.values.end(),
                                [](double x) { return !std::isfinite(x); });
  if (bad == table.values.end()) return;
  const auto at = static_cast<std::size_t>(bad - table.values.begin());
  throw Error(
      ErrorKind::file,
      fmt::format("row {} of column '{}' is {}, not a finite number", at / table.columns.size() + 1,
                  table.columns[at % table.columns.size()], *bad),
      table.source, "remove the row, or fill the value in");
}

}  // namespace

std::size_t Table::index(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end())
    throw Error(ErrorKind::not_found, fmt::format("there is no column '{}'", name), source,
                detail::nearest_name_hint(name, columns, "columns"));
  return static_cast<std::size_t>(found - columns.begin());
}

std::vector<double> Table::column(std::string_view name) const {
  const std::size_t c = index(name), n = columns.size();
  std::vector<double> result(rows());
  for (std::size_t row = 0; row < result.size(); ++row) result[row] = values[row * n + c];
  return result;
}

void check_table(const Table& table, std::string_view place) {
  if (table.columns.empty()) throw Error("table has no columns", place);
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].empty()) throw Error(fmt::format("column {} has no name", i + 1), place);
    if (!seen.insert(table.columns[i]).second)
      throw Error(fmt::format("column name '{}' occurs twice", table.columns[i]), place);
  }
  if (table.values.size() % table.columns.size() != 0)
    throw Error(fmt::format("{} values do not fill rows of {} columns", table.values.size(),
                            table.columns.size()),
                place);
}

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  const std::string ending = ending_of(path);
  // Text checks its numbers while reading, and can name line and column.
  if (ending == ".csv" || ending == ".tsv" || ending == ".txt") return read_csv(path, options);
  Table table;
  if (ending == ".npy")
    table = from_matrix(read_npy(path), path.string(), options);
  else if (ending == ".npz")
    table = from_arrays(read_npz(path), path.string(), options);
  else if (ending == ".h5" || ending == ".hdf5")
    table = read_hdf5_table(path, options);
  else
    throw_unknown_ending(path);
  check_table(table, path.string());
  if (!options.allow_nonfinite) check_finite(table);
  return table;
}

void write_table(const std::filesystem::path& path, const Table& table) {
  check_table(table, path.string());
  const std::string ending = ending_of(path);
  if (ending == ".csv") return write_csv(path, table);
  if (ending == ".tsv") return write_csv(path, table, '\t');
  if (ending == ".txt") return write_csv(path, table, ' ');
  if (ending == ".npy")
    return write_npy(path, {{table.rows(), table.columns.size()}, table.values});
  if (ending == ".npz") return write_npz(path, to_arrays(table));
  if (ending == ".h5" || ending == ".hdf5") return write_hdf5(path, {to_arrays(table), {}});
  throw_unknown_ending(path);
}

}  // namespace cauchy
