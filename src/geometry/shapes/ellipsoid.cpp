#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>

#include "geometry/shapes/solid_base.hpp"
#include "geometry/shapes/solid_table.hpp"
#include "geometry/shapes/solid_transform.hpp"

namespace cauchy {
namespace detail {

using namespace solid;

namespace {

using std::numbers::pi;

constexpr const char* ellipsoid_place = "[geometry.ellipsoid]";

/// Nearest point of sum (x_i / e_i)^2 = 1 to y, for m half axes in descending order and y >= 0: the
/// foot is x_i = e_i^2 y_i / (e_i^2 + sigma) with the largest root sigma of the secular equation
/// sum (e_i y_i / (e_i^2 + sigma))^2 = 1 (Eberly, "Distance from a point to an ellipsoid").
void nearest_in_octant(std::size_t m, const double* e, const double* y, double* x) {
  const std::size_t last = m - 1;
  if (m == 1) {
    x[0] = e[0];
    return;
  }
  if (y[last] > 0) {
    // tau = 1 + sigma / e_last^2 > 0 keeps its digits next to the pole of the last term.
    double excess[3], load[3];
    double tau = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const double ratio = e[i] / e[last];
      excess[i] = i == last ? 0 : (ratio - 1) * (ratio + 1);
      load[i] = ratio * (y[i] / e[last]);
      // No term exceeds 1 from here on, so the sum is between 1 and m.
      tau = std::max(tau, load[i] - excess[i]);
    }
    // Convex and falling: Newton from the left converges from the left.
    for (int step = 0; step < 100; ++step) {
      double value = -1, slope = 0;
      for (std::size_t i = 0; i < m; ++i) {
        const double below = tau + excess[i], term = load[i] / below;
        value += term * term;
        slope -= 2 * term * term / below;
      }
      const double next = tau - value / slope;
      if (!(next > tau)) break;
      tau = next;
    }
    for (std::size_t i = 0; i < m; ++i) x[i] = (excess[i] + 1) * y[i] / (tau + excess[i]);
    return;
  }
  // In the plane of symmetry the foot leaves the plane when y is close to the centre.
  double rest = 1;
  bool leaves = true;
  for (std::size_t i = 0; i < last; ++i) {
    const double across = (e[i] - e[last]) * (e[i] + e[last]), load = e[i] * y[i];
    if (!(load < across)) {
      leaves = false;
      break;
    }
    x[i] = load / across;
    rest -= x[i] * x[i];
  }
  if (leaves && rest > 0) {
    for (std::size_t i = 0; i < last; ++i) x[i] *= e[i];
    x[last] = e[last] * std::sqrt(rest);
    return;
  }
  x[last] = 0;
  nearest_in_octant(last, e, y, x);
}

class EllipsoidShape final : public SolidShape {
 public:
  EllipsoidShape(const Point3& center, const Point3& half_axes) : center_(center), e_(half_axes) {
    order_ = {0, 1, 2};
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::size_t i, std::size_t j) { return e_[i] > e_[j]; });
    measure_ = 4 * pi / 3 * e_[0] * e_[1] * e_[2];
    // Area element of the image of the unit sphere n: e1 e2 e3 |diag(1 / e) n|, for n with height
    // 1 - 2 s along the shortest axis, where it varies least, and azimuth 2 pi t.
    const double long1 = e_[order_[0]], long2 = e_[order_[1]], small = e_[order_[2]];
    const double unit = long1 * long2;  // p = 1 is the largest of the products
    const double q = long2 * small / unit, r = long1 * small / unit;
    const auto stretch = [=](double s, double t) {
      const double across = 4 * s * (1 - s), height = 1 - 2 * s, c = std::cos(2 * pi * t);
      return std::sqrt(across * (q * q * c * c + r * r * (1 - c * c)) + height * height);
    };
    table_ = std::make_shared<SurfaceTable>(stretch);
    add_piece("surface", 4 * pi * unit * table_->total());
    bounds_ = {std::vector<double>(3), std::vector<double>(3)};
    for (std::size_t i = 0; i < 3; ++i) {
      bounds_.lower[i] = center_[i] - e_[i];
      bounds_.upper[i] = center_[i] + e_[i];
    }
  }

  double distance(const double* x) const override {
    Point3 foot{};
    return to_surface(x, foot);
  }

  bool contains(const double* x) const override { return level(x) < 1; }

