#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/geometry/isosurface.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy {
namespace {

constexpr double smallest_side = 0.6, largest_side = 0.7;  // the longest one of a solid
constexpr double least_volume = 0.01;                      // of the cube
constexpr double union_share = 0.65;                       // of the combinations
constexpr std::size_t looked_at = 200;                     // points for the thickness of walls
constexpr double thin_share = 0.02;                        // of them that may be thinner: edges
constexpr std::uint64_t most_draws = 1000;
constexpr std::size_t blob_nodes = 36, look_nodes = 16;

/// Uniform over all rotations: a unit quaternion from four normal numbers.
Affine random_rotation(Rng& rng) {
  std::array<double, 4> q{};
  for (double& x : q) x = rng.normal();
  const double sine = std::hypot(q[1], q[2], q[3]);
  return Affine::rotation(std::span<const double>(q).subspan(1), 2 * std::atan2(sine, q[0]),
                          std::array<double, 3>{0, 0, 0});
}

/// A primitive about the origin, between 0.3 and 0.9 in size.
ShapePtr primitive(std::string_view kind, Rng& rng) {
  constexpr Point3 origin = {0, 0, 0};
  const auto side = [&](double a, double b) { return rng.uniform(a, b); };
  if (kind == "ball") return ball_shape(origin, side(0.5, 0.8));
  if (kind == "box") {
    const Point3 s = {side(0.35, 0.8), side(0.35, 0.8), side(0.35, 0.8)};
    return box_shape(Point3{-s[0], -s[1], -s[2]}, s);
  }
  if (kind == "ellipsoid") {
    const double a = side(0.35, 0.9), b = side(0.35, 0.9), c = side(0.35, 0.9);
    return ellipsoid_shape(origin, {a, b, c});
  }
  if (kind == "torus") {
    const double major = side(0.55, 0.75);
    return torus_shape(origin, {0, 0, 1}, major, side(0.22, 0.35));
  }
  const double h = side(0.35, 0.8);
  return cylinder_shape({0, 0, -h}, {0, 0, h}, side(0.3, 0.6));
}

/// The surface where a sum of Gaussians about random places has half the height of one of them.
ShapePtr blob(Rng& rng) {
  struct Bump {
    Point3 at;
    double width;
  };
  std::vector<Bump> bumps(3 + rng.integer(4));
  for (Bump& b : bumps) {
    for (double& x : b.at) x = rng.uniform(-0.6, 0.6);
    b.width = rng.uniform(0.25, 0.45);
  }
  const NodeGrid grid{
      .n = {blob_nodes, blob_nodes, blob_nodes},
      .lower = {-1.6, -1.6, -1.6},
      .spacing = {3.2 / (blob_nodes - 1), 3.2 / (blob_nodes - 1), 3.2 / (blob_nodes - 1)}};
  std::vector<double> values;
  values.reserve(grid.size());
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const std::array<std::size_t, 3> i = {n / (blob_nodes * blob_nodes),
                                          n / blob_nodes % blob_nodes, n % blob_nodes};
    double sum = 0;
    for (const Bump& b : bumps) {
      double square = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = grid.lower[k] + grid.spacing[k] * static_cast<double>(i[k]) - b.at[k];
        square += d * d;
      }
      sum += std::exp(-square / (2 * b.width * b.width));
    }
    values.push_back(sum);
  }
  return triangle_surface_shape(isosurface(values, grid, 0.5));
}

ShapePtr combination(const SurfaceSimulator& s, std::span<const std::string> primitives, Rng& rng) {
  const auto part = [&](double spread) {
    const std::string& kind = primitives[static_cast<std::size_t>(rng.integer(primitives.size()))];
    const ShapePtr turned = transform(primitive(kind, rng), random_rotation(rng));
    const Point3 shift = {rng.uniform(-spread, spread), rng.uniform(-spread, spread),
                          rng.uniform(-spread, spread)};
    return transform(turned, Affine::translation(shift));
  };
  const auto n = 1 + rng.integer(static_cast<std::uint64_t>(s.parts));
  ShapePtr solid = part(0);
  for (std::uint64_t i = 1; i < n; ++i) {
    const bool unite = rng.uniform() < union_share;
    solid = combine(unite ? Boolean::unite : Boolean::subtract, solid, part(0.7));
  }
  return solid;
}

