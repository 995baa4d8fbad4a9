#include <cauchy/geometry/primitives.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/geometry/shapes/solid.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "geometry/primitive_symbols.hpp"
#include "geometry/region_node.hpp"

namespace cauchy {
namespace detail {
namespace {

using Numbers = std::span<const double>;

Point2 point2(Numbers a, std::size_t at) { return {a[at], a[at + 1]}; }
Point3 to_point3(Numbers a, std::size_t at) { return {a[at], a[at + 1], a[at + 2]}; }

std::vector<Point2> points2(Numbers a) {
  std::vector<Point2> p;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) p.push_back(point2(a, i));
  return p;
}

/// One line of the list of primitives.
///   layout   numbers per argument: "21" is a point of the plane and a number; d a point of any
///            dimension, * any number of points of the plane
struct Primitive {
  const char* name;
  const char* signature;
  const char* layout;
  bool convex;
  ShapePtr (*build)(Numbers);
  Symbols (*symbols)(std::span<const Expr>, std::span<const Expr>);
};

// Polygons have rings and are treated apart; their functions here are not called.
const Primitive primitives[] = {
    {"interval", "interval(lower, upper)", "11", true,
     [](Numbers a) { return interval_shape(a[0], a[1]); }, box_symbols},
    {"rectangle", "rectangle(lower, upper)", "22", true,
     [](Numbers a) { return rectangle_shape(point2(a, 0), point2(a, 2)); }, box_symbols},
    {"disk", "disk(center, radius)", "21", true,
     [](Numbers a) {
       if (!(a[2] > 0)) {
         throw Error(fmt::format("radius must be positive, got {}", a[2]), "[geometry.disk]");
       }
       return ellipse_shape(point2(a, 0), a[2], a[2]);
     },
     ball_symbols},
    {"ellipse", "ellipse(center, a, b)", "211", true,
     [](Numbers a) { return ellipse_shape(point2(a, 0), a[2], a[3]); }, ellipsoid_symbols},
    {"annulus", "annulus(center, inner, outer)", "211", false,
     [](Numbers a) { return annulus_shape(point2(a, 0), a[2], a[3]); }, annulus_symbols},
    {"sector", "sector(center, radius, start, end)", "2111", false,
     [](Numbers a) { return sector_shape(point2(a, 0), a[2], a[3], a[4]); }, sector_symbols},
    {"triangle", "triangle(a, b, c)", "222", true, nullptr, nullptr},
    {"polygon", "polygon(p1, p2, p3, ...; hole1, ...)", "*", false, nullptr, nullptr},
    {"half_plane", "half_plane(point, normal)", "22", true,
     [](Numbers a) { return half_plane_shape(point2(a, 0), point2(a, 2)); }, half_plane_symbols},
    {"slit", "slit(p1, p2, ...)", "*", false, [](Numbers a) { return slit_shape(points2(a)); },
     slit_symbols},
    {"box", "box(lower, upper)", "dd", true,
     [](Numbers a) { return box_shape(a.first(a.size() / 2), a.subspan(a.size() / 2)); },
     box_symbols},
    {"ball", "ball(center, radius)", "d1", true,
     [](Numbers a) { return ball_shape(a.first(a.size() - 1), a.back()); }, ball_symbols},
    {"sphere", "sphere(center, radius)", "31", true,
     [](Numbers a) { return ball_shape(a.first(3), a[3]); }, ball_symbols},
    {"ellipsoid", "ellipsoid(center, half_axes)", "33", true,
     [](Numbers a) { return ellipsoid_shape(to_point3(a, 0), to_point3(a, 3)); },
     ellipsoid_symbols},
    {"cylinder", "cylinder(bottom, top, radius)", "331", true,
     [](Numbers a) { return cylinder_shape(to_point3(a, 0), to_point3(a, 3), a[6]); },
     cylinder_symbols},
    {"cone", "cone(base, apex, radius)", "331", true,
     [](Numbers a) { return cone_shape(to_point3(a, 0), to_point3(a, 3), a[6]); }, cone_symbols},
    {"torus", "torus(center, axis, major, minor)", "3311", false,
     [](Numbers a) { return torus_shape(to_point3(a, 0), to_point3(a, 3), a[6], a[7]); },
     torus_symbols},
    {"tetrahedron", "tetrahedron(a, b, c, d)", "3333", true,
     [](Numbers a) {
       const Point3 v[] = {to_point3(a, 0), to_point3(a, 3), to_point3(a, 6), to_point3(a, 9)};
       return tetrahedron_shape(v);
     },
     tetrahedron_symbols},
};

constexpr const char* surface_name = "surface";
constexpr const char* mesh_name = "mesh";

/// Numbers per argument for a given total; empty when the total does not fit the layout.
std::vector<std::size_t> groups_of(const Primitive& p, std::size_t n) {
  const std::string_view layout = p.layout;
  if (layout == "*") {
    return n >= 4 && n % 2 == 0 ? std::vector<std::size_t>(n / 2, 2) : std::vector<std::size_t>{};
  }
  if (layout == "dd")
    return n >= 2 && n % 2 == 0 ? std::vector{n / 2, n / 2} : std::vector<std::size_t>{};
  if (layout == "d1")
    return n >= 2 ? std::vector<std::size_t>{n - 1, 1} : std::vector<std::size_t>{};
  std::vector<std::size_t> groups;
  std::size_t total = 0;
  for (const char c : layout) {
    groups.push_back(static_cast<std::size_t>(c - '0'));
    total += groups.back();
  }
  return total == n ? groups : std::vector<std::size_t>{};
}

const Primitive& find_primitive(std::string_view name) {
  for (const Primitive& p : primitives) {
    if (name == p.name) return p;
  }
  const std::string near = nearest_name(name, primitive_names());
  throw Error(ErrorKind::not_found, fmt::format("unknown region '{}'", name), "[geometry]",
              near.empty() ? fmt::format("regions are: {}", fmt::join(primitive_names(), ", "))
                           : fmt::format("did you mean '{}'?", near));
}

struct PrimitiveNode final : RegionNode {
  PrimitiveNode(const Primitive& p, std::vector<Expr> numbers, std::vector<std::size_t> ring_sizes)
      : primitive(p),
        a(std::move(numbers)),
        rings(std::move(ring_sizes)),
        place(fmt::format("[geometry.{}]", p.name)) {
    const std::vector<std::size_t> groups = groups_of(p, a.size());
    if (groups.empty()) {
      throw Error(fmt::format("{} numbers do not fit {}", a.size(), p.signature), place,
                  "give every argument its numbers");
    }
    const bool is_slit = std::string_view(p.name) == "slit";
    const bool has_rings = p.build == nullptr;
    if (has_rings && rings.empty()) rings = {a.size() / 2};
    dimension = groups.front();
    collect_parameters(a, parameters, place);
    if ((has_rings || is_slit) && !parameters.empty()) {
      throw Error(fmt::format("vertices must be numbers, found parameter '{}'", parameters.front()),
                  place, "move the region with translated, rotated or scaled instead");
    }
    convex_primitive = p.convex;
    without_volume = is_slit;
  }

