#include "notes/output.hpp"

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

namespace cauchy::notes {
namespace {

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

bool Check::passed() const {
  return is_statement ? value == 1 : std::abs(value - expected) <= tolerance;
}

Output::Output(std::filesystem::path folder, int threads, Progress* progress)
    : folder_(std::move(folder)), threads_(threads), progress_(progress) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure) {
    throw Error(ErrorKind::file, fmt::format("the folder cannot be made: {}", failure.message()),
                folder_.string(), "choose another one with --out");
  }
}

void Output::picture(std::string_view name, const Picture& picture, std::string caption) {
  std::string file = fmt::format("{}.svg", name);
  save_picture(folder_ / file, picture);
  blocks_.push_back(PictureBlock{std::move(file), std::move(caption)});
}

void Output::table(std::string_view name, std::vector<std::vector<std::string>> rows,
                   std::string caption) {
  std::string csv;
  for (const std::vector<std::string>& row : rows) {
    if (row.size() != rows.front().size()) {
      throw Error("the rows of a table have different lengths", fmt::format("[notes] {}", name));
    }
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i == 0 ? "" : ",") + csv_cell(row[i]);
    csv += "\n";
  }
  std::string file = fmt::format("{}.csv", name);
  write_file_atomically(folder_ / file, csv);
  blocks_.push_back(TableBlock{std::move(file), std::move(caption), std::move(rows)});
}

void Output::text(std::string paragraph) { blocks_.push_back(TextBlock{std::move(paragraph)}); }

void Output::code(std::string text, std::string caption) {
  blocks_.push_back(CodeBlock{std::move(caption), std::move(text)});
}

void Output::check(std::string what, double value, double expected, double tolerance) {
  checks_.push_back({std::move(what), value, expected, tolerance});
}

void Output::require(std::string what, bool holds) {
  checks_.push_back({std::move(what), holds ? 1.0 : 0.0, 1, 0, true});
}

}  // namespace cauchy::notes
