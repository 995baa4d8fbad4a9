// Estimated against true errors: files of problems/ solved with their references hidden, whole and
// with the training cut, the answers then compared with the references.
//
//   error_bars [--only TEXT] [--seeds LIST] [--cut SHARE] [--max-seconds S] [--threads T]
//              [--problems FOLDER] [--append RESULTS] [--write PAGE] [--plot FILE] [--smallest]
//     --only        files whose name is one of the words of the text, commas between them
//     --seeds       default 1
//     --cut         every run again with this share of its time, default 0.1; 0: not
//     --max-seconds of a whole run, default 60
//     --append      every run as a line; runs that are there are not repeated
//     --write       the table as Markdown, from all lines of RESULTS; --plot: the same as a picture
//     --smallest    one file, whole in one second
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/picture.hpp>
#include <cauchy/report/plot.hpp>
#include <cauchy/solvers/family_error.hpp>
#include <cauchy/solvers/method.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "library_problem.hpp"
#include "library_runs.hpp"
#include "page_table.hpp"

namespace {

using namespace cauchy;
namespace fs = std::filesystem;

const std::string columns =
    "problem,seed,share,true,own,estimate,stated,grade,training,estimating,how\n";

struct BarRun {
  std::string problem;
  std::uint64_t seed = 1;
  double share = 1;
  double truth = NAN, own = 0;  ///< true error, and what the reference may be off by
  double estimate = NAN, stated = NAN;
  std::string grade = {};
  double training = 0, estimating = 0;  ///< seconds
  std::string how = {};
};

std::string line_of(BarRun r) {
  for (char& c : r.how) {
    if (c == ',' || c == '\n') c = ';';
  }
  return fmt::format("{},{},{:g},{:.3e},{:.1e},{:.3e},{:.3e},{},{:.2f},{:.2f},{}\n", r.problem,
                     r.seed, r.share, r.truth, r.own, r.estimate, r.stated, r.grade, r.training,
                     r.estimating, r.how);
}

/// Of a family that of the worst member, as its estimate is, of the same members.
double error_of_worst_member(const Solution& s) {
  constexpr std::size_t n_members = 6;
  if (s.problem.domain->ranges().empty()) return s.error.relative_l2();
  return family_error(
             s,
             [&](Solution member) {
               member.problem.reference = s.problem.reference;
               ErrorEstimate made;
               made.relative_l2 = measure_error(member).relative_l2();
               return std::optional(made);
             },
             n_members)
      .worst_l2;
}

/// What a user without a reference sees, and how wrong it is.
BarRun run_of(const fs::path& path, std::uint64_t seed, double share, double limit, int threads) {
  BarRun r{.problem = path.stem().string(), .seed = seed, .share = share};
  const ProblemFile file = read_with_reference(path);
  Problem hidden = file.problem;
  hidden.reference = {};
  for (Unknown& u : hidden.unknowns) u.truth.reset();
  Method method = file.method;
  if (const auto settings = training_settings(method)) settings->seed = seed;
  const auto start = std::chrono::steady_clock::now();
  Solution s = solve(hidden, method, {.threads = threads, .max_seconds = limit, .estimate = true});
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  r.training = s.seconds;
  r.estimating = all.count() - s.seconds;
  r.grade = to_string(s.grade);
  if (s.estimate) {
    r.estimate = s.estimate->relative_l2;
    r.stated = s.estimate->stated();
    r.how = s.estimate->how;
  } else {
    for (const std::string& f : s.findings) {
      if (f.find("estimated") != std::string::npos) r.how = f;
    }
  }
  s.problem = file.problem;
  s.error = measure_error(s);
  r.truth = error_of_worst_member(s);
  r.own = s.error.reference_error;
  return r;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(word);
  return all;
}

std::vector<BarRun> read_bar_runs(const fs::path& file) {
  std::vector<BarRun> all;
  std::istringstream lines(read_file(file));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> c = words(line);
    c.resize(11);
    all.push_back({c[0], std::stoull(c[1]), std::stod(c[2]), std::stod(c[3]), std::stod(c[4]),
                   std::stod(c[5]), std::stod(c[6]), c[7], std::stod(c[8]), std::stod(c[9]),
                   c[10]});
  }
  return all;
}

