#include "problem/fresh_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/narrow_sources.hpp"
#include "problem/surface.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_random = 400, n_decades = 6, n_per_decade = 8;
constexpr std::size_t n_searched = 20'000, n_peaks = 16;

/// Apart from all samplers that a method would take.
SamplerOptions fresh_sampler() {
  SamplerOptions options{SamplerKind::uniform};
  options.seed = 0x9e3779b97f4a7c15;
  return options;
}

double distance_of(std::size_t i) {
  return std::pow(10.0, -1.0 - static_cast<double>(i % n_decades));
}

/// Moves points of the surface of a condition into the domain.
class Layers final {
 public:
  explicit Layers(const Problem& problem)
      : problem_(problem), domain_(domain_of(problem)), first_(domain_.space_column()) {
    space_ = domain_.space() == nullptr ? 0 : domain_.space()->dimension();
  }

  /// Rows close to the surface of a condition, those outside of the domain left out.
  [[nodiscard]] Points near(const Condition& c) const { return near_with_decades(c).points; }
  [[nodiscard]] LayerPoints near_with_decades(const Condition& c) const {
    constexpr std::size_t n = n_decades * n_per_decade;
    Points points;
    if (c.kind == Condition::Kind::interface) {
      points = both_sides(c, n);
    } else if (c.kind == Condition::Kind::point) {
      points = around(c, n);
    } else if (c.kind == Condition::Kind::general) {
      points =
          place_of(problem_, c).kind == ConditionPlace::Kind::slice ? after(c, n) : below(c, n);
    }
    points.normals.clear();
    points.pieces.clear();
    points.piece.clear();
    return kept(std::move(points));
  }

 private:
  /// Points of a slice a little later, or earlier where it is the last time.
  Points after(const Condition& c, std::size_t n) const {
    const Time& t = *domain_.time();
    const double at = place_of(problem_, c).time;
    const double sign = at < t.upper ? 1 : -1;
    const bool alone = space_ == 0 && domain_.ranges().empty();
    Points slice = condition_points(problem_, c, alone ? 1 : n, fresh_sampler());
    if (alone) {
      const std::vector<double> row = slice.values;
      for (std::size_t i = 1; i < n; ++i) {
        slice.values.insert(slice.values.end(), row.begin(), row.end());
      }
    }
    Rng rng(fresh_sampler().seed, 1);
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const double share = distance_of(i) * (1 + 9 * rng.uniform()) / 10;
      slice.values[i * slice.columns.size()] = at + sign * share * (t.upper - t.lower);
    }
    return slice;
  }

  /// Points of the boundary moved inwards along their normals.
  Points below(const Condition& c, std::size_t n) const {
    Points points = condition_points(problem_, c, n, fresh_sampler());
    const double size = size_of(points.row(0));
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < space_; ++k) {
        points.values[i * points.columns.size() + first_ + k] -=
            distance_of(i) * size * points.normals[i * space_ + k];
      }
    }
    return points;
  }

  /// Points of a surface inside, moved to both sides.
  Points both_sides(const Condition& c, std::size_t n) const {
    const InnerSurface surface(problem_, c.where);
    Points points = surface.points(n, fresh_sampler());
    for (std::size_t i = 0; i < points.size(); ++i) {
      surface.move(points, i, (i / n_decades % 2 == 0 ? 1 : -1) * distance_of(i));
    }
    return points;
  }

  /// Points around one point, in all directions.
  Points around(const Condition& c, std::size_t n) const {
    Points points;
    points.columns = problem_.coordinates();
    Rng rng(fresh_sampler().seed, 2);
    const std::vector<std::pair<double, double>> box = ranges_of_columns();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < points.columns.size(); ++k) {
        const auto given = std::find_if(c.point.begin(), c.point.end(), [&](const auto& p) {
          return p.first == points.columns[k];
        });
        const double width = box[k].second - box[k].first;
        points.values.push_back(given->second + distance_of(i) * width * (2 * rng.uniform() - 1));
      }
    }
    return points;
  }

  ShapePtr shape_at(std::span<const double> row) const {
    return domain_.shape(row.subspan(first_ + space_));
  }
  double size_of(std::span<const double> row) const {
    const ShapePtr shape = shape_at(row);
    double size = 0;
    for (std::size_t k = 0; k < space_; ++k) {
      size = std::max(size, shape->bounds().upper[k] - shape->bounds().lower[k]);
    }
    return size;
  }
  std::vector<std::pair<double, double>> ranges_of_columns() const {
    std::vector<std::pair<double, double>> box;
    if (const Time* t = domain_.time()) box.emplace_back(t->lower, t->upper);
    std::vector<double> middle;
    for (const Range& r : domain_.ranges()) middle.push_back((r.lower + r.upper) / 2);
    if (space_ > 0) {
      const ShapePtr shape = domain_.shape(middle);
      for (std::size_t k = 0; k < space_; ++k) {
        box.emplace_back(shape->bounds().lower[k], shape->bounds().upper[k]);
      }
    }
    for (const Range& r : domain_.ranges()) box.emplace_back(r.lower, r.upper);
    return box;
  }

  bool inside(std::span<const double> row) const {
    if (const Time* t = domain_.time(); t != nullptr && !(row[0] >= t->lower && row[0] <= t->upper))
      return false;
    for (std::size_t r = 0; r < domain_.ranges().size(); ++r) {
      const Range& range = domain_.ranges()[r];
      const double v = row[first_ + space_ + r];
      if (!(v >= range.lower && v <= range.upper)) return false;
    }
    return space_ == 0 || shape_at(row)->contains(row.data() + first_);
  }

  LayerPoints kept(Points points) const {
    std::vector<double> values;
    std::vector<int> decade;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto row = points.row(i);
      if (!inside(row)) continue;
      values.insert(values.end(), row.begin(), row.end());
      decade.push_back(1 + static_cast<int>(i % n_decades));
    }
    points.values = std::move(values);
    return {std::move(points), std::move(decade)};
  }

  const Problem& problem_;
  Domain domain_;
  std::size_t first_, space_ = 0;
};

