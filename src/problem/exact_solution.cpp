#include <cauchy/problem/exact_solution.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/program.hpp>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy {
namespace {

std::string place(const ExactSolution& solution) {
  return fmt::format("[problem.{}]", solution.name);
}

std::string names_of_parameters(const ExactSolution& solution) {
  std::vector<std::string> names;
  for (const ExactParameter& p : solution.parameters) names.push_back(p.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_parameters(const ExactSolution& solution, std::span<const double> parameters) {
  if (parameters.size() != solution.parameters.size()) {
    throw Error(
        fmt::format("needs {} parameters, got {}", solution.parameters.size(), parameters.size()),
        place(solution),
        solution.parameters.empty() ? "it has none" : "they are: " + names_of_parameters(solution));
  }
  Values values;
  std::vector<std::string> given;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ExactParameter& p = solution.parameters[i];
    if (!std::isfinite(parameters[i])) {
      throw Error(fmt::format("parameter {} must be finite, got {}", p.name, parameters[i]),
                  place(solution));
    }
    if (p.is_integer && parameters[i] != std::round(parameters[i])) {
      throw Error(fmt::format("parameter {} must be an integer, got {}", p.name, parameters[i]),
                  place(solution));
    }
    values.set(Parameter(p.name), parameters[i]);
    given.push_back(fmt::format("{} = {}", p.name, parameters[i]));
  }
  const Context context = solution.context();
  for (const std::string& requirement : solution.requirements) {
    if (evaluate(parse(requirement, context), values) == 0) {
      throw Error(fmt::format("needs {}, got {}", requirement, fmt::join(given, ", ")),
                  place(solution));
    }
  }
}

/// Formulas with the numbers of the parameters put in, compiled to a program.
class CompiledFormulas {
 public:
  CompiledFormulas(const ExactSolution& solution, std::span<const double> parameters)
      : n_coordinates_(solution.coordinates.size()), n_fields_(solution.fields.size()) {
    const Context context = solution.context();
    ProgramSpec spec;
    for (const std::string& formula : solution.formulas) {
      spec.outputs.push_back(parse(formula, context, {solution.name, 1, 1}));
    }
    for (const std::string& name : solution.coordinates) spec.inputs.push_back(Coordinate(name));
    for (const ExactParameter& p : solution.parameters) {
      spec.parameters.push_back(Parameter(p.name));
    }
    parameters_.assign(parameters.begin(), parameters.end());
    program_ = std::make_shared<const Program<double>>(std::move(spec));
  }

  void operator()(std::span<const double> points, std::span<double> values) const {
    // Programs want one array per coordinate: points go through such arrays in blocks.
    constexpr std::size_t block = 256;
    std::vector<double> in(block * n_coordinates_), out(block * n_fields_);
    std::vector<double> workspace(program_->workspace_size());
    std::vector<const double*> rows_in(n_coordinates_);
    std::vector<double*> rows_out(n_fields_);
    for (std::size_t i = 0; i < n_coordinates_; ++i) rows_in[i] = in.data() + i * block;
    for (std::size_t k = 0; k < n_fields_; ++k) rows_out[k] = out.data() + k * block;
    const std::size_t n_points = points.size() / n_coordinates_;
    for (std::size_t first = 0; first < n_points; first += block) {
      const std::size_t n = std::min(block, n_points - first);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n_coordinates_; ++i) {
          in[i * block + j] = points[(first + j) * n_coordinates_ + i];
        }
      }
      program_->run(n, rows_in.data(), parameters_.data(), rows_out.data(), nullptr,
                    workspace.data());
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n_fields_; ++k) {
          values[(first + j) * n_fields_ + k] = out[k * block + j];
        }
      }
    }
  }

 private:
  std::size_t n_coordinates_, n_fields_;
  std::vector<double> parameters_;
  std::shared_ptr<const Program<double>> program_;
};

/// Checks what an evaluator is given before it sees it.
ExactEvaluator guarded(const ExactSolution& solution, ExactEvaluator evaluator) {
  return [code = std::move(evaluator), n_coordinates = solution.coordinates.size(),
          n_fields = solution.fields.size(),
          where = place(solution)](std::span<const double> points, std::span<double> values) {
    if (points.size() % n_coordinates != 0 ||
        points.size() / n_coordinates * n_fields != values.size()) {
      throw Error(fmt::format("needs {} coordinates and {} values per point, got {} and {} numbers",
                              n_coordinates, n_fields, points.size(), values.size()),
                  where);
    }
    for (const double number : points) {
      if (!std::isfinite(number)) {
        throw Error(fmt::format("coordinates must be finite, got {}", number), where);
      }
    }
    code(points, values);
  };
}

}  // namespace

ExactEvaluator ExactSolution::prepare(std::span<const double> given) const {
  const std::vector<double> defaults = default_parameters();
  const std::span<const double> used = given.empty() ? std::span<const double>(defaults) : given;
  check_parameters(*this, used);
  return guarded(*this, build ? build(used) : ExactEvaluator(CompiledFormulas(*this, used)));
}

std::vector<double> ExactSolution::evaluate(std::span<const double> point,
                                            std::span<const double> given) const {
  std::vector<double> values(fields.size());
  prepare(given)(point, values);
  return values;
}

Context ExactSolution::context() const {
  Context context;
  for (const std::string& c : coordinates) c == "t" ? context.add_time(c) : context.add_space(c);
  for (const std::string& f : fields) context.add_field(f);
  for (const ExactParameter& p : parameters) context.add_parameter(p.name);
  return context;
}

std::vector<double> ExactSolution::default_parameters() const {
  std::vector<double> values;
  for (const ExactParameter& p : parameters) values.push_back(p.value);
  return values;
}

const std::vector<ExactSolution>& exact_solutions() {
  static const std::vector<ExactSolution> all = [] {
    std::vector<ExactSolution> list;
    for (auto* entries :
         {detail::ode_solutions, detail::diffusion_solutions, detail::wave_solutions,
          detail::string_solutions, detail::dispersive_solutions, detail::conservation_solutions,
          detail::riemann_solutions, detail::elliptic_solutions,
          detail::irregular_elliptic_solutions, detail::flow_solutions,
          detail::mechanics_solutions}) {
      std::ranges::move(entries(), std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

const ExactSolution& exact_solution(std::string_view name) {
  for (const ExactSolution& solution : exact_solutions()) {
    if (solution.name == name) return solution;
  }
  const std::string near = nearest_name(name, exact_solution_names());
  throw Error(fmt::format("unknown exact solution '{}'", name), "[problem.exact_solution]",
              near.empty() ? fmt::format("known are: {}", fmt::join(exact_solution_names(), ", "))
                           : fmt::format("did you mean '{}'?", near));
}

std::vector<std::string> exact_solution_names() {
  std::vector<std::string> names;
  for (const ExactSolution& solution : exact_solutions()) names.push_back(solution.name);
  return names;
}

namespace detail {

ExactEvaluator point_by_point(
    std::size_t n_coordinates, std::size_t n_fields,
    std::function<void(std::span<const double> point, std::span<double> values)> code) {
  return [=, code = std::move(code)](std::span<const double> points, std::span<double> values) {
    for (std::size_t j = 0; j * n_coordinates < points.size(); ++j) {
      code(points.subspan(j * n_coordinates, n_coordinates),
           values.subspan(j * n_fields, n_fields));
    }
  };
}

void require_not_before_start(double t, std::string_view solution) {
  if (!(t >= 0)) {
    throw Error(fmt::format("begins at t = 0, got t = {}", t),
                fmt::format("[problem.{}]", solution));
  }
}

}  // namespace detail
}  // namespace cauchy