/// How the runs are counted: those whose true error is known well enough to judge an estimate.
std::string page(const std::vector<BarRun>& runs) {
  std::string rows;
  std::size_t counted = 0, within = 0, judged = 0, wrong = 0, good = 0, refused = 0;
  for (const BarRun& r : runs) {
    const double ratio = r.estimate / r.truth;
    const bool known = r.own <= 0.3 * r.truth;
    if (known && r.truth <= 0.3 && !std::isnan(r.estimate)) {
      ++counted;
      within += ratio >= 0.3 && ratio <= 3;
    }
    if (r.grade == "converged") {
      ++judged;
      wrong += r.truth - r.own > 10 * r.stated;
    }
    if (known && r.truth <= 1e-3) {
      ++good;
      refused += r.grade != "converged";
    }
    if (r.seed != runs.front().seed) continue;  // the table would be too long to be read
    rows += fmt::format("| `{}` | {} | {:g} | {:.1e}{} | {} | {} | {} | {:.1f} | {:.1f} | {} |\n",
                        r.problem, r.seed, r.share, r.truth, known ? "" : " ?",
                        std::isnan(r.estimate) ? "-" : fmt::format("{:.1e}", r.estimate),
                        std::isnan(ratio) ? "-" : fmt::format("{:.2g}", ratio), r.grade, r.training,
                        r.estimating, r.how);
  }
  return fmt::format(
      "Written {} by `error_bars` on: {}; {} runs, the table shows those of the first seed. "
      "Estimate over true error between 0.3 and 3: {} of {} "
      "runs with a true error below 30 % and an estimate. Graded `converged`: {}, of these off by "
      "more than ten times what they state: {}. Answers right to 1e-3: {}, of these not called "
      "`converged`: {}.\n\n| file | seed | share | true error | estimate | ratio | grade | "
      "training, "
      "s | estimate, s | how |\n|---|---|---|---|---|---|---|---|---|---|\n{}",
      today(), processor(), runs.size(), within, counted, judged, wrong, good, refused, rows);
}

/// Estimated over true errors; the lines are the true error and factors of 3.
void draw_bars(const std::vector<BarRun>& runs, const fs::path& file) {
  std::map<bool, std::pair<std::vector<double>, std::vector<double>>> points;
  for (const BarRun& r : runs) {
    if (std::isnan(r.estimate) || r.own > 0.3 * r.truth) continue;
    points[r.share == 1].first.push_back(r.truth);
    points[r.share == 1].second.push_back(r.estimate);
  }
  Plot plot({.title = "library with hidden references",
             .x = {.label = "true error", .scale = AxisScale::log},
             .y = {.label = "estimated error", .scale = AxisScale::log}});
  const std::vector<double> ends = {1e-14, 10};
  for (const double factor : {1.0, 3.0, 1 / 3.0}) {
    plot.line(ends, std::vector<double>{factor * ends[0], factor * ends[1]},
              {.color = Color{120, 120, 120}, .width = 1, .dashed = factor != 1});
  }
  for (const auto& [whole, xy] : points) {
    plot.scatter(xy.first, xy.second,
                 {.name = whole ? "whole training" : "training cut", .radius = 3.5});
  }
  save_picture(file, draw_figure({&plot}, {.panel_width = 620, .panel_height = 460}));
}

}  // namespace

int main(int argc, char** argv) try {
  std::string only, seeds = "1";
  double cut = 0.1, max_seconds = 60;
  int threads = 0;
  if (bench::take_smallest(argc, argv)) {
    only = "heated_bar";
    max_seconds = 1;
  }
  fs::path folder = "problems", results, out, picture;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error("a value is missing", option);
      return std::string(argv[++i]);
    };
    if (option == "--only") {
      only = value();
    } else if (option == "--seeds") {
      seeds = value();
    } else if (option == "--cut") {
      cut = std::stod(value());
    } else if (option == "--max-seconds") {
      max_seconds = std::stod(value());
    } else if (option == "--threads") {
      threads = std::stoi(value());
    } else if (option == "--problems") {
      folder = value();
    } else if (option == "--append") {
      results = value();
    } else if (option == "--write") {
      out = value();
    } else if (option == "--plot") {
      picture = value();
    } else {
      throw Error("unknown option", option, "see the head of bench/error_bars.cpp");
    }
  }
  if (!results.empty() && !fs::exists(results)) append(results, columns);
  std::set<std::pair<std::string, std::uint64_t>> done;
  if (!results.empty()) {
    for (const BarRun& r : read_bar_runs(results)) done.insert({r.problem, r.seed});
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const std::vector<std::string> chosen = words(only);
  for (const std::string& seed : words(seeds)) {
    for (const fs::path& file : files) {
      const std::string name = file.stem().string();
      if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), name) == chosen.end())
        continue;
      if (done.contains({name, std::stoull(seed)})) continue;
      std::fflush(stdout);
      const ::pid_t child = ::fork();  // a run that dies ends alone
      if (child == 0) {
        double share = 1, limit = max_seconds;
        for (int k = 0; k < (cut > 0 ? 2 : 1); ++k) {
          BarRun r;
          try {
            r = run_of(file, std::stoull(seed), share, limit, threads);
          } catch (const std::exception& e) {
            r = {.problem = name, .seed = std::stoull(seed), .share = share, .grade = "failed"};
            r.how = e.what();
          }
          const std::string line = line_of(r);
          fmt::print("{}", line);
          if (!results.empty()) append(results, line);
          share = cut;
          limit = std::max(0.05, cut * r.training);
        }
        std::fflush(stdout);
        std::_Exit(0);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fmt::print("{} died\n", name);
    }
  }
  if (!picture.empty() && !results.empty()) draw_bars(read_bar_runs(results), picture);
  if (!out.empty() && !results.empty()) write_page(out, page(read_bar_runs(results)));
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "error_bars: {}\n", e.what());
  return 1;
}