  ShapePtr build(const ParameterValues& values) const override {
    std::vector<double> numbers;
    for (const Expr& e : a) numbers.push_back(number(e, values, place));
    if (primitive.build != nullptr) return primitive.build(numbers);
    std::vector<std::vector<Point2>> all;
    Numbers rest = numbers;
    for (const std::size_t n : rings) {
      all.push_back(points2(rest.first(2 * n)));
      rest = rest.subspan(2 * n);
    }
    return polygon_shape(all.front(), std::span(all).subspan(1));
  }

  Symbols symbols(std::span<const Expr> x) const override {
    return primitive.symbols != nullptr ? primitive.symbols(a, x) : polygon_symbols(a, rings, x);
  }

  std::string text() const override {
    std::string result = std::string(primitive.name) + "(";
    std::size_t at = 0, ring = 0, in_ring = 0;
    for (const std::size_t n : groups_of(primitive, a.size())) {
      if (at > 0) {
        const bool next_ring = ring < rings.size() && in_ring == rings[ring];
        if (next_ring) {
          ++ring;
          in_ring = 0;
        }
        result += next_ring ? "; " : ", ";
      }
      ++in_ring;
      result += print_point(std::span(a).subspan(at, n));
      at += n;
    }
    return result + ")";
  }

  const Primitive& primitive;
  std::vector<Expr> a;
  std::vector<std::size_t> rings;
  std::string place;
};

struct SurfaceNode final : RegionNode {
  explicit SurfaceNode(std::string path) : file(std::move(path)) { dimension = 3; }
  ShapePtr build(const ParameterValues& /*values*/) const override {
    return triangle_surface_shape(read_mesh(file));
  }
  Symbols symbols(std::span<const Expr> /*x*/) const override {
    throw Error(ErrorKind::unsupported, "a triangle surface has no formula", "[geometry.surface]",
                "use its distance() instead of an approximate distance function");
  }
  std::string text() const override { return fmt::format("surface(\"{}\")", file); }
  std::string file;
};

}  // namespace

std::shared_ptr<RegionNode> make_primitive(std::string_view name, std::vector<Expr> numbers,
                                           std::vector<std::size_t> rings) {
  return std::make_shared<PrimitiveNode>(find_primitive(name), std::move(numbers),
                                         std::move(rings));
}

std::shared_ptr<RegionNode> make_surface(const std::string& file) {
  return std::make_shared<SurfaceNode>(file);
}

}  // namespace detail

std::vector<std::string> primitive_names() {
  std::vector<std::string> names;
  for (const auto& p : detail::primitives) names.emplace_back(p.name);
  names.emplace_back(detail::surface_name);
  names.emplace_back(detail::mesh_name);
  return names;
}

