#include "sampling/cell_rules.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/math/quadrature.hpp>
#include "sampling/frame.hpp"

namespace cauchy::detail {
namespace {

// Forms are recognised to this relative accuracy: far above rounding, far below intent.
constexpr double alike = 1e-11;

bool near(double a, double b, double scale) { return std::abs(a - b) <= alike * scale; }

std::vector<double> center_of(const Shape& shape) {
  std::vector<double> c(shape.dimension());
  for (std::size_t i = 0; i < c.size(); ++i) {
    c[i] = shape.bounds().lower[i] / 2 + shape.bounds().upper[i] / 2;
  }
  return c;
}

std::vector<double> half_sides(const Shape& shape) {
  std::vector<double> a(shape.dimension());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = shape.bounds().upper[i] / 2 - shape.bounds().lower[i] / 2;
  }
  return a;
}

double size_of(const Shape& shape) {
  const std::vector<double> a = half_sides(shape);
  return 2 * *std::max_element(a.begin(), a.end());
}

CellRule box_rule(const Shape& shape, std::size_t order) {
  CellRule rule = unit_rule(shape.dimension(), order);
  const Bounds& b = shape.bounds();
  for (std::size_t i = 0; i < rule.points.size(); ++i) {
    const std::size_t k = i % rule.dimension;
    rule.points[i] = b.lower[k] * (1 - rule.points[i]) + b.upper[k] * rule.points[i];
  }
  for (double& w : rule.weights) w *= box_measure(shape);
  return rule;
}

/// Corners of the parameter squares of the given pieces, without repetition.
std::vector<double> corners(const Shape& shape, std::size_t first, std::size_t end) {
  const std::size_t d = shape.dimension();
  const double size = size_of(shape);
  std::vector<double> found, x(d), normal(d), u(d);
  for (std::size_t piece = first; piece < end; ++piece) {
    for (std::size_t corner = 0; corner < (std::size_t{1} << (d - 1)); ++corner) {
      for (std::size_t i = 0; i + 1 < d; ++i) u[i] = static_cast<double>(corner >> i & 1);
      (void)shape.boundary_point(piece, u.data(), x.data(), normal.data());
      bool known = false;
      for (std::size_t k = 0; k < found.size() && !known; k += d) {
        known = true;
        for (std::size_t i = 0; i < d; ++i) known = known && near(found[k + i], x[i], size);
      }
      if (!known) found.insert(found.end(), x.begin(), x.end());
    }
  }
  return found;
}

/// A simplex has d + 1 pieces, their corners are its d + 1 vertices, and the volumes agree.
std::optional<CellRule> simplex_shape_rule(const Shape& shape, std::size_t order) {
  const std::size_t d = shape.dimension();
  if ((d != 2 && d != 3) || shape.pieces().size() != d + 1) return {};
  const std::vector<double> vertices = corners(shape, 0, d + 1);
  if (vertices.size() != (d + 1) * d) return {};
  for (const Piece& piece : shape.pieces()) {
    if (!near(piece.measure, piece.carrier_measure, piece.carrier_measure)) return {};
  }
  try {
    CellRule rule = simplex_rule(vertices, d, order);
    double volume = 0;
    for (const double w : rule.weights) volume += w;
    if (near(volume, shape.measure(), shape.measure())) return rule;
  } catch (const Error& e) {  // corners in a plane: not a simplex
    if (e.kind() != ErrorKind::unsupported) throw;
  }
  return {};
}

/// Whether points of every piece lie on |(x - c) / a| = 1, or on the smaller radius `inner` of it.
bool is_round(const Shape& shape, const std::vector<double>& c, const std::vector<double>& a,
              double inner) {
  const std::size_t d = shape.dimension();
  constexpr std::size_t samples = 13;
  std::vector<double> x(d), normal(d), u(d);
  for (std::size_t piece = 0; piece < shape.pieces().size(); ++piece) {
    for (std::size_t k = 0; k < samples; ++k) {
      u[0] = (static_cast<double>(k) + 0.3) / samples;
      for (std::size_t i = 1; i < d; ++i) u[i] = std::fmod(u[i - 1] * 5 + 0.1, 1.0);
      (void)shape.boundary_point(piece, u.data(), x.data(), normal.data());
      double r = 0;
      for (std::size_t i = 0; i < d; ++i) r = std::hypot(r, (x[i] - c[i]) / a[i]);
      if (!near(r, 1, 1) && !(inner > 0 && near(r, inner, 1))) return false;
    }
  }
  return !shape.pieces().empty();
}

/// The ring inner < |(x - c) / a| < 1 of the plane. Monomials of odd degree vanish by the sum over
/// the angles, the others are polynomials in the squared radius s, dx dy = a b / 2 ds dphi.
CellRule ring_rule(const std::vector<double>& c, const std::vector<double>& a, double inner,
                   std::size_t order) {
  const std::size_t angles = 2 * order;
  const Rule radial = scaled(gauss_legendre(inner > 0 ? order : (order + 1) / 2), inner * inner, 1);
  CellRule rule{2, {}, {}};
  for (std::size_t i = 0; i < radial.size(); ++i) {
    for (std::size_t k = 0; k < angles; ++k) {
      const double phi = 2 * pi * (static_cast<double>(k) + 0.5) / static_cast<double>(angles);
      const double r = std::sqrt(radial.nodes[i]);
      rule.points.push_back(c[0] + a[0] * r * std::cos(phi));
      rule.points.push_back(c[1] + a[1] * r * std::sin(phi));
      rule.weights.push_back(a[0] * a[1] * pi * radial.weights[i] / static_cast<double>(angles));
    }
  }
  return rule;
}

/// dx dy dz = a b c r^2 dr dh dphi with the height h = z / r.
CellRule ellipsoid_rule(const std::vector<double>& c, const std::vector<double>& a,
                        std::size_t order) {
  const std::size_t angles = 2 * order;
  const Rule height = gauss_legendre(order), radial = gauss_jacobi(order, 0, 2);
  CellRule rule{3, {}, {}};
  for (std::size_t i = 0; i < order; ++i) {
    const double r = (1 + radial.nodes[i]) / 2;
    for (std::size_t j = 0; j < order; ++j) {
      const double h = height.nodes[j], flat = std::sqrt((1 - h) * (1 + h));
      for (std::size_t k = 0; k < angles; ++k) {
        const double phi = 2 * pi * (static_cast<double>(k) + 0.5) / static_cast<double>(angles);
        rule.points.push_back(c[0] + a[0] * r * flat * std::cos(phi));
        rule.points.push_back(c[1] + a[1] * r * flat * std::sin(phi));
        rule.points.push_back(c[2] + a[2] * r * h);
        rule.weights.push_back(a[0] * a[1] * a[2] * radial.weights[i] / 8 * height.weights[j] * 2 *
                               pi / static_cast<double>(angles));
      }
    }
  }
  return rule;
}

std::optional<CellRule> round_rule(const Shape& shape, std::size_t order) {
  const std::size_t d = shape.dimension();
  const std::vector<double> c = center_of(shape), a = half_sides(shape);
  const double measure = shape.measure();
  if (d == 2) {
    const double full = pi * a[0] * a[1];
    if (near(measure, full, full) && is_round(shape, c, a, 0)) return ring_rule(c, a, 0, order);
    if (measure < full && near(a[0], a[1], a[0])) {
      const double inner = std::sqrt(1 - measure / full);
      if (is_round(shape, c, a, inner)) return ring_rule(c, a, inner, order);
    }
  }
  if (d == 3) {
    const double full = 4 * pi / 3 * a[0] * a[1] * a[2];
    if (near(measure, full, full) && is_round(shape, c, a, 0)) return ellipsoid_rule(c, a, order);
  }
  return {};
}

}  // namespace

