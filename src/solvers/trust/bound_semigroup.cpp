#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/point_evaluator.hpp"
#include "solvers/trust/bound_lift.hpp"
#include "solvers/trust/bound_residual.hpp"
#include "solvers/trust/bound_theories.hpp"
#include "solvers/trust/bound_tube.hpp"

namespace cauchy::detail {
namespace {

/// Edges of time, finer towards the start.
std::vector<double> slice_edges(const Time& time, std::size_t n) {
  std::vector<double> made = {time.lower};
  for (std::size_t k = 1; k <= n; ++k) {
    const double s = static_cast<double>(k) / static_cast<double>(n);
    made.push_back(k == n ? time.upper : time.lower + std::pow(s, 1.5) * (time.upper - time.lower));
  }
  return made;
}

double mean_of_exp(double x) { return std::abs(x) < 1e-12 ? 1 + x / 2 : std::expm1(x) / x; }

/// int (answer - value)^2 over the domain at one time.
double start_square(const BoundForm& form, const Solution& solution, const Expr& value,
                    const SineGrid& grid, double time) {
  std::vector<std::size_t> inside;
  const Points points = grid.points(form, time, inside);
  const Expr wanted[] = {Field(form.field) - value};
  const auto values = PointEvaluator(solution)(wanted, points);
  double made = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    made += grid.weights()[inside[i]] * values[0][i] * values[0][i];
  }
  return made;
}

}  // namespace

