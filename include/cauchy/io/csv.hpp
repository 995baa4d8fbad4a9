#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <cauchy/io/table.hpp>  // Table, TableOptions

namespace cauchy {

/// Reads a table from text.
///   separator  the first of ';' ',' tab that the first line contains outside quotes, else blanks
///   names      in the first line; or in a '#' line directly above the first row of numbers, if it
///              has as many words as the row; or from options.columns
///   text       UTF-8 with or without mark, LF or CRLF; empty lines and lines that start with a
///              '#' are skipped; names and numbers may stand in double quotes, "" in quotes is one
///              quote
///   numbers    decimal with a point (1, -2.5, +1e-3), rounded correctly; too small ones become 0
///   name       of the text, for messages
///   error      throws Error at "name:line:column" or "name:line": nothing in it, no header, names
///              that repeat or are empty, a row of another length, not a number, nan or inf (unless
///              allowed), a number beyond 1.8e308
///   cost       about 500 MB/s (one 3 GHz core)
Table parse_csv(std::string_view text, std::string_view name, const TableOptions& options = {});

/// parse_csv of a file.
Table read_csv(const std::filesystem::path& path, const TableOptions& options = {});

/// The table as text: a line of names, then one line per row; each number is the shortest decimal
/// that reads back to the same bits. Names that parse_csv would misread are quoted.
///   error    throws Error as check_table, and for a name with a line break
std::string to_csv(const Table& table, char separator = ',');

/// to_csv into a file, atomically.
void write_csv(const std::filesystem::path& path, const Table& table, char separator = ',');

}  // namespace cauchy
