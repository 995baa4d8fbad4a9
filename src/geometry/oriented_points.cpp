#include <cauchy/geometry/oriented_points.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/triangle_tree.hpp"

namespace cauchy {
namespace {

constexpr const char* cloud_place = "[geometry.oriented_points]";
constexpr std::size_t least_points = 4;
constexpr std::size_t most_tries = 10'000;  // for each point on trimmed pieces

/// Twice the area of a triangle along its normal.
Point3 doubled_area(const TriangleMesh& mesh, std::size_t t) {
  using namespace detail::triangles;
  const auto& [a, b, c] = mesh.triangles[t];
  return cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
}

double mean_distance(const OrientedPoints& from, const TriangleMesh& to) {
  const auto tree = detail::triangles::build_triangle_tree(to.vertices, to.triangles);
  double sum = 0;
  for (const Point3& x : from.points) {
    sum += std::sqrt(detail::triangles::nearest_triangle(tree, x).square);
  }
  return sum / static_cast<double>(from.size());
}

}  // namespace

void check_and_normalize(OrientedPoints& cloud) {
  const std::size_t n = cloud.size();
  if (n < least_points) {
    throw Error(fmt::format("{} points make no surface", n), cloud_place,
                fmt::format("give at least {}, better some thousand", least_points));
  }
  if (cloud.normals.size() != n) {
    throw Error(fmt::format("{} points, but {} normals", n, cloud.normals.size()), cloud_place);
  }
  const auto is_finite = [](const Point3& v) {
    return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
  };
  for (std::size_t i = 0; i < n; ++i) {
    Point3& v = cloud.normals[i];
    if (!is_finite(cloud.points[i]) || !is_finite(v)) {
      throw Error(fmt::format("point {} has a number that is not finite", i + 1), cloud_place);
    }
    const double l = detail::triangles::norm(v);
    if (!(l > 0) || !std::isfinite(l)) {
      throw Error(fmt::format("the normal of point {} has length {}", i + 1, l), cloud_place,
                  "leave the point out, or give it the outward normal");
    }
    for (double& x : v) x /= l;
  }
}

OrientedPoints surface_points(const Shape& shape, std::size_t n, Rng rng) {
  if (shape.dimension() != 3) {
    throw Error(fmt::format("a shape of {} dimensions has no surface in space", shape.dimension()),
                cloud_place);
  }
  std::vector<double> ends;  // of the pieces, by the areas of their carriers
  for (const Piece& p : shape.pieces()) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + p.carrier_measure);
  }
  if (ends.empty() || !std::isfinite(ends.back()) || !(ends.back() > 0)) {
    throw Error("the boundary of the shape has no finite area", cloud_place,
                "cut it with a box or a ball");
  }
  OrientedPoints cloud;
  for (std::size_t tries = 0; cloud.size() < n; ++tries) {
    if (tries >= most_tries * n) {
      throw Error("the boundary of the shape is hardly ever met", cloud_place,
                  "leave out parts that combinations cut away");
    }
    const double at = rng.uniform(0, ends.back());
    const auto piece = static_cast<std::size_t>(std::ranges::upper_bound(ends, at) - ends.begin());
    const double u[2] = {rng.uniform(), rng.uniform()};
    Point3 x{}, normal{};
    if (!shape.boundary_point(std::min(piece, ends.size() - 1), u, x.data(), normal.data())) {
      continue;
    }
    cloud.points.push_back(x);
    cloud.normals.push_back(normal);
  }
  return cloud;
}

OrientedPoints surface_points(const TriangleMesh& mesh, std::size_t n, Rng rng) {
  std::vector<double> ends;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    ends.push_back((ends.empty() ? 0 : ends.back()) +
                   detail::triangles::norm(doubled_area(mesh, t)));
  }
  if (ends.empty() || !(ends.back() > 0)) throw Error("the mesh has no area", cloud_place);
  OrientedPoints cloud;
  std::size_t t = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = (static_cast<double>(i) + rng.uniform()) / static_cast<double>(n);
    while (t + 1 < ends.size() && ends[t] <= at * ends.back()) ++t;
    double u = rng.uniform(), v = rng.uniform();
    if (u + v > 1) {
      u = 1 - u;
      v = 1 - v;
    }
    const auto& [a, b, c] = mesh.triangles[t];
    Point3 x{}, normal = doubled_area(mesh, t);
    const double l = detail::triangles::norm(normal);
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = (1 - u - v) * mesh.vertices[a][k] + u * mesh.vertices[b][k] + v * mesh.vertices[c][k];
      normal[k] /= l;
    }
    cloud.points.push_back(x);
    cloud.normals.push_back(normal);
  }
  return cloud;
}

double chamfer_distance(const TriangleMesh& a, const TriangleMesh& b, std::size_t n,
                        std::uint64_t seed) {
  const Rng rng(seed);
  const OrientedPoints from_a = surface_points(a, n, rng), from_b = surface_points(b, n, rng);
  return (mean_distance(from_a, b) + mean_distance(from_b, a)) / 2;
}

}  // namespace cauchy