  Nearest nearest(const double* x, double* foot, double* normal) const override {
    Point3 z{};
    const double distance = to_surface(x, z);
    put(center_ + z, foot);
    put_normal(z, normal);
    return {distance, 0};
  }

  bool has_map() const noexcept override { return true; }
  void map(const double* u, double* x) const override {
    sphere_direction(3, u + 1, x);
    const double r = std::cbrt(u[0]);
    for (std::size_t i = 0; i < 3; ++i) x[i] = center_[i] + r * e_[i] * x[i];
  }

  bool boundary_point(std::size_t /*piece*/, const double* u, double* x,
                      double* normal) const override {
    double st[2];
    table_->map(u, st);
    Point3 n{}, z{};
    sphere_direction(3, st, n.data());
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = order_[(k + 2) % 3];
      z[i] = e_[i] * n[k];
    }
    put(center_ + z, x);
    put_normal(z, normal);
    return true;
  }

  double support(const double* direction) const override {
    return dot(point3(direction), center_) +
           std::hypot(e_[0] * direction[0], e_[1] * direction[1], e_[2] * direction[2]);
  }

  std::shared_ptr<SolidShape> image(const Affine& affine) const override {
    auto result = ellipsoid_image(center_, e_, affine);
    result->take_names(pieces_);
    return result;
  }

 protected:
  std::shared_ptr<Shape> clone() const override { return std::make_shared<EllipsoidShape>(*this); }

 private:
  [[nodiscard]] double level(const double* x) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double z = (x[i] - center_[i]) / e_[i];
      sum += z * z;
    }
    return sum;
  }

  /// Signed distance; z is the nearest point seen from the centre.
  double to_surface(const double* x, Point3& z) const {
    Point3 e{}, y{}, near{};
    for (std::size_t k = 0; k < 3; ++k) {
      e[k] = e_[order_[k]];
      y[k] = std::abs(x[order_[k]] - center_[order_[k]]);
    }
    nearest_in_octant(3, e.data(), y.data(), near.data());
    for (std::size_t k = 0; k < 3; ++k) {
      z[order_[k]] = std::copysign(near[k], x[order_[k]] - center_[order_[k]]);
    }
    const double distance = length(near - y);
    return level(x) < 1 ? distance : -distance;
  }

  void put_normal(const Point3& z, double* normal) const {
    // z / e^2, scaled by the smallest half axis against overflow.
    const double smallest = e_[order_[2]];
    Point3 n{};
    for (std::size_t i = 0; i < 3; ++i) n[i] = (z[i] / e_[i]) * (smallest / e_[i]);
    put((1 / length(n)) * n, normal);
  }

  Point3 center_, e_;
  std::array<std::size_t, 3> order_{};
  std::shared_ptr<const SurfaceTable> table_;
};

}  // namespace

std::shared_ptr<SolidShape> ellipsoid_image(const Point3& center, const Point3& half_axes,
                                            const Affine& affine) {
  const Point3 moved = image_of(affine, center);
  std::vector<double> columns(9);
  int entries = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      columns[3 * i + j] = affine.linear[3 * i + j] * half_axes[j];
      if (columns[3 * i + j] != 0) ++entries;
    }
  }
  if (entries == 3) {  // regular with three entries: the axes are stretched and exchanged
    Point3 e{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) e[i] += std::abs(columns[3 * i + j]);
    }
    return std::make_shared<EllipsoidShape>(moved, e);
  }
  // U diag(e) V' takes the unit ball to where U diag(e) takes it.
  const Svd<double> parts = svd(MatrixView<const double>(columns.data(), 3, 3));
  if (parts.status != Factorization::ok || !(parts.values[2] > 0)) {
    throw Error("the transformation flattens the ellipsoid", "[geometry.transform]",
                "use scale factors of similar size");
  }
  Affine turn = Affine::identity(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) turn.linear[3 * i + j] = parts.u(i, j);
    turn.shift[i] = moved[i];
  }
  const Point3 e = {parts.values[0], parts.values[1], parts.values[2]};
  return stretched_solid(std::make_shared<EllipsoidShape>(Point3{}, e), turn);
}

}  // namespace detail

ShapePtr ellipsoid_shape(Point3 center, Point3 half_axes) {
  detail::check_finite(center, "the centre", detail::ellipsoid_place);
  for (const double e : half_axes)
    detail::check_positive(e, "a half axis", detail::ellipsoid_place);
  return std::make_shared<detail::EllipsoidShape>(center, half_axes);
}

}  // namespace cauchy
