#include "solvers/trust/bound_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

/// Sides of a surface are looked at this share of the box beside it.
constexpr double beside_share = 1e-8;
/// Modes per axis of the test whether a residual is whole, and the share that may be missing.
constexpr std::size_t tested_modes = 3;
constexpr double missing_share = 0.1;

/// What the quadrature of a grid may make of nothing, relative to the flux: three Gauss points per
/// cell integrate waves to the sixth power of their phase in a cell; two more than tested for the
/// field itself.
double quadrature_error(const SineGrid& grid) {
  const double cells = 1.4 * static_cast<double>(grid.modes());
  const double phase = std::numbers::pi * static_cast<double>(tested_modes + 2) / cells;
  return 1e-7 + 1e-6 * std::pow(phase, 6);
}

/// Values at the points of a grid, zero outside of the domain.
std::vector<std::vector<double>> on_grid(const BoundForm& form, const Solution& solution,
                                         const SineGrid& grid, std::optional<double> time,
                                         std::span<const Expr> expressions) {
  ask_limit("a bound of the error");
  std::vector<std::size_t> inside;
  const Points points = grid.points(form, time, inside);
  const auto values = PointEvaluator(solution)(expressions, points);
  std::vector<std::vector<double>> made(expressions.size(), std::vector<double>(grid.size(), 0.0));
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    for (std::size_t i = 0; i < inside.size(); ++i) made[e][inside[i]] = values[e][i];
  }
  return made;
}

/// Jumps of the flux through a surface, from its upper to its lower side, on the grid of the other
/// axes.
std::vector<double> jumps_on(const BoundForm& form, const Solution& solution, const SineGrid& grid,
                             BoundForm::Plane plane) {
  std::vector<std::size_t> inside;
  const Points on = grid.points_on(form, plane, inside);
  std::vector<double> made(grid.size() > 0 ? grid.weights_on(plane.axis).size() : 0, 0.0);
  const Expr wanted[] = {form.flux[plane.axis]};
  const PointEvaluator evaluator(solution);
  for (const double side : {-1.0, 1.0}) {
    Points beside = on;
    for (std::size_t i = 0; i < on.size(); ++i) {
      beside.values[i * on.columns.size() + form.domain.space_column() + plane.axis] +=
          side * beside_share * form.side(plane.axis);
    }
    const auto values = evaluator(wanted, beside);
    for (std::size_t i = 0; i < inside.size(); ++i) made[inside[i]] -= side * values[0][i];
  }
  return made;
}

}  // namespace

double ResidualSines::dual_norm(const SineGrid& grid, std::span<const double> a, double c) const {
  const std::vector<double> sigma = grid.eigenvalues(a);
  double known = 0;
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    known += coefficients[k] * coefficients[k] / (sigma[k] + c);
  }
  const double next = grid.next_eigenvalue(a) + c;
  double beyond = std::sqrt(std::max(0.0, rest) / next);
  const double below = std::min(c, 0.0);
  for (const Jump& j : jumps) {
    // Modes of the surface that are known, with all waves across it that are not:
    //   sum_{k > K} (2 / L) / (a w_k^2 + c) <= 2 L / (pi^2 a K) times what c takes away;
    // modes that are not known, with all waves: Green's function of the line, 1 / (2 (a s)^(1/2)).
    const double w = grid.wave(j.axis, grid.modes() + 1), aw = a[j.axis] * w * w;
    const double length = grid.box().upper[j.axis] - grid.box().lower[j.axis];
    const double across = 2 * length * aw /
                          (std::numbers::pi * std::numbers::pi * a[j.axis] *
                           static_cast<double>(grid.modes()) * (aw + below));
    double other = 0;
    if (grid.dimension() > 1) {
      double s = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < grid.dimension(); ++k) {
        if (k == j.axis) continue;
        const double v = grid.wave(k, grid.modes() + 1);
        s = std::min(s, a[k] * v * v + below);
      }
      other = j.rest / (2 * std::sqrt(a[j.axis] * s));
    }
    beyond += std::sqrt((j.square - j.rest) * across + other);
  }
  return std::sqrt(known + beyond * beyond);
}

