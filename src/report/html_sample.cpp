#include "report/html_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Extent of the training points in one column, for regions without an end.
Limits trained_limits(const Solution& s, std::size_t column) {
  std::vector<double> values;
  const TrainingRecord record = s.training.value_or(TrainingRecord{});
  for (const auto& [name, points] : record.points) {
    for (std::size_t i = 0; column < points.columns.size() && i < points.size(); ++i) {
      values.push_back(points.row(i)[column]);
    }
  }
  return widened(limits_of(values, AxisScale::linear), AxisScale::linear);
}

bool is_box(const Shape& shape) {
  double volume = 1;
  for (std::size_t k = 0; k < shape.dimension(); ++k) {
    volume *= shape.bounds().upper[k] - shape.bounds().lower[k];
  }
  return std::abs(shape.measure() - volume) <= 1e-9 * volume;
}

bool near(const PixelPoint& p, const PixelPoint& q, double distance) {
  return std::abs(p.x - q.x) <= distance && std::abs(p.y - q.y) <= distance;
}

/// Curves joined end to start; nothing when an end is left over.
std::vector<std::vector<PixelPoint>> chained(std::vector<std::vector<PixelPoint>> curves,
                                             double distance) {
  std::vector<std::vector<PixelPoint>> rings;
  while (!curves.empty()) {
    std::vector<PixelPoint> ring = std::move(curves.back());
    curves.pop_back();
    while (!near(ring.front(), ring.back(), distance)) {
      const auto next = std::find_if(curves.begin(), curves.end(), [&](const auto& c) {
        return near(c.front(), ring.back(), distance);
      });
      if (next == curves.end()) return {};
      ring.insert(ring.end(), next->begin() + 1, next->end());
      curves.erase(next);
    }
    rings.push_back(std::move(ring));
  }
  return rings;
}

Quantities fields_of(const Solution& solution) {
  Quantities q{solution.problem.all_fields(), {}};
  if (q.names.empty()) throw Error("the problem has no fields", "[report.html]");
  std::vector<Expr> expressions;
  for (const std::string& name : q.names) expressions.emplace_back(Field(name));
  q.values = [&solution, expressions](std::span<const double> rows) {
    return solution.evaluate(expressions, rows);
  };
  return q;
}

}  // namespace

SolutionSampler::SolutionSampler(const Solution& solution)
    : SolutionSampler(solution, fields_of(solution)) {
  compared_ = !solution.problem.reference.empty();
}

SolutionSampler::SolutionSampler(const Solution& solution, Quantities quantities)
    : solution_(solution),
      domain_(domain_of(solution.problem)),
      fields_(std::move(quantities.names)),
      values_(std::move(quantities.values)),
      compared_(false) {
  if (solution.model == nullptr) throw Error("the solution has no model", "[report.html]");
  if (const Time* t = domain_.time()) axes_.push_back({t->name, t->lower, t->upper});
  if (const Region* space = domain_.space()) {
    std::vector<double> ranges;
    for (const Range& r : domain_.ranges()) ranges.push_back((r.lower + r.upper) / 2);
    Bounds bounds = domain_.shape(ranges)->bounds();
    // Shapes that vary are shown in the box around the smallest, middle and largest value.
    for (std::size_t k = 0; domain_.shape_varies() && k < 2; ++k) {
      std::vector<double> ends;
      for (const Range& r : domain_.ranges()) ends.push_back(k == 0 ? r.lower : r.upper);
      const Bounds other = domain_.shape(ends)->bounds();
      for (std::size_t i = 0; i < other.lower.size(); ++i) {
        bounds.lower[i] = std::min(bounds.lower[i], other.lower[i]);
        bounds.upper[i] = std::max(bounds.upper[i], other.upper[i]);
      }
    }
    for (std::size_t k = 0; k < space->dimension(); ++k) {
      const Limits trained = std::isfinite(bounds.lower[k]) && std::isfinite(bounds.upper[k])
                                 ? Limits{bounds.lower[k], bounds.upper[k]}
                                 : trained_limits(solution, domain_.space_column() + k);
      axes_.push_back({space->coordinates()[k],
                       std::isfinite(bounds.lower[k]) ? bounds.lower[k] : trained.low,
                       std::isfinite(bounds.upper[k]) ? bounds.upper[k] : trained.high});
    }
  }
  for (const Range& r : domain_.ranges()) axes_.push_back({r.name, r.lower, r.upper});
}

std::vector<double> SolutionSampler::middle() const {
  std::vector<double> at;
  for (const Axis& a : axes_) at.push_back((a.lower + a.upper) / 2);
  return at;
}

std::vector<double> SolutionSampler::positions(std::size_t a, std::size_t n) const {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5;
    x[i] = (1 - t) * axes_[a].lower + t * axes_[a].upper;
  }
  return x;
}

FieldSample SolutionSampler::line(std::size_t a, std::size_t n, std::vector<double> at) {
  std::vector<double> rows;
  for (const double x : positions(a, n)) {
    at[a] = x;
    rows.insert(rows.end(), at.begin(), at.end());
  }
  return sample(rows, 1e-9 * (axes_[a].upper - axes_[a].lower));
}

