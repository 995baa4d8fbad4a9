#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy {
namespace detail {

using namespace solid;

namespace {

constexpr const char* tetrahedron_place = "[geometry.tetrahedron]";

/// Nearest point of the triangle a, b, c: by the region of its corners, edges or face in which the
/// projection of p lies.
Point3 nearest_in_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& c) {
  const Point3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Point3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + (d1 / (d1 - d3)) * ab;
  const Point3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + (d2 / (d2 - d6)) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    return b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b);
  }
  const double sum = va + vb + vc;
  return a + (vb / sum) * ab + (vc / sum) * ac;
}

class TetrahedronShape final : public SolidShape {
 public:
  explicit TetrahedronShape(const std::array<Point3, 4>& vertices) : v_(vertices) {
    const Point3 a = v_[1] - v_[0], b = v_[2] - v_[0], c = v_[3] - v_[0];
    measure_ = std::abs(dot(a, cross(b, c))) / 6;
    for (std::size_t f = 0; f < 4; ++f) {
      const auto [p, q, r] = face(f);
      Point3 n = cross(q - p, r - p);
      const double twice_area = length(n);
      if (dot(n, v_[f] - p) > 0) n = -1 * n;
      normal_[f] = (1 / twice_area) * n;
      add_piece(fmt::format("face{}", f + 1), 0.5 * twice_area);
    }
    bounds_ = box_of({0, 1, 2, 3}, 4);
  }

  double distance(const double* x) const override {
    std::array<double, 3> foot{}, normal{};
    return nearest(x, foot.data(), normal.data()).distance;
  }

  bool contains(const double* x) const override { return smallest_gap(x) > 0; }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    const Point3 p = point3(x);
    std::size_t deepest = 0;
    const double gap = smallest_gap(x, &deepest);
    if (gap > 0) {  // convex: the nearest face plane touches its face
      put(p + gap * normal_[deepest], foot);
      put(normal_[deepest], normal);
      return {gap, deepest};
    }
    double best = std::isnan(gap) ? gap : INFINITY;
    std::size_t piece = deepest;
    Point3 near = v_[0];
    for (std::size_t f = 0; f < 4; ++f) {
      if (dot(normal_[f], p - face(f)[0]) < 0) continue;  // seen from behind
      const auto [a, b, c] = face(f);
      const Point3 q = nearest_in_triangle(p, a, b, c);
      const double d = length(p - q);
      if (d < best) {
        best = d;
        near = q;
        piece = f;
      }
    }
    put(near, foot);
    put(normal_[piece], normal);
    return {-best, piece};
  }

  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override {
    // Sections parallel to the face opposite vertex 0, then lines parallel to an edge.
    const double r = std::cbrt(u[0]), s = std::sqrt(u[1]);
    put((1 - r) * v_[0] + (r * (1 - s)) * v_[1] + (r * s * (1 - u[2])) * v_[2] +
            (r * s * u[2]) * v_[3],
        x);
  }

  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    const auto [a, b, c] = face(piece);
    const double s = std::sqrt(u[0]);
    put((1 - s) * a + (s * (1 - u[1])) * b + (s * u[1]) * c, x);
    put(normal_[piece], normal);
    return true;
  }

  double support(const double* direction) const override {
    const Point3 d = point3(direction);
    return std::max({dot(d, v_[0]), dot(d, v_[1]), dot(d, v_[2]), dot(d, v_[3])});
  }

  Bounds piece_bounds(std::size_t piece) const override {
    return box_of({(piece + 1) % 4, (piece + 2) % 4, (piece + 3) % 4, 0}, 3);
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    std::array<Point3, 4> moved{};
    for (std::size_t i = 0; i < 4; ++i) moved[i] = image_of(affine, v_[i]);
    auto result = std::make_shared<TetrahedronShape>(moved);
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override {
    return std::make_shared<TetrahedronShape>(*this);
  }

 private:
  [[nodiscard]] std::array<Point3, 3> face(std::size_t f) const {
    return {v_[(f + 1) % 4], v_[(f + 2) % 4], v_[(f + 3) % 4]};
  }

  /// Smallest distance below the four face planes.
  double smallest_gap(const double* x, std::size_t* which = nullptr) const {
    const Point3 p = point3(x);
    double smallest = INFINITY;
    for (std::size_t f = 0; f < 4; ++f) {
      const double gap = -dot(normal_[f], p - v_[(f + 1) % 4]);
      if (!(gap >= smallest)) {  // NaN stays
        smallest = gap;
        if (which) *which = f;
      }
    }
    return smallest;
  }

  [[nodiscard]] Bounds box_of(std::array<std::size_t, 4> corners, std::size_t count) const {
    Bounds box{std::vector<double>(3, INFINITY), std::vector<double>(3, -INFINITY)};
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        box.lower[i] = std::min(box.lower[i], v_[corners[k]][i]);
        box.upper[i] = std::max(box.upper[i], v_[corners[k]][i]);
      }
    }
    return box;
  }

  std::array<Point3, 4> v_, normal_{};
};

}  // namespace
}  // namespace detail

ShapePtr tetrahedron_shape(std::span<const Point3> vertices) {
  using namespace detail;
  if (vertices.size() != 4) {
    throw Error(fmt::format("a tetrahedron needs 4 vertices, got {}", vertices.size()),
                tetrahedron_place, "give exactly four points");
  }
  for (const Point3& v : vertices) check_finite(v, "a vertex", tetrahedron_place);
  const Point3 a = vertices[1] - vertices[0], b = vertices[2] - vertices[0],
               c = vertices[3] - vertices[0];
  const double edge = std::max({length(a), length(b), length(c)});
  // Six times the volume; below this it is rounding of the coordinates.
  if (!(std::abs(dot(a, cross(b, c))) > 1e-14 * edge * edge * edge)) {
    throw Error("the four vertices lie in one plane, the tetrahedron has no volume",
                tetrahedron_place, "move a vertex out of the plane of the others");
  }
  return std::make_shared<TetrahedronShape>(
      std::array<Point3, 4>{vertices[0], vertices[1], vertices[2], vertices[3]});
}

}  // namespace cauchy
