// The cost model: how fast this machine does what work counts, and the seconds that are foreseen
// and shown against those that runs take, over the library.
//   bench_cost                 rates, and the default and classical methods on all files, 10 s of
//   training each bench_cost rates           the table of rates alone
//   --keep                     keeps the measured rates for the seconds that `cauchy` shows on this
//   machine
//   --only TEXT                files whose name contains it
//   --seconds S                budget of a training in nominal seconds (10)
//   --threads N                (2)
//   --smallest                 one file, half a second
// Compared are levels of classical methods and trainings that are foreseen to take, or take, 0.1 s
// or more: those are shown as numbers. The bars: the median off by at most 1.5, the worst of them
// by at most 4; they are printed and judge nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/machine_rates.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/machine_speed.hpp>
#include <cauchy/solvers/method.hpp>

#include "bench_options.hpp"
#include "library_problem.hpp"

namespace {

using namespace cauchy;

struct Row {
  std::string file, method;
  double foreseen = 0, took = 0;  // seconds
  double counted = 0;             // what the counted work would take at these rates
  [[nodiscard]] double factor() const { return std::max(foreseen / took, took / foreseen); }
};

struct Settings {
  WorkRates rates = nominal_rates();
  double seconds = 10;
  int threads = 2;
};

constexpr double shown_from = 0.1;

void keep_row(std::vector<Row>& rows, Row row) {
  if (std::max(row.foreseen, row.took) < shown_from) return;
  fmt::print("{:<28} {:<58} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.2f}\n", row.file,
             row.method.substr(0, 58), row.foreseen, row.counted, row.took,
             row.foreseen / row.took);
  std::fflush(stdout);
  rows.push_back(std::move(row));
}

void classical(const Problem& problem, const Method& method, const Settings& s,
               std::vector<Row>& rows) {
  const auto prepared = prepare(problem, method, s.threads);
  const RunLimit limit = RunLimit().with_work(4 * s.seconds);
  (void)prepared->run({.threads = s.threads, .limit = limit});
  for (const LevelCost& level : prepared->levels()) {
    keep_row(rows, {problem.name, level.method, seconds_of(level.foreseen, s.rates, s.threads),
                    level.seconds, seconds_of(level.counted, s.rates, s.threads)});
  }
}

/// The steps of the file's own method, fewer of them.
void training(const Problem& problem, Method method, const Settings& s, std::vector<Row>& rows) {
  if (auto* recipe = std::get_if<Auto>(&method)) recipe->seconds = s.seconds;
  const auto prepared = prepare(problem, method, s.threads);
  const MethodCost cost = prepared->cost();
  if (!cost.training || cost.nominal() > 4 * s.seconds) return;
  const Work before = work_of_thread();
  const Solution solution = prepared->run({.threads = s.threads, .error_share = 0}).solution;
  const Work counted = work_of_thread().since(before);
  const auto steps = static_cast<double>(solution.training ? solution.training->steps : 0);
  if (!(steps > 0)) return;
  // Trainings may end before their budget does: what is foreseen of a step is compared.
  const double part = steps / static_cast<double>(std::max<std::uint64_t>(1, cost.training->steps));
  keep_row(rows, {problem.name, cost.method, part * seconds_of(cost.work, s.rates, s.threads),
                  solution.seconds, seconds_of(counted, s.rates, s.threads)});
}

int run(int argc, char** argv) {
  Settings s;
  std::string only;
  if (bench::take_smallest(argc, argv)) {
    only = "heated_bar";
    s.seconds = 0.5;
  }
  bool keep = false, rates_alone = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "rates") rates_alone = true;
    if (word == "--keep") keep = true;
    if (word == "--only") only = value();
    if (word == "--seconds") s.seconds = std::stod(value());
    if (word == "--threads") s.threads = std::stoi(value());
  }
  s.rates = measure_rates();
  fmt::print("{:<10} {:>12} {:>12} {:>6}\n", "kind", "nominal", "here", "ratio");
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    fmt::print("{:<10} {:>12.3g} {:>12.3g} {:>6.2f}\n", to_string(static_cast<WorkKind>(k)),
               nominal_rates()[k], s.rates[k], s.rates[k] / nominal_rates()[k]);
  }
  if (keep) keep_machine_rates(s.rates);
  if (rates_alone) return 0;
  fmt::print("\n{:<28} {:<58} {:>8} {:>8} {:>8} {:>6}\n", "file", "method", "foreseen", "counted",
             "took", "ratio");
  std::vector<Row> rows;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("problems")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    if (path.stem().string().find(only) == std::string::npos) continue;
    const ProblemFile file = read_problem_file(path);
    for (const MethodEntry& entry : all_methods()) {
      if (entry.training != nullptr || entry.name == "auto-classical") continue;
      try {
        classical(file.problem, entry.options, s, rows);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::memory) throw;
      }
    }
    Method method = file.method;
    if (training_settings(method)) training(file.problem, method, s, rows);
  }
  std::vector<double> factors;
  for (const Row& r : rows) factors.push_back(r.factor());
  if (factors.empty()) return 0;
  const auto worst = std::max_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.factor() < b.factor(); });
  fmt::print("\n{} rows: median off by {:.2f}, worst {:.2f} ({}, {})\n", rows.size(),
             median(factors), worst->factor(), worst->file, worst->method);
  fmt::print("bars: median 1.5, worst 4\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_cost: {}\n", e.what());
    return 2;
  }
}