FieldSample SolutionSampler::plane(std::size_t a, std::size_t na, std::size_t b, std::size_t nb,
                                   std::vector<double> at) {
  const auto centre = [&](std::size_t axis, std::size_t i, std::size_t n) {
    const double t = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return (1 - t) * axes_[axis].lower + t * axes_[axis].upper;
  };
  std::vector<double> rows;
  rows.reserve(na * nb * at.size());
  for (std::size_t i = 0; i < nb; ++i) {
    at[b] = centre(b, i, nb);
    for (std::size_t j = 0; j < na; ++j) {
      at[a] = centre(a, j, na);
      rows.insert(rows.end(), at.begin(), at.end());
    }
  }
  // Cells that the outline cuts are filled; what lies beyond it is covered.
  const bool covered = !outline(a, b, at).rings.empty();
  const double cell = std::max((axes_[a].upper - axes_[a].lower) / static_cast<double>(na),
                               (axes_[b].upper - axes_[b].lower) / static_cast<double>(nb));
  return sample(rows, covered ? 1.5 * cell : 1e-9 * cell);
}

ShapePtr SolutionSampler::shape_at(std::span<const double> row) const {
  if (domain_.space() == nullptr) return nullptr;
  return domain_.shape(row.subspan(n_active()));
}

FieldSample SolutionSampler::sample(std::span<const double> rows, double margin) {
  ask_limit("a picture");
  const std::size_t D = axes_.size(), n = rows.size() / D, F = fields_.size();
  FieldSample out;
  out.solution.assign(F, std::vector<double>(n, nan_value));
  // All rows of a line or plane have the same values of the ranges.
  const ShapePtr shape = shape_at(rows.first(D));
  const bool inside_all = shape == nullptr || is_box(*shape);
  std::vector<std::size_t> inside, strictly;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = inside_all ? 0.0 : shape->distance(rows.subspan(i * D + first_space()).data());
    if (d >= -margin) inside.push_back(i);
    if (d >= 0) strictly.push_back(i);
  }
  if (strictly.size() < inside.size()) {
    out.beyond.assign(n, true);
    for (const std::size_t i : strictly) out.beyond[i] = false;
  }
  std::vector<double> packed;
  for (const std::size_t i : inside) {
    packed.insert(packed.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * D),
                  rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * D));
  }
  const std::vector<double> values = values_(packed);
  for (std::size_t k = 0; k < inside.size(); ++k) {
    for (std::size_t f = 0; f < F; ++f) out.solution[f][inside[k]] = values[k * F + f];
  }
  if (compared_ && reference_problem_.empty()) {
    // Just beyond the boundary an exact solution need not exist.
    if (!try_reference(rows, inside, out) && try_reference(rows, strictly, out)) {
      reference_problem_.clear();
    }
  }
  return out;
}

bool SolutionSampler::try_reference(std::span<const double> rows,
                                    const std::vector<std::size_t>& at, FieldSample& out) {
  const std::size_t D = axes_.size(), F = fields_.size();
  out.reference.clear();
  if (at.empty()) return true;
  std::vector<double> packed;
  for (const std::size_t i : at) {
    packed.insert(packed.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * D),
                  rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * D));
  }
  try {
    const auto reference = reference_values(solution_.problem, packed);
    if (!reference) return true;
    out.reference.assign(F, std::vector<double>(rows.size() / D, nan_value));
    const std::size_t R = reference->fields.size();
    for (std::size_t r = 0; r < R; ++r) {
      const auto f = static_cast<std::size_t>(
          std::find(fields_.begin(), fields_.end(), reference->fields[r]) - fields_.begin());
      if (f == F) continue;
      for (std::size_t k = 0; k < at.size(); ++k) {
        out.reference[f][at[k]] = reference->values[k * R + r];
      }
    }
    return true;
  } catch (const Error& e) {
    reference_problem_ = e.what();
    out.reference.clear();
    return false;
  }
}

SolutionSampler::Outline SolutionSampler::outline(std::size_t a, std::size_t b,
                                                  const std::vector<double>& at) const {
  Outline result;
  const Region* space = domain_.space();
  if (space == nullptr || space->dimension() != 2 || a != first_space() || b != a + 1) {
    return result;
  }
  const ShapePtr shape = shape_at(at);
  if (is_box(*shape) && shape->pieces().size() == 4) return result;
  const Bounds box{{axes_[a].lower, axes_[b].lower}, {axes_[a].upper, axes_[b].upper}};
  const double size = std::max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]);
  for (const BoundaryCurve& curve : boundary_curves(*shape, 1e-4 * size, box)) {
    std::vector<PixelPoint>& points = result.curves.emplace_back();
    for (const Point2& p : curve.points) points.push_back({p[0], p[1]});
  }
  for (const double v : shape->bounds().lower) {
    if (!std::isfinite(v)) return result;
  }
  for (const double v : shape->bounds().upper) {
    if (!std::isfinite(v)) return result;
  }
  result.rings = chained(result.curves, 1e-6 * size);
  return result;
}

}  // namespace cauchy::detail
