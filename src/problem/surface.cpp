#include "problem/surface.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

constexpr double band = 0.05;            // of candidates, in units of the size
constexpr double on_boundary_of = 1e-9;  // nearer points belong to the boundary
constexpr int most_newton_steps = 40;

Equation equation_of(const Problem& problem, const std::string& text) {
  const Context context = problem.context();
  const TextPlace place{"surface", 1, 1};
  return text.find('=') == std::string::npos ? parse(text, context, place) == Expr(0)
                                             : parse_equation(text, context, place);
}

/// Of the box around the domain along a column.
double extent_of(const Domain& domain, std::size_t column) {
  const std::size_t first = domain.space_column();
  if (domain.time() != nullptr && column == 0) return domain.time()->upper - domain.time()->lower;
  std::vector<double> middle;
  for (const Range& r : domain.ranges()) middle.push_back((r.lower + r.upper) / 2);
  const Bounds& box = domain.shape(middle)->bounds();
  return box.upper[column - first] - box.lower[column - first];
}

}  // namespace

bool is_jump(const Expr& e) { return e.kind() == Kind::call && e.name() == jump_name; }

bool holds_jump(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> calls = atoms(roots, Kind::call);
  return std::any_of(calls.begin(), calls.end(), is_jump);
}

Expr with_jumps(const Expr& e, FunctionRef<Expr(const Expr&)> side) {
  std::vector<Replacement> list;
  const Expr roots[] = {e};
  for (const Expr& call : atoms(roots, Kind::call)) {
    if (is_jump(call)) list.push_back({call, side(call.args()[0])});
  }
  return substitute(e, list);
}

double jump_size(const Expr& residual, const Problem& problem, const Sizes& sizes) {
  std::vector<Replacement> ones;
  const Expr roots[] = {residual};
  for (const Expr& symbol : atoms(roots, Kind::symbol)) ones.push_back({symbol, Expr(1)});
  const Expr inner = with_jumps(residual, [](const Expr& f) { return f; });
  return residual_size(substitute(inner, ones), problem, sizes);
}

InnerSurface::InnerSurface(const Problem& problem, std::string text)
    : evaluator_(std::make_shared<const PointEvaluator>(problem)),
      text_(std::move(text)),
      domain_(domain_of(problem)) {
  const std::string place = fmt::format("surface '{}'", text_);
  const Equation written = equation_of(problem, text_);
  left_ = evaluator_->lower()(written.left);
  right_ = evaluator_->lower()(written.right);
  level_ = left_ - right_;
  const Expr roots[] = {written.left, written.right};
  for (const Expr& e : postorder(roots)) {
    const bool unknown =
        e.kind() == Kind::parameter &&
        std::ranges::find(problem.unknowns, e.name(), &Unknown::name) != problem.unknowns.end();
    if (e.kind() != Kind::field && e.kind() != Kind::symbol && e.kind() != Kind::call && !unknown) {
      continue;
    }
    throw Error(fmt::format("it depends on '{}'", e.name()), place,
                "write it with coordinates and known numbers");
  }
  const std::vector<std::string> names = problem.coordinates();
  const std::size_t first = domain_.space_column();
  const std::size_t space = domain_.space() == nullptr ? 0 : domain_.space()->dimension();
  for (std::size_t k = first; k < first + space; ++k) {
    if (depends_on(level_, Coordinate(names[k]))) columns_.push_back(k);
  }
  of_time_ = columns_.empty();
  if (of_time_ && domain_.time() != nullptr && depends_on(level_, Coordinate(names[0]))) {
    columns_.push_back(0);
  }
  if (columns_.empty()) {
    throw Error("it holds no coordinate of space or time", place, "write \"x = 0.5\"");
  }
  if (domain_.space() != nullptr && !domain_.shape_varies()) shape_ = domain_.shape();
  size_ = 0;
  for (const std::size_t k : columns_) size_ = std::max(size_, extent_of(domain_, k));
  wanted_ = {level_};
  for (const std::size_t k : columns_) {
    names_.push_back(names[k]);
    wanted_.push_back(d(level_, Coordinate(names[k])));
  }
  if (!of_time_) return;
  const Expr slope[] = {wanted_[1]};
  time_sign_ = (*evaluator_)(slope, interior_points(domain_, 1))[0][0] < 0 ? -1 : 1;
}

