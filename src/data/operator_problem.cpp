#include <cauchy/data/operator_problem.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/problem/place.hpp>

#include "data/input_sampler.hpp"
#include "io/nearest_name.hpp"

namespace cauchy {
namespace {

constexpr int most_nodes = 1 << 16;  // along an axis

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void unknown(std::string_view what, const std::string& name, const std::string& place,
                          const std::vector<std::string>& known) {
  throw Error(fmt::format("unknown {} '{}'", what, name), place,
              detail::nearest_name_hint(name, known, fmt::format("{}s", what)));
}

void check_inputs(const OperatorProblem& op) {
  if (op.inputs.empty()) {
    throw Error("an operator needs at least one input function", "[operator.inputs]",
                "inputs = { a = { field = \"grf(alpha = 2, tau = 3)\" } }");
  }
  std::vector<Expr> forms;
  for (const ProblemEquation& e : op.problem.equation) forms.push_back(e.form.residual());
  for (const Condition& c : op.problem.condition) forms.push_back(c.form.residual());
  const std::vector<Expr> calls = atoms(forms, Kind::call);
  const std::vector<std::string>& space = op.problem.domain->space()->coordinates();
  std::vector<std::string> names;
  for (const InputFunction& input : op.inputs) {
    const std::string place = fmt::format("input '{}'", input.name);
    if (is_named(names, input.name)) throw Error("it is given twice", place, "rename one of them");
    names.push_back(input.name);
    for (const std::string& x : input.arguments) {
      if (!is_named(space, x)) unknown("coordinate", x, place, space);
    }
    const bool used = std::any_of(calls.begin(), calls.end(),
                                  [&](const Expr& e) { return e.name() == input.name; });
    if (used) continue;
    throw Error(fmt::format("nothing in the equations and conditions uses '{}'", input.name), place,
                fmt::format("write {}({}) where it stands", input.name,
                            fmt::join(input.arguments.empty() ? space : input.arguments, ", ")));
  }
}

void check_times(const OperatorProblem& op) {
  if (op.times.empty()) return;
  const Time* time = op.problem.domain->time();
  const std::string place = "[operator.times]";
  if (time == nullptr) throw Error("the problem has no time", place, "leave them out");
  const double slack = 1e-9 * (time->upper - time->lower);
  for (std::size_t i = 0; i < op.times.size(); ++i) {
    if (!(op.times[i] >= time->lower - slack && op.times[i] <= time->upper + slack)) {
      throw Error(fmt::format("{} = {} is outside of [{}, {}]", time->name, op.times[i],
                              time->lower, time->upper),
                  place);
    }
    if (i > 0 && !(op.times[i] > op.times[i - 1])) {
      throw Error(fmt::format("{} comes behind {}", op.times[i], op.times[i - 1]), place,
                  "give them in ascending order");
    }
  }
}

void check_method(const OperatorProblem& op) {
  Method method = op.method;
  if (!is_recipe(method) && !training_settings(method)) return;
  throw Error(fmt::format("data are made by a classical method, not by {}", name_of(method)),
              "method", "kind = \"auto-classical\", or leave it out");
}

}  // namespace

FieldGrid grid_of(const OperatorProblem& op) {
  if (op.source) return op.source->grid();
  const std::string place = "[operator.grid]";
  if (!op.problem.domain || op.problem.domain->space() == nullptr) {
    throw Error("an operator problem needs a space", place, "space = { x = [0, 1] }");
  }
  const Domain domain = domain_of(op.problem);
  const std::vector<std::string>& names = domain.space()->coordinates();
  const std::size_t d = names.size();
  if (!domain.ranges().empty()) {
    throw Error("an operator problem has no ranges of parameters", place,
                "give the parameter a number, or make it an input function");
  }
  const ShapePtr shape = domain.shape();
  const Bounds& box = shape->bounds();
  double volume = 1;
  for (std::size_t k = 0; k < d; ++k) volume *= box.upper[k] - box.lower[k];
  if (d > 3 || !(std::abs(shape->measure() - volume) <= 1e-12 * volume)) {
    throw Error(ErrorKind::unsupported, "the grid of a data set covers a box of 1 to 3 axes", place,
                "give space by intervals: space = { x = [0, 1] }");
  }
  if (op.grid.size() != d) {
    throw Error(fmt::format("{} number{} of nodes for {} ax{} ({})", op.grid.size(),
                            op.grid.size() == 1 ? "" : "s", d, d == 1 ? "is" : "es",
                            fmt::join(names, ", ")),
                place, fmt::format("grid = [{}]", fmt::join(std::vector<int>(d, 64), ", ")));
  }
  FieldGrid grid;
  for (std::size_t k = 0; k < d; ++k) {
    if (op.grid[k] < 4 || op.grid[k] > most_nodes) {
      throw Error(fmt::format("{} nodes along {}", op.grid[k], names[k]), place,
                  fmt::format("take 4 to {}", most_nodes));
    }
    const bool periodic = std::any_of(
        op.problem.condition.begin(), op.problem.condition.end(), [&](const Condition& c) {
          return c.kind == Condition::Kind::periodic && c.coordinate == names[k];
        });
    grid.axes.push_back({names[k], op.grid[k], box.lower[k], box.upper[k], periodic});
  }
  return grid;
}

void declare_inputs(OperatorProblem& op) {
  if (!op.problem.domain || op.problem.domain->space() == nullptr) (void)grid_of(op);
  for (const InputFunction& input : op.inputs) {
    TabulatedFunction f;
    f.name = f.column = input.name;
    f.arguments =
        input.arguments.empty() ? op.problem.domain->space()->coordinates() : input.arguments;
    f.interpolation = TableInterpolation::linear;
    f.table.columns = f.arguments;
    f.table.columns.push_back(f.column);
    f.table.values.assign(f.table.columns.size(), 1);
    detail::set_table(op.problem, std::move(f));
  }
}

void check(const OperatorProblem& op) {
  if (op.samples == 0) {
    throw Error("there is nothing to learn from without samples", "[operator.samples]",
                "samples = 1000");
  }
  if (op.source) return;  // it has been checked where it was made
  (void)grid_of(op);
  check_inputs(op);
  for (const std::string& name : op.outputs) {
    if (!is_named(op.problem.fields, name)) {
      unknown("field", name, "[operator.outputs]", op.problem.fields);
    }
  }
  check_times(op);
  check_method(op);
  check(sample_problem(op, 0));
}

}  // namespace cauchy
