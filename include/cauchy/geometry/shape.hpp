#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// An axis-parallel box; ends may be infinite.
struct Bounds {
  std::vector<double> lower, upper;
};

/// One named part of the boundary of a shape, of dimension d - 1.
struct Piece {
  std::string name;                 ///< the most specific name: "left", "hole_arc"
  std::vector<std::string> labels;  ///< every name that selects it, its own included
  double measure = 0;               ///< length or area on the boundary; NaN: no closed form
  double carrier_measure = 0;       ///< of the whole surface that boundary_point covers
};

/// The boundary point that belongs to a point.
struct Nearest {
  double distance = 0;    ///< signed distance of the point, as Shape::distance
  std::size_t piece = 0;  ///< index into Shape::pieces()
};

/// A point set in d dimensions with numbers for everything: the closed-form side of a Region.
/// Immutable after construction and safe to share between threads. Points are d doubles.
///   sign     distances are positive inside, so the gradient on the boundary is minus the outward
///            normal
class Shape {
 public:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  virtual ~Shape() = default;

  [[nodiscard]] std::size_t dimension() const noexcept { return bounds_.lower.size(); }
  [[nodiscard]] const Bounds& bounds() const noexcept { return bounds_; }
  [[nodiscard]] std::span<const Piece> pieces() const noexcept { return pieces_; }
  /// Length, area or volume; NaN when there is no closed form, infinity when unbounded.
  [[nodiscard]] double measure() const noexcept { return measure_; }

  /// Signed distance to the boundary: positive inside, 0 on it, negative outside.
  ///   exact    |distance| is the distance to the nearest boundary point, to rounding
  ///   bound    otherwise the sign is right and |distance| is at most the true distance
  [[nodiscard]] virtual double distance(const double* x) const = 0;
  [[nodiscard]] virtual bool is_exact() const noexcept { return true; }
  /// Whether x lies in the interior; agrees with distance(x) > 0 except within rounding of the
  /// boundary. Often cheaper.
  [[nodiscard]] virtual bool contains(const double* x) const { return distance(x) > 0; }
  /// The nearest boundary point and the outward unit normal there (d doubles each). Of several
  /// nearest points one is taken. When is_exact() is false, the point lies on the surface that
  /// decides the distance and may be off the boundary.
  virtual Nearest nearest(const double* x, double* foot, double* normal) const = 0;

  /// Gradient of the signed distance: unit length, towards the inside. Returns the distance.
  double gradient(const double* x, double* gradient) const;

  /// Whether map() exists.
  [[nodiscard]] virtual bool has_map() const noexcept { return false; }
  /// Takes the unit cube onto the shape so that equal volumes stay equal: u in [0, 1]^d, x inside.
  virtual void map(const double* u, double* x) const;

  /// A point of a piece and the outward unit normal there, for u in [0, 1]^(d-1); uniform u gives
  /// uniform points on the carrier of the piece. False when the point is not on the boundary (the
  /// piece was trimmed by a combination): then x and normal are still those of the carrier.
  virtual bool boundary_point(std::size_t piece, const double* u, double* x,
                              double* normal) const = 0;

  /// The same shape with every piece named "label_name" and selected by that name and by label.
  [[nodiscard]] std::shared_ptr<const Shape> renamed(const std::string& label) const;
  /// The same shape whose pieces are also selected by label.
  [[nodiscard]] std::shared_ptr<const Shape> labelled(const std::string& label) const;

 protected:
  Shape() = default;
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  [[nodiscard]] virtual std::shared_ptr<Shape> clone() const = 0;

  // Set by the constructors of the implementations.
  Bounds bounds_;
  std::vector<Piece> pieces_;
  double measure_ = unknown;
};

using ShapePtr = std::shared_ptr<const Shape>;

/// How two shapes are put together.
enum class Boolean : unsigned char { unite, intersect, subtract };

/// x -> linear x + shift, in d dimensions; linear is row-major d x d.
struct Affine {
  std::vector<double> linear, shift;

  [[nodiscard]] std::size_t dimension() const noexcept { return shift.size(); }
  void apply(const double* x, double* y) const;
  /// The linear part alone.
  void apply_linear(const double* x, double* y) const;
  [[nodiscard]] double determinant() const;
  /// Throws Error when the linear part is singular.
  [[nodiscard]] Affine inverse() const;
  /// The factor s when linear = s Q with an orthogonal Q (to 1e-12), else NaN.
  [[nodiscard]] double similarity() const;

  static Affine identity(std::size_t d);
  static Affine translation(std::span<const double> shift);
  /// Diagonal; throws Error when a factor is 0 or not finite.
  static Affine scaling(std::span<const double> factors, std::span<const double> center);
  /// Counter-clockwise in the plane.
  static Affine rotation(double angle, std::span<const double> center);
  /// Right-handed about an axis in space.
  static Affine rotation(std::span<const double> axis, double angle,
                         std::span<const double> center);
};

/// Puts two shapes of the same dimension together; exact in one and two dimensions, bounds (see
/// Shape::distance) from three on. Pieces keep their names.
///   error    throws Error when the dimensions differ, or the result is known to be empty
[[nodiscard]] ShapePtr combine(Boolean operation, const ShapePtr& a, const ShapePtr& b);

/// The image of a shape. Exact stays exact in one and two dimensions and under similarities.
[[nodiscard]] ShapePtr transform(const ShapePtr& shape, const Affine& affine);

}  // namespace cauchy
