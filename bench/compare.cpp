// Every method on every problem of the library: error, time, unknowns, memory. Prints a table while
// it works and can write it as a page, with a picture of error against time.
//
//   compare [--only TEXT] [--methods LIST] [--pinn-seconds S] [--problems FOLDER] [--write FILE]
//           [--plot FILE] [--smallest]
//     --only          problems whose name contains the text
//     --methods       names with commas between them; without it all, networks by the method of
//                     the file
//     --pinn-seconds  at most for a network, 0: no networks (default 5)
//     --smallest      one problem, its networks for a second
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/reference.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "bench_options.hpp"
#include "page_table.hpp"

namespace {

using namespace cauchy;

constexpr double classical_seconds = 15;

struct Row {
  std::string problem = {}, method = {}, text = {}, grade = {}, refusal = {};
  double error = NAN, estimate = NAN, seconds = 0, bytes = 0, tolerance = 0;
  std::size_t unknowns = 0;
  bool trained = false;
};

/// One method on one problem; networks with the settings of the file where it names them.
Row run(const std::filesystem::path& file, const MethodEntry& entry, double pinn_seconds,
        const std::optional<ReferenceCode>& reference) {
  const bool trained = entry.training != nullptr;
  ProblemFile problem = read_problem_file(file);
  if (!trained || name_of(problem.method) != entry.name) problem.method = entry.options;
  if (problem.problem.reference.empty()) problem.problem.reference.code = reference;
  Row row{.problem = file.stem().string(), .method = std::string(entry.name)};
  row.tolerance = problem.problem.tolerance.value_or(1e-2);
  row.trained = trained;
  try {
    const auto prepared = prepare(problem);
    RunOptions options;
    options.max_seconds = trained ? pinn_seconds : classical_seconds;
    const Solution s = solve(*prepared, options);
    row.text = s.method;
    row.grade = to_string(s.grade);
    row.error = s.error.relative_l2();
    row.estimate = s.estimate ? s.estimate->relative_l2 : NAN;
    row.seconds = s.seconds;
    row.bytes = prepared->cost().bytes;
    row.unknowns = s.n_unknowns;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::memory) throw;
    row.refusal = e.message();
  }
  fmt::print("{:<22} {:<9} {:>9.1e} {:>9.1e} {:>8.2f} s {:>9}  {:<11} {}\n", row.problem,
             row.method, row.error, row.estimate, row.seconds, row.unknowns,
             row.refusal.empty() ? row.grade : "refused",
             row.refusal.empty() ? row.text : row.refusal);
  std::fflush(stdout);
  return row;
}

/// For files that give none: a classical one, as accurate as can be had in a minute.
std::optional<ReferenceCode> reference_of(const std::filesystem::path& file) {
  const Problem problem = read_problem_file(file).problem;
  if (!problem.reference.empty()) return std::nullopt;
  return find_reference(problem, {.tolerance = problem.tolerance.value_or(1e-2) / 1000}).reference;
}

/// "3e-05", "-" for NaN.
std::string short_text(double v) { return std::isnan(v) ? "-" : fmt::format("{:.0e}", v); }

std::string page(const std::vector<Row>& rows, double pinn_seconds) {
  std::map<std::string, std::vector<const Row*>> problems;
  std::size_t solved = 0;
  for (const Row& r : rows) problems[r.problem].push_back(&r);
  for (const auto& [name, all] : problems) {
    solved += std::any_of(all.begin(), all.end(), [](const Row* r) {
      return !r->trained && r->refusal.empty() && r->error <= r->tolerance;
    });
  }
  std::string out = fmt::format(
      "Measured {} by `make compare` on {} threads of: {}. A network had {:.0f} s, a classical "
      "method {:.0f} s. Of {} problems "
      "{} are solved to their tolerance by some classical method.\n\n"
      "| problem | method | error | estimate | seconds | unknowns | memory | grade |\n"
      "|---|---|---|---|---|---|---|---|\n",
      today(), Threads(0).size(), processor(), pinn_seconds, classical_seconds, problems.size(),
      solved);
  std::string refusals;
  for (const auto& [name, all] : problems) {
    for (const Row* r : all) {
      if (!r->refusal.empty()) {
        refusals += fmt::format("- {}, {}: {}\n", name, r->method, r->refusal);
        continue;
      }
      out += fmt::format("| {} | {} | {} | {} | {:.2g} | {} | {} | {} |\n", name, r->text,
                         short_text(r->error), short_text(r->estimate), r->seconds, r->unknowns,
                         bytes_to_string(r->bytes), r->grade);
    }
  }
  return out + "\nWhat was refused, and why:\n\n" + refusals;
}

void draw_errors(const std::filesystem::path& file, const std::vector<Row>& rows) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> series;
  for (const Row& r : rows) {
    if (!(r.error > 0)) continue;
    series[r.method].first.push_back(std::max(r.seconds, 1e-4));
    series[r.method].second.push_back(std::max(r.error, 1e-16));
  }
  Plot plot({.title = "all problems of the library",
             .x = {.label = "seconds", .scale = AxisScale::log},
             .y = {.label = "relative L2 error", .scale = AxisScale::log},
             .legend = LegendPlace::outside});
  for (const auto& [name, points] : series) {
    plot.scatter(points.first, points.second, {.name = name, .radius = 3.5});
  }
  save_picture(file, draw_figure({&plot}, {.panel_width = 760, .panel_height = 460}));
}

}  // namespace

int main(int argc, char** argv) try {
  std::string only, methods;
  double pinn_seconds = 5;
  if (bench::take_smallest(argc, argv)) {
    only = "heated_bar";
    pinn_seconds = 1;
  }
  std::filesystem::path folder = "problems", out, picture;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--only") {
      only = value;
    } else if (option == "--methods") {
      methods = "," + value + ",";
    } else if (option == "--pinn-seconds") {
      pinn_seconds = std::stod(value);
    } else if (option == "--problems") {
      folder = value;
    } else if (option == "--write") {
      out = value;
    } else if (option == "--plot") {
      picture = value;
    } else {
      throw Error("unknown option", option, "see the head of bench/compare.cpp");
    }
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Row> rows;
  for (const auto& file : files) {
    if (file.stem().string().find(only) == std::string::npos) continue;
    const std::optional<ReferenceCode> reference = reference_of(file);
    const std::string own = name_of(read_problem_file(file).method);
    for (const MethodEntry& entry : all_methods()) {
      const bool classical = entry.training == nullptr && entry.name != "auto-classical";
      const bool wanted = methods.empty()
                              ? classical || (entry.training != nullptr && entry.name == own)
                              : methods.find(fmt::format(",{},", entry.name)) != std::string::npos;
      if (!wanted || (entry.training != nullptr && pinn_seconds <= 0)) continue;
      rows.push_back(run(file, entry, pinn_seconds, reference));
    }
    if (!out.empty()) write_page(out, page(rows, pinn_seconds));  // a cut run keeps what it has
    if (!picture.empty()) draw_errors(picture, rows);
  }
  return 0;
} catch (const cauchy::Error& e) {
  fmt::print(stderr, "compare: {}\n", e.what());
  return 1;
}
