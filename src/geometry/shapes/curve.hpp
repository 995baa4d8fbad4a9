#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <cauchy/geometry/shape.hpp>

namespace cauchy::detail {

/// A point or a direction of the plane.
struct Vec {
  double x = 0, y = 0;

  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
  friend Vec operator-(Vec a) { return {-a.x, -a.y}; }
  friend Vec operator*(double s, Vec a) { return {s * a.x, s * a.y}; }
  friend bool operator==(Vec, Vec) = default;
};
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
inline double cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
inline double norm(Vec a) { return std::hypot(a.x, a.y); }
/// A quarter turn counter-clockwise.
inline Vec turned(Vec a) { return {-a.y, a.x}; }
/// Sign of cross(b - a, p - a): positive when p lies left of the line from a to b. Where doubles
/// cannot decide, long double does.
double orientation(Vec a, Vec b, Vec p);

struct PlaneBox {
  Vec lower, upper;

  static PlaneBox empty();
  void add(Vec p);
  void add(const PlaneBox& box);
  void grow(double by);
  [[nodiscard]] bool meets(const PlaneBox& box) const;
  /// 0 inside.
  [[nodiscard]] double distance(Vec p) const;
};

/// An oriented smooth curve; the inside of the shape it bounds lies on its left.
///   straight  p(t) = origin + t u for t0 <= t <= t1; an end may be infinite, then |u| = 1
///   arc       p(t) = origin + cos(t) u + sin(t) v, u orthogonal to v, |u| >= |v|: an ellipse with
///             half axes a = |u|, b = |v|, run through clockwise when cross(u, v) < 0
/// Curves that meet have ends equal bit for bit: start and end are stored and go before p(t0),
/// p(t1).
struct Curve {
  Vec origin, u, v;
  double t0 = 0, t1 = 1;
  double a = 0, b = 0;  ///< half axes of an arc
  Vec start, end;       ///< meaningless at an infinite end
  std::size_t piece = 0;
  bool arc = false;
  bool slit = false;  ///< one side of a cut: the same shape has the reversed curve as well

  static Curve segment(Vec start, Vec end, std::size_t piece);
  /// The whole line through origin.
  static Curve line(Vec origin, Vec direction, std::size_t piece);
  /// Any two conjugate half diameters; turned into half axes.
  static Curve ellipse_arc(Vec center, Vec u, Vec v, double t0, double t1, std::size_t piece);

  [[nodiscard]] bool starts() const { return std::isfinite(t0); }
  [[nodiscard]] bool ends() const { return std::isfinite(t1); }
  [[nodiscard]] bool bounded() const { return starts() && ends(); }
  [[nodiscard]] bool circular() const { return a == b; }

  [[nodiscard]] Vec point(double t) const;
  /// dp/dt.
  [[nodiscard]] Vec velocity(double t) const;
  /// Outward unit normal: the tangent turned clockwise.
  [[nodiscard]] Vec normal(double t) const;
  /// A parameter for 0 < fraction < 1, spread over the range; unbounded ranges use `scale` as unit.
  [[nodiscard]] double parameter(double fraction, double scale) const;

  [[nodiscard]] Curve reversed() const;
  /// The part between two parameters, whose ends are moved to `from` and `to` (within rounding of
  /// the curve).
  [[nodiscard]] Curve part(double ta, double tb, Vec from, Vec to) const;
  /// Image under x -> linear x + shift; keeps the direction even when the orientation flips.
  [[nodiscard]] Curve image(const Affine& affine) const;

  /// Tight; infinite along unbounded directions.
  [[nodiscard]] PlaneBox box() const;
  /// Half the integral of cross(p - reference, dp).
  [[nodiscard]] double swept_area(Vec reference) const;

  /// Length between two parameters, to a few ulp of the length of the whole ellipse.
  [[nodiscard]] double length(double ta, double tb) const;
  [[nodiscard]] double length() const;
  /// The parameter at an arc length from the start.
  [[nodiscard]] double at_length(double s) const;

  struct Foot {
    double t = 0;
    Vec point;
    double distance = 0;
  };
  [[nodiscard]] Foot nearest(Vec p) const;
};

/// Where two curves meet.
struct Meeting {
  double ta = 0, tb = 0;
  Vec point;
};
/// Appends all transversal crossings of two curves, and the ends of one that lie within `tolerance`
/// of the other. Overlapping curves meet at the ends of the overlap. Points where the curves touch
/// without crossing may or may not be found.
void append_meetings(const Curve& a, const Curve& b, double tolerance, std::vector<Meeting>& out);

/// Incomplete elliptic integral of the second kind: the integral of sqrt(1 - k^2 sin^2) from 0 to
/// phi, for any phi, given the complementary modulus 0 < k1 = sqrt(1 - k^2) <= 1. Relative error
/// about 1e-15.
double elliptic_e(double phi, double k1);

}  // namespace cauchy::detail
