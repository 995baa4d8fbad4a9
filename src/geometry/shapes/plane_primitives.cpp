#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "plane_shape.hpp"

namespace cauchy {
namespace {

using detail::Curve;
using detail::named_piece;
using detail::PlaneShape;
using detail::Vec;

Vec vec(Point2 p) { return {p[0], p[1]}; }

void check_point(Point2 p, const char* what, const char* place) {
  if (std::isfinite(p[0]) && std::isfinite(p[1])) return;
  throw Error(fmt::format("{} must be finite, got ({}, {})", what, p[0], p[1]), place);
}

void check_size(double size, const char* what, const char* place) {
  if (std::isfinite(size) && size > 0) return;
  throw Error(fmt::format("{} must be positive and finite, got {}", what, size), place);
}

/// The concentric map of the unit square to the unit disk (Shirley and Chiu 1997): squares around
/// the middle go to circles, equal areas to equal areas, with little distortion.
Vec concentric(double s, double t) {
  const double x = 2 * s - 1, y = 2 * t - 1;
  if (x == 0 && y == 0) return {0, 0};
  double r = 0, angle = 0;
  if (std::abs(x) > std::abs(y)) {
    r = x;
    angle = std::numbers::pi / 4 * (y / x);
  } else {
    r = y;
    angle = std::numbers::pi / 2 - std::numbers::pi / 4 * (x / y);
  }
  return {r * std::cos(angle), r * std::sin(angle)};
}

}  // namespace

ShapePtr rectangle_shape(Point2 lower, Point2 upper) {
  constexpr const char* place = "[geometry.rectangle]";
  check_point(lower, "the lower corner", place);
  check_point(upper, "the upper corner", place);
  if (!(lower[0] < upper[0] && lower[1] < upper[1])) {
    throw Error(fmt::format("the lower corner ({}, {}) must lie below and left of the upper corner "
                            "({}, {})",
                            lower[0], lower[1], upper[0], upper[1]),
                place);
  }
  check_size(upper[0] - lower[0], "the width", place);
  check_size(upper[1] - lower[1], "the height", place);
  const Vec a = vec(lower), c = vec(upper), b{c.x, a.y}, d{a.x, c.y};
  return std::make_shared<PlaneShape>(
      std::vector<Curve>{Curve::segment(d, a, 0), Curve::segment(b, c, 1), Curve::segment(a, b, 2),
                         Curve::segment(c, d, 3)},
      std::vector<Piece>{named_piece("left"), named_piece("right"), named_piece("bottom"),
                         named_piece("top")},
      [a, c](double s, double t) {
        return Vec{a.x + s * (c.x - a.x), a.y + t * (c.y - a.y)};
      });
}

ShapePtr ellipse_shape(Point2 center, double a, double b) {
  constexpr const char* place = "[geometry.ellipse]";
  check_point(center, "the centre", place);
  check_size(a, a == b ? "the radius" : "the half axis", place);
  check_size(b, "the half axis", place);
  const Vec c = vec(center);
  return std::make_shared<PlaneShape>(
      std::vector<Curve>{Curve::ellipse_arc(c, {a, 0}, {0, b}, 0, 2 * std::numbers::pi, 0)},
      std::vector<Piece>{named_piece("arc")}, [c, a, b](double s, double t) {
        const Vec p = concentric(s, t);
        return c + Vec{a * p.x, b * p.y};
      });
}

ShapePtr annulus_shape(Point2 center, double inner, double outer) {
  constexpr const char* place = "[geometry.annulus]";
  check_point(center, "the centre", place);
  check_size(inner, "the inner radius", place);
  check_size(outer, "the outer radius", place);
  if (!(inner < outer)) {
    throw Error(
        fmt::format("the inner radius {} must be less than the outer radius {}", inner, outer),
        place);
  }
  const Vec c = vec(center);
  return std::make_shared<PlaneShape>(
      std::vector<Curve>{
          Curve::ellipse_arc(c, {inner, 0}, {0, inner}, 0, 2 * std::numbers::pi, 0).reversed(),
          Curve::ellipse_arc(c, {outer, 0}, {0, outer}, 0, 2 * std::numbers::pi, 1)},
      std::vector<Piece>{named_piece("inner"), named_piece("outer")},
      [c, inner, outer](double s, double t) {
        const double r = std::sqrt(inner * inner + s * (outer - inner) * (outer + inner));
        return c +
               Vec{r * std::cos(2 * std::numbers::pi * t), r * std::sin(2 * std::numbers::pi * t)};
      });
}

ShapePtr sector_shape(Point2 center, double radius, double start, double end) {
  constexpr const char* place = "[geometry.sector]";
  check_point(center, "the centre", place);
  check_size(radius, "the radius", place);
  check_point({start, end}, "the angles", place);
  const double turn = 2 * std::numbers::pi;
  if (!(start < end && end - start <= turn * (1 + 1e-14))) {
    throw Error(fmt::format("the angles must satisfy start < end <= start + 2 pi, got {} and {}",
                            start, end),
                place, "angles are in radians, counter-clockwise");
  }
  const bool full = end - start >= turn * (1 - 1e-14);
  const Vec c = vec(center);
  Curve arc = Curve::ellipse_arc(c, {radius, 0}, {0, radius}, start, full ? start + turn : end, 0);
  if (full) arc.end = arc.start;
  Curve first = Curve::segment(c, arc.start, 1), last = Curve::segment(arc.end, c, 2);
  // After a full turn the straight sides are the two sides of one cut.
  first.slit = last.slit = full;
  return std::make_shared<PlaneShape>(
      std::vector<Curve>{arc, first, last},
      std::vector<Piece>{named_piece("arc"), named_piece("start"), named_piece("end")},
      [c, radius, start, end](double s, double t) {
        const double r = radius * std::sqrt(s), angle = start + t * (end - start);
        return c + Vec{r * std::cos(angle), r * std::sin(angle)};
      });
}

ShapePtr half_plane_shape(Point2 point, Point2 normal) {
  constexpr const char* place = "[geometry.half_plane]";
  check_point(point, "the point", place);
  check_point(normal, "the normal", place);
  const double length = detail::norm(vec(normal));
  if (!(length > 0 && std::isfinite(length))) {
    throw Error("the normal must not be 0", place, "give the direction out of the half plane");
  }
  // The inside, against the normal, is on the left.
  return std::make_shared<PlaneShape>(
      std::vector<Curve>{Curve::line(vec(point), detail::turned((1 / length) * vec(normal)), 0)},
      std::vector<Piece>{named_piece("line")});
}

}  // namespace cauchy