double InnerSurface::slope_of(const std::vector<std::vector<double>>& values, std::size_t i) const {
  double sum = 0;
  for (std::size_t k = 1; k < values.size(); ++k) sum += values[k][i] * values[k][i];
  return std::sqrt(sum);
}

bool InnerSurface::holds(const Points& points) const {
  const auto values = (*evaluator_)(wanted_, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(std::abs(values[0][i]) <= 1e-9 * size_ * slope_of(values, i))) return false;
  }
  return true;
}

bool InnerSurface::inside(std::span<const double> row) const {
  const Time* time = domain_.time();
  if (time != nullptr && !(row[0] >= time->lower && row[0] <= time->upper)) return false;
  if (domain_.space() == nullptr) return true;
  const std::size_t first = domain_.space_column();
  const ShapePtr shape =
      shape_ ? shape_ : domain_.shape(row.subspan(first + domain_.space()->dimension()));
  return shape->distance(&row[first]) > on_boundary_of * size_;
}

Points InnerSurface::projected(const Points& candidates) const {
  const std::size_t D = candidates.columns.size(), m = columns_.size();
  Points near;
  near.columns = candidates.columns;
  auto values = (*evaluator_)(wanted_, candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!(std::abs(values[0][i]) <= band * size_ * slope_of(values, i))) continue;
    const auto row = candidates.row(i);
    near.values.insert(near.values.end(), row.begin(), row.end());
  }
  if (near.size() == 0) return near;
  for (int step = 0; step < most_newton_steps; ++step) {
    values = (*evaluator_)(wanted_, near);
    double farthest = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
      const double slope = slope_of(values, i), by = values[0][i] / (slope * slope);
      if (!std::isfinite(by)) continue;
      for (std::size_t k = 0; k < m; ++k) near.values[i * D + columns_[k]] -= by * values[k + 1][i];
      farthest = std::max(farthest, std::abs(by) * slope);
    }
    if (farthest <= 1e-14 * size_) break;
  }
  values = (*evaluator_)(wanted_, near);
  Points found;
  found.columns = near.columns;
  const std::size_t first = domain_.space_column();
  const std::size_t space = domain_.space() == nullptr ? 0 : domain_.space()->dimension();
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double slope = slope_of(values, i);
    if (!(std::abs(values[0][i]) <= 1e-11 * size_ * slope) || !inside(near.row(i))) continue;
    found.values.insert(found.values.end(), near.row(i).begin(), near.row(i).end());
    std::vector<double> normal(space, 0.0);
    for (std::size_t k = 0; k < m && !of_time_; ++k) {
      normal[columns_[k] - first] = values[k + 1][i] / slope;
    }
    found.normals.insert(found.normals.end(), normal.begin(), normal.end());
  }
  return found;
}

Points InnerSurface::points(std::size_t n, const SamplerOptions& options) const {
  const std::size_t least = std::max<std::size_t>(64, 32 * n);
  for (std::size_t ask = least; ask <= 1024 * least; ask *= 8) {
    const Points all = projected(interior_points(domain_, ask, options));
    if (all.size() < n || all.size() == 0) continue;
    Points some;
    some.columns = all.columns;
    const std::size_t space = all.normals.size() / all.size();
    for (std::size_t i = 0; i < n; ++i) {  // evenly over the order
      const std::size_t from = i * all.size() / n;
      some.values.insert(some.values.end(), all.row(from).begin(), all.row(from).end());
      const auto normal = all.normals.begin() + static_cast<std::ptrdiff_t>(from * space);
      some.normals.insert(some.normals.end(), normal, normal + static_cast<std::ptrdiff_t>(space));
    }
    return some;
  }
  throw Error(ErrorKind::not_found, "no point inside the domain lies on it",
              fmt::format("surface '{}'", text_));
}

void InnerSurface::move(Points& points, std::size_t row, double share) const {
  const std::size_t D = points.columns.size();
  if (of_time_) {
    points.values[row * D] += time_sign_ * share * size_;
    return;
  }
  const std::size_t first = domain_.space_column(), space = domain_.space()->dimension();
  for (std::size_t k = 0; k < space; ++k) {
    points.values[row * D + first + k] += share * size_ * points.normals[row * space + k];
  }
}

Points InnerSurface::beside(const Points& points, int side) const {
  Points moved = points;
  for (std::size_t i = 0; i < points.size(); ++i) move(moved, i, side * a_little);
  return moved;
}

}  // namespace cauchy::detail
