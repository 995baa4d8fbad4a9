#include "solvers/classical/contradiction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/fresh_points.hpp"
#include "problem/narrow_sources.hpp"
#include "problem/tested_model.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_points_of_constants = 500;
constexpr double constant_up_to = 1e-12;  // of its size
constexpr double not_balanced = 1e-3;     // of the largest terms

bool all_constant(const Solution& s) {
  const std::vector<std::string> names = s.problem.all_fields();
  std::vector<Expr> fields(names.size());
  std::transform(names.begin(), names.end(), fields.begin(),
                 [](const std::string& name) { return Expr(Field(name)); });
  const Points points = interior_points(domain_of(s.problem), n_points_of_constants);
  const std::vector<double> values = s.evaluate(fields, points.values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double first = values[i % fields.size()];
    if (!(std::abs(values[i] - first) <= constant_up_to * std::abs(first))) return false;
  }
  return true;
}

}  // namespace

std::string contradiction_of(const Solution& s) {
  constexpr double most = 0.3;
  const auto* const tested = dynamic_cast<const TestedModel*>(s.model.get());
  const bool in_the_mean = s.model->kind() == "fvm" || s.model->kind() == "fem";
  std::size_t equation = 0;
  for (const TermCheck& c : s.checks) {
    if (c.kind == TermCheck::Kind::equation) {
      const std::size_t number = equation++;
      if (in_the_mean && !(tested != nullptr && tested->means(c.kind, number))) continue;
    }
    if (!(c.fresh <= most)) {
      return fmt::format("{} does not fulfil '{}': the residual is {:.1g} of its terms", s.method,
                         c.name, c.fresh);
    }
  }
  if (std::string why = driven_constant(s); !why.empty()) return why;
  return unseen_source(s, narrow_sources(s.problem));
}

std::string driven_constant(const Solution& s) {
  if (!all_constant(s)) return {};
  const PointEvaluator evaluator(s);
  for (const ProblemEquation& e : evaluator.problem().equation) {
    const Expr residual = evaluator.lower()(e.form.residual());
    std::vector<Expr> all = additive_terms(residual);
    all.push_back(residual);
    const auto values = evaluator(all, fresh_points(evaluator, e));
    double off = 0, size = 0;
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      off = std::max(off, std::abs(values.back()[i]));
      for (std::size_t t = 0; t + 1 < values.size(); ++t) {
        size = std::max(size, std::abs(values[t][i]));
      }
    }
    if (off <= not_balanced * size) continue;
    return fmt::format("{} found nothing but constants, and '{}' has a source that they leave over",
                       s.method, name_of(e));
  }
  return {};
}

std::string refutation_of(const Solution& s) {
  if (!s.training && is_classical(s.model->kind())) return contradiction_of(s);
  return driven_constant(s);
}

}  // namespace cauchy::detail
