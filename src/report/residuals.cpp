#include "report/residuals.hpp"

#include <cmath>
#include <limits>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/grid_table.hpp"
#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

EquationResiduals::EquationResiduals(const Solution& solution) : solution_(solution) {
  const Problem& problem = solution.problem;
  const Lowering lower(problem);
  const Sizes sizes = characteristic_sizes(problem, lower, true);
  ProgramSpec spec;
  std::vector<Replacement> found;  // the constants, past the change of variable of their bounds
  for (const Unknown& u : problem.unknowns) {
    spec.parameters.push_back(Parameter(u.name + "~found"));
    found.push_back({Parameter(u.name), spec.parameters.back()});
    const auto value = solution.unknowns.find(u.name);
    constants_.push_back(value == solution.unknowns.end() ? not_known : value->second);
  }
  std::vector<Expr> places;
  for (const ProblemEquation& e : problem.equation) {
    const Expr residual = e.form.residual();
    names_.push_back(name_of(e));
    sizes_.push_back(residual_size(lower(residual), problem, sizes));
    spec.outputs.push_back(lower(substitute(residual, found)));
    place_.push_back(0);
    if (e.where.empty()) continue;
    place_.back() = problem.equation.size() + places.size();
    const Expr where = parse_condition(e.where, problem.context(), 1e-9);
    places.push_back(lower(substitute(where, found)));
  }
  spec.outputs.insert(spec.outputs.end(), places.begin(), places.end());
  atoms_ = field_atoms(spec.outputs);
  calls_ = atoms(spec.outputs, Kind::call);
  for (const std::string& name : problem.coordinates()) spec.inputs.push_back(Coordinate(name));
  spec.inputs.insert(spec.inputs.end(), atoms_.begin(), atoms_.end());
  spec.inputs.insert(spec.inputs.end(), calls_.begin(), calls_.end());
  program_ = std::make_unique<const Program<double>>(std::move(spec));
}

std::vector<double> EquationResiduals::operator()(std::span<const double> rows) const {
  const Problem& problem = solution_.problem;
  const std::size_t D = problem.coordinates().size(), n = rows.size() / D, E = names_.size();
  const std::size_t A = atoms_.size();
  const std::vector<double> fields = solution_.evaluate(atoms_, rows);
  std::vector<std::vector<double>> in;
  for (std::size_t k = 0; k < D + A; ++k) {
    std::vector<double>& row = in.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = k < D ? rows[i * D + k] : fields[i * A + k - D];
  }
  for (const Expr& call : calls_) in.push_back(call_values(problem, call, rows));
  std::vector<std::vector<double>> out(program_->spec().outputs.size(), std::vector<double>(n));
  std::vector<const double*> inputs;
  std::vector<double*> outputs;
  for (const auto& row : in) inputs.push_back(row.data());
  for (auto& row : out) outputs.push_back(row.data());
  std::vector<double> workspace(program_->workspace_size());
  program_->run(n, inputs.data(), constants_.data(), outputs.data(), nullptr, workspace.data());
  std::vector<double> result(n * E);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < E; ++k) {
      const bool holds = place_[k] == 0 || out[place_[k]][i] != 0;
      result[i * E + k] = holds ? std::abs(out[k][i]) / sizes_[k] : not_known;
    }
  }
  return result;
}

}  // namespace cauchy::detail