std::vector<std::string> primitive_signatures() {
  std::vector<std::string> lines;
  for (const auto& p : detail::primitives) lines.emplace_back(p.signature);
  lines.emplace_back("surface(\"file.stl\")");
  lines.emplace_back("mesh(\"file.msh\")");
  return lines;
}

// --- constructors ---

namespace {

using Vertices = std::vector<std::array<double, 2>>;

/// Checks the dimension of a point, then appends it.
void append(std::vector<Expr>& numbers, const PointExpr& point, std::size_t dimension,
            const char* name) {
  if (point.size() != dimension) {
    throw Error(fmt::format("a point needs {} numbers, got {}", dimension, point.size()),
                fmt::format("[geometry.{}]", name));
  }
  numbers.insert(numbers.end(), point.begin(), point.end());
}

Region primitive(const char* name, std::size_t dimension, std::initializer_list<PointExpr> points,
                 std::initializer_list<Expr> scalars = {}) {
  std::vector<Expr> numbers;
  for (const PointExpr& p : points) append(numbers, p, dimension, name);
  numbers.insert(numbers.end(), scalars.begin(), scalars.end());
  return detail::RegionNode::wrap(detail::make_primitive(name, std::move(numbers)));
}

void append(std::vector<Expr>& numbers, const Vertices& vertices) {
  for (const auto& v : vertices) {
    for (const double value : v) {
      if (!std::isfinite(value)) throw Error("a vertex is not finite", "[geometry.polygon]");
      numbers.emplace_back(value);
    }
  }
}

Region polygon(const char* name, const Vertices& outer, const std::vector<Vertices>& holes) {
  std::vector<Expr> numbers;
  std::vector<std::size_t> rings{outer.size()};
  append(numbers, outer);
  for (const Vertices& hole : holes) {
    append(numbers, hole);
    rings.push_back(hole.size());
  }
  return detail::RegionNode::wrap(
      detail::make_primitive(name, std::move(numbers), std::move(rings)));
}

}  // namespace

Interval::Interval(const Expr& lower, const Expr& upper)
    : Region(primitive("interval", 0, {}, {lower, upper})) {}
Interval::Interval(const Coordinate& x, const Expr& lower, const Expr& upper)
    : Region(Interval(lower, upper).in({x})) {}
Rectangle::Rectangle(const PointExpr& lower, const PointExpr& upper)
    : Region(primitive("rectangle", 2, {lower, upper})) {}
Disk::Disk(const PointExpr& center, const Expr& radius)
    : Region(primitive("disk", 2, {center}, {radius})) {}
Ellipse::Ellipse(const PointExpr& center, const Expr& a, const Expr& b)
    : Region(primitive("ellipse", 2, {center}, {a, b})) {}
Annulus::Annulus(const PointExpr& center, const Expr& inner, const Expr& outer)
    : Region(primitive("annulus", 2, {center}, {inner, outer})) {}
Sector::Sector(const PointExpr& center, const Expr& radius, const Expr& start, const Expr& end)
    : Region(primitive("sector", 2, {center}, {radius, start, end})) {}
Triangle::Triangle(std::array<double, 2> a, std::array<double, 2> b, std::array<double, 2> c)
    : Region(polygon("triangle", {a, b, c}, {})) {}
Polygon::Polygon(const Vertices& outer, const std::vector<Vertices>& holes)
    : Region(polygon("polygon", outer, holes)) {}
HalfPlane::HalfPlane(const PointExpr& point, const PointExpr& normal)
    : Region(primitive("half_plane", 2, {point, normal})) {}
Slit::Slit(const Vertices& line) : Region(polygon("slit", line, {})) {}
Box::Box(const PointExpr& lower, const PointExpr& upper)
    : Region(primitive("box", lower.size(), {lower, upper})) {}
Ball::Ball(const PointExpr& center, const Expr& radius)
    : Region(primitive("ball", center.size(), {center}, {radius})) {}
Sphere::Sphere(const PointExpr& center, const Expr& radius)
    : Region(primitive("sphere", 3, {center}, {radius})) {}
Ellipsoid::Ellipsoid(const PointExpr& center, const PointExpr& half_axes)
    : Region(primitive("ellipsoid", 3, {center, half_axes})) {}
Cylinder::Cylinder(const PointExpr& bottom, const PointExpr& top, const Expr& radius)
    : Region(primitive("cylinder", 3, {bottom, top}, {radius})) {}
Cone::Cone(const PointExpr& base, const PointExpr& apex, const Expr& radius)
    : Region(primitive("cone", 3, {base, apex}, {radius})) {}
Torus::Torus(const PointExpr& center, const PointExpr& axis, const Expr& major, const Expr& minor)
    : Region(primitive("torus", 3, {center, axis}, {major, minor})) {}
Tetrahedron::Tetrahedron(const PointExpr& a, const PointExpr& b, const PointExpr& c,
                         const PointExpr& d)
    : Region(primitive("tetrahedron", 3, {a, b, c, d})) {}
Surface::Surface(const std::filesystem::path& file)
    : Region(detail::RegionNode::wrap(detail::make_surface(file.string()))) {}

}  // namespace cauchy
