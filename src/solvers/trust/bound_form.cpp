#include "solvers/trust/bound_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/inertia.hpp"
#include "expr/weak_atoms.hpp"
#include "problem/point_evaluator.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {
namespace {

/// A form of second order has so many squared coefficients.
constexpr std::size_t most_dimensions = 20;

/// Where comparisons inside of fluxes change.
void find_jumps(BoundForm& form) {
  const std::vector<std::string>& names = form.domain.space()->coordinates();
  for (const Expr& e : postorder(form.flux)) {
    if (!has_jump(e.kind()) || e.kind() == Kind::where) continue;
    const Expr roots[] = {e};
    if (e.kind() != Kind::less && e.kind() != Kind::less_equal && e.kind() != Kind::sign) {
      form.other_jumps = true;
      continue;
    }
    const Expr level = e.kind() == Kind::sign ? e.args()[0] : e.args()[0] - e.args()[1];
    const std::vector<Expr> at = atoms(roots, Kind::coordinate);
    const auto axis =
        at.size() == 1 ? std::find(names.begin(), names.end(), at[0].name()) : names.end();
    if (axis == names.end() || !atoms(roots, Kind::call).empty() || !field_atoms(roots).empty()) {
      form.other_jumps = true;
      continue;
    }
    const auto k = static_cast<std::size_t>(axis - names.begin());
    const auto value = [&](double x) {
      Values values;
      values.set(at[0], x);
      return evaluate(level, values);
    };
    constexpr int parts = 500;
    const auto place = [&](int i) { return form.box.lower[k] + form.side(k) * i / parts; };
    for (int i = 0; i < parts; ++i) {
      double low = place(i), high = place(i + 1);
      const bool below = value(low) < 0;
      if (value(low) == 0 || below == (value(high) < 0)) {
        if (value(low) == 0 && i > 0) form.planes.push_back({k, low});
        continue;
      }
      if (value(high) == 0) continue;  // it is the next one
      for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        ((value(middle) < 0) == below ? low : high) = middle;
      }
      form.planes.push_back({k, (low + high) / 2});
    }
  }
  // Two comparisons with the same place are one.
  std::erase_if(form.planes,
                [&, seen = std::vector<BoundForm::Plane>()](const BoundForm::Plane& p) mutable {
                  for (const BoundForm::Plane& q : seen) {
                    if (q.axis == p.axis && std::abs(q.at - p.at) < 1e-9 * form.side(p.axis))
                      return true;
                  }
                  seen.push_back(p);
                  return false;
                });
}

/// Reads one condition; false when it is of a kind that bounds do not know.
bool read_condition(BoundForm& form, const Condition& c, const Lowering& lower) {
  switch (c.kind) {
    case Condition::Kind::periodic:
      form.periodic.push_back(c.coordinate);
      return true;
    case Condition::Kind::interface:
      return true;  // continuity and jumps of the flux are those of the weak form
    case Condition::Kind::point:
    case Condition::Kind::integral:
      return false;
    case Condition::Kind::general:
      break;
  }
  const ConditionPlace place = place_of(*form.problem, c);
  if (place.kind == ConditionPlace::Kind::slice) {
    if (form.steady() || place.time != form.domain.time()->lower) return false;
    const Expr residual = lower(c.form.residual());
    const LinearForm linear = linear_form(residual);
    if (!linear.linear || linear.terms.size() != 1) return false;
    const MultiIndex& index = linear.terms[0].atom.index();
    const Expr value = -linear.remainder / linear.terms[0].coefficient;
    if (index.empty() && !form.start) {
      form.start = value;
    } else if (index == MultiIndex{{form.domain.time()->name, 1}} && !form.start_rate) {
      form.start_rate = value;
    } else {
      return false;
    }
    return true;
  }
  const auto dirichlet = dirichlet_form(c.form);
  if (!dirichlet) return false;
  BoundForm::Given g{c, lower(dirichlet->value), {}};
  const Boundary part(form.domain, place.boundary);
  for (const Piece& piece : form.shape->pieces())
    g.on_piece.push_back(lower(part.condition(piece)));
  form.given.push_back(std::move(g));
  return true;
}

}  // namespace

