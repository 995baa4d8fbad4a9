#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cauchy {

/// Named columns of numbers of equal length.
struct Table {
  std::vector<std::string> columns = {};
  std::vector<double> values = {};  ///< row after row: rows() * columns.size() numbers
  std::string source = {};          ///< where it came from, for messages; may be empty

  [[nodiscard]] std::size_t rows() const noexcept {
    return columns.empty() ? 0 : values.size() / columns.size();
  }
  /// The position of a column. An unknown name is an Error with the nearest name and the list.
  [[nodiscard]] std::size_t index(std::string_view name) const;
  /// The numbers of one column, from top to bottom. Error as index().
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
};

struct TableOptions {
  /// Names for the columns of a file that has none (NPY, CSV without a header). Given for a file
  /// with names of its own, they must be the same.
  std::vector<std::string> columns = {};
  /// The group of an HDF5 file that holds the columns.
  std::string group = "/";
  /// Whether "nan" and "inf" are numbers; otherwise the first is an Error that names its place.
  bool allow_nonfinite = false;
};

/// Reads a table; the ending of the name says how.
///   .csv .tsv .txt  text, see csv.hpp
///   .npy            an array of two axes (rows, columns) or of one; needs options.columns
///   .npz            arrays of one axis (or n x 1) and equal length become columns, sorted by name
///   .h5 .hdf5       likewise, of the datasets that lie directly in options.group
///   error           throws Error with the file, and for text the line and column
Table read_table(const std::filesystem::path& path, const TableOptions& options = {});

/// Writes a table atomically; the ending says how. NPY keeps the numbers and drops the names.
///   error    throws Error: unknown ending, names that repeat or are empty, wrong number of values,
///            and whatever AtomicFile throws
void write_table(const std::filesystem::path& path, const Table& table);

/// Throws Error at place unless the names are distinct and not empty, and the values fill whole
/// rows.
void check_table(const Table& table, std::string_view place);

}  // namespace cauchy
