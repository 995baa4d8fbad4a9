#include <algorithm>
#include <optional>

#include <cauchy/base/error.hpp>

#include "plane_arrangement.hpp"
#include "plane_shape.hpp"

// The boundary of a combination of two shapes consists of parts of their boundaries between the
// points where these meet. Such a part stays when the result is inside on one side of it and
// outside on the other. Its own shape is inside on its left; the other shape is either the same on
// both sides, by membership of a point of the part, or its boundary runs along the part.

namespace cauchy::detail {
namespace {

constexpr const char* plane_combine_place = "[geometry]";

bool combined(Boolean operation, bool a, bool b) {
  switch (operation) {
    case Boolean::unite:
      return a || b;
    case Boolean::intersect:
      return a && b;
    default:
      return a && !b;
  }
}

/// Where a curve lies with respect to a shape.
enum class CurveSide : unsigned char { outside, inside, along, against };

/// Combines two shapes with one tolerance.
class Combiner final {
 public:
  Combiner(Boolean operation, const PlaneShape& a, const PlaneShape& b, double scale,
           double tolerance)
      : operation_(operation),
        a_(a),
        b_(b),
        scale_(scale),
        tolerance_(tolerance),
        arrangement_(a, b, tolerance),
        balance_(arrangement_.n_vertices(), 0) {}

  /// False when the curves that stay do not close up: the tolerance does not suit the shapes.
  bool run() {
    for (const bool second : {false, true}) {
      const std::vector<Curve>& curves = (second ? b_ : a_).curves();
      for (std::size_t i = 0; i < curves.size(); ++i) run_curve(curves[i], second, i);
    }
    return std::ranges::all_of(balance_, [](int n) { return n == 0; });
  }
  [[nodiscard]] std::vector<Curve> take_curves() { return std::move(kept_); }

 private:
  /// Side of a point set with respect to the boundary (slit = false) or the cuts of a shape: on it
  /// when no probe is further away than the tolerance.
  [[nodiscard]] CurveSide side(const Curve& part, const PlaneShape& shape, bool slit) const {
    double furthest = -1, best_t = 0;
    Vec best;
    for (const double f : {0.5, 0.25, 0.75, 0.375, 0.625, 0.125, 0.875}) {
      const double t = part.parameter(f, scale_);
      const Vec p = part.point(t);
      const double d = shape.nearest_curve(p, slit).distance;
      if (d > furthest) {
        furthest = d;
        best = p;
        best_t = t;
      }
      if (d > 1e3 * tolerance_) break;
    }
    if (furthest > tolerance_) return shape.covers(best) ? CurveSide::inside : CurveSide::outside;
    const PlaneShape::Near near = shape.nearest_curve(best, slit);
    const Vec tangent = shape.curves()[near.curve].velocity(near.foot.t);
    return dot(tangent, part.velocity(best_t)) > 0 ? CurveSide::along : CurveSide::against;
  }

  /// +1: stays, -1: stays in the other direction, 0: goes.
  [[nodiscard]] int verdict(const Curve& part, bool second) const {
    const CurveSide other = side(part, second ? a_ : b_, false);
    const bool on_both = other == CurveSide::along || other == CurveSide::against;
    // A stretch that both boundaries share is settled by the copy of the first shape.
    if (second && on_both) return 0;
    const bool other_left = other == CurveSide::inside || other == CurveSide::along;
    const bool other_right = other == CurveSide::inside || other == CurveSide::against;
    const auto result = [&](bool own, bool others) {
      return second ? combined(operation_, others, own) : combined(operation_, own, others);
    };
    const bool left = result(true, other_left), right = result(false, other_right);
    return static_cast<int>(left) - static_cast<int>(right);
  }

  /// Cuts stay where both their sides are inside the result and the other shape does not fill them.
  [[nodiscard]] int slit_verdict(const Curve& part, bool second) const {
    const PlaneShape& other = second ? a_ : b_;
    const auto on_slit_of_other = [&] {
      const CurveSide s = side(part, other, true);
      return s == CurveSide::along || s == CurveSide::against;
    };
    const CurveSide where = other.is_slit() ? CurveSide::outside : side(part, other, false);
    // Where both shapes have the cut, that of the first shape counts.
    if (second && on_slit_of_other()) return 0;
    switch (operation_) {
      case Boolean::unite:
        return where != CurveSide::inside || (!second && on_slit_of_other()) ? 1 : 0;
      case Boolean::intersect:
        return where == CurveSide::inside ? 1 : 0;
      default:
        if (second) return b_.is_slit() && where == CurveSide::inside ? 1 : 0;
        return where == CurveSide::outside ? 1 : 0;
    }
  }