/// Bounds of combinations may be too large: the box of nodes inside, and the share of them.
double seen_inside(const Shape& shape, Point3& low, Point3& high) {
  const Bounds& b = shape.bounds();
  std::size_t inside = 0, all = 0;
  low.fill(INFINITY);
  high.fill(-INFINITY);
  std::array<std::size_t, 3> i{};
  for (i[0] = 0; i[0] < look_nodes; ++i[0]) {
    for (i[1] = 0; i[1] < look_nodes; ++i[1]) {
      for (i[2] = 0; i[2] < look_nodes; ++i[2], ++all) {
        Point3 x{};
        for (std::size_t k = 0; k < 3; ++k) {
          const double t = (static_cast<double>(i[k]) + 0.5) / look_nodes;
          x[k] = (1 - t) * b.lower[k] + t * b.upper[k];
        }
        if (!shape.contains(x.data())) continue;
        ++inside;
        for (std::size_t k = 0; k < 3; ++k) {
          const double half = (b.upper[k] - b.lower[k]) / (2 * look_nodes);
          low[k] = std::min(low[k], x[k] - half);
          high[k] = std::max(high[k], x[k] + half);
        }
      }
    }
  }
  return static_cast<double>(inside) / static_cast<double>(all);
}

/// Whether walls and gaps are as thick as that but for a small share: behind and before points of
/// the surface, along the normals.
bool is_thick(const Shape& solid, double thickness, Rng rng) {
  const OrientedPoints cloud = surface_points(solid, looked_at, rng);
  std::size_t thin = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    Point3 behind{}, before{};
    for (std::size_t k = 0; k < 3; ++k) {
      behind[k] = cloud.points[i][k] - thickness * cloud.normals[i][k];
      before[k] = cloud.points[i][k] + thickness * cloud.normals[i][k];
    }
    thin += !solid.contains(behind.data()) || solid.contains(before.data()) ? 1 : 0;
  }
  return static_cast<double>(thin) <= thin_share * looked_at;
}

/// In the middle of the unit cube; null for what is hardly there.
ShapePtr fitted(const ShapePtr& solid, Rng& rng) {
  Point3 low{}, high{};
  const double share = seen_inside(*solid, low, high);
  if (!(share > 0)) return nullptr;
  const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const double factor = rng.uniform(smallest_side, largest_side) / longest;
  const Bounds& b = solid->bounds();
  double volume = share;
  for (std::size_t k = 0; k < 3; ++k) volume *= factor * (b.upper[k] - b.lower[k]);
  if (volume < least_volume) return nullptr;
  Point3 shift{};
  for (std::size_t k = 0; k < 3; ++k) shift[k] = 0.5 - factor * (low[k] + high[k]) / 2;
  constexpr Point3 origin = {0, 0, 0};
  const Point3 factors = {factor, factor, factor};
  return transform(transform(solid, Affine::scaling(factors, origin)), Affine::translation(shift));
}

}  // namespace

ShapePtr random_solid(const SurfaceSimulator& s, std::uint64_t seed, std::uint64_t number) {
  std::vector<std::string> primitives = s.kinds;
  const auto blobs = static_cast<std::uint64_t>(std::erase(primitives, "blob"));
  for (std::uint64_t draw = 0; draw < most_draws; ++draw) {
    Rng rng = Rng(seed).split(number).split(draw);
    const bool is_blob = primitives.empty() || (blobs > 0 && rng.integer(s.kinds.size()) < blobs);
    try {
      const ShapePtr solid =
          is_blob ? transform(blob(rng), random_rotation(rng)) : combination(s, primitives, rng);
      const ShapePtr fit = fitted(solid, rng);
      if (fit && (s.thickness == 0 || is_thick(*fit, s.thickness, rng))) return fit;
    } catch (const Error&) {
      // A difference of which nothing is left: drawn again.
    }
  }
  throw Error("no solid was left of any combination", fmt::format("sample {}", number));
}

OrientedPoints scanned(OrientedPoints cloud, const SurfaceSimulator& s, Rng rng) {
  const std::uint64_t holes = rng.integer(static_cast<std::uint64_t>(s.holes) + 1);
  for (std::uint64_t h = 0; h < holes && cloud.size() > 0; ++h) {
    const Point3 at = cloud.points[static_cast<std::size_t>(rng.integer(cloud.size()))];
    const double radius = s.hole * rng.uniform(0.5, 1);
    OrientedPoints left;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const Point3& x = cloud.points[i];
      if (std::hypot(x[0] - at[0], x[1] - at[1], x[2] - at[2]) < radius) continue;
      left.points.push_back(x);
      left.normals.push_back(cloud.normals[i]);
    }
    cloud = std::move(left);
  }
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (double& x : cloud.points[i]) x = std::clamp(x + s.noise * rng.normal(), 0.0, 1.0);
    for (double& x : cloud.normals[i]) x += s.tilt * rng.normal();
  }
  check_and_normalize(cloud);
  return cloud;
}

}  // namespace cauchy
