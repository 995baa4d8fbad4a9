#include "problem/hamilton_jacobi.hpp"

#include <algorithm>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/simplify.hpp>

namespace cauchy::detail {
namespace {

bool holds_slopes(const Expr& e, const std::vector<Expr>& slopes) {
  const Expr roots[] = {e};
  const std::vector<Expr> found = field_atoms(roots);
  return std::any_of(found.begin(), found.end(), [&](const Expr& a) {
    return std::any_of(slopes.begin(), slopes.end(), [&](const Expr& p) { return same(a, p); });
  });
}

/// H at slopes p and -p against twice H at 0: convex functions lie above.
bool is_concave(const HamiltonJacobi& form) {
  int above = 0, below = 0;
  const Expr roots[] = {form.hamiltonian};
  for (int k = 0; k < 6; ++k) {
    Values at[3];
    for (int s = -1; s <= 1; ++s) {
      Values& v = at[s + 1];
      for (const std::string& x : form.space) v.set(Coordinate(x), 0.37);
      v.set(Field(form.field), 0.5);
      for (std::size_t d = 0; d < form.slopes.size(); ++d) {
        const double size = d == 0 ? 0.6 + 0.3 * k : 0.9 - 0.25 * k;
        v.set(form.slopes[d], s * size);
      }
    }
    double h[3];
    for (int s = 0; s < 3; ++s) {
      if (!atoms(roots, Kind::call).empty()) return false;  // tables: not known here
      h[s] = evaluate(form.hamiltonian, at[s]);
    }
    const double bend = h[0] - 2 * h[1] + h[2];
    if (bend > 0) ++above;
    if (bend < 0) ++below;
  }
  return below > 0 && above == 0;
}

}  // namespace

std::optional<HamiltonJacobi> hamilton_jacobi(const Problem& problem, const Lowering& lower) {
  if (!problem.domain || problem.domain->space() == nullptr || !problem.domain->ranges().empty() ||
      problem.domain->space()->dimension() > 2 || problem.fields.size() != 1 ||
      problem.equation.size() != 1 || !problem.equation[0].where.empty() ||
      !problem.unknowns.empty() || !problem.coefficients.empty()) {
    return std::nullopt;
  }
  const Expr residual = lower(problem.equation[0].form.residual());
  if (order(residual) != 1) return std::nullopt;
  HamiltonJacobi form;
  form.field = problem.fields[0];
  form.space = problem.domain->space()->coordinates();
  form.in_time = problem.domain->time() != nullptr;
  for (const std::string& x : form.space)
    form.slopes.push_back(field_derivative(form.field, {{x, 1}}));
  form.hamiltonian = residual;
  if (form.in_time) {
    const Expr u_t = field_derivative(form.field, {{problem.domain->time()->name, 1}});
    const Expr by_time = partial(residual, u_t);
    const Expr roots[] = {by_time};
    if (by_time.is_constant(0) || !field_atoms(roots).empty()) return std::nullopt;
    form.hamiltonian = simplify(substitute(residual, u_t, Expr(0)) / by_time);
  }
  const bool curved = std::any_of(form.slopes.begin(), form.slopes.end(), [&](const Expr& p) {
    return holds_slopes(simplify(partial(form.hamiltonian, p)), form.slopes);
  });
  if (!curved) return std::nullopt;
  if (!form.in_time && is_concave(form)) form.hamiltonian = -form.hamiltonian;
  return form;
}

}  // namespace cauchy::detail