std::optional<BoundForm> BoundForm::of(const Solution& solution) {
  const Problem& p = solution.problem;
  if (!p.unknowns.empty() || !p.coefficients.empty() || p.fields.size() != 1) return {};
  if (p.equation.size() != 1 || !p.equation[0].where.empty() || !p.domain) return {};
  const Domain domain = domain_of(p);
  if (domain.space() == nullptr || !domain.ranges().empty()) return {};
  if (domain.space()->dimension() > most_dimensions) return {};
  try {
    const WeakProblem weak = weak_problem(p, WeakNames::numbers);
    if (!weak.linear || weak.form.rows.size() != 1) return {};
    for (const WeakCondition& c : weak.conditions) {
      // A jump of the flux that is asked for is not in the equation.
      if (c.role == WeakCondition::Role::interface && !c.value.is_constant(0)) return {};
    }
    BoundForm form{std::make_shared<const Problem>(p),
                   p.fields[0],
                   domain,
                   domain.shape(),
                   {},
                   false,
                   0,
                   weak.form,
                   {},
                   {},
                   {},
                   {},
                   {},
                   false,
                   {},
                   {},
                   {},
                   {},
                   false};
    form.box = form.shape->bounds();
    double volume = 1;
    for (std::size_t k = 0; k < form.dimension(); ++k) volume *= form.side(k);
    if (!std::isfinite(volume)) return {};
    const double measure = form.shape->measure();
    // A slit has no measure, but pieces.
    form.is_box = std::abs(measure - volume) <= 1e-12 * volume &&
                  form.shape->pieces().size() == 2 * form.dimension();
    form.measure = std::isfinite(measure) ? measure : volume;
    form.by_field = gateaux(form.weak, form.weak.rows[0], form.field);
    form.terms = coercivity_terms(form.weak);
    form.flux = form.weak.rows[0].flux;
    form.strong = form.weak.rows[0].source;
    for (std::size_t i = 0; i < form.flux.size(); ++i) {
      form.flux[i] = plain(form.flux[i]);
      form.strong = form.strong - d(form.flux[i], form.weak.space[i]);
    }
    form.strong = plain(form.strong);
    find_jumps(form);
    const Lowering lower(p);
    for (const Condition& c : p.condition) {
      if (!read_condition(form, c, lower)) return {};
    }
    if (!form.given.empty()) {
      const std::vector<int> at = given_at(form, boundary_points(form.domain, "boundary", 400));
      form.all_given = std::all_of(at.begin(), at.end(), [](int g) { return g >= 0; });
    }
    return form;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

std::vector<int> given_at(const BoundForm& form, const Points& points) {
  std::vector<int> made(points.size(), -1);
  const std::size_t d = form.dimension(), first = form.domain.space_column();
  std::vector<double> foot(d), normal(d);
  Values values;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const double> row = points.row(i);
    const Nearest near = form.shape->nearest(row.data() + first, foot.data(), normal.data());
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      values.set(Coordinate(points.columns[k]), row[k]);
    }
    for (std::size_t g = 0; g < form.given.size() && made[i] < 0; ++g) {
      const Expr& on = form.given[g].on_piece[near.piece];
      if (on.is_constant() ? on.value() != 0 : evaluate(on, values) != 0) {
        made[i] = static_cast<int>(g);
      }
    }
  }
  return made;
}

ConditionDefects condition_defects(const BoundForm& form, const Solution& solution,
                                   std::size_t n_points) {
  const PointEvaluator evaluator(solution);
  ConditionDefects made;
  const auto grow = [](double& most, double v) {
    if (!(std::abs(v) <= most)) most = std::abs(v);
  };
  if (!form.given.empty()) {
    const Points points = boundary_points(form.domain, "boundary", n_points);
    const std::vector<int> at = given_at(form, points);
    std::vector<Expr> wanted;
    for (const BoundForm::Given& g : form.given) wanted.push_back(Field(form.field) - g.value);
    const auto values = evaluator(wanted, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (at[i] >= 0) grow(made.boundary, values[static_cast<std::size_t>(at[i])][i]);
    }
  }
  if (form.start) {
    const Expr wanted[] = {Field(form.field) - *form.start};
    const auto values = evaluator(wanted, initial_points(form.domain, n_points));
    for (const double v : values[0]) grow(made.start, v);
  }
  return made;
}

Inflow inflow_of(const BoundForm& form, const Solution& solution, double sign,
                 std::size_t n_points) {
  const Points points = boundary_points(form.domain, "boundary", n_points);
  const std::size_t d = form.dimension();
  std::vector<Expr> wanted;
  for (std::size_t i = 0; i < d; ++i) {
    wanted.push_back(form.by_field.source_du[i] + form.by_field.flux_u[i]);
  }
  for (const BoundForm::Given& g : form.given) wanted.push_back(Field(form.field) - g.value);
  const auto values = PointEvaluator(solution)(wanted, points);
  const std::vector<int> at = given_at(form, points);
  Inflow made;
  std::size_t entering = 0;
  for (const Piece& piece : form.shape->pieces()) made.measure += piece.measure;
  for (std::size_t p = 0; p < points.size(); ++p) {
    double speed = 0, size = 0;
    for (std::size_t i = 0; i < d; ++i) {
      speed += sign * values[i][p] * points.normals[p * d + i];
      size += std::abs(values[i][p]);
    }
    if (!(speed < -1e-12 * size)) continue;
    if (at[p] < 0) {
      made.given = false;
      continue;
    }
    const double defect = std::abs(values[d + static_cast<std::size_t>(at[p])][p]);
    if (!(defect <= made.defect)) made.defect = defect;
    made.speed = std::max(made.speed, -speed);
    ++entering;
  }
  made.measure *= static_cast<double>(entering) / static_cast<double>(points.size());
  return made;
}