ResidualSines residual_sines(const BoundForm& form, const Solution& solution, const SineGrid& grid,
                             std::optional<double> time) {
  ResidualSines made;
  const Expr wanted[] = {form.strong};
  const std::vector<double> r = std::move(on_grid(form, solution, grid, time, wanted)[0]);
  for (std::size_t i = 0; i < r.size(); ++i) made.square += grid.weights()[i] * r[i] * r[i];
  made.coefficients = grid.coefficients(r);
  made.rest = made.square;
  for (const double v : made.coefficients) made.rest -= v * v;
  // What rounding and quadrature leave of nothing.
  made.rest = std::max(made.rest, 1e-14 * made.square);
  for (const BoundForm::Plane& plane : form.planes) {
    if (!(plane.at > grid.box().lower[plane.axis] && plane.at < grid.box().upper[plane.axis])) {
      continue;
    }
    const std::vector<double> j = jumps_on(form, solution, grid, plane);
    const std::vector<double> w = grid.weights_on(plane.axis);
    ResidualSines::Jump jump{plane.axis, 0, 0};
    for (std::size_t i = 0; i < j.size(); ++i) jump.square += w[i] * j[i] * j[i];
    double known = 0;
    const std::vector<double> more = grid.coefficients_on(plane, j, known);
    jump.rest = std::max(0.0, jump.square - known);
    for (std::size_t k = 0; k < more.size(); ++k) made.coefficients[k] += more[k];
    made.jumps.push_back(jump);
  }
  return made;
}

bool is_whole_residual(const BoundForm& form, const Solution& solution, const SineGrid& grid,
                       std::optional<double> time) {
  if (form.other_jumps) return false;
  const ResidualSines strong = residual_sines(form, solution, grid, time);
  if (!std::isfinite(strong.square)) return false;
  std::vector<Expr> wanted = {form.weak.rows[0].source};
  wanted.insert(wanted.end(), form.flux.begin(), form.flux.end());
  const auto values = on_grid(form, solution, grid, time, wanted);
  std::vector<double> weak = grid.coefficients(values[0]);
  double flux_square = 0;
  for (std::size_t a = 0; a < grid.dimension(); ++a) {
    const std::vector<double> more = grid.coefficients(values[1 + a], a);
    for (std::size_t k = 0; k < weak.size(); ++k) weak[k] += more[k];
    for (std::size_t i = 0; i < grid.size(); ++i) {
      flux_square += grid.weights()[i] * values[1 + a][i] * values[1 + a][i];
    }
  }
  const std::vector<double> ones(grid.dimension(), 1.0);
  const std::vector<double> lambda = grid.eigenvalues(ones);
  double missing = 0;
  for (std::size_t k = 0; k < weak.size(); ++k) {
    bool low = true;
    for (std::size_t rest = k, a = 0; a < grid.dimension(); ++a, rest /= grid.modes()) {
      low = low && rest % grid.modes() < tested_modes;
    }
    const double difference = weak[k] - strong.coefficients[k];
    if (low) missing += difference * difference / lambda[k];
  }
  const double whole = strong.dual_norm(grid, ones, 0);
  return std::sqrt(missing) <=
         missing_share * whole + quadrature_error(grid) * std::sqrt(flux_square);
}

Bounds inner_box(const BoundForm& form, const SineGrid& around) {
  if (form.is_box) return form.box;
  double deepest = 0;
  std::vector<double> center;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const std::vector<double> x = around.row(i);
    const double depth = form.shape->distance(x.data());
    if (depth > deepest) {
      deepest = depth;
      center = x;
    }
  }
  Bounds made = form.box;
  const double half = 0.999 * deepest / std::sqrt(static_cast<double>(form.dimension()));
  for (std::size_t k = 0; k < center.size(); ++k) {
    made.lower[k] = center[k] - half;
    made.upper[k] = center[k] + half;
  }
  return made;
}

