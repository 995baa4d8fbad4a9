#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>

// Runs of the library as lines of a table that several processes may append to.

namespace cauchy {

/// One file with one seed.
struct Run {
  std::string problem = {};
  std::uint64_t seed = 1;
  double seconds = 0;
  double error = NAN;  ///< relative; NaN: nothing to compare with, infinite: no answer
  std::string grade = {}, method = {}, finding = {};
  int threads = 0;
  double limit = 0;
};
using Runs = std::map<std::pair<std::string, std::uint64_t>, Run>;

inline const std::string run_columns =
    "problem,seed,seconds,error,grade,threads,limit,method,finding\n";

inline std::string line_of(const Run& r) {
  const auto plain = [](std::string text) {
    for (char& c : text) {
      if (c == ',' || c == '\n') c = ';';
    }
    return text;
  };
  return fmt::format("{},{},{:.2f},{:.3e},{},{},{:g},{},{}\n", r.problem, r.seed, r.seconds,
                     r.error, r.grade, r.threads, r.limit, plain(r.method), plain(r.finding));
}

/// The last run of every file and seed. A last line that was cut is no run.
inline Runs read_runs(const std::filesystem::path& file) {
  Runs all;
  std::string text = read_file(file);
  text.erase(text.rfind('\n') + 1);
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  if (line + "\n" != run_columns) throw Error("this is no table of runs", file.string());
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    cells.resize(9);
    try {
      Run r{cells[0],
            std::stoull(cells[1]),
            std::stod(cells[2]),
            std::stod(cells[3]),
            cells[4],
            cells[7],
            cells[8],
            std::stoi(cells[5]),
            std::stod(cells[6])};
      all[{r.problem, r.seed}] = r;
    } catch (const std::logic_error&) {
      throw Error(fmt::format("this line is no run: {}", line), file.string());
    }
  }
  return all;
}

/// One write, so that lines of several processes do not mix.
inline void append(const std::filesystem::path& file, const std::string& text) {
  const int out = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0644);
  const bool good =
      out >= 0 && ::write(out, text.data(), text.size()) == static_cast<::ssize_t>(text.size());
  if (out >= 0) ::close(out);
  if (!good) throw Error("cannot be written", file.string());
}

}  // namespace cauchy
