#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace cauchy::detail::triangles {

using Vec3 = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }

/// The part of a triangle (a, b, c) that holds a point.
enum class Feature : std::uint8_t { face, edge_ab, edge_bc, edge_ca, corner_a, corner_b, corner_c };

struct Closest {
  double square = 0;  ///< of the distance
  Vec3 foot{};        ///< the nearest point of the triangle
  Vec3 offset{};      ///< x - foot
  Feature feature = Feature::face;
};

/// The nearest point of a triangle with area. The candidates are the foot of the perpendicular, when
/// it lies inside, and the nearest points of the three edges. Each is a point of the triangle by
/// construction, hence a rounding error in its place changes the distance in second order only, even
/// for slivers. The tree (triangle_tree_query.cpp) does the same operations in the same order for
/// `square`, which makes both equal to the last bit.
inline Closest closest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = x - a;
  const Vec3 bc = ac - ab, bp = ap - ab;
  const auto clamp = [](double t) { return std::min(std::max(t, 0.0), 1.0); };
  const double t_ab = clamp(dot(ap, ab) / dot(ab, ab));
  const double t_ac = clamp(dot(ap, ac) / dot(ac, ac));
  const double t_bc = clamp(dot(bp, bc) / dot(bc, bc));
  const Vec3 r_ab = ap - t_ab * ab, r_ac = ap - t_ac * ac, r_bc = bp - t_bc * bc;
  const double s_ab = dot(r_ab, r_ab), s_ac = dot(r_ac, r_ac), s_bc = dot(r_bc, r_bc);

  Closest best{s_ab, a + t_ab * ab, r_ab,
               t_ab == 0   ? Feature::corner_a
               : t_ab == 1 ? Feature::corner_b
                           : Feature::edge_ab};
  if (s_bc < best.square) {
    best = {s_bc, b + t_bc * bc, r_bc,
            t_bc == 0   ? Feature::corner_b
            : t_bc == 1 ? Feature::corner_c
                        : Feature::edge_bc};
  }
  if (s_ac < best.square) {
    best = {s_ac, a + t_ac * ac, r_ac,
            t_ac == 0   ? Feature::corner_a
            : t_ac == 1 ? Feature::corner_c
                        : Feature::edge_ca};
  }
  if (best.feature == Feature::corner_a) best.foot = a;
  if (best.feature == Feature::corner_b) best.foot = b;
  if (best.feature == Feature::corner_c) best.foot = c;

  // Barycentric coordinates of the perpendicular's foot, a + v ab + w ac.
  const Vec3 n = cross(ab, ac);
  const double nn = dot(n, n);
  const double v = dot(cross(ap, ac), n) / nn;
  const double w = dot(cross(ab, ap), n) / nn;
  if (v >= 0 && w >= 0 && v + w <= 1) {
    const Vec3 r = (ap - v * ab) - w * ac;
    const double s = dot(r, r);
    if (s <= best.square) best = {s, (a + v * ab) + w * ac, r, Feature::face};
  }
  return best;
}

}  // namespace cauchy::detail::triangles
