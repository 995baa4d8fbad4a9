#pragma once

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

// What programs that write tables into pages share.

namespace cauchy {

inline std::string today() {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return date;
}

inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// A page in three parts: to the first mark, the table between the two, from the second one on.
struct MarkedPage {
  std::string before, table, after;
};
inline MarkedPage read_page(const std::filesystem::path& file) {
  const std::string begin = "<!-- table -->\n", end = "<!-- end of table -->";
  const std::string text = read_file(file);
  const std::size_t from = text.find(begin), to = text.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    throw Error("the page has no marks <!-- table --> and <!-- end of table -->", file.string());
  }
  const std::size_t table = from + begin.size();
  return {text.substr(0, table), text.substr(table, to - table), text.substr(to)};
}

/// Replaces what stands between the two marks of a page.
inline void write_page(const std::filesystem::path& file, const std::string& table) {
  const MarkedPage page = read_page(file);
  write_file_atomically(file, page.before + "\n" + table + "\n" + page.after);
}

}  // namespace cauchy