std::vector<ErrorBound> semigroup_bounds(const Solution& solution, std::size_t max_points) {
  const auto form = BoundForm::of(solution);
  if (!form || form->steady() || !form->start || form->dimension() > 3) return {};
  if (!form->planes.empty() || form->other_jumps) return {};
  if (!form->by_field.acceleration.is_constant(0) || !form->by_field.rate.is_constant()) return {};
  const double signed_rate = form->by_field.rate.value(), rate = std::abs(signed_rate);
  if (rate == 0) return {};
  const double sign = signed_rate > 0 ? 1 : -1;
  // A third of the dimensions of space and time for time.
  const std::size_t d = form->dimension();
  const double share = std::pow(static_cast<double>(max_points), 1 / static_cast<double>(d + 1));
  const std::size_t parts =
      std::clamp<std::size_t>(static_cast<std::size_t>(share / tube_points), 4, 40);
  const SineGrid grid(form->box, max_points / (parts * tube_points));
  const Time& time = *form->domain.time();
  const std::vector<double> edges = slice_edges(time, parts);

  const Points points = interior_points(form->domain, 2000);
  const auto constants = form_constants(*form, points);
  if (!constants) return {};
  std::vector<double> a = constants->diffusion;
  double c = constants->reaction;
  const bool diffuses = std::any_of(form->terms.diffusion.begin(), form->terms.diffusion.end(),
                                    [](const Expr& e) { return !e.is_constant(0); });
  if (sign < 0) {
    if (diffuses) return {};  // backwards
    const Expr minus[] = {-form->terms.reaction};
    c = ranges_of(*form, minus, points)[0].least;
  }
  const double least = *std::min_element(a.begin(), a.end());
  if (diffuses && !(least > 0)) return {};
  const FieldSquares at_end = field_squares(*form, solution, nullptr, grid, time.upper);
  const bool periodic = form->all_periodic();
  double inflow = 0, defect = 0;
  bool lift = false;
  if (periodic) {
    if (!(periodic_defect(*form, solution, 200) <= 1e-9 * at_end.largest)) return {};
  } else if (diffuses) {
    if (!form->all_given) return {};
    defect = condition_defects(*form, solution, 1000).boundary;
    lift = defect > 1e-13 * at_end.largest;
    if (lift && !form->is_box) return {};  // the maximum principle has a bound
  } else {
    const Inflow in = inflow_of(*form, solution, sign, 1000);
    if (!in.given) return {};
    defect = in.defect;
    inflow = in.speed * in.measure * in.defect * in.defect / rate;
  }
  if (!residual_can_be_used(*form, solution, max_points)) return {};
  const Solution inner = lift ? lifted(*form, solution) : solution;

  // y: by |r|, from e' = (A e + r) / rate with the numerical range of A at most -omega rate;
  // z: squares, by the dual norm, (|e|^2)' <= (|r|_V'^2 - sigma |e|^2) / rate.
  const bool coercive = diffuses && !periodic;
  const double first = coercive ? grid.first_eigenvalue(a) : 0, sigma = first + c;
  const bool by_dual = coercive && sigma > 0;
  const double omega = -sigma / rate;
  double y = std::sqrt(start_square(*form, inner, *form->start, grid, time.lower)), z = y * y;
  const double begin = y;
  double work = 0, over_time = 0, lifted_gradient = 0, answer = 0, answer_gradient = 0;
  for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
    const double h = edges[k + 1] - edges[k];
    double residual = 0, dual = 0, lifting = 0;
    for (std::size_t g = 0; g < tube_points; ++g) {
      const double t = edges[k] + tube_place[g] * h, w = tube_share[g] * h;
      const ResidualSines r = residual_sines(*form, inner, grid, t);
      if (!std::isfinite(r.square)) return {};
      residual = std::max(residual, std::sqrt(r.square));
      if (by_dual) dual = std::max(dual, r.dual_norm(grid, a, c));
      if (lift) {
        const FieldSquares more = field_squares(*form, solution, &inner, grid, t);
        lifting = std::max(lifting, std::sqrt(more.value));
        lifted_gradient += w * more.gradient;
      }
      const FieldSquares whole = field_squares(*form, solution, nullptr, grid, t);
      answer += w * whole.value;
      answer_gradient += w * whole.gradient;
    }
    const double from = std::min(y, std::sqrt(z));
    // What the inflow brings is a part of its own, of squares.
    y = std::exp(omega * h) *
            std::sqrt(from * from + inflow * h * std::max(1.0, std::exp(-2 * omega * h))) +
        residual / rate * h * mean_of_exp(omega * h);
    z = by_dual
            ? std::exp(omega * h) * from * from + dual * dual / rate * h * mean_of_exp(omega * h)
            : y * y;
    work += dual * dual * h;
    const double to = std::min(y, std::sqrt(z));
    over_time += h * std::pow(std::max(from, to) + lifting, 2);
  }
  const double end = std::min(y, std::sqrt(z));
  double lifted_end = 0;
  if (lift) lifted_end = std::sqrt(field_squares(*form, solution, &inner, grid, time.upper).value);

  std::string how = fmt::format("|exp(t A)| <= exp({:.3g} t) in L2{}", omega,
                                by_dual ? ", or the dual norm of the residual" : "");
  if (lift) how += fmt::format("; boundary defects up to {:.2g} are lifted", defect);
  if (inflow > 0) how += fmt::format("; inflow off by up to {:.2g}", defect);
  std::vector<ErrorBound> all;
  const auto add = [&](std::string norm, double upper, double whole) {
    ErrorBound b;
    b.theory = "semigroup";
    b.field = form->field;
    b.norm = std::move(norm);
    b.upper = upper;
    if (whole > 0) b.relative = upper / whole;
    b.how = how;
    if (std::isfinite(upper)) all.push_back(std::move(b));
  };
  add("L2 at the last time", end + lifted_end, std::sqrt(at_end.value));
  add("L2 over space and time", std::sqrt(over_time), std::sqrt(answer));
  if (by_dual) {
    const double energy = std::sqrt(rate * begin * begin + work);
    add("L2 of the gradient over space and time",
        energy / std::sqrt(least * std::min(1.0, sigma / first)) + std::sqrt(lifted_gradient),
        std::sqrt(answer_gradient));
  }
  return all;
}

}  // namespace cauchy::detail