void append_rows(Points& to, const Points& from) {
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
}

void append_peaks(const PointEvaluator& evaluator, const ProblemEquation& equation, Points& to) {
  const std::vector<Expr> functions = known_functions(evaluator.lower()(equation.form.residual()));
  if (functions.empty()) return;
  const Points all =
      equation_points(evaluator.problem(), equation.where, n_searched, fresh_sampler());
  for (const std::vector<double>& values : evaluator(functions, all)) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto middle = order.begin() + n_peaks;
    const auto far = [&](std::size_t i) {
      const double d = std::abs(values[i] - mean);
      return std::isnan(d) ? INFINITY : d;
    };
    std::nth_element(order.begin(), middle, order.end(),
                     [&](std::size_t i, std::size_t j) { return far(i) > far(j); });
    for (auto it = order.begin(); it != middle; ++it) {
      const auto row = all.row(*it);
      to.values.insert(to.values.end(), row.begin(), row.end());
    }
  }
}

}  // namespace

LayerPoints layer_points(const Problem& problem, const Condition& condition) {
  return Layers(problem).near_with_decades(condition);
}

Points fresh_points(const PointEvaluator& evaluator, const ProblemEquation& equation) {
  const Problem& problem = evaluator.problem();
  Points points = equation_points(problem, equation.where, n_random, fresh_sampler());
  const Layers layers(problem);
  Points near;
  near.columns = points.columns;
  for (const Condition& c : problem.condition) append_rows(near, layers.near(c));
  if (equation.where.empty()) {
    append_rows(points, near);
  } else if (near.size() > 0) {
    const Expr holds[] = {
        evaluator.lower()(parse_condition(equation.where, problem.context(), 1e-9))};
    const std::vector<double> is_there = evaluator(holds, near)[0];
    for (std::size_t i = 0; i < near.size(); ++i) {
      const auto row = near.row(i);
      if (is_there[i] != 0) points.values.insert(points.values.end(), row.begin(), row.end());
    }
  }
  append_peaks(evaluator, equation, points);
  for (const NarrowSource& source : narrow_sources(problem)) {
    const ProblemEquation& of = problem.equation[source.equation];
    if (&of == &equation) append_rows(points, points_on(problem, source));
  }
  return points;
}

Points fresh_points(const PointEvaluator& evaluator, const Condition& condition) {
  const Problem& problem = evaluator.problem();
  Points points = condition_points(problem, condition, n_random, fresh_sampler());
  const ConditionPlace place = place_of(problem, condition);
  const Domain domain = domain_of(problem);
  if (domain.time() == nullptr || domain.space() == nullptr) return points;
  // A condition that says when it holds is looked at then.
  const bool boundary = place.kind == ConditionPlace::Kind::boundary;
  if (boundary && Boundary(domain, place.boundary).depends_on(domain.time()->name)) return points;
  const Layers layers(problem);
  for (const Condition& other : problem.condition) {
    if (other.kind != Condition::Kind::general || place_of(problem, other).kind == place.kind) {
      continue;
    }
    Points near = layers.near(other);
    if (near.size() == 0) continue;
    if (place.kind == ConditionPlace::Kind::slice) {
      for (std::size_t i = 0; i < near.size(); ++i) {
        near.values[i * near.columns.size()] = place.time;
      }
    } else {
      // The times of the layer on the boundary, where points have normals.
      Points here = condition_points(problem, condition, near.size(), fresh_sampler());
      for (std::size_t i = 0; i < here.size(); ++i) {
        here.values[i * here.columns.size()] = near.row(i)[0];
      }
      points.normals.insert(points.normals.end(), here.normals.begin(), here.normals.end());
      near = std::move(here);
    }
    append_rows(points, near);
  }
  points.pieces.clear();
  points.piece.clear();
  return points;
}

}  // namespace cauchy::detail
