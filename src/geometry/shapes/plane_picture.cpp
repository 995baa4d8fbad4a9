#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "plane_shape.hpp"

namespace cauchy {
namespace {

using detail::Curve;
using detail::Vec;

/// The parameters of a straight curve inside a box; false when it misses the box.
bool clip(const Curve& c, const Bounds& box, double& ta, double& tb) {
  const double origin[2] = {c.origin.x, c.origin.y}, u[2] = {c.u.x, c.u.y};
  ta = c.t0;
  tb = c.t1;
  for (std::size_t k = 0; k < 2; ++k) {
    if (u[k] == 0) {
      if (origin[k] < box.lower[k] || origin[k] > box.upper[k]) return false;
      continue;
    }
    const double p = (box.lower[k] - origin[k]) / u[k], q = (box.upper[k] - origin[k]) / u[k];
    ta = std::max(ta, std::min(p, q));
    tb = std::min(tb, std::max(p, q));
  }
  return ta < tb;
}

}  // namespace

std::vector<BoundaryCurve> boundary_curves(const Shape& shape, double tolerance,
                                           const Bounds& box) {
  constexpr const char* place = "[geometry.boundary_curves]";
  const detail::PlaneShape& plane = detail::as_plane(shape);
  if (!(tolerance > 0)) {
    throw Error(fmt::format("the tolerance must be positive, got {}", tolerance), place);
  }
  std::vector<BoundaryCurve> out;
  for (const Curve& c : plane.curves()) {
    BoundaryCurve picture{c.piece, {}};
    const auto add = [&](Vec p) { picture.points.push_back({p.x, p.y}); };
    if (c.arc) {
      // A chord over a parameter range h is off the arc by a h^2 / 8 at most.
      constexpr double most = 1e6;
      const double h = std::sqrt(8 * tolerance / c.a);
      const double n = std::clamp(std::ceil((c.t1 - c.t0) / h), 2.0, most);
      for (double i = 0; i < n; ++i) add(c.point(c.t0 + (c.t1 - c.t0) * (i / n)));
      add(c.end);
    } else if (c.bounded()) {
      add(c.start);
      add(c.end);
    } else {
      if (box.lower.size() != 2 || box.upper.size() != 2) {
        throw Error("an unbounded line needs a box of two dimensions to be cut to", place);
      }
      double ta = 0, tb = 0;
      if (!clip(c, box, ta, tb)) continue;
      if (!std::isfinite(ta) || !std::isfinite(tb)) {
        throw Error("an unbounded line needs a finite box to be cut to", place);
      }
      add(c.point(ta));
      add(c.point(tb));
    }
    out.push_back(std::move(picture));
  }
  return out;
}

}  // namespace cauchy
