#include "solvers/trust/answer_program.hpp"

#include <cauchy/base/run_limit.hpp>
#include <cauchy/expr/analysis.hpp>

#include "problem/grid_table.hpp"
#include "problem/point_data.hpp"

namespace cauchy::detail {
namespace {

ProgramSpec answer_spec(const Problem& problem, std::vector<Expr> expressions,
                        const std::vector<Expr>& fields, const std::vector<Expr>& data) {
  ProgramSpec spec;
  spec.outputs = std::move(expressions);
  for (const std::string& name : problem.coordinates()) spec.inputs.push_back(Coordinate(name));
  spec.inputs.insert(spec.inputs.end(), fields.begin(), fields.end());
  spec.inputs.insert(spec.inputs.end(), data.begin(), data.end());
  return spec;
}

}  // namespace

AnswerProgram::AnswerProgram(const Problem& problem, std::vector<Expr> expressions)
    : fields_(field_atoms(expressions)),
      data_(data_of(expressions)),
      program_(answer_spec(problem, std::move(expressions), fields_, data_)) {}

void AnswerProgram::run(const FieldModel& model, const Problem& problem,
                        std::span<const double> rows, std::span<double> out) const {
  const std::size_t D = problem.coordinates().size(), m = program_.spec().outputs.size();
  const std::size_t n = out.size() / m;
  if (n == 0) return;
  ask_limit("what is asked of the answer");
  std::vector<std::vector<double>> inputs;
  const auto add = [&](std::span<const double> all, std::size_t width) {
    for (std::size_t k = 0; k < width; ++k) {
      std::vector<double>& row = inputs.emplace_back(n);
      for (std::size_t i = 0; i < n; ++i) row[i] = all[i * width + k];
    }
  };
  add(rows, D);
  if (!fields_.empty()) {
    std::vector<double> all(n * fields_.size());
    model.evaluate(fields_, rows, all);
    add(all, fields_.size());
  }
  for (const Expr& call : data_) add(call_values(problem, call, rows), 1);
  std::vector<const double*> from;
  for (const auto& row : inputs) from.push_back(row.data());
  std::vector<double> values(n * m), workspace(program_.workspace_size());
  std::vector<double*> to;
  for (std::size_t k = 0; k < m; ++k) to.push_back(&values[k * n]);
  program_.run(n, from.data(), nullptr, to.data(), nullptr, workspace.data());
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < n; ++i) out[i * m + k] = values[k * n + i];
  }
}

}  // namespace cauchy::detail