namespace {

/// Slopes are integrals of second derivatives: along some lines of the domain, for each axis.
bool slopes_are_whole(const BoundForm& form, const Solution& solution) {
  constexpr std::size_t lines = 8;
  const std::size_t d = form.dimension(), first = form.domain.space_column();
  const Points starts = interior_points(form.domain, lines);
  const PointEvaluator evaluator(solution);
  const Rule rule = gauss_legendre(24);
  for (std::size_t k = 0; k < d; ++k) {
    const std::string& name = form.weak.space[k].name();
    const Expr wanted[] = {field_derivative(form.field, {{name, 1}}),
                           field_derivative(form.field, {{name, 2}})};
    for (std::size_t i = 0; i < lines; ++i) {
      // To both sides as far as the domain certainly goes.
      const double reach = 0.999 * form.shape->distance(starts.row(i).data() + first);
      const Rule here = scaled(rule, -reach, reach);
      std::vector<double> at = here.nodes;
      at.push_back(-reach);
      at.push_back(reach);
      Points along;
      along.columns = starts.columns;
      for (const double s : at) {
        along.values.insert(along.values.end(), starts.row(i).begin(), starts.row(i).end());
        along.values[along.values.size() - starts.columns.size() + first + k] += s;
      }
      const auto values = evaluator(wanted, along);
      const std::size_t n = here.size();
      double bend = 0, size = 0;
      for (std::size_t q = 0; q < n; ++q) {
        bend += here.weights[q] * values[1][q];
        size += here.weights[q] * std::abs(values[1][q]);
      }
      const double change = values[0][n + 1] - values[0][n];
      const double slope = std::abs(values[0][n + 1]) + std::abs(values[0][n]);
      if (!(std::abs(bend - change) <= 0.02 * size + 1e-9 * slope)) return false;
    }
  }
  return true;
}

/// Changes in time are integrals of u_t, but for a small share of the residual's integral: at some
/// points of space.
bool changes_are_whole(const BoundForm& form, const Solution& solution) {
  constexpr std::size_t places = 8, parts = 64;
  const Time& time = *form.domain.time();
  const double h = (time.upper - time.lower) / parts;
  const Rule gauss = scaled(gauss_legendre(4), 0, 1);
  const Points starts = interior_points(form.domain, places);
  const Expr rate = field_derivative(form.field, {{time.name, 1}});
  const Expr wanted[] = {Field(form.field), rate, form.strong};
  const PointEvaluator evaluator(solution);
  double missing = 0, residual = 0, size = 0;
  for (std::size_t i = 0; i < places; ++i) {
    Points along;
    along.columns = starts.columns;
    const auto add = [&](double t) {
      along.values.insert(along.values.end(), starts.row(i).begin(), starts.row(i).end());
      along.values[along.values.size() - starts.columns.size()] = std::min(t, time.upper);
    };
    for (std::size_t k = 0; k < parts; ++k) {
      const double from = time.lower + static_cast<double>(k) * h;
      add(from);
      for (const double s : gauss.nodes) add(from + s * h);
      add(from + h);
    }
    const auto values = evaluator(wanted, along);
    const std::size_t row = gauss.size() + 2;
    for (std::size_t k = 0; k < parts; ++k) {
      double change = values[0][k * row + row - 1] - values[0][k * row];
      for (std::size_t g = 0; g < gauss.size(); ++g) {
        const std::size_t q = k * row + 1 + g;
        change -= gauss.weights[g] * h * values[1][q];
        residual += gauss.weights[g] * h * std::abs(values[2][q]);
        size = std::max(size, std::abs(values[0][q]));
      }
      missing += std::abs(change);
    }
  }
  // The residual holds rate u_t.
  const double unit = form.by_field.rate.is_constant() && form.by_field.rate.value() != 0
                          ? std::abs(form.by_field.rate.value())
                          : 1;
  return missing <= missing_share * residual / unit + 1e-6 * size;
}

}  // namespace

bool residual_can_be_used(const BoundForm& form, const Solution& solution, std::size_t max_points) {
  if (!form.steady() && !changes_are_whole(form, solution)) return false;
  if (form.dimension() > 3) return !form.other_jumps && slopes_are_whole(form, solution);
  const SineGrid around(form.box, max_points / 4, form.planes);
  const SineGrid grid(inner_box(form, around), max_points / 4, form.planes);
  if (form.steady()) return is_whole_residual(form, solution, grid);
  const Time& time = *form.domain.time();
  for (const double share : {0.05, 0.5, 0.97}) {
    const double at = time.lower + share * (time.upper - time.lower);
    if (!is_whole_residual(form, solution, grid, at)) return false;
  }
  return true;
}

FieldSquares field_squares(const BoundForm& form, const Solution& solution, const Solution* minus,
                           const SineGrid& grid, std::optional<double> time) {
  std::vector<Expr> wanted = {Field(form.field)};
  for (const Expr& x : form.weak.space) {
    wanted.push_back(field_derivative(form.field, {{x.name(), 1}}));
  }
  auto values = on_grid(form, solution, grid, time, wanted);
  if (minus != nullptr) {
    const auto others = on_grid(form, *minus, grid, time, wanted);
    for (std::size_t e = 0; e < values.size(); ++e) {
      for (std::size_t i = 0; i < grid.size(); ++i) values[e][i] -= others[e][i];
    }
  }
  FieldSquares made;
  for (std::size_t e = 0; e < values.size(); ++e) {
    for (std::size_t i = 0; i < grid.size(); ++i) {
      (e == 0 ? made.value : made.gradient) += grid.weights()[i] * values[e][i] * values[e][i];
      if (e == 0) made.largest = std::max(made.largest, std::abs(values[e][i]));
    }
  }
  return made;
}

}  // namespace cauchy::detail
