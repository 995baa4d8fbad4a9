#include "geometry/shapes/solid_classify.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy::detail {
namespace {

/// The common side of all pieces of a with respect to b.
PieceSide classify_all(const Shape& a, const Shape& b) {
  PieceSide common = PieceSide::mixed;
  for (std::size_t k = 0; k < a.pieces().size(); ++k) {
    const PieceSide side = classify_piece(a, k, b);
    if (side == PieceSide::mixed || (k > 0 && side != common)) return PieceSide::mixed;
    common = side;
  }
  return common;
}

}  // namespace

bool bounds_apart(const Bounds& a, const Bounds& b) {
  for (std::size_t i = 0; i < a.lower.size(); ++i) {
    if (a.upper[i] <= b.lower[i] || b.upper[i] <= a.lower[i]) return true;
  }
  return false;
}

PieceSide classify_piece(const Shape& a, std::size_t piece, const Shape& b) {
  const std::size_t d = a.dimension();
  std::vector<Bounds> boxes{piece_bounds_of(a, piece)};
  for (std::size_t i = 0; i < d; ++i) {
    if (!std::isfinite(boxes[0].lower[i]) || !std::isfinite(boxes[0].upper[i]))
      return PieceSide::mixed;
    if (boxes[0].upper[i] < b.bounds().lower[i] || b.bounds().upper[i] < boxes[0].lower[i]) {
      return PieceSide::outside;
    }
  }
  bool any_inside = false, any_outside = false;
  std::vector<double> center(d);
  double whole = 0;
  for (std::size_t i = 0; i < d; ++i) {
    whole = std::hypot(whole, boxes[0].upper[i] - boxes[0].lower[i]);
  }
  for (int budget = 2000; !boxes.empty(); --budget) {
    if (budget == 0) return PieceSide::mixed;
    Bounds box = std::move(boxes.back());
    boxes.pop_back();
    double reach = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < d; ++i) {
      center[i] = 0.5 * (box.lower[i] + box.upper[i]);
      reach = std::hypot(reach, 0.5 * (box.upper[i] - box.lower[i]));
      if (box.upper[i] - box.lower[i] > box.upper[longest] - box.lower[longest]) longest = i;
    }
    reach += 1e-10 * whole;                                     // rounding of the distances
    if (std::abs(a.distance(center.data())) > reach) continue;  // nothing of the boundary in here
    const double distance = b.distance(center.data());
    if (std::abs(distance) > reach) {
      (distance > 0 ? any_inside : any_outside) = true;
      if (any_inside && any_outside) return PieceSide::mixed;
      continue;
    }
    if (!(reach > 0.01 * whole)) return PieceSide::mixed;
    boxes.push_back(box);
    boxes.back().upper[longest] = center[longest];
    boxes.push_back(std::move(box));
    boxes.back().lower[longest] = center[longest];
  }
  if (any_inside == any_outside) return PieceSide::mixed;
  return any_inside ? PieceSide::inside : PieceSide::outside;
}

Relation relate(const Shape& a, const Shape& b) {
  if (bounds_apart(a.bounds(), b.bounds())) return Relation::disjoint;
  const PieceSide a_to_b = classify_all(a, b);
  if (a_to_b == PieceSide::mixed) return Relation::unproven;
  const PieceSide b_to_a = classify_all(b, a);
  // With no contact of the boundaries a \ b and a n b are open and closed in a: all or nothing.
  if (a_to_b == PieceSide::outside && b_to_a == PieceSide::outside) return Relation::disjoint;
  if (a_to_b == PieceSide::inside && b_to_a == PieceSide::outside) return Relation::a_in_b;
  if (a_to_b == PieceSide::outside && b_to_a == PieceSide::inside) return Relation::b_in_a;
  return Relation::unproven;
}

}  // namespace cauchy::detail