void check_order(std::size_t order) {
  if (order == 0) {
    throw Error("the order of a quadrature must be positive, got 0", "[sampling.gauss]");
  }
}

CellRule unit_rule(std::size_t d, std::size_t order) {
  check_order(order);
  const Rule line = scaled(gauss_legendre(order), 0, 1);
  CellRule rule{d, {}, {}};
  std::size_t total = 1;
  for (std::size_t i = 0; i < d; ++i) total *= order;
  rule.points.resize(total * d);
  rule.weights.assign(total, 1);
  for (std::size_t p = 0; p < total; ++p) {
    for (std::size_t i = d, rest = p; i-- > 0; rest /= order) {
      rule.points[p * d + i] = line.nodes[rest % order];
      rule.weights[p] *= line.weights[rest % order];
    }
  }
  return rule;
}

CellRule shape_rule(const Shape& shape, std::size_t order) {
  check_order(order);
  const std::size_t d = shape.dimension();
  const double measure = shape.measure();
  if (near(measure, box_measure(shape), box_measure(shape))) return box_rule(shape, order);
  if (measure > 0 && std::isfinite(measure)) {
    if (auto rule = simplex_shape_rule(shape, order)) return *rule;
    if (auto rule = round_rule(shape, order)) return *rule;
    if (shape.has_map()) {
      CellRule rule = unit_rule(d, order);
      std::vector<double> x(d);
      for (std::size_t p = 0; p < rule.size(); ++p) {
        shape.map(&rule.points[p * d], x.data());
        std::copy(x.begin(), x.end(), rule.points.begin() + static_cast<std::ptrdiff_t>(p * d));
        rule.weights[p] *= measure;
      }
      return rule;
    }
  }
  throw Error(ErrorKind::unsupported, "this region has no Gauss quadrature", "[sampling.gauss]",
              "use interior_points with integrate, or cut it into boxes, triangles and disks");
}

std::optional<CellRule> triangle_face_rule(const Shape& shape, std::size_t piece,
                                           std::size_t order) {
  if (shape.dimension() != 3) return {};
  const std::vector<double> vertices = corners(shape, piece, piece + 1);
  if (vertices.size() != 9) return {};
  const double measure = shape.pieces()[piece].measure;
  try {
    CellRule rule = simplex_rule(vertices, 3, order);
    double area = 0;
    for (const double w : rule.weights) area += w;
    if (!near(area, measure, measure)) return {};
    // The corners of a bent piece can span as much: its middle must be in their plane.
    std::vector<double> x(3), normal(3);
    const double u[2] = {0.4, 0.3};
    (void)shape.boundary_point(piece, u, x.data(), normal.data());
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i) off += normal[i] * (x[i] - vertices[i]);
    if (near(off, 0, size_of(shape))) return rule;
  } catch (const Error& e) {  // corners on a line: no triangle
    if (e.kind() != ErrorKind::unsupported) throw;
  }
  return {};
}

}  // namespace cauchy::detail
