#include "problem/point_evaluator.hpp"

#include <cmath>
#include <utility>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/program.hpp>

#include "problem/point_data.hpp"

namespace cauchy::detail {
namespace {

Problem with_known_constants(Problem p, const std::map<std::string, double>& values) {
  for (const Unknown& u : std::exchange(p.unknowns, {})) {
    const auto found = values.find(u.name);
    const bool known = found != values.end() && std::isfinite(found->second);
    p.parameters.push_back({u.name, Expr(known ? found->second : u.initial)});
  }
  return p;
}

}  // namespace

PointEvaluator::PointEvaluator(const Solution& solution)
    : model_(solution.model.get()),
      problem_(with_known_constants(solution.problem, solution.unknowns)),
      lower_(problem_) {}

PointEvaluator::PointEvaluator(const Problem& problem)
    : model_(nullptr), problem_(with_known_constants(problem, {})), lower_(problem_) {}

std::vector<std::vector<double>> PointEvaluator::operator()(
    std::span<const Expr> expressions, const Points& points,
    std::span<const double> observed) const {
  const std::size_t n = points.size(), D = points.columns.size();
  ProgramSpec spec;
  spec.outputs.assign(expressions.begin(), expressions.end());
  std::vector<std::vector<double>> rows;
  const auto add = [&](const std::vector<Expr>& atoms, const std::vector<double>& values) {
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      spec.inputs.push_back(atoms[k]);
      std::vector<double>& row = rows.emplace_back(n);
      for (std::size_t i = 0; i < n; ++i) row[i] = values[i * atoms.size() + k];
    }
  };
  std::vector<Expr> coordinates;
  for (const std::string& name : points.columns) coordinates.push_back(Coordinate(name));
  add(coordinates, {points.values.begin(), points.values.begin() + static_cast<long>(n * D)});
  if (const std::vector<Expr> fields = field_atoms(expressions); !fields.empty()) {
    std::vector<double> values(n * fields.size());
    if (n > 0) model_->evaluate(fields, points.values, values);
    add(fields, values);
  }
  if (const std::vector<Expr> data = data_of(expressions); !data.empty()) {
    add(data, point_data(problem_, data, points, observed));
  }
  const Program<double> program(spec);
  std::vector<std::vector<double>> out(expressions.size(), std::vector<double>(n));
  std::vector<const double*> inputs;
  std::vector<double*> outputs;
  for (const auto& row : rows) inputs.push_back(row.data());
  for (auto& row : out) outputs.push_back(row.data());
  std::vector<double> workspace(program.workspace_size());
  program.run(n, inputs.data(), nullptr, outputs.data(), nullptr, workspace.data());
  return out;
}

}  // namespace cauchy::detail
