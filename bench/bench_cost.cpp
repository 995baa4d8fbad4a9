// The cost model: how fast this machine does what work counts, and the seconds that are foreseen
// and shown against those that runs take, over the library.
//   bench_cost                 rates, and the classical methods and the training of every file
//   bench_cost rates           the table of rates alone
//   --keep                     keeps the measured rates for the seconds that `cauchy` shows here
//   --only TEXT                files whose name contains it
//   --part K N                 every Nth file from the Kth (0 1)
//   --seconds S                budget of a training in nominal seconds (10)
//   --threads N                (2)
//   --smallest                 one file, half a second
// Compared are levels of classical methods and trainings that are foreseen to take, or take, 0.1 s
// or more: those are shown as numbers. A level that a limit cut short (*) is compared where it had
// taken longer than foreseen by then, and left out where it had not. The tables of
// docs/design/cost.md follow: foreseen against taken, and its two parts, foreseen against counted
// and counted against taken. The bars: the median off by at most 1.5, the worst of them by at most
// 4; they are printed and judge nothing.
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

/// How far two positive numbers are apart, as a factor; tiny ones are taken for equal.
double factor_between(double a, double b) {
  constexpr double least = 1e-3;  // seconds
  return std::max(a, least) / std::max(b, least) > 1 ? std::max(a, least) / std::max(b, least)
                                                     : std::max(b, least) / std::max(a, least);
}

struct Row {
  std::string file, kind, method;
  double foreseen = 0, took = 0;  // seconds
  double counted = 0;             // what the counted work would take at these rates
  bool interrupted = false;
  [[nodiscard]] double factor() const { return factor_between(foreseen, took); }
};

struct Settings {
  WorkRates rates = nominal_rates();
  double seconds = 10;
  int threads = 2;
};

constexpr double shown_from = 0.1;

void keep_row(std::vector<Row>& rows, Row row) {
  if (std::max(row.foreseen, row.took) < shown_from) return;
  fmt::print("{:<28} {:<57}{} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.2f}\n", row.file,
             row.method.substr(0, 57), row.interrupted ? '*' : ' ', row.foreseen, row.counted,
             row.took, row.foreseen / row.took);
  std::fflush(stdout);
  if (!row.interrupted || row.took > row.foreseen) rows.push_back(std::move(row));
}

void classical(const Problem& problem, const MethodEntry& entry, const Settings& s,
               std::vector<Row>& rows) {
  const auto prepared = prepare(problem, entry.options, s.threads);
  const RunLimit limit = RunLimit().with_work(4 * s.seconds);
  (void)prepared->run({.threads = s.threads, .limit = limit});
  for (const LevelCost& level : prepared->levels()) {
    keep_row(rows, {problem.name, std::string(entry.name), level.method,
                    seconds_of(level.foreseen, s.rates, s.threads), level.seconds,
                    seconds_of(level.counted, s.rates, s.threads), level.interrupted});
  }
}

/// The steps of the file's own method, fewer of them.
void training(const Problem& problem, Method method, const Settings& s, std::vector<Row>& rows) {
  if (auto* recipe = std::get_if<Auto>(&method)) recipe->seconds = s.seconds;
  const auto prepared = prepare(problem, method, s.threads);
  const MethodCost cost = prepared->cost();
  if (!cost.training) return;
  const Work of_network = cost.work.since(cost.training->search);
  if (nominal_seconds(of_network, s.threads) > 4 * s.seconds) return;
  const Work before = work_of_thread();
  const Solution solution = prepared->run({.threads = s.threads, .error_share = 0}).solution;
  const Work counted = work_of_thread().since(before);
  const auto steps = static_cast<double>(solution.training ? solution.training->steps : 0);
  if (!(steps > 0)) return;
  // Trainings may end before their budget does: what is foreseen of a step is compared.
  const double part = steps / static_cast<double>(std::max<std::uint64_t>(1, cost.training->steps));
  Work foreseen = of_network.times(part);
  foreseen += cost.training->search;
  keep_row(rows, {problem.name, "training", cost.method, seconds_of(foreseen, s.rates, s.threads),
                  solution.seconds, seconds_of(counted, s.rates, s.threads)});
}

/// Median, the ninth of ten, and the worst.
std::string spread_of(std::vector<double> factors) {
  std::sort(factors.begin(), factors.end());
  const double most = static_cast<double>(factors.size() - 1);
  const auto ninth = static_cast<std::size_t>(std::ceil(0.9 * most));
  return fmt::format("{:.2g} | {:.2g} | {:.2g}", median(factors), factors[ninth], factors.back());
}

/// The tables of docs/design/cost.md: by method, and all.
void print_tables(const std::vector<Row>& rows) {
  std::vector<std::string> kinds;
  for (const Row& r : rows) {
    if (std::find(kinds.begin(), kinds.end(), r.kind) == kinds.end()) kinds.push_back(r.kind);
  }
  std::sort(kinds.begin(), kinds.end());
  kinds.emplace_back("all");
  fmt::print(
      "\n| | rows | foreseen/took: median off by | nine of ten within | worst | "
      "foreseen/counted: median | nine of ten | worst | counted/took: median | nine of ten "
      "| worst |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& kind : kinds) {
    std::vector<double> whole, forecast, counting;
    for (const Row& r : rows) {
      if (kind != "all" && r.kind != kind) continue;
      whole.push_back(r.factor());
      forecast.push_back(factor_between(r.foreseen, r.counted));
      counting.push_back(factor_between(r.counted, r.took));
    }
    fmt::print("| {} | {} | {} | {} | {} |\n", kind, whole.size(), spread_of(whole),
               spread_of(forecast), spread_of(counting));
  }
}

int run(int argc, char** argv) {
  Settings s;
  std::string only;
  if (bench::take_smallest(argc, argv)) {
    only = "heated_bar";
    s.seconds = 0.5;
  }
  bool keep = false, rates_alone = false;
  std::size_t part = 0, parts = 1, n_files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "rates") rates_alone = true;
    if (word == "--keep") keep = true;
    if (word == "--only") only = value();
    if (word == "--part") {
      part = std::stoul(value());
      parts = std::max(1ul, std::stoul(value()));
    }
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
    if (n_files++ % parts != part) continue;
    const ProblemFile file = read_problem_file(path);
    for (const MethodEntry& entry : all_methods()) {
      if (entry.training != nullptr || entry.name == "auto-classical") continue;
      try {
        classical(file.problem, entry, s, rows);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::memory) throw;
      }
    }
    Method method = file.method;
    if (training_settings(method)) training(file.problem, method, s, rows);
  }
  if (rows.empty()) return 0;
  print_tables(rows);
  const auto worst = std::max_element(
      rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.factor() < b.factor(); });
  fmt::print("\nworst {:.2g}: {}, {}\n", worst->factor(), worst->file, worst->method);
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
