#include "problem/primal_problem.hpp"

#include <algorithm>
#include <array>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/expr/written.hpp>

#include "expr/weak_atoms.hpp"

namespace cauchy::detail {
namespace {

/// The flux that an equation gives, by the other fields; none: it gives none.
std::optional<Expr> flux_by(const Problem& problem, const ProblemEquation& e,
                            const std::string& field) {
  if (!e.where.empty() || problem.domain->space() == nullptr) return std::nullopt;
  const std::vector<std::string>& space = problem.domain->space()->coordinates();
  const Expr residual = plain(e.form.residual());
  bool slopes = false;
  for (const Expr& atom : field_atoms(std::array{residual})) {
    if (atom.name() == field) {
      if (!atom.index().empty()) return std::nullopt;
      continue;
    }
    if (total_order(atom.index()) > 1) return std::nullopt;
    if (atom.index().empty()) continue;
    if (std::find(space.begin(), space.end(), atom.index()[0].first) == space.end()) {
      return std::nullopt;
    }
    slopes = true;
  }
  if (!slopes) return std::nullopt;
  const Expr coefficient = plain(partial(residual, Field(field)));
  if (vanishes(coefficient) || !field_atoms(std::array{coefficient}).empty()) return std::nullopt;
  const Expr rest = substitute(residual, Field(field), Expr(0));
  return reduced(-rest / coefficient);
}

/// The equation with the flux replaced; derivatives of the flux stay written as such.
Expr without_flux(const Expr& e, const Replacement& flux) {
  Expr sum = 0;
  for (const Summand& s : summands(e)) {
    Expr term = 1;
    if (!s.is_plain()) {
      term = 0;
      for (std::size_t i = 0; i < s.flux.size(); ++i) {
        term = term + d(substitute(s.flux[i], std::array{flux}), s.by[i]);
      }
    }
    sum = sum + substitute(s.coefficient, std::array{flux}) * term;
  }
  return sum;
}

}  // namespace

std::optional<PrimalProblem> primal_problem(const Problem& problem) {
  PrimalProblem primal{problem, {}};
  Problem& p = primal.problem;
  bool found = true;
  while (found) {
    found = false;
    for (std::size_t f = 0; f < p.fields.size() && !found; ++f) {
      for (std::size_t k = 0; k < p.equation.size() && !found; ++k) {
        const auto value = flux_by(p, p.equation[k], p.fields[f]);
        if (!value) continue;
        const Replacement flux{Field(p.fields[f]), *value};
        p.fields.erase(p.fields.begin() + static_cast<std::ptrdiff_t>(f));
        p.equation.erase(p.equation.begin() + static_cast<std::ptrdiff_t>(k));
        for (ProblemEquation& e : p.equation) {
          e.form = {without_flux(e.form.residual(), flux), Expr(0)};
        }
        for (Condition& c : p.condition) {
          c.form = {substitute(c.form.left, std::array{flux}),
                    substitute(c.form.right, std::array{flux})};
        }
        for (Replacement& other : primal.fluxes) {
          other.to = substitute(other.to, std::array{flux});
        }
        p.sizes.erase(flux.from.name());
        primal.fluxes.push_back(flux);
        found = true;
      }
    }
  }
  if (primal.fluxes.empty() || p.fields.empty()) return std::nullopt;
  p.reference = {};  // of the whole problem
  return primal;
}

void PrimalModel::evaluate(std::span<const Expr> expressions, std::span<const double> points,
                           std::span<double> out) const {
  std::vector<Expr> of_inner;
  for (const Expr& e : expressions) of_inner.push_back(substitute(plain(e), fluxes_));
  inner_->evaluate(of_inner, points, out);
}

}  // namespace cauchy::detail
