#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>

#include "solvers/trust/bound_lift.hpp"
#include "solvers/trust/bound_residual.hpp"
#include "solvers/trust/bound_theories.hpp"

namespace cauchy::detail {
namespace {

/// Defects of conditions below this share of the answer are rounding.
constexpr double no_defect = 1e-13;

/// Upper and lower bounds of |grad e| and |e| for an error e that vanishes on the boundary.
struct EnergyBounds {
  double gradient = 0, value = 0, least_gradient = 0, least_value = 0;
};

EnergyBounds energy_bounds(const ResidualSines& r, const ResidualSines& inner, const SineGrid& grid,
                           const SineGrid& inner_grid, const FormConstants& constants,
                           bool is_box) {
  const std::vector<double>& a = constants.diffusion;
  const double c = constants.reaction;
  const double first = grid.first_eigenvalue(a), sigma = first + c;
  const double least = *std::min_element(a.begin(), a.end());
  const double energy = r.dual_norm(grid, a, c);
  EnergyBounds made;
  made.gradient = energy / std::sqrt(least * std::min(1.0, sigma / first));
  made.value = energy / std::sqrt(sigma);
  // a(e, v) <= above |grad e| |grad v| for the functions v of a box inside.
  const std::vector<double> ones(grid.dimension(), 1.0);
  const std::vector<double> lambda = inner_grid.eigenvalues(ones);
  double seen = 0;
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    seen += inner.coefficients[k] * inner.coefficients[k] / lambda[k];
  }
  made.least_gradient = std::sqrt(seen) / constants.above;
  made.least_value = 0;
  if (!is_box || !constants.constant) return made;
  // Sines are eigenfunctions: the coefficients of the error are those of the residual over them.
  const std::vector<double> eigen = grid.eigenvalues(a), all = grid.eigenvalues(ones);
  double value = 0, gradient = 0;
  for (std::size_t k = 0; k < eigen.size(); ++k) {
    const double e = r.coefficients[k] / (eigen[k] + c);
    value += e * e;
    gradient += all[k] * e * e;
  }
  const double next = grid.next_eigenvalue(a) + c;
  made.least_value = std::sqrt(value);
  made.least_gradient = std::max(made.least_gradient, std::sqrt(gradient));
  made.value = std::min(made.value, std::sqrt(value + r.rest / (next * next)));
  const double share = std::min(1.0, next / (next - c));  // |grad v|^2 over a(v, v) / least
  made.gradient = std::min(made.gradient, std::sqrt(gradient + r.rest / (next * least * share)));
  return made;
}

}  // namespace

std::vector<ErrorBound> dual_norm_bounds(const Solution& solution, std::size_t max_points) {
  const auto form = BoundForm::of(solution);
  if (!form || !form->steady() || !form->all_given || form->dimension() > 3) return {};
  const SineGrid grid(form->box, max_points, form->planes);
  std::vector<std::size_t> inside;
  const Points points = grid.points(*form, {}, inside);
  if (points.size() == 0) return {};
  const auto constants = form_constants(*form, points);
  if (!constants) return {};
  const std::vector<double>& a = constants->diffusion;
  if (!(*std::min_element(a.begin(), a.end()) > 0)) return {};
  const double sigma = grid.first_eigenvalue(a) + constants->reaction;
  if (!(sigma > 0) || !residual_can_be_used(*form, solution, max_points)) return {};

  const FieldSquares size = field_squares(*form, solution, nullptr, grid);
  const double defect = condition_defects(*form, solution, 2000).boundary;
  const bool exact = defect <= no_defect * size.largest;
  // Boundary defects: on a box they are lifted; elsewhere they make an error of their own that the
  // maximum principle bounds.
  const bool lift = !exact && form->is_box;
  const Solution inner = lift ? lifted(*form, solution) : solution;
  const ResidualSines r = residual_sines(*form, inner, grid);
  if (!std::isfinite(r.square)) return {};
  FieldSquares lifting;
  if (lift) lifting = field_squares(*form, solution, &inner, grid);
  double boundary = 0;
  if (!exact && !lift) {
    const LinearForm strong = linear_form(form->strong);
    for (const LinearForm::Entry& t : strong.terms) {
      if (!t.atom.index().empty()) continue;
      const Expr c[] = {t.coefficient};
      if (!(ranges_of(*form, c, points)[0].least >= 0)) return {};
    }
    boundary = std::sqrt(form->measure) * defect;
  }
  const SineGrid inner_grid =
      form->is_box ? grid : SineGrid(inner_box(*form, grid), max_points / 2, form->planes);
  const ResidualSines within = form->is_box ? r : residual_sines(*form, inner, inner_grid);
  const EnergyBounds e = energy_bounds(r, within, grid, inner_grid, *constants, form->is_box);

  std::string how = fmt::format(
      "|r|_V' / alpha with diffusion at least {:.3g} and c - div(b)/2 at least {:.3g}, sines of "
      "the "
      "{} ({} per side)",
      *std::min_element(a.begin(), a.end()), constants->reaction,
      form->is_box ? "domain" : "box around the domain", grid.modes());
  if (lift) how += fmt::format("; boundary defects up to {:.2g} are lifted", defect);
  if (boundary > 0) {
    how += fmt::format("; boundary defects up to {:.2g} enter by the maximum principle", defect);
  }
  std::vector<ErrorBound> all;
  const auto add = [&](std::string norm, double upper, double lower, double whole) {
    ErrorBound b;
    b.theory = "dual norm";
    b.field = form->field;
    b.norm = std::move(norm);
    b.upper = upper;
    b.lower = std::max(0.0, lower);
    if (whole > 0) b.relative = upper / whole;
    b.how = how;
    if (std::isfinite(upper)) all.push_back(std::move(b));
  };
  if (boundary == 0) {
    const double g = std::sqrt(lifting.gradient);
    add("L2 of the gradient", e.gradient + g, e.least_gradient - g, std::sqrt(size.gradient));
  }
  const double g = std::sqrt(lifting.value) + boundary;
  add("L2", e.value + g, e.least_value - g, std::sqrt(size.value));
  return all;
}

}  // namespace cauchy::detail
