#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/math/special.hpp>

#include "geometry/shapes/solid_base.hpp"
#include "geometry/shapes/solid_transform.hpp"

namespace cauchy {
namespace detail {

using namespace solid;

namespace {

using std::numbers::pi;

constexpr const char* ball_place = "[geometry.sphere]";

double ball_volume(std::size_t d, double radius) {
  if (d == 3) return 4 * pi / 3 * radius * radius * radius;
  const double half = 0.5 * static_cast<double>(d);
  return std::exp(half * std::log(pi) - log_gamma(half + 1) + 2 * half * std::log(radius));
}

class BallShape final : public SolidShape {
 public:
  BallShape(std::vector<double> center, double radius)
      : center_(std::move(center)), radius_(radius) {
    const std::size_t d = center_.size();
    measure_ = ball_volume(d, radius);
    add_piece("sphere", static_cast<double>(d) * measure_ / radius);
    bounds_ = {center_, center_};
    for (std::size_t i = 0; i < d; ++i) {
      bounds_.lower[i] -= radius;
      bounds_.upper[i] += radius;
    }
  }

  double distance(const double* x) const override { return radius_ - from_center(x); }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    const double r = from_center(x);
    for (std::size_t i = 0; i < dimension(); ++i) {
      normal[i] = r > 0 ? (x[i] - center_[i]) / r : (i == 0 ? 1 : 0);
      foot[i] = center_[i] + radius_ * normal[i];
    }
    return {radius_ - r, 0};
  }

  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override {
    sphere_direction(dimension(), u + 1, x);
    const double r =
        radius_ *
        (dimension() == 3 ? std::cbrt(u[0]) : std::pow(u[0], 1 / static_cast<double>(dimension())));
    for (std::size_t i = 0; i < dimension(); ++i) x[i] = center_[i] + r * x[i];
  }

  bool boundary_point(std::size_t /*piece*/, const double* u, double* x,
                      double* normal) const override {
    sphere_direction(dimension(), u, normal);
    for (std::size_t i = 0; i < dimension(); ++i) x[i] = center_[i] + radius_ * normal[i];
    return true;
  }

  double support(const double* direction) const override {
    double along = 0, size = 0;
    for (std::size_t i = 0; i < dimension(); ++i) {
      along += direction[i] * center_[i];
      size = std::hypot(size, direction[i]);
    }
    return along + radius_ * size;
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    const double factor = affine.similarity();
    std::shared_ptr<SolidShape> result;
    if (!std::isnan(factor)) {
      std::vector<double> center(dimension());
      affine.apply(center_.data(), center.data());
      result = std::make_shared<BallShape>(std::move(center), factor * radius_);
    } else if (dimension() == 3) {
      result = ellipsoid_image(point3(center_.data()), {radius_, radius_, radius_}, affine);
    } else {
      return nullptr;
    }
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<BallShape>(*this); }

 private:
  [[nodiscard]] double from_center(const double* x) const {
    if (dimension() == 3) {
      return std::hypot(x[0] - center_[0], x[1] - center_[1], x[2] - center_[2]);
    }
    double r = 0;
    for (std::size_t i = 0; i < dimension(); ++i) r = std::hypot(r, x[i] - center_[i]);
    return r;
  }

  std::vector<double> center_;
  double radius_;
};

}  // namespace
}  // namespace detail

ShapePtr ball_shape(std::span<const double> center, double radius) {
  using detail::ball_place;
  if (center.empty()) {
    throw Error("the centre needs at least one coordinate", ball_place,
                "give the centre of the ball");
  }
  detail::check_finite(center, "the centre", ball_place);
  detail::check_positive(radius, "the radius", ball_place);
  if (center.size() == 1) return interval_shape(center[0] - radius, center[0] + radius);
  if (center.size() == 2) return ellipse_shape({center[0], center[1]}, radius, radius);
  return std::make_shared<detail::BallShape>(std::vector<double>(center.begin(), center.end()),
                                             radius);
}

}  // namespace cauchy