double periodic_defect(const BoundForm& form, const Solution& solution, std::size_t n_points) {
  const Points inside = interior_points(form.domain, n_points);
  const std::size_t d = form.dimension(), first = form.domain.space_column();
  const PointEvaluator evaluator(solution);
  double worst = 0;
  for (std::size_t k = 0; k < d; ++k) {
    const std::string& name = form.weak.space[k].name();
    if (std::find(form.periodic.begin(), form.periodic.end(), name) == form.periodic.end())
      continue;
    Points low = inside, high = inside;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      low.values[i * inside.columns.size() + first + k] = form.box.lower[k];
      high.values[i * inside.columns.size() + first + k] = form.box.upper[k];
    }
    std::vector<Expr> wanted = {Field(form.field)};
    const bool second = !form.by_field.flux_du[k][k].is_constant(0);
    if (second) wanted.push_back(form.side(k) * field_derivative(form.field, {{name, 1}}));
    const std::size_t own = wanted.size();
    wanted.push_back(form.by_field.source_du[k] + form.by_field.flux_u[k]);
    for (std::size_t j = 0; j < d; ++j) wanted.push_back(form.by_field.flux_du[k][j]);
    const auto a = evaluator(wanted, low), b = evaluator(wanted, high);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      for (std::size_t i = 0; i < inside.size(); ++i) {
        const double apart = std::abs(a[e][i] - b[e][i]);
        if (e >= own && !(apart <= 1e-9 * std::abs(a[e][i]))) {
          return std::numeric_limits<double>::infinity();
        }
        if (e < own && !(apart <= worst)) worst = apart;
      }
    }
  }
  return worst;
}

std::vector<ValueRange> ranges_of(const BoundForm& form, std::span<const Expr> expressions,
                                  const Points& points) {
  const auto all = PointEvaluator(*form.problem)(expressions, points);
  std::vector<ValueRange> made;
  for (const std::vector<double>& values : all) {
    ValueRange r{values[0], values[0]};
    for (const double v : values) {
      if (!(v >= r.least)) r.least = v;
      if (!(v <= r.most)) r.most = v;
    }
    made.push_back(r);
  }
  return made;
}

std::optional<FormConstants> form_constants(const BoundForm& form, const Points& points) {
  const std::size_t d = form.dimension();
  std::vector<Expr> wanted = form.terms.diffusion;
  wanted.push_back(form.terms.reaction);
  wanted.push_back(form.by_field.source_u);
  for (std::size_t i = 0; i < d; ++i) {
    wanted.push_back(form.by_field.source_du[i]);
    wanted.push_back(form.by_field.flux_u[i]);
    for (std::size_t j = 0; j < d; ++j) wanted.push_back(form.by_field.flux_du[i][j]);
  }
  if (!field_atoms(wanted).empty()) return {};
  const auto values = PointEvaluator(*form.problem)(wanted, points);
  for (const std::vector<double>& row : values) {
    if (std::any_of(row.begin(), row.end(), [](double v) { return !std::isfinite(v); })) return {};
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FormConstants made;
  made.diffusion.assign(d, infinity);
  made.reaction = infinity;
  double least = infinity, diffusion = 0, slope = 0, zero = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::vector<double> a(d * d);
    for (std::size_t k = 0; k < d * d; ++k) a[k] = values[k][p];
    for (std::size_t i = 0; i < d; ++i) {
      double circle = a[i * d + i];
      for (std::size_t j = 0; j < d; ++j) circle -= i == j ? 0 : std::abs(a[i * d + j]);
      made.diffusion[i] = std::min(made.diffusion[i], circle);
    }
    least = std::min(least, symmetric_eigenvalues(a, d).front());
    made.reaction = std::min(made.reaction, values[d * d][p]);
    zero = std::max(zero, std::abs(values[d * d + 1][p]));
    double whole = 0, along = 0;  // Frobenius norm of the diffusion, both slopes
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t at = d * d + 2 + i * (d + 2);
      along = std::hypot(along, std::abs(values[at][p]) + std::abs(values[at + 1][p]));
      for (std::size_t j = 0; j < d; ++j) whole = std::hypot(whole, values[at + 2 + j][p]);
    }
    // Of a symmetric matrix the largest eigenvalue is sharper.
    bool symmetric = true;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        const double v = values[d * d + 2 + i * (d + 2) + 2 + j][p];
        symmetric = symmetric && std::abs(v - a[i * d + j]) <= 1e-12 * std::abs(v);
      }
    }
    if (symmetric) whole = std::max(0.0, symmetric_eigenvalues(a, d).back());
    diffusion = std::max(diffusion, whole);
    slope = std::max(slope, along);
  }
  if (*std::min_element(made.diffusion.begin(), made.diffusion.end()) < least) {
    made.diffusion.assign(d, least);
  }
  double first = 0;  // eigenvalue of the box
  for (std::size_t k = 0; k < d; ++k) first += std::pow(std::numbers::pi / form.side(k), 2);
  made.above = diffusion + slope / std::sqrt(first) + zero / first;
  made.constant = slope == 0;
  for (std::size_t k = 0; k < d * d + 1; ++k) {
    const auto [low, high] = std::minmax_element(values[k].begin(), values[k].end());
    const bool diagonal = k == d * d || k / d == k % d;
    made.constant = made.constant && *low == *high && (diagonal || *low == 0);
  }
  return made;
}

}  // namespace cauchy::detail
