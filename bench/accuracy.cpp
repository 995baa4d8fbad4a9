// How small the error gets: problems of the library solved by chains of optimisers, and by `auto`,
// with several seeds, everything in double precision. Prints a table while it works and can write
// it as a page.
//
//   accuracy [--full] [--only TEXT] [--problems FOLDER] [--write FILE] [--smallest]
//     --full      also the long cases, some hours
//     --only      cases whose name contains the text
//     --write     the tables as Markdown, with the machine; those of other cases stay
//     --smallest  one chain of a few steps with one seed
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "library_problem.hpp"
#include "page_table.hpp"

namespace {

using namespace cauchy;

struct Case {
  std::string name, file, setting;     ///< what is solved, and a phrase on how
  std::vector<std::string> overrides;  ///< of the file
  std::vector<std::string> chains;     ///< of optimisers; "auto": the recipe and nothing else
  std::vector<std::uint64_t> seeds;
  double max_seconds;
  std::string goal;
  bool is_long = false;
};

std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> network(int width, int depth, int interior, int boundary, int initial) {
  std::vector<std::string> all = {fmt::format("method.network.width={}", width),
                                  fmt::format("method.network.depth={}", depth),
                                  fmt::format("method.points.interior={}", interior),
                                  fmt::format("method.points.boundary={}", boundary)};
  if (initial > 0) all.push_back(fmt::format("method.points.initial={}", initial));
  return all;
}

/// The same weight for the first n conditions.
std::vector<std::string> weights(int n, int weight) {
  std::vector<std::string> all;
  for (int k = 0; k < n; ++k) all.push_back(fmt::format("condition[{}].weight={}", k, weight));
  return all;
}

std::vector<std::uint64_t> seeds_to(std::uint64_t n) {
  std::vector<std::uint64_t> all(n);
  std::iota(all.begin(), all.end(), std::uint64_t{1});
  return all;
}

/// Networks, points and weights by hand: optimisers are compared.
std::vector<Case> optimizer_cases() {
  const std::vector<std::string> published =
      join(network(20, 4, 8000, 500, 500), {"tolerance=1e-5"});
  const std::vector<std::string> one_layer =
      join(join(network(32, 1, 900, 120, 0), weights(1, 20)), {"tolerance=1e-7"});
  const std::vector<std::string> sine = join(one_layer, {"method.network.activation=sin"});
  return {
      {"poisson, 2-32-1",
       "poisson_square.toml",
       "one hidden layer of 32, 900 + 120 points",
       one_layer,
       {"levenberg_marquardt 100", "natural_gradient 100", "ssbroyden 2000", "lbfgs 2000"},
       seeds_to(5),
       60,
       "1e-7 in 100 iterations and 10 s"},
      {"poisson, sine",
       "poisson_square.toml",
       "the same with the activation sin",
       sine,
       {"levenberg_marquardt 100", "natural_gradient 100", "ssbroyden 2000"},
       seeds_to(5),
       60,
       "1e-7 in 100 iterations and 10 s"},
      {"heated bar",
       "heated_bar.toml",
       "3 x 20, 1,000 points",
       join(join(network(20, 3, 800, 100, 100), weights(2, 10)), {"tolerance=1e-7"}),
       {"adam 500, ssbroyden 10000", "adam 500, bfgs 10000", "adam 500, lbfgs 10000",
        "levenberg_marquardt 400"},
       seeds_to(3),
       30,
       "1e-7 in 30 s"},
      {"string, second mode",
       "wave.toml",
       "3 x 24, 1,800 points",
       join(join(network(24, 3, 1500, 150, 150), weights(3, 10)), {"tolerance=1e-7"}),
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       seeds_to(3),
       30,
       "1e-7 in 30 s"},
      {"string, steep bump",
       "string_dirichlet.toml",
       "half a period, 3 x 20, 1,900 points",
       join(join(network(20, 3, 1500, 100, 150), weights(3, 100)),
            {"tolerance=1e-7", "domain.time.t=[0, 1]"}),
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       seeds_to(2),
       30,
       "1e-7 in 30 s"},
      {"helmholtz",
       "helmholtz.toml",
       "2 x 24, sine, 1,700 points",
       join(join(network(24, 2, 1500, 200, 0), weights(1, 100)),
            {"tolerance=1e-5", "method.network.activation=sin"}),
       {"adam 500, ssbroyden 30000", "adam 500, lbfgs 30000"},
       seeds_to(2),
       180,
       "1e-5 in 3 min"},
      {"burgers, 10,000",
       "burgers.toml",
       "4 x 20, 9,000 points",
       published,
       {"adam 1000, ssbroyden 10000", "adam 1000, ssbfgs 10000", "adam 1000, bfgs 10000",
        "adam 1000, lbfgs 10000"},
       seeds_to(1),
       300,
       "1e-5 in 5 min"},
      {"burgers, 50,000",
       "burgers.toml",
       "4 x 20, 9,000 points",
       published,
       {"adam 1000, ssbroyden 50000", "adam 1000, ssbroyden 50000 redraw=500",
        "adam 1000, ssbfgs 50000", "adam 1000, bfgs 50000", "adam 1000, lbfgs 50000"},
       seeds_to(2),
       1800,
       "2e-7 (SSBroyden), 1.5e-5 (BFGS)",
       true},
  };
}

/// Problems that are hard for networks, by the recipe of those who write no [method].
std::vector<Case> auto_cases() {
  const auto by_recipe = [](const std::string& name, const std::string& file, double seconds,
                            const std::string& goal, std::uint64_t n_seeds = 3,
                            const std::vector<std::string>& overrides = {}) {
    return Case{"auto: " + name, file,     "the file as it is",
                overrides,       {"auto"}, seeds_to(n_seeds),
                seconds,         goal,     true};
  };
  Case string = by_recipe("string, steep bump", "string_dirichlet.toml", 120, "1e-7", 3,
                          {"domain.time.t=[0, 1]"});
  string.setting = "half a period";
  return {by_recipe("burgers", "burgers.toml", 180, "1e-6 in 3 min"),
          by_recipe("burgers, full", "burgers.toml", 1800, "1e-7; published 7e-8"),
          by_recipe("burgers, 16 starts", "burgers.toml", 20, "worst of 16 seeds 3e-5", 16),
          by_recipe("allen_cahn", "allen_cahn.toml", 300, "1e-4 in 5 min"),
          by_recipe("allen_cahn, full", "allen_cahn.toml", 1800, "1e-5; published 9.4e-7"),
          by_recipe("advection_30", "advection_30.toml", 300, "1e-4"),
          by_recipe("advection_80", "advection_80.toml", 300, "1e-3; published 6.9e-4"),
          by_recipe("kuramoto_sivashinsky", "kuramoto_sivashinsky.toml", 600,
                    "1e-3 in 10 min; published 3.5e-4"),
          by_recipe("lid_driven_cavity", "lid_driven_cavity.toml", 300, "1e-3"),
          by_recipe("lid_driven_cavity_1000", "lid_driven_cavity_1000.toml", 600,
                    "5e-2; published 7.8e-2, with a lid that moves up to the corners"),
          by_recipe("lorenz", "lorenz.toml", 300, "1e-4"),
          string};
}

std::vector<Case> cases() {
  std::vector<Case> all = optimizer_cases();
  for (Case& c : auto_cases()) all.push_back(std::move(c));
  return all;
}

/// One chain of a case, with one seed.
std::vector<Case> smallest_cases() {
  Case c = optimizer_cases().front();
  c.chains = {"lbfgs 5"};
  c.seeds = {1};
  return {c};
}

struct Row {
  std::string problem, chain;
  std::vector<double> errors, seconds;
  std::uint64_t iterations = 0, evaluations = 0;
};

/// Seeds in order; iterations and evaluations are those of the last seed.
Row run_chain(const Case& c, const std::string& chain, const std::filesystem::path& folder) {
  Row row{c.name, chain, {}, {}};
  for (const std::uint64_t seed : c.seeds) {
    ProblemFile file = read_with_reference(folder / c.file, c.overrides);
    if (chain == "auto") {
      file.method = Auto{.seconds = c.max_seconds};
    } else {
      std::get<Pinn>(file.method).stages = parse_stages(chain, chain);
    }
    training_settings(file.method)->seed = seed;
    RunOptions options;
    options.max_seconds = c.max_seconds;
    const Solution s = solve(file.problem, file.method, options);
    row.errors.push_back(s.error.relative_l2());
    row.seconds.push_back(s.seconds);
    row.iterations = s.training->steps;
    row.evaluations = s.training->evaluations;
    fmt::print("{:<28} {:<40} {:>4} {:>8} {:>9} {:>8.1f} {:>9.1e}\n", c.name, chain, seed,
               s.training->steps, s.training->evaluations, s.seconds, s.error.relative_l2());
    std::fflush(stdout);
  }
  return row;
}

/// The table of a case on the page as it was; empty where there is none.
std::string old_table(const std::string& old, const Case& c) {
  const std::size_t from = old.find(fmt::format("\n**{}** (", c.name));
  if (from == std::string::npos) return "";
  const std::string table = old.substr(from, old.find("\n**", from + 1) - from);
  return table.substr(0, table.find_last_not_of('\n') + 1) + "\n";
}

/// Cases without rows keep their tables.
std::string page(const std::vector<Row>& rows, const std::vector<Case>& all,
                 const std::string& old) {
  std::string out =
      "Measured by `make accuracy`. Iterations and evaluations are those of the last seed; a run "
      "ends after the time given.\n";
  for (const Case& c : all) {
    bool first = true;
    for (const Row& r : rows) {
      if (r.problem != c.name) continue;
      if (first) {
        out += fmt::format(
            "\n**{}** (`problems/{}`, {}; goal {}; at most {:.0f} s; seeds {} to {}; {} "
            "on {} threads of {})\n\n"
            "| optimisers | iterations | evaluations | seconds | relative L2, median | worst |\n"
            "|---|---|---|---|---|---|\n",
            c.name, c.file, c.setting, c.goal, c.max_seconds, c.seeds.front(), c.seeds.back(),
            today(), Threads::size_of(0), processor());
        first = false;
      }
      out += fmt::format("| {} | {} | {} | {:.1f} | {:.1e} | {:.1e} |\n", r.chain, r.iterations,
                         r.evaluations, median(r.seconds), median(r.errors),
                         *std::max_element(r.errors.begin(), r.errors.end()));
    }
    if (first) out += old_table(old, c);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool smallest = bench::take_smallest(argc, argv);
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
  fmt::print("{:<28} {:<40} {:>4} {:>8} {:>9} {:>8} {:>9}\n", "problem", "optimisers", "seed",
             "steps", "evals", "seconds", "error");
  std::vector<Row> rows;
  const std::string old = out.empty() ? "" : read_page(out).table;
  for (const Case& c : smallest ? smallest_cases() : cases()) {
    if ((c.is_long && !full) || c.name.find(only) == std::string::npos) continue;
    for (const std::string& chain : c.chains) {
      rows.push_back(run_chain(c, chain, folder));
      if (!out.empty()) write_page(out, page(rows, cases(), old));  // a cut run keeps what it has
    }
  }
  return 0;
} catch (const cauchy::Error& e) {
  fmt::print(stderr, "accuracy: {}\n", e.what());
  return 1;
}
