#include "solvers/classical/node_program.hpp"

#include <algorithm>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>

#include "problem/point_data.hpp"

namespace cauchy::detail {
namespace {

bool contains(std::span<const Expr> all, const Expr& e) {
  return std::any_of(all.begin(), all.end(), [&](const Expr& a) { return same(a, e); });
}

/// Symbols and calls that the points must bring: those that are not among the atoms.
std::vector<Expr> data_beside(std::span<const Expr> outputs, std::span<const Expr> atoms) {
  std::vector<Expr> data = data_of(outputs);
  std::erase_if(data, [&](const Expr& e) { return contains(atoms, e); });
  return data;
}

}  // namespace

ProgramSpec NodeProgram::spec_of(const Problem& problem, std::vector<Expr> outputs,
                                 std::span<const Expr> atoms, std::span<const Expr> data,
                                 bool timeless) {
  ProgramSpec spec;
  spec.outputs = std::move(outputs);
  spec.inputs.assign(atoms.begin(), atoms.end());
  for (const std::string& name : problem.coordinates()) {
    const bool is_time = timeless && name == problem.domain->time()->name;
    (is_time ? spec.parameters : spec.inputs).push_back(Coordinate(name));
  }
  spec.inputs.insert(spec.inputs.end(), data.begin(), data.end());
  return spec;
}

NodeProgram::NodeProgram(const Problem& problem, std::vector<Expr> outputs, std::vector<Expr> atoms,
                         Points points)
    : problem_(&problem),
      n_(points.size()),
      n_atoms_(atoms.size()),
      timeless_(points.columns.size() < problem.coordinates().size()),
      data_(data_beside(outputs, atoms)),
      program_(spec_of(problem, std::move(outputs), atoms, data_, timeless_)),
      points_(std::move(points)),
      workspace_(program_.workspace_size()) {
  const std::vector<std::string> names = problem.coordinates();
  const std::size_t d = points_.columns.size();
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double>& row = coordinates_.emplace_back(n_);
    for (std::size_t i = 0; i < n_; ++i) row[i] = points_.values[i * d + k];
  }
  if (timeless_ && !data_.empty()) {  // tables are asked at whole points
    std::vector<double> values(n_ * names.size());
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < d; ++k) values[i * names.size() + k + 1] = coordinates_[k][i];
    }
    points_.columns = names;
    points_.values = std::move(values);
  }
  if (!timeless_) set_time(0);
}

void NodeProgram::set_time(double time) const {
  if (time_ == time) return;
  // Data without time among their arguments would be the same again, but are seldom dear.
  const bool varies =
      timeless_ && !data_.empty() && std::any_of(data_.begin(), data_.end(), [&](const Expr& e) {
        return depends_on(e, Coordinate(problem_->domain->time()->name));
      });
  if (!time_ || varies) {
    if (timeless_ && !data_.empty()) {
      for (std::size_t i = 0; i < n_; ++i) points_.values[i * points_.columns.size()] = time;
    }
    const std::vector<double> values =
        data_.empty() ? std::vector<double>() : point_data(*problem_, data_, points_);
    data_rows_.assign(data_.size(), std::vector<double>(n_));
    for (std::size_t k = 0; k < data_.size(); ++k) {
      for (std::size_t i = 0; i < n_; ++i) data_rows_[k][i] = values[i * data_.size() + k];
    }
  }
  time_ = time;
}

void NodeProgram::run(std::span<const double* const> rows, std::span<double* const> out,
                      std::optional<double> time) const {
  if (timeless_ && !time) throw Error("a program at nodes needs the time", "[solvers.classical]");
  if (timeless_) set_time(*time);
  std::vector<const double*> inputs(rows.begin(), rows.end());
  for (const auto& row : coordinates_) inputs.push_back(row.data());
  for (const auto& row : data_rows_) inputs.push_back(row.data());
  const double now = time.value_or(0);
  program_.run(n_, inputs.data(), &now, out.data(), nullptr, workspace_.data());
}

void NodeProgram::run(const std::vector<std::vector<double>>& rows,
                      std::vector<std::vector<double>>& out, std::optional<double> time) const {
  std::vector<const double*> inputs;
  std::vector<double*> outputs;
  for (const auto& row : rows) inputs.push_back(row.data());
  for (auto& row : out) outputs.push_back(row.data());
  run(std::span<const double* const>(inputs), std::span<double* const>(outputs), time);
}

}  // namespace cauchy::detail
