#include "solvers/fem/fem_program.hpp"

#include <cauchy/expr/analysis.hpp>

#include "problem/point_data.hpp"

namespace cauchy::detail {

ProgramSpec FemProgram::spec_of(const Problem& problem, std::vector<Expr> outputs,
                                std::span<const Expr> atoms, std::span<const Expr> data) {
  ProgramSpec spec;
  spec.outputs = std::move(outputs);
  spec.inputs.assign(atoms.begin(), atoms.end());
  for (const std::string& x : problem.domain->space()->coordinates()) {
    spec.inputs.push_back(Coordinate(x));
  }
  spec.inputs.insert(spec.inputs.end(), data.begin(), data.end());
  if (const Time* t = problem.domain->time()) spec.parameters.push_back(Coordinate(t->name));
  return spec;
}

FemProgram::FemProgram(const Problem& problem, std::vector<Expr> outputs)
    : problem_(&problem),
      atoms_(field_atoms(outputs)),
      data_(data_of(outputs)),
      program_(spec_of(problem, std::move(outputs), atoms_, data_)) {}

void FemProgram::run(FemBatch& batch, double time, std::vector<double>& workspace) const {
  std::vector<const double*> inputs;
  for (std::size_t k = 0; k < atoms_.size(); ++k) inputs.push_back(batch.atoms[k].data());
  for (const auto& row : batch.coordinates) inputs.push_back(row.data());
  std::vector<std::vector<double>> data;
  if (!data_.empty()) {
    const std::size_t d = batch.coordinates.size(), first = problem_->domain->space_column();
    const std::size_t columns = d + first;
    Points points;
    points.columns = problem_->coordinates();
    points.values.assign(batch.n * columns, time);
    for (std::size_t i = 0; i < batch.n; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        points.values[i * columns + first + k] = batch.coordinates[k][i];
      }
      for (std::size_t k = 0; k < batch.normals.size(); ++k) {
        points.normals.push_back(batch.normals[k][i]);
      }
    }
    const std::vector<double> values = point_data(*problem_, data_, points);
    data.assign(data_.size(), std::vector<double>(batch.n));
    for (std::size_t k = 0; k < data_.size(); ++k) {
      for (std::size_t i = 0; i < batch.n; ++i) data[k][i] = values[i * data_.size() + k];
      inputs.push_back(data[k].data());
    }
  }
  batch.out.resize(n_outputs());
  std::vector<double*> outputs;
  for (auto& row : batch.out) {
    row.resize(batch.n);
    outputs.push_back(row.data());
  }
  workspace.resize(program_.workspace_size());
  program_.run(batch.n, inputs.data(), &time, outputs.data(), nullptr, workspace.data());
}

}  // namespace cauchy::detail
