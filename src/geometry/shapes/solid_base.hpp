#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <cauchy/geometry/shape.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy::detail {

inline Point3 operator+(const Point3& a, const Point3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Point3 operator-(const Point3& a, const Point3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Point3 operator*(double s, const Point3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Point3& a, const Point3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point3 cross(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }
inline Point3 point3(const double* x) { return {x[0], x[1], x[2]}; }
inline void put(const Point3& a, double* x) {
  for (std::size_t i = 0; i < 3; ++i) x[i] = a[i];
}
/// What the map does to a point and to a direction.
Point3 image_of(const Affine& affine, const Point3& point);
Point3 linear_image(const Affine& affine, const Point3& direction);

/// x -> second(first(x)).
Affine compose(const Affine& second, const Affine& first);

/// Right-handed orthonormal frame whose third direction is the axis (of any length, not 0).
struct Frame {
  Point3 e1{}, e2{}, axis{};
};
Frame frame_of(const Point3& axis);

/// Throw Error naming what is wrong.
void check_finite(std::span<const double> values, const char* what, const char* place);
void check_positive(double value, const char* what, const char* place);

/// A shape that combinations and transformations know more about than Shape tells.
class SolidShape : public Shape {
 public:
  /// The image as a shape of its own kind, with exact distances and the names of this one; null
  /// when there is none.
  [[nodiscard]] virtual std::shared_ptr<SolidShape> image(const Affine& affine) const;
  /// An upper bound of direction . x over the shape, sharp for the convex primitives.
  [[nodiscard]] virtual double support(const double* direction) const;
  /// A box around a piece.
  [[nodiscard]] virtual Bounds piece_bounds(std::size_t piece) const;
  /// Whether distance(x) is proven to be exact there.
  [[nodiscard]] virtual bool exact_at(const double* x) const;

  /// Takes over names and labels, piece by piece.
  void take_names(std::span<const Piece> from);

 protected:
  /// A piece with one name, all of which is on the boundary.
  void add_piece(std::string name, double area);
  /// bounds_ in d dimensions from support().
  void bound_by_support(std::size_t d);
};

/// support() and piece_bounds() of any shape.
[[nodiscard]] double support_of(const Shape& shape, const double* direction);
[[nodiscard]] Bounds piece_bounds_of(const Shape& shape, std::size_t piece);

/// Direction on the unit sphere of d >= 2 dimensions for u in [0, 1]^(d-1), equal areas for equal
/// areas: the angle from axis i has density sin^(d-2-i) and is found by inverting its distribution
/// function, the last one is uniform. Cost O(d^2); closed form for d <= 3.
void sphere_direction(std::size_t d, const double* u, double* x);
/// Unit disk: radius sqrt(u0), angle 2 pi u1.
std::array<double, 2> disk_point(double u0, double u1);

/// The smallest y + ratio sin y = value, for |ratio| < 1, value in [0, 2 pi].
double solve_kepler(double ratio, double value);

}  // namespace cauchy::detail
