#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/solid_base.hpp"
#include "geometry/shapes/solid_classify.hpp"

namespace cauchy {
namespace detail {
namespace {

constexpr const char* solid_combine_place = "[geometry]";

// Every operation is an intersection of signed operands: a n b, a n -b, -(-a n -b), where the minus
// turns a shape inside out. `sign` of an operand and of the result.
struct Signs {
  std::array<double, 2> operand;
  double result;
};
Signs signs_of(Boolean operation) {
  switch (operation) {
    case Boolean::unite:
      return {{-1, -1}, -1};
    case Boolean::intersect:
      return {{1, 1}, 1};
    default:
      return {{1, -1}, 1};
  }
}

/// Which piece of which operand a piece is, and whether all of it is on the boundary.
struct Origin {
  std::size_t operand, piece;
  bool whole;
};

class CombinedShape final : public SolidShape {
 public:
  CombinedShape(Boolean operation, ShapePtr a, ShapePtr b, std::vector<Origin> origins,
                double measure)
      : operation_(operation),
        signs_(signs_of(operation)),
        operands_{std::move(a), std::move(b)},
        origins_(std::move(origins)) {
    measure_ = measure;
    bound_by_support(operands_[0]->dimension());
    for (std::size_t i = 0; i < dimension(); ++i) {
      scale_ = std::max({scale_, std::abs(bounds_.lower[i]), std::abs(bounds_.upper[i])});
    }
    for (std::size_t k = 0; k < 2; ++k) index_[k].assign(operands_[k]->pieces().size(), none);
    for (const Origin& o : origins_) {
      index_[o.operand][o.piece] = pieces_.size();
      pieces_.push_back(operands_[o.operand]->pieces()[o.piece]);
      if (!o.whole) pieces_.back().measure = unknown;
    }
  }

  bool is_exact() const noexcept override { return false; }

  double distance(const double* x) const override {
    return signs_.result * std::min(signed_distance(0, x), signed_distance(1, x));
  }

  bool contains(const double* x) const override {
    const Shape &a = *operands_[0], &b = *operands_[1];
    switch (operation_) {
      case Boolean::unite:
        return a.contains(x) || b.contains(x);
      case Boolean::intersect:
        return a.contains(x) && b.contains(x);
      default:
        return a.contains(x) && b.distance(x) < 0;
    }
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    const std::size_t k = deciding(x);
    Nearest near = operands_[k]->nearest(x, foot, normal);
    const double turn = signs_.operand[k] * signs_.result;
    for (std::size_t i = 0; i < dimension(); ++i) normal[i] *= turn;
    near.distance *= turn;
    near.piece = index_[k][near.piece];
    if (near.piece == none) {  // the deciding piece is gone: name the best one of the other operand
      std::vector<double> unused(2 * dimension());
      const Nearest other = operands_[1 - k]->nearest(x, &unused[0], &unused[dimension()]);
      near.piece = index_[1 - k][other.piece];
      if (near.piece == none) near.piece = 0;
    }
    return near;
  }

  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    const std::size_t k = origins_[piece].operand;
    bool kept = operands_[k]->boundary_point(origins_[piece].piece, u, x, normal);
    const double turn = signs_.operand[k] * signs_.result;
    for (std::size_t i = 0; i < dimension(); ++i) normal[i] *= turn;
    if (!kept || origins_[piece].whole) return kept;
    const double beyond = signed_distance(1 - k, x);
    if (std::abs(beyond) > tolerance * scale_) return beyond > 0;
    // On both surfaces: the boundary is where the inner side is in the result and the outer side is
    // not; of two surfaces that coincide the first operand's is taken.
    std::vector<double> sides(2 * dimension());
    double *inner = sides.data(), *outer = inner + dimension();
    for (std::size_t i = 0; i < dimension(); ++i) {
      inner[i] = x[i] - side_step * scale_ * normal[i];
      outer[i] = x[i] + side_step * scale_ * normal[i];
    }
    if (k == 1 && operands_[0]->contains(inner) != operands_[0]->contains(outer)) return false;
    return contains(inner) && !contains(outer);
  }

  double support(const double* direction) const override {
    const double a = support_of(*operands_[0], direction);
    if (operation_ == Boolean::subtract) return a;
    const double b = support_of(*operands_[1], direction);
    return operation_ == Boolean::unite ? std::max(a, b) : std::min(a, b);
  }

  Bounds piece_bounds(std::size_t piece) const override {
    Bounds box = piece_bounds_of(*operands_[origins_[piece].operand], origins_[piece].piece);
    for (std::size_t i = 0; i < dimension(); ++i) {
      box.lower[i] = std::clamp(box.lower[i], bounds_.lower[i], bounds_.upper[i]);
      box.upper[i] = std::clamp(box.upper[i], bounds_.lower[i], bounds_.upper[i]);
    }
    return box;
  }

