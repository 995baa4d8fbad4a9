#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>

#include "geometry/shapes/triangle_closest.hpp"
#include "geometry/shapes/triangle_topology.hpp"
#include "geometry/shapes/triangle_tree.hpp"

namespace cauchy {
namespace {

using namespace detail::triangles;
using detail::triangles::cross;  // not hidden by functions of the same name
using detail::triangles::dot;

/// The triangles of a piece in the order of the tree, which keeps neighbours together, with the
/// area up to and including each.
struct PieceTriangles {
  std::vector<std::uint32_t> triangle;
  std::vector<double> area_until;
};

/// Everything that copies of a surface share. Triangles are in the order of the tree.
struct Surface {
  TriangleMesh mesh;
  TriangleTree tree;
  std::vector<Vec3> face_normal;                        // unit
  std::vector<Vec3> corner_normal;                      // of the vertices, any length
  std::vector<std::array<std::uint32_t, 3>> neighbour;  // over ab, bc, ca
  std::vector<PieceTriangles> pieces;
  double volume = 0;
};

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const std::uint32_t i : order) result.push_back(values[i]);
  return result;
}

/// Leaves out groups without triangles.
void drop_empty_groups(TriangleMesh& mesh) {
  std::vector<std::uint32_t> number(mesh.groups.size(), 0);
  for (const std::uint32_t g : mesh.group) number[g] = 1;
  std::vector<std::string> names;
  for (std::size_t g = 0; g < number.size(); ++g) {
    if (number[g] == 0) continue;
    number[g] = static_cast<std::uint32_t>(names.size());
    names.push_back(std::move(mesh.groups[g]));
  }
  for (std::uint32_t& g : mesh.group) g = number[g];
  mesh.groups = std::move(names);
}

/// Unit normals of the faces and angle-weighted sums of them at the vertices (Baerentzen and Aanaes
/// 2005: the sign of their product with x - foot tells the side wherever a vertex is nearest).
void set_normals(Surface& s) {
  const auto& vertices = s.mesh.vertices;
  s.face_normal.resize(s.mesh.triangles.size());
  s.corner_normal.assign(vertices.size(), Vec3{});
  for (std::size_t t = 0; t < s.mesh.triangles.size(); ++t) {
    const Triangle& corners = s.mesh.triangles[t];
    const Vec3 n = cross(vertices[corners[1]] - vertices[corners[0]],
                         vertices[corners[2]] - vertices[corners[0]]);
    s.face_normal[t] = (1 / norm(n)) * n;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = vertices[corners[k]];
      const Vec3 u = vertices[corners[(k + 1) % 3]] - p, v = vertices[corners[(k + 2) % 3]] - p;
      const double angle = std::atan2(norm(cross(u, v)), dot(u, v));
      Vec3& sum = s.corner_normal[corners[k]];
      sum = sum + angle * s.face_normal[t];
    }
  }
}

/// Areas by piece, and the volume by the divergence theorem: the sum of a . (b x c) / 6.
void set_measures(Surface& s) {
  const auto& vertices = s.mesh.vertices;
  const std::size_t n = s.mesh.triangles.size();
  s.pieces.resize(s.mesh.groups.size());
  std::vector<double> cones(n);
  for (std::size_t t = 0; t < n; ++t) {
    const Triangle& corners = s.mesh.triangles[t];
    const Vec3 a = vertices[corners[0]] - s.tree.center, b = vertices[corners[1]] - s.tree.center,
               c = vertices[corners[2]] - s.tree.center;
    cones[t] = dot(a, cross(b, c)) / 6;
    PieceTriangles& piece = s.pieces[s.mesh.group[t]];
    piece.triangle.push_back(static_cast<std::uint32_t>(t));
    piece.area_until.push_back(norm(cross(b - a, c - a)) / 2);
  }
  s.volume = tree_sum(cones);
}

std::shared_ptr<Surface> make_surface(TriangleMesh mesh) {
  auto s = std::make_shared<Surface>();
  s->neighbour = close_and_orient(mesh);
  drop_empty_groups(mesh);
  s->tree = build_triangle_tree(mesh.vertices, mesh.triangles);
  const std::vector<std::uint32_t>& order = s->tree.order;
  mesh.triangles = permuted(mesh.triangles, order);
  mesh.group = permuted(mesh.group, order);
  s->neighbour = permuted(s->neighbour, order);
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (auto& neighbours : s->neighbour) {
    for (std::uint32_t& t : neighbours) t = position[t];
  }
  s->mesh = std::move(mesh);
  set_normals(*s);
  set_measures(*s);
  return s;
}

class TriangleSurface final : public Shape {
 public:
  explicit TriangleSurface(TriangleMesh mesh) {
    const std::shared_ptr<Surface> s = make_surface(std::move(mesh));
    bounds_.lower.assign(3, std::numeric_limits<double>::infinity());
    bounds_.upper.assign(3, -std::numeric_limits<double>::infinity());
    for (const Triangle& t : s->mesh.triangles) {
      for (const std::uint32_t v : t) {
        for (std::size_t i = 0; i < 3; ++i) {
          bounds_.lower[i] = std::min(bounds_.lower[i], s->mesh.vertices[v][i]);
          bounds_.upper[i] = std::max(bounds_.upper[i], s->mesh.vertices[v][i]);
        }
      }
    }
    for (std::size_t g = 0; g < s->pieces.size(); ++g) {
      std::vector<double>& areas = s->pieces[g].area_until;
      const double area = tree_sum(areas);
      pieces_.push_back({s->mesh.groups[g], {s->mesh.groups[g]}, area, area});
      for (std::size_t i = 1; i < areas.size(); ++i) areas[i] += areas[i - 1];
    }
    measure_ = s->volume;
    surface_ = s;
  }

