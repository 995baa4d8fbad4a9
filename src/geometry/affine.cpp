#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shape.hpp>

namespace cauchy {
namespace {

constexpr const char* affine_place = "[geometry.transform]";

/// shift so that center stays where it is: c - linear c.
void keep(Affine& a, std::span<const double> center) {
  const std::size_t d = a.dimension();
  if (center.size() != d) {
    throw Error(fmt::format("the centre has {} numbers in {} dimensions", center.size(), d),
                affine_place);
  }
  for (std::size_t i = 0; i < d; ++i) {
    double moved = 0;
    for (std::size_t j = 0; j < d; ++j) moved += a.linear[i * d + j] * center[j];
    a.shift[i] = center[i] - moved;
  }
}

void check_finite(std::span<const double> values, const char* what) {
  for (const double v : values) {
    if (!std::isfinite(v)) throw Error(fmt::format("{} is not finite: {}", what, v), affine_place);
  }
}

/// LU with row exchanges on a copy, together with the columns of `right` (d x d). Returns the
/// determinant.
double eliminate(std::vector<double> a, std::size_t d, std::vector<double>* right) {
  double determinant = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < d; ++i) {
      if (std::abs(a[i * d + k]) > std::abs(a[p * d + k])) p = i;
    }
    if (a[p * d + k] == 0) return 0;
    if (p != k) {
      determinant = -determinant;
      for (std::size_t j = 0; j < d; ++j) {
        std::swap(a[p * d + j], a[k * d + j]);
        if (right) std::swap((*right)[p * d + j], (*right)[k * d + j]);
      }
    }
    determinant *= a[k * d + k];
    for (std::size_t i = 0; i < d; ++i) {
      if (i == k) continue;
      const double factor = a[i * d + k] / a[k * d + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < d; ++j) a[i * d + j] -= factor * a[k * d + j];
      if (right) {
        for (std::size_t j = 0; j < d; ++j) (*right)[i * d + j] -= factor * (*right)[k * d + j];
      }
    }
  }
  if (right) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) (*right)[i * d + j] /= a[i * d + i];
    }
  }
  return determinant;
}

}  // namespace

void Affine::apply_linear(const double* x, double* y) const {
  const std::size_t d = dimension();
  for (std::size_t i = 0; i < d; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += linear[i * d + j] * x[j];
    y[i] = sum;
  }
}

void Affine::apply(const double* x, double* y) const {
  apply_linear(x, y);
  for (std::size_t i = 0; i < dimension(); ++i) y[i] += shift[i];
}

double Affine::determinant() const { return eliminate(linear, dimension(), nullptr); }

Affine Affine::inverse() const {
  const std::size_t d = dimension();
  Affine result = identity(d);
  if (eliminate(linear, d, &result.linear) == 0) {
    throw Error("a transformation that flattens the region has no inverse", affine_place,
                "use scale factors other than 0");
  }
  std::vector<double> moved(d);
  result.apply_linear(shift.data(), moved.data());
  for (std::size_t i = 0; i < d; ++i) result.shift[i] = -moved[i];
  return result;
}

double Affine::similarity() const {
  const std::size_t d = dimension();
  double square = 0;
  for (std::size_t k = 0; k < d; ++k) square += linear[k] * linear[k];
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < d; ++k) dot += linear[i * d + k] * linear[j * d + k];
      if (!(std::abs(dot - (i == j ? square : 0)) <= 1e-12 * square)) return Shape::unknown;
    }
  }
  return std::sqrt(square);
}

Affine Affine::identity(std::size_t d) {
  Affine a{std::vector<double>(d * d, 0.0), std::vector<double>(d, 0.0)};
  for (std::size_t i = 0; i < d; ++i) a.linear[i * d + i] = 1;
  return a;
}

Affine Affine::translation(std::span<const double> shift) {
  check_finite(shift, "the shift");
  Affine a = identity(shift.size());
  a.shift.assign(shift.begin(), shift.end());
  return a;
}

Affine Affine::scaling(std::span<const double> factors, std::span<const double> center) {
  check_finite(factors, "the scale factor");
  check_finite(center, "the centre");
  Affine a = identity(factors.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0) throw Error("a scale factor must not be 0", affine_place);
    a.linear[i * factors.size() + i] = factors[i];
  }
  keep(a, center);
  return a;
}

Affine Affine::rotation(double angle, std::span<const double> center) {
  check_finite({&angle, 1}, "the angle");
  check_finite(center, "the centre");
  Affine a = identity(2);
  const double c = std::cos(angle), s = std::sin(angle);
  a.linear = {c, -s, s, c};
  keep(a, center);
  return a;
}

Affine Affine::rotation(std::span<const double> axis, double angle,
                        std::span<const double> center) {
  check_finite(axis, "the axis");
  check_finite({&angle, 1}, "the angle");
  check_finite(center, "the centre");
  if (axis.size() != 3) throw Error("a rotation in space needs an axis of 3 numbers", affine_place);
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0)) throw Error("the axis of a rotation must not be 0", affine_place);
  const double n[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const double c = std::cos(angle), s = std::sin(angle);
  Affine a = identity(3);
  // Rodrigues: c I + (1 - c) n n' + s [n]x.
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      a.linear[i * 3 + j] = (i == j ? c : 0) + (1 - c) * n[i] * n[j] + s * cross[i * 3 + j];
    }
  }
  keep(a, center);
  return a;
}

}  // namespace cauchy