  void run_curve(const Curve& curve, bool second, std::size_t index) {
    // Neighbouring parts that share their fate are put together again.
    std::optional<Arrangement::Part> run;
    int run_verdict = 0;
    const auto flush = [&] {
      if (!run) return;
      Curve c = arrangement_.cut(curve, *run);
      if (run_verdict < 0) c = c.reversed();
      if (second) c.piece += a_.pieces().size();
      kept_.push_back(c);
      run.reset();
    };
    for (const Arrangement::Part& part : arrangement_.parts(second, index)) {
      const Curve c = arrangement_.cut(curve, part);
      const int v = curve.slit ? slit_verdict(c, second) : verdict(c, second);
      if (v != 0 && !curve.slit) {
        if (part.from != Arrangement::infinity) balance_[part.from] -= v;
        if (part.to != Arrangement::infinity) balance_[part.to] += v;
      }
      if (run && v == run_verdict && run->to == part.from) {
        run->tb = part.tb;
        run->to = part.to;
        continue;
      }
      flush();
      if (v != 0) {
        run = part;
        run_verdict = v;
      }
    }
    flush();
  }

  Boolean operation_;
  const PlaneShape &a_, &b_;
  double scale_, tolerance_;
  Arrangement arrangement_;
  std::vector<int> balance_;
  std::vector<Curve> kept_;
};

const char* emptiness(Boolean operation) {
  return operation == Boolean::intersect
             ? "the combination is empty: the two regions do not overlap"
             : "the combination is empty: nothing is left of the first region";
}

void check_slits(Boolean operation, const PlaneShape& a, const PlaneShape& b) {
  const bool first = a.is_slit(), second = b.is_slit();
  if (!first && (!second || operation == Boolean::subtract)) return;
  throw Error("a slit has no area and cannot be united, intersected or cut", plane_combine_place,
              "subtract it from a region");
}

/// Largest coordinate of a finite end: rounding is relative to it.
double magnitude(const PlaneShape& shape) {
  double largest = 0;
  for (const Curve& c : shape.curves()) {
    const PlaneBox box = c.bounded() ? c.box() : PlaneBox{c.origin, c.origin};
    largest = std::max({largest, norm(box.lower), norm(box.upper)});
  }
  return largest;
}

}  // namespace

ShapePtr combine_plane(Boolean operation, const Shape& first, const Shape& second) {
  const PlaneShape &a = as_plane(first), &b = as_plane(second);
  check_slits(operation, a, b);
  const auto bounded = [](const PlaneShape& s) {
    return std::ranges::any_of(s.curves(), &Curve::bounded);
  };
  // The size of unbounded shapes is arbitrary and must not set the resolution of bounded ones.
  double scale = std::max(a.scale(), b.scale());
  if (bounded(a) != bounded(b)) scale = bounded(a) ? a.scale() : b.scale();
  const double rounding = 1e-14 * std::max(magnitude(a), magnitude(b));
  std::vector<Piece> pieces(a.pieces().begin(), a.pieces().end());
  pieces.insert(pieces.end(), b.pieces().begin(), b.pieces().end());
  for (const double resolution : {1e-9, 1e-10, 1e-8, 1e-11, 1e-7}) {
    Combiner combiner(operation, a, b, scale, std::max(resolution * scale, rounding));
    if (!combiner.run()) continue;
    std::vector<Curve> curves = combiner.take_curves();
    if (std::ranges::all_of(curves, &Curve::slit)) {
      // No boundary: nothing or everything. Any point tells.
      const Vec p{0.123 * scale, 0.456 * scale};
      if (combined(operation, a.covers(p), b.covers(p))) {
        throw Error("the combination is the whole plane: it has no boundary", plane_combine_place);
      }
      throw Error(emptiness(operation), plane_combine_place, "move or resize one of them");
    }
    return std::make_shared<PlaneShape>(std::move(curves), std::move(pieces));
  }
  throw Error("the boundaries of the two regions nearly coincide and cannot be told apart",
              plane_combine_place,
              "move one of them by more than 1e-7 of its size, or make them equal");
}

}  // namespace cauchy::detail
