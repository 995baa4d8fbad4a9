// How small the error gets: problems of the library solved by chains of optimisers with several
// seeds, everything in double precision. Prints a table while it works and can write it as a page.
//
//   accuracy [--full] [--only TEXT] [--problems FOLDER] [--write FILE]
//     --full      also the long cases, some hours
//     --only      cases whose name contains the text
//     --write     the table as Markdown, with the machine
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/files.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "page_table.hpp"

namespace {

using namespace cauchy;

struct Case {
  std::string name, file, setting;     ///< what is solved, and a phrase on how
  std::vector<std::string> overrides;  ///< of the file
  std::vector<std::string> chains;
  std::vector<std::uint64_t> seeds;
  double max_seconds;
  std::string goal;
  bool is_long = false;
};

std::vector<Case> cases() {
  const std::vector<std::string> published = {
      "method.network.width=20",    "method.network.depth=4",    "method.points.interior=8000",
      "method.points.boundary=500", "method.points.initial=500", "tolerance=1e-5"};
  const std::vector<std::string> one_layer = {"method.network.width=32", "method.network.depth=1",
                                              "method.points.interior=900",
                                              "method.points.boundary=120", "tolerance=1e-7"};
  std::vector<std::string> sine = one_layer;
  sine.push_back("method.network.activation=sin");
  const std::vector<std::string> small = {
      "tolerance=1e-7", "method.network.width=20", "method.points.interior=1500",
      "method.points.boundary=100", "method.points.initial=150"};
  return {
      {"poisson, 2-32-1",
       "poisson_square.toml",
       "one hidden layer of 32, 900 + 120 points",
       one_layer,
       {"levenberg_marquardt 100", "natural_gradient 100", "ssbroyden 2000", "lbfgs 2000"},
       {1, 2, 3, 4, 5},
       60,
       "1e-7 in 100 iterations and 10 s"},
      {"poisson, sine",
       "poisson_square.toml",
       "the same with the activation sin",
       sine,
       {"levenberg_marquardt 100", "natural_gradient 100", "ssbroyden 2000"},
       {1, 2, 3, 4, 5},
       60,
       "1e-7 in 100 iterations and 10 s"},
      {"heated bar",
       "heated_bar.toml",
       "3 x 20, 1,000 points",
       {"tolerance=1e-7"},
       {"adam 500, ssbroyden 10000", "adam 500, bfgs 10000", "adam 500, lbfgs 10000",
        "levenberg_marquardt 400"},
       {1, 2, 3},
       30,
       "1e-7 in 30 s"},
      {"string, second mode",
       "wave.toml",
       "3 x 24, 1,800 points",
       {"tolerance=1e-7"},
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       {1, 2, 3},
       30,
       "1e-7 in 30 s"},
      {"string, steep bump",
       "string_dirichlet.toml",
       "3 x 20, 1,900 points",
       small,
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       {1, 2},
       30,
       "1e-7 in 30 s"},
      {"helmholtz",
       "helmholtz.toml",
       "2 x 24, sine, 1,700 points",
       {"tolerance=1e-5"},
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       {1, 2},
       180,
       "1e-5 in 3 min"},
      {"burgers, 10,000",
       "burgers.toml",
       "4 x 20, 9,000 points",
       published,
       {"adam 1000, ssbroyden 10000", "adam 1000, ssbfgs 10000", "adam 1000, bfgs 10000",
        "adam 1000, lbfgs 10000"},
       {1},
       300,
       "1e-5 in 5 min"},
      {"burgers, 50,000",
       "burgers.toml",
       "4 x 20, 9,000 points",
       published,
       {"adam 1000, ssbroyden 50000", "adam 1000, ssbroyden 50000 redraw=500",
        "adam 1000, ssbfgs 50000", "adam 1000, bfgs 50000", "adam 1000, lbfgs 50000"},
       {1, 2},
       1800,
       "2e-7 (SSBroyden), 1.5e-5 (BFGS)",
       true},
  };
}

struct Row {
  std::string problem, chain;
  std::vector<double> errors, seconds;
  std::uint64_t iterations = 0, evaluations = 0;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 == 1 ? v[v.size() / 2] : std::sqrt(v[v.size() / 2 - 1] * v[v.size() / 2]);
}

/// Seeds in order; iterations and evaluations are those of the last seed.
Row run_chain(const Case& c, const std::string& chain, const std::filesystem::path& folder) {
  Row row{c.name, chain, {}, {}};
  for (const std::uint64_t seed : c.seeds) {
    ProblemFile file = read_problem_file(folder / c.file, c.overrides);
    std::get<Pinn>(file.method).stages = parse_stages(chain, chain);
    std::get<Pinn>(file.method).seed = seed;
    RunOptions options;
    options.max_seconds = c.max_seconds;
    const Solution s = solve(file.problem, file.method, options);
    row.errors.push_back(s.error.relative_l2());
    row.seconds.push_back(s.seconds);
    row.iterations = s.training->steps;
    row.evaluations = s.training->evaluations;
    fmt::print("{:<18} {:<40} {:>4} {:>8} {:>9} {:>8.1f} {:>9.1e}\n", c.name, chain, seed,
               s.training->steps, s.training->evaluations, s.seconds, s.error.relative_l2());
    std::fflush(stdout);
  }
  return row;
}

std::string page(const std::vector<Row>& rows, const std::vector<Case>& all) {
  std::string out = fmt::format(
      "Measured {} by `make accuracy` on {} threads of: {}. Iterations and evaluations are those "
      "of "
      "the last seed; a run ends after the time given.\n",
      today(), Threads(0).size(), processor());
  for (const Case& c : all) {
    bool first = true;
    for (const Row& r : rows) {
      if (r.problem != c.name) continue;
      if (first) {
        out += fmt::format(
            "\n**{}** (`problems/{}`, {}; goal {}; at most {:.0f} s; seeds {} to {})\n\n"
            "| optimisers | iterations | evaluations | seconds | relative L2, median | worst |\n"
            "|---|---|---|---|---|---|\n",
            c.name, c.file, c.setting, c.goal, c.max_seconds, c.seeds.front(), c.seeds.back());
        first = false;
      }
      out += fmt::format("| {} | {} | {} | {:.1f} | {:.1e} | {:.1e} |\n", r.chain, r.iterations,
                         r.evaluations, median(r.seconds), median(r.errors),
                         *std::max_element(r.errors.begin(), r.errors.end()));
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  bool full = false;
  std::string only;
  std::filesystem::path folder = "problems", out;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw Error("a value is missing", option);
      return std::string(argv[++i]);
    };
    if (option == "--full") {
      full = true;
    } else if (option == "--only") {
      only = value();
    } else if (option == "--problems") {
      folder = value();
    } else if (option == "--write") {
      out = value();
    } else {
      throw Error("unknown option", option, "see the head of bench/accuracy.cpp");
    }
  }
  fmt::print("{:<18} {:<40} {:>4} {:>8} {:>9} {:>8} {:>9}\n", "problem", "optimisers", "seed",
             "steps", "evals", "seconds", "error");
  std::vector<Row> rows;
  for (const Case& c : cases()) {
    if ((c.is_long && !full) || c.name.find(only) == std::string::npos) continue;
    for (const std::string& chain : c.chains) {
      rows.push_back(run_chain(c, chain, folder));
      if (!out.empty()) write_page(out, page(rows, cases()));  // a cut run keeps what it has
    }
  }
  return 0;
} catch (const cauchy::Error& e) {
  fmt::print(stderr, "accuracy: {}\n", e.what());
  return 1;
}
