#include <cauchy/geometry/shapes/interval.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

/// One end of an interval. Ends alternate: lower, upper, lower, upper, ...
struct End {
  double x = 0;
  Piece piece;
};

Piece end_piece(const char* name) { return {name, {name}, 1, 1}; }

/// Disjoint intervals whose closures are disjoint too, in ascending order.
class IntervalShape final : public Shape {
 public:
  explicit IntervalShape(std::vector<End> ends) {
    for (End& e : ends) {
      x_.push_back(e.x);
      e.piece.measure = e.piece.carrier_measure = 1;
      pieces_.push_back(std::move(e.piece));
    }
    bounds_ = {{x_.front()}, {x_.back()}};
    measure_ = 0;
    for (std::size_t i = 0; i < x_.size(); i += 2) {
      measure_ += x_[i + 1] - x_[i];
      lengths_.push_back(measure_);
    }
  }

  double distance(const double* x) const override {
    double foot = 0, normal = 0;
    return nearest(x, &foot, &normal).distance;
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    if (!std::isfinite(*x)) {
      *foot = *normal = unknown;
      return {unknown, 0};
    }
    // The first end not below x; an odd number of ends below means inside.
    const auto above = static_cast<std::size_t>(std::ranges::lower_bound(x_, *x) - x_.begin());
    std::size_t i = std::min(above, x_.size() - 1);
    if (above > 0 && *x - x_[above - 1] < std::abs(x_[i] - *x)) i = above - 1;
    *foot = x_[i];
    *normal = i % 2 == 0 ? -1 : 1;
    const double d = std::abs(*x - x_[i]);
    return {above % 2 == 1 ? d : -d, i};
  }

  bool has_map() const noexcept override { return true; }

  void map(const double* u, double* x) const override {
    const double s = std::clamp(*u, 0.0, 1.0) * measure_;
    const auto found = std::ranges::upper_bound(lengths_, s);
    const std::size_t k =
        std::min(static_cast<std::size_t>(found - lengths_.begin()), lengths_.size() - 1);
    const double within = s - (k > 0 ? lengths_[k - 1] : 0);
    *x = std::clamp(x_[2 * k] + within, x_[2 * k], x_[2 * k + 1]);
  }

  bool boundary_point(std::size_t piece, const double* /*u*/, double* x,
                      double* normal) const override {
    if (piece >= x_.size()) {
      throw Error(fmt::format("piece {} of a boundary of {} points", piece, x_.size()),
                  "[geometry]");
    }
    *x = x_[piece];
    *normal = piece % 2 == 0 ? -1 : 1;
    return true;
  }

  [[nodiscard]] std::vector<End> ends() const {
    std::vector<End> list;
    for (std::size_t i = 0; i < x_.size(); ++i) list.push_back({x_[i], pieces_[i]});
    return list;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<IntervalShape>(*this); }

 private:
  std::vector<double> x_;
  std::vector<double> lengths_;  // cumulative
};

const IntervalShape& as_intervals(const Shape& shape) {
  const auto* intervals = dynamic_cast<const IntervalShape*>(&shape);
  if (!intervals) {
    throw Error(fmt::format("a shape of {} dimensions is not an interval", shape.dimension()),
                "[geometry]");
  }
  return *intervals;
}

}  // namespace

ShapePtr interval_shape(double lower, double upper) {
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper &&
        std::isfinite(upper - lower))) {
    throw Error(
        fmt::format("the ends must be finite with lower < upper, got {} and {}", lower, upper),
        "[geometry.interval]");
  }
  return std::make_shared<IntervalShape>(
      std::vector<End>{{lower, end_piece("left")}, {upper, end_piece("right")}});
}

ShapePtr detail::combine_intervals(Boolean operation, const Shape& a, const Shape& b) {
  const std::vector<End> first = as_intervals(a).ends(), second = as_intervals(b).ends();
  std::vector<End> result;
  // Sweeps upwards; an end of the result is where membership changes.
  std::size_t i = 0, j = 0;
  bool inside = false;
  while (i < first.size() || j < second.size()) {
    const bool take_a = i < first.size() && (j == second.size() || first[i].x <= second[j].x);
    const bool take_b = j < second.size() && (i == first.size() || second[j].x <= first[i].x);
    const End& end = take_a ? first[i] : second[j];
    i += take_a;
    j += take_b;
    const bool in_a = i % 2 == 1, in_b = j % 2 == 1;
    const bool now = operation == Boolean::unite       ? in_a || in_b
                     : operation == Boolean::intersect ? in_a && in_b
                                                       : in_a && !in_b;
    if (now != inside) result.push_back(end);
    inside = now;
  }
  if (result.empty()) {
    throw Error(operation == Boolean::intersect
                    ? "the combination is empty: the two intervals do not overlap"
                    : "the combination is empty: nothing is left of the first interval",
                "[geometry]", "move or resize one of them");
  }
  return std::make_shared<IntervalShape>(std::move(result));
}

ShapePtr detail::transform_intervals(const Shape& shape, const Affine& affine) {
  constexpr const char* place = "[geometry.transform]";
  std::vector<End> ends = as_intervals(shape).ends();
  const double scale = affine.linear.at(0), shift = affine.shift.at(0);
  if (!std::isfinite(scale) || !std::isfinite(shift) || scale == 0) {
    throw Error(fmt::format("x -> {} x + {} is no transformation of an interval", scale, shift),
                place, "use a finite scale factor other than 0");
  }
  for (End& e : ends) e.x = scale * e.x + shift;
  if (scale < 0) std::ranges::reverse(ends);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!std::isfinite(ends[i].x) || (i > 0 && !(ends[i - 1].x < ends[i].x))) {
      throw Error("the image of the interval has no length or is not finite", place);
    }
  }
  return std::make_shared<IntervalShape>(std::move(ends));
}

}  // namespace cauchy
