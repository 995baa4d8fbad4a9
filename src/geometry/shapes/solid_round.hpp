#pragma once

#include <array>
#include <memory>
#include <vector>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy::detail {

/// A cylinder or a cone. Everything happens in the half plane of the distance r from the axis and
/// the height h above the base, where the solid is a rectangle or a triangle: its nearest point to
/// (r, h) belongs to the nearest point in space.
///   pieces   side, bottom, top of a cylinder; side, base of a cone
class RoundShape final : public SolidShape {
 public:
  RoundShape(const Point3& base, const Point3& top, double radius, bool pointed);

  double distance(const double* x) const override;
  bool contains(const double* x) const override;
  Nearest nearest(const double* x, double* foot, double* normal) const override;
  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override;
  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override;
  double support(const double* direction) const override;
  Bounds piece_bounds(std::size_t piece) const override;
  /// A cylinder or cone again when the map keeps the axis at right angles to the base and the base
  /// round: similarities and stretches along the axis.
  std::shared_ptr<SolidShape> image(const Affine& affine) const override;

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<RoundShape>(*this); }

 private:
  struct Profile {
    double r, h;
    Point3 out;  ///< unit vector from the axis to the point
  };
  struct Foot {
    double r, h, square;
    std::size_t piece;
  };
  [[nodiscard]] Profile profile(const double* x) const;
  [[nodiscard]] Foot nearest_in_profile(const Profile& p) const;
  [[nodiscard]] bool inside(const Profile& p) const;
  [[nodiscard]] Point3 around(double angle) const;

  Point3 base_, top_;
  double radius_, height_;
  bool pointed_;
  double slope_r_, slope_h_;  // outward unit normal of the side in the half plane
  Frame frame_;
};

}  // namespace cauchy::detail
