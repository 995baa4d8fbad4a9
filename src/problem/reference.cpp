#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/solution.hpp>

#include "problem/grid_table.hpp"
#include "problem/lowering.hpp"
#include "problem/scattered_reference.hpp"

namespace cauchy {
namespace {

/// Positions of names in the coordinates of the problem.
std::vector<std::size_t> columns_of(const Problem& problem, const std::vector<std::string>& names) {
  const std::vector<std::string> all = problem.coordinates();
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    columns.push_back(
        static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin()));
  }
  return columns;
}

/// Numbers of the parameters of an exact solution; those that are ranges differ from row to row.
ReferenceValues from_library(const Problem& problem, std::span<const double> points) {
  const Reference& r = problem.reference;
  const ExactSolution& exact = exact_solution(r.exact);
  const std::size_t D = problem.coordinates().size(), n = points.size() / D;
  const auto columns = columns_of(problem, exact.coordinates);
  const ParameterValues numbers = problem.values();
  const auto known_at = [&](std::size_t i) {
    std::vector<double> parameters;
    Values values;
    for (const auto& [name, value] : numbers) values.set(Parameter(name), value);
    for (const Unknown& u : problem.unknowns) {
      if (u.truth) values.set(Parameter(u.name), *u.truth);
    }
    const auto names = problem.coordinates();
    for (std::size_t k = 0; k < D; ++k) values.set(Parameter(names[k]), points[i * D + k]);
    for (const ExactParameter& p : exact.parameters) {
      const auto given = r.parameters.find(p.name);
      if (given != r.parameters.end()) {
        parameters.push_back(evaluate(given->second, values));
      } else if (const double* v = values.find(Parameter(p.name))) {
        parameters.push_back(*v);
      } else {
        parameters.push_back(p.value);
      }
    }
    return parameters;
  };
  ReferenceValues result{exact.fields, std::vector<double>(n * exact.fields.size()),
                         "exact solution " + r.exact, 0};
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t c : columns) rows.push_back(points[i * D + c]);
  }
  const bool varies = !problem.domain->ranges().empty();
  const std::size_t C = columns.size(), F = exact.fields.size();
  if (!varies) {
    exact.prepare(known_at(0))(rows, result.values);
    return result;
  }
  // Points of a grid share their parameters, and a solution by series is costly to prepare.
  std::map<std::vector<double>, ExactEvaluator> prepared;
  for (std::size_t i = 0; i < n; ++i) {
    auto [it, is_new] = prepared.try_emplace(known_at(i));
    if (is_new) it->second = exact.prepare(it->first);
    it->second(std::span(rows).subspan(i * C, C), std::span(result.values).subspan(i * F, F));
  }
  return result;
}

ReferenceValues from_formulas(const Problem& problem, std::span<const double> points) {
  const detail::Lowering lower(problem);
  ReferenceValues result;
  result.description = "formula";
  ProgramSpec spec;
  for (const std::string& name : problem.coordinates()) spec.inputs.push_back(Coordinate(name));
  for (const auto& [field, formula] : problem.reference.formulas) {
    result.fields.push_back(field);
    std::vector<Replacement> truth;
    for (const Unknown& u : problem.unknowns) {
      if (u.truth) truth.push_back({Parameter(u.name), Expr(*u.truth)});
    }
    spec.outputs.push_back(lower(substitute(formula, truth)));
  }
  const std::size_t D = spec.inputs.size(), F = spec.outputs.size(), n = points.size() / D;
  const Program<double> program(spec);
  std::vector<std::vector<double>> in(D, std::vector<double>(n)), out(F, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < D; ++k) in[k][i] = points[i * D + k];
  }
  std::vector<const double*> inputs;
  std::vector<double*> outputs;
  for (const auto& v : in) inputs.push_back(v.data());
  for (auto& v : out) outputs.push_back(v.data());
  std::vector<double> workspace(program.workspace_size());
  program.run(n, inputs.data(), nullptr, outputs.data(), nullptr, workspace.data());
  result.values.resize(n * F);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < F; ++f) result.values[i * F + f] = out[f][i];
  }
  return result;
}

ReferenceValues from_table(const Problem& problem, std::span<const double> points) {
  const Reference& r = problem.reference;
  if (const auto scattered = detail::scattered_reference(problem)) {
    throw Error(ErrorKind::unsupported,
                "a reference of scattered points has no values between them",
                scattered->reference.description, "errors are measured at its points alone");
  }
  const std::vector<std::string> names = problem.coordinates();
  ReferenceValues result;
  result.description = "table " + (r.file.empty() ? std::string("in memory") : r.file);
  std::vector<detail::GridTable> tables;
  for (const std::string& field : problem.all_fields()) {
    if (std::find(r.table.columns.begin(), r.table.columns.end(), field) == r.table.columns.end()) {
      continue;
    }
    result.fields.push_back(field);
    tables.emplace_back(r.table, names, field, r.interpolation);
  }
  const std::size_t D = names.size(), n = points.size() / D, F = tables.size();
  result.values.resize(n * F);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < F; ++f) {
      result.values[i * F + f] = tables[f].value(points.subspan(i * D, D));
    }
  }
  return result;
}

}  // namespace

std::optional<ReferenceValues> reference_values(const Problem& problem,
                                                std::span<const double> points) {
  const Reference& r = problem.reference;
  if (!r.exact.empty()) return from_library(problem, points);
  if (!r.formulas.empty()) return from_formulas(problem, points);
  if (!r.table.columns.empty()) return from_table(problem, points);
  if (r.code) {
    ReferenceValues result{r.code->fields, {}, r.code->description, r.code->error};
    result.values.resize(points.size() / problem.coordinates().size() * r.code->fields.size());
    r.code->evaluate(points, result.values);
    return result;
  }
  return std::nullopt;
}

}  // namespace cauchy
