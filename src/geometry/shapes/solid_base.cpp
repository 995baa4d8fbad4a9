#include "geometry/shapes/solid_base.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

using std::numbers::pi;

Point3 image_of(const Affine& affine, const Point3& point) {
  Point3 y{};
  affine.apply(point.data(), y.data());
  return y;
}

Point3 linear_image(const Affine& affine, const Point3& direction) {
  Point3 y{};
  affine.apply_linear(direction.data(), y.data());
  return y;
}

Affine compose(const Affine& second, const Affine& first) {
  const std::size_t d = first.dimension();
  Affine result = Affine::identity(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k) sum += second.linear[i * d + k] * first.linear[k * d + j];
      result.linear[i * d + j] = sum;
    }
  }
  second.apply(first.shift.data(), result.shift.data());
  return result;
}

Frame frame_of(const Point3& axis) {
  // Scaling first keeps very long and very short axes from overflow.
  const double size = std::max({std::abs(axis[0]), std::abs(axis[1]), std::abs(axis[2])});
  const Point3 scaled = {axis[0] / size, axis[1] / size, axis[2] / size};
  Frame f;
  f.axis = (1 / length(scaled)) * scaled;
  std::size_t smallest = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::abs(f.axis[i]) < std::abs(f.axis[smallest])) smallest = i;
  }
  Point3 other{};
  other[smallest] = 1;
  f.e1 = cross(other, f.axis);
  f.e1 = (1 / length(f.e1)) * f.e1;
  f.e2 = cross(f.axis, f.e1);
  return f;
}

void check_finite(std::span<const double> values, const char* what, const char* place) {
  for (const double v : values) {
    if (!std::isfinite(v)) {
      throw Error(fmt::format("{} must be finite, got {}", what, v), place, "give finite numbers");
    }
  }
}

void check_positive(double value, const char* what, const char* place) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be positive, got {}", what, value), place,
                "give a finite number greater than 0");
  }
}

std::shared_ptr<SolidShape> SolidShape::image(const Affine& /*affine*/) const { return nullptr; }

double SolidShape::support(const double* direction) const {
  double sum = 0;
  for (std::size_t i = 0; i < dimension(); ++i) {
    if (direction[i] != 0) {
      sum += direction[i] * (direction[i] > 0 ? bounds_.upper[i] : bounds_.lower[i]);
    }
  }
  return sum;
}

Bounds SolidShape::piece_bounds(std::size_t /*piece*/) const { return bounds_; }

bool SolidShape::exact_at(const double* /*x*/) const { return is_exact(); }

void SolidShape::take_names(std::span<const Piece> from) {
  for (std::size_t i = 0; i < std::min(from.size(), pieces_.size()); ++i) {
    pieces_[i].name = from[i].name;
    pieces_[i].labels = from[i].labels;
  }
}

void SolidShape::add_piece(std::string name, double area) {
  pieces_.push_back({name, {name}, area, area});
}

void SolidShape::bound_by_support(std::size_t d) {
  Bounds box{std::vector<double>(d), std::vector<double>(d)};
  std::vector<double> direction(d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    direction[i] = 1;
    box.upper[i] = support(direction.data());
    direction[i] = -1;
    box.lower[i] = -support(direction.data());
    direction[i] = 0;
  }
  bounds_ = std::move(box);
}

double support_of(const Shape& shape, const double* direction) {
  if (const auto* solid = dynamic_cast<const SolidShape*>(&shape)) return solid->support(direction);
  double sum = 0;
  for (std::size_t i = 0; i < shape.dimension(); ++i) {
    if (direction[i] != 0) {
      sum += direction[i] * (direction[i] > 0 ? shape.bounds().upper[i] : shape.bounds().lower[i]);
    }
  }
  return sum;
}

Bounds piece_bounds_of(const Shape& shape, std::size_t piece) {
  const auto* solid = dynamic_cast<const SolidShape*>(&shape);
  return solid ? solid->piece_bounds(piece) : shape.bounds();
}

std::array<double, 2> disk_point(double u0, double u1) {
  const double r = std::sqrt(u0), angle = 2 * pi * u1;
  return {r * std::cos(angle), r * std::sin(angle)};
}

double solve_kepler(double ratio, double value) {
  // f(y) = y + ratio sin y - value rises; Newton within a bracket that every step shrinks.
  double low = std::max(0.0, value - std::abs(ratio));
  double high = std::min(2 * pi, value + std::abs(ratio));
  double y = value;
  for (int i = 0; i < 100; ++i) {
    const double f = y + ratio * std::sin(y) - value;
    if (f == 0) break;
    (f < 0 ? low : high) = y;
    double next = y - f / (1 + ratio * std::cos(y));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = std::abs(next - y);
    y = next;
    if (step <= 1e-15 * (1 + y)) break;
  }
  return std::clamp(y, 0.0, 2 * pi);
}

}  // namespace cauchy::detail
