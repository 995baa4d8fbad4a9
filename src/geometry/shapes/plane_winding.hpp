#pragma once

#include <vector>

#include "curve.hpp"
#include "plane_tree.hpp"

namespace cauchy::detail {

/// Membership from the boundary alone: counts the curves that a ray crosses. With the inside on the
/// left of every curve, a ray leaves the inside where it crosses a curve from right to left of it
/// (upwards), so that
///   inside = inside far along the ray + crossings upwards - crossings downwards.
/// Curves are cut into parts that are monotone across the ray, and parts own their lower end but
/// not their upper one: shared ends are counted once. Unbounded shapes use a ray that is not
/// parallel to any unbounded curve, so that the far end of all rays is the same.
class Winding final {
 public:
  Winding() = default;
  /// `scale`: a length typical of the shape.
  Winding(const std::vector<Curve>& curves, double scale);

  struct Place {
    bool inside = false;
    bool on_boundary = false;  ///< on a curve, to the last bit; curves of slits included
  };
  /// O(log n) plus the number of curves that the ray meets. Both sides of slits are inside.
  [[nodiscard]] Place locate(Vec p) const;
  /// Whether the shape reaches to infinity all around, or along the ray.
  [[nodiscard]] bool inside_far() const { return far_ != 0; }

 private:
  struct Part {
    double y0 = 0, y1 = 0;  // at start and end, in the frame of the ray
    // Straight: from `low` to `high` (a point below and a point above). Arc: at height dy over the
    // centre `low`, x = low.x + dy slant + width sqrt(1 - (dy / reach)^2).
    Vec low, high;
    double slant = 0, width = 0, reach = 0;
    bool arc = false;
  };
  [[nodiscard]] Vec framed(Vec p) const { return {dot(p, ray_), cross(ray_, p)}; }
  void choose_ray(const std::vector<Curve>& curves);
  void add_parts(const Curve& curve, std::vector<PlaneBox>& boxes);
  [[nodiscard]] int crossings(Vec p, bool& on) const;
  [[nodiscard]] int far_count(const std::vector<Curve>& curves, double scale) const;

  Vec ray_{1, 0};
  int far_ = 0;
  std::vector<Part> parts_;
  BoxTree tree_;
};

}  // namespace cauchy::detail
