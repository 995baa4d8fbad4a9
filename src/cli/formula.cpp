#include <fmt/ostream.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/solvers/formula.hpp>

#include "cli/command.hpp"
#include "cli/grid_option.hpp"
#include "cli/json.hpp"
#include "cli/option_checks.hpp"
#include "cli/options.hpp"

namespace cauchy::cli {
namespace {

struct FormulaCommand : CommonOptions {
  std::string folder, functions;
  int digits = 5;
  double prune = 1e-2;
  bool edges = false;
};

void run_formula(const FormulaCommand& o, Console& console) {
  const LoadedRun run = load_run(o.folder, o.threads);
  RunFormulaOptions options{.prune = o.prune};
  options.formula.digits = o.digits;
  if (!o.functions.empty()) options.formula.functions = split_list(o.functions);
  const auto found = formulas_of(run.file.problem, run.file.method, run.solution, options);
  if (o.json) {
    Json list = Json::array();
    for (const FieldFormula& f : found) {
      list.push_back({{"field", f.field},
                      {"formula", to_string(f.formula)},
                      {"r2", f.r2},
                      {"edges", f.edges}});
    }
    return print_json(console.out, list);
  }
  for (const FieldFormula& f : found) {
    fmt::print(console.out, "{} = {}\n", f.field, to_string(f.formula));
    fmt::print(console.out, "  R2 = {:.8f} against the network\n", f.r2);
    for (std::size_t k = 0; o.edges && k < f.edges.size(); ++k) {
      fmt::print(console.out, "  {}\n", f.edges[k]);
    }
  }
}

}  // namespace

void add_formula(CLI::App& app, Console& console) {
  CLI::App* command =
      app.add_subcommand("formula", "Write the answer of a Kolmogorov-Arnold network as a formula");
  auto o = std::make_shared<FormulaCommand>();
  not_empty(command->add_option("run", o->folder, "folder of a run")->required(), "runs/fit");
  not_empty(
      command->add_option("--functions", o->functions,
                          "what edges may be: \"x, x^2, sin, exp\"; without it all of x, x^2, "
                          "x^3, sqrt, exp, log, sin, 1/x, tanh, abs, gaussian"),
      "\"x, x^2, sin\"");
  command->add_option("--digits", o->digits, "significant digits of the numbers; 0: all")
      ->check(CLI::Range(0, 17))
      ->capture_default_str();
  command->add_option("--prune", o->prune, "nodes with smaller scores are left out")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--edges", o->edges, "list the functions of the edges");
  add_threads_option(*command, *o);
  add_json_option(*command, *o);
  command->callback([o, &console] { run_formula(*o, console); });
}

}  // namespace cauchy::cli
