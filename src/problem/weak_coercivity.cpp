#include "problem/weak_coercivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/inertia.hpp"
#include "expr/weak_atoms.hpp"

namespace cauchy::detail {

CoercivityTerms coercivity_terms(const WeakForm& form) {
  const std::size_t dim = form.space.size();
  const WeakDerivative g = gateaux(form, form.rows[0], form.fields[0]);
  CoercivityTerms terms;
  Expr c = g.source_u;
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      terms.diffusion.push_back((g.flux_du[i][j] + g.flux_du[j][i]) / 2);
    }
    c = c - plain(d(g.source_du[i] + g.flux_u[i], form.space[i])) / 2;
  }
  terms.reaction = reduced(c);
  return terms;
}

std::string coercivity(const WeakProblem& weak, const Domain& domain, Values at) {
  const std::size_t dim = weak.form.space.size();
  if (weak.form.rows.size() != 1 || !weak.linear) return {};
  CoercivityTerms terms = coercivity_terms(weak.form);
  std::vector<Expr> looked_at = std::move(terms.diffusion);
  looked_at.push_back(terms.reaction);
  if (!atoms(looked_at, Kind::call).empty()) return {};
  double diffusion = INFINITY, largest = 0, reaction = INFINITY;
  // What is the same everywhere is looked at once: a Laplacian in many dimensions has many such
  // numbers.
  std::vector<std::size_t> varying;
  for (std::size_t k = 0; k < looked_at.size(); ++k) {
    if (!atoms(std::span(looked_at).subspan(k, 1), Kind::coordinate).empty()) varying.push_back(k);
  }
  const Points points = interior_points(domain, varying.empty() ? 1 : 200);
  Values values = std::move(at);
  std::vector<double> at_point(looked_at.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      values.set(Coordinate(points.columns[k]), points.row(p)[k]);
    }
    if (p == 0) {
      for (std::size_t k = 0; k < looked_at.size(); ++k) {
        at_point[k] = evaluate(looked_at[k], values);
      }
    } else {
      for (const std::size_t k : varying) at_point[k] = evaluate(looked_at[k], values);
    }
    std::vector<double> numbers = at_point;
    reaction = std::min(reaction, numbers.back());
    numbers.pop_back();
    for (const double n : numbers) {
      if (!std::isfinite(n)) return {};
    }
    const std::vector<double> eigenvalues = symmetric_eigenvalues(std::move(numbers), dim);
    diffusion = std::min(diffusion, eigenvalues.front());
    largest = std::max(largest, std::abs(eigenvalues.back()));
  }
  const bool fixed = std::any_of(weak.conditions.begin(), weak.conditions.end(), [](const auto& w) {
    return w.role == WeakCondition::Role::essential;
  });
  if (!(diffusion > 0)) {
    return fmt::format("not coercive: the diffusion has the eigenvalue {:.3g} at some point",
                       diffusion);
  }
  const std::string ratio =
      largest > diffusion * (1 + 1e-9)
          ? fmt::format("diffusion between {:.3g} and {:.3g}", diffusion, largest)
          : fmt::format("diffusion {:.3g}", diffusion);
  if (reaction > 0) {
    return fmt::format("coercive: {}, c - div(b)/2 at least {:.3g}", ratio, reaction);
  }
  if (reaction == 0) {
    if (fixed) return fmt::format("coercive: {}, values on a part of the boundary", ratio);
    return fmt::format("{}, constants only bounded by the conditions", ratio);
  }
  return fmt::format(
      "{}, c - div(b)/2 as low as {:.3g}: coercive only if the domain is small "
      "enough",
      ratio, reaction);
}

}  // namespace cauchy::detail