  /// With P = a n b of the signed operands: inside P the distance to the nearer surface is the
  /// distance to the outside; outside it is the distance to P if the foot is a point of P.
  bool exact_at(const double* x) const override {
    const std::size_t k = deciding(x), d = dimension();
    if (!distance_is_exact_at(*operands_[k], x)) return false;
    if (signed_distance(k, x) >= 0) return true;
    std::vector<double> space(3 * d);
    double *foot = space.data(), *normal = foot + d, *probe = normal + d;
    operands_[k]->nearest(x, foot, normal);
    const double beyond = signed_distance(1 - k, foot);
    if (std::abs(beyond) > tolerance * scale_) return beyond > 0;
    // The foot is on both surfaces: look for points of P next to it.
    double away = 0;
    for (std::size_t i = 0; i < d; ++i) away = std::hypot(away, foot[i] - x[i]);
    for (const double along_normal : {0.0, 1.0, 0.5}) {
      for (std::size_t i = 0; i < d; ++i) {
        const double on = away > 0 ? (foot[i] - x[i]) / away : 0;
        probe[i] =
            foot[i] + tolerance * scale_ *
                          ((1 - along_normal) * on - along_normal * signs_.operand[k] * normal[i]);
      }
      if (signed_distance(0, probe) > 0 && signed_distance(1, probe) > 0) return true;
    }
    return false;
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    auto result = std::make_shared<CombinedShape>(operation_, transform_solid(operands_[0], affine),
                                                  transform_solid(operands_[1], affine), origins_,
                                                  measure_ * std::abs(affine.determinant()));
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<CombinedShape>(*this); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  // Relative to the size: surfaces closer than this coincide; how far the two sides are looked for.
  static constexpr double tolerance = 1e-10, side_step = 1e-8;

  [[nodiscard]] double signed_distance(std::size_t k, const double* x) const {
    return signs_.operand[k] * operands_[k]->distance(x);
  }
  [[nodiscard]] std::size_t deciding(const double* x) const {
    return signed_distance(1, x) < signed_distance(0, x) ? 1 : 0;
  }

  Boolean operation_;
  Signs signs_;
  std::array<ShapePtr, 2> operands_;
  std::vector<Origin> origins_;
  std::array<std::vector<std::size_t>, 2> index_;
  double scale_ = 0;
};

[[noreturn]] void throw_empty(Boolean operation) {
  if (operation == Boolean::subtract) {
    throw Error("nothing is left of the region: the subtracted region contains it",
                solid_combine_place, "subtract a smaller region");
  }
  throw Error("the intersection is empty: the regions do not meet", solid_combine_place,
              "move one of the regions or unite them");
}

}  // namespace

ShapePtr combine_solids(Boolean operation, const ShapePtr& a, const ShapePtr& b) {
  if (a == b) {
    if (operation == Boolean::subtract) throw_empty(operation);
    return a;
  }
  const Relation relation = relate(*a, *b);
  double measure = Shape::unknown;
  switch (relation) {
    case Relation::disjoint:
      if (operation == Boolean::intersect) throw_empty(operation);
      if (operation == Boolean::subtract) return a;
      measure = a->measure() + b->measure();
      break;
    case Relation::a_in_b:
      if (operation == Boolean::subtract) throw_empty(operation);
      return operation == Boolean::unite ? b : a;
    case Relation::b_in_a:
      if (operation == Boolean::unite) return a;
      if (operation == Boolean::intersect) return b;
      measure = a->measure() - b->measure();
      break;
    case Relation::unproven:
      break;
  }
  const Signs signs = signs_of(operation);
  const std::array<const Shape*, 2> operands{a.get(), b.get()};
  std::vector<Origin> origins;
  for (std::size_t k = 0; k < 2; ++k) {
    const PieceSide wanted = signs.operand[1 - k] > 0 ? PieceSide::inside : PieceSide::outside;
    for (std::size_t i = 0; i < operands[k]->pieces().size(); ++i) {
      const PieceSide side = classify_piece(*operands[k], i, *operands[1 - k]);
      if (side == wanted || side == PieceSide::mixed) origins.push_back({k, i, side == wanted});
    }
  }
  if (origins.empty()) throw_empty(operation);
  return std::make_shared<CombinedShape>(operation, a, b, std::move(origins), measure);
}

}  // namespace detail

bool distance_is_exact_at(const Shape& shape, const double* x) {
  if (shape.is_exact()) return true;
  const auto* solid = dynamic_cast<const detail::SolidShape*>(&shape);
  return solid && solid->exact_at(x);
}

}  // namespace cauchy