  [[nodiscard]] double distance(const double* x) const override { return locate(x).distance; }

  [[nodiscard]] bool contains(const double* x) const override {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(x[i] > bounds_.lower[i] && x[i] < bounds_.upper[i])) return false;
    }
    return locate(x).distance > 0;
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    const Place place = locate(x);
    const double length = norm(place.normal);
    for (std::size_t i = 0; i < 3; ++i) {
      foot[i] = place.foot[i];
      normal[i] = place.normal[i] / length;
    }
    return {place.distance, surface_->mesh.group[place.triangle]};
  }

  bool boundary_point(std::size_t piece, const double* u, double* x,
                      double* normal) const override {
    const PieceTriangles& part = surface_->pieces[piece];
    const double target = u[0] * part.area_until.back();
    const auto found = std::upper_bound(part.area_until.begin(), part.area_until.end() - 1, target);
    const auto i = static_cast<std::size_t>(found - part.area_until.begin());
    const double before = i == 0 ? 0 : part.area_until[i - 1];
    // What is left of u[0] within the triangle is uniform again; the square root makes strips
    // parallel to bc equally likely by area.
    const double rest = (target - before) / (part.area_until[i] - before);
    const double s = std::sqrt(std::min(std::max(rest, 0.0), 1.0));
    const std::uint32_t t = part.triangle[i];
    const auto [ia, ib, ic] = surface_->mesh.triangles[t];
    const auto& vertices = surface_->mesh.vertices;
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = vertices[ia][k], b = vertices[ib][k], c = vertices[ic][k];
      x[k] = a + s * ((b - a) + u[1] * (c - b));
      normal[k] = surface_->face_normal[t][k];
    }
    return true;
  }

  /// The image with the names and labels of the pieces.
  [[nodiscard]] ShapePtr transformed(const Affine& affine) const {
    TriangleMesh mesh = surface_->mesh;
    for (Vec3& v : mesh.vertices) {
      const Vec3 p = v;
      affine.apply(p.data(), v.data());
    }
    const auto image = std::make_shared<TriangleSurface>(std::move(mesh));
    for (std::size_t g = 0; g < pieces_.size(); ++g) {
      image->pieces_[g].name = pieces_[g].name;
      image->pieces_[g].labels = pieces_[g].labels;
    }
    return image;
  }

 protected:
  [[nodiscard]] std::shared_ptr<Shape> clone() const override {
    return std::make_shared<TriangleSurface>(*this);
  }

 private:
  struct Place {
    double distance = unknown;  // signed
    std::uint32_t triangle = 0;
    Vec3 foot{unknown, unknown, unknown};
    Vec3 normal{unknown, unknown, unknown};  // pseudonormal of the feature, any length
  };

  [[nodiscard]] Vec3 pseudonormal(std::uint32_t t, Feature feature) const {
    const Surface& s = *surface_;
    const auto f = static_cast<std::size_t>(feature);
    if (feature == Feature::face) return s.face_normal[t];
    if (f <= 3) return s.face_normal[t] + s.face_normal[s.neighbour[t][f - 1]];
    return s.corner_normal[s.mesh.triangles[t][f - 4]];
  }

  [[nodiscard]] Place locate(const double* point) const {
    const Vec3 x{point[0], point[1], point[2]};
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) return {};
    const Surface& s = *surface_;
    if (std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}) > 1e100) {
      // Coordinates of the surface are at most 1e50, so that all of it is equally near to rounding,
      // and squares could overflow.
      const std::uint32_t v = s.mesh.triangles[0][0];
      const Vec3& foot = s.mesh.vertices[v];
      return {-std::hypot(x[0], x[1], x[2]), 0, foot, s.corner_normal[v]};
    }
    const std::uint32_t t = nearest_triangle(s.tree, x).position;
    const auto [a, b, c] = s.mesh.triangles[t];
    const Closest closest =
        closest_on_triangle(x, s.mesh.vertices[a], s.mesh.vertices[b], s.mesh.vertices[c]);
    const Vec3 normal = pseudonormal(t, closest.feature);
    const double distance = std::sqrt(closest.square);
    // Very far away all triangles are equally near to rounding, and the one found may face away.
    bool is_inside = dot(closest.offset, normal) < 0;
    for (std::size_t i = 0; i < 3; ++i) {
      is_inside = is_inside && x[i] > bounds_.lower[i] && x[i] < bounds_.upper[i];
    }
    return {is_inside || distance == 0 ? distance : -distance, t, closest.foot, normal};
  }

  std::shared_ptr<const Surface> surface_;
};

}  // namespace

ShapePtr triangle_surface_shape(TriangleMesh mesh) {
  return std::make_shared<TriangleSurface>(std::move(mesh));
}

ShapePtr detail::transform_triangle_surface(const Shape& shape, const Affine& affine) {
  const auto* surface = dynamic_cast<const TriangleSurface*>(&shape);
  if (surface == nullptr) return nullptr;
  if (affine.dimension() != 3) {
    throw Error(
        fmt::format("a transformation of {} dimensions for a region of 3", affine.dimension()),
        "[geometry.transform]");
  }
  const double determinant = affine.determinant();
  if (!(std::abs(determinant) > 0)) {
    throw Error("the transformation flattens the region", "[geometry.transform]",
                "use scale factors other than 0");
  }
  return surface->transformed(affine);
}

}  // namespace cauchy
