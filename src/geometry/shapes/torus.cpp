#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy {
namespace detail {

using namespace solid;

namespace {

using std::numbers::pi;

constexpr const char* torus_place = "[geometry.torus]";

/// All points closer than minor to the circle of radius major about the axis.
class TorusShape final : public SolidShape {
 public:
  TorusShape(const Point3& center, const Frame& frame, double major, double minor)
      : center_(center), frame_(frame), major_(major), minor_(minor) {
    measure_ = 2 * pi * pi * major * minor * minor;
    add_piece("surface", 4 * pi * pi * major * minor);
    bound_by_support(3);
  }

  double distance(const double* x) const override {
    const Ring ring = nearest_on_ring(x);
    return minor_ - ring.distance;
  }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    const Ring ring = nearest_on_ring(x);
    const Point3 away = point3(x) - ring.point;
    const Point3 n = ring.distance > 0 ? (1 / ring.distance) * away : ring.out;
    put(ring.point + minor_ * n, foot);
    put(n, normal);
    return {minor_ - ring.distance, 0};
  }

  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override {
    // Volume element (major + rho cos v) rho: rho has density 2 rho / minor^2, given rho the angle
    // v has the distribution function (v + rho / major sin v) / 2 pi.
    const double rho = minor_ * std::sqrt(u[0]);
    const double v = solve_kepler(rho / major_, 2 * pi * u[1]);
    const Point3 out = around(2 * pi * u[2]);
    put(center_ + (major_ + rho * std::cos(v)) * out + (rho * std::sin(v)) * frame_.axis, x);
  }

  bool boundary_point(std::size_t /*piece*/, const double* u, double* x,
                      double* normal) const override {
    const double v = solve_kepler(minor_ / major_, 2 * pi * u[0]);
    const Point3 out = around(2 * pi * u[1]);
    const Point3 n = std::cos(v) * out + std::sin(v) * frame_.axis;
    put(center_ + major_ * out + minor_ * n, x);
    put(n, normal);
    return true;
  }

  double support(const double* direction) const override {
    const Point3 d = point3(direction);
    return dot(d, center_) + major_ * std::hypot(dot(d, frame_.e1), dot(d, frame_.e2)) +
           minor_ * length(d);
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    const double factor = affine.similarity();
    if (std::isnan(factor)) return nullptr;
    auto result = std::make_shared<TorusShape>(image_of(affine, center_),
                                               frame_of(linear_image(affine, frame_.axis)),
                                               factor * major_, factor * minor_);
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<TorusShape>(*this); }

 private:
  struct Ring {
    Point3 point, out;
    double distance;
  };
  [[nodiscard]] Ring nearest_on_ring(const double* x) const {
    const Point3 p = point3(x) - center_;
    const double a = dot(p, frame_.e1), b = dot(p, frame_.e2), r = std::hypot(a, b);
    const Point3 out = r > 0 ? (a / r) * frame_.e1 + (b / r) * frame_.e2 : frame_.e1;
    return {center_ + major_ * out, out, std::hypot(r - major_, dot(p, frame_.axis))};
  }
  [[nodiscard]] Point3 around(double angle) const {
    return std::cos(angle) * frame_.e1 + std::sin(angle) * frame_.e2;
  }

  Point3 center_;
  Frame frame_;
  double major_, minor_;
};

}  // namespace
}  // namespace detail

ShapePtr torus_shape(Point3 center, Point3 axis, double major, double minor) {
  using detail::torus_place;
  detail::check_finite(center, "the centre", torus_place);
  detail::check_finite(axis, "the axis", torus_place);
  detail::check_positive(major, "the major radius", torus_place);
  detail::check_positive(minor, "the minor radius", torus_place);
  if (axis == Point3{}) {
    throw Error("the axis must not be 0", torus_place, "give a direction such as (0, 0, 1)");
  }
  if (!(minor < major)) {
    throw Error(fmt::format("the minor radius {} must be below the major radius {}", minor, major),
                torus_place, "give a ring with a hole");
  }
  return std::make_shared<detail::TorusShape>(center, detail::frame_of(axis), major, minor);
}

}  // namespace cauchy
