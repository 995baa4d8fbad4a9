#include "geometry/primitive_symbols.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/r_functions.hpp>

namespace cauchy::detail {
namespace {

Expr square(const Expr& e) { return pow(e, 2); }

Expr scalar_product(std::span<const Expr> a, std::span<const Expr> b) {
  Expr sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<Expr> minus(std::span<const Expr> a, std::span<const Expr> b) {
  std::vector<Expr> c;
  for (std::size_t i = 0; i < a.size(); ++i) c.push_back(a[i] - b[i]);
  return c;
}

/// (r^2 - |x - c|^2) / (2 r): slope 1 on the sphere.
Expr ball_function(std::span<const Expr> center, const Expr& radius, std::span<const Expr> x) {
  const std::vector<Expr> v = minus(x, center);
  return (square(radius) - scalar_product(v, v)) / (2 * radius);
}

/// x (h - x) / h: positive between 0 and h, slope 1 at both.
Expr slab_function(const Expr& x, const Expr& h) { return x * (h - x) / h; }

/// Left of the line from p to q.
Expr line_function(const Expr& px, const Expr& py, const Expr& qx, const Expr& qy,
                   std::span<const Expr> x) {
  const Expr dx = qx - px, dy = qy - py;
  return (dx * (x[1] - py) - dy * (x[0] - px)) / sqrt(square(dx) + square(dy));
}

/// The disk over a segment as diameter trims its line.
Expr segment_trim(const Expr& px, const Expr& py, const Expr& qx, const Expr& qy,
                  std::span<const Expr> x) {
  const Expr center[] = {(px + qx) / 2, (py + qy) / 2};
  return ball_function(center, sqrt(square(qx - px) + square(qy - py)) / 2, x);
}

SymbolicPiece piece(std::string name, const Expr& carrier, std::optional<Expr> trim = {}) {
  return {name, {name}, carrier, std::move(trim)};
}

Symbols closed(std::string name, const Expr& f) { return {f, {piece(std::move(name), f)}}; }

}  // namespace

std::vector<std::string> box_piece_names(std::size_t dimension) {
  if (dimension == 1) return {"left", "right"};
  if (dimension == 2) return {"left", "right", "bottom", "top"};
  if (dimension == 3) return {"left", "right", "front", "back", "bottom", "top"};
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) {
    names.push_back(fmt::format("lower{}", i));
    names.push_back(fmt::format("upper{}", i));
  }
  return names;
}

Symbols box_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::size_t d = x.size();
  const auto names = box_piece_names(d);
  Symbols s;
  std::vector<Expr> sides;
  for (std::size_t i = 0; i < d; ++i) {
    const Expr lower = x[i] - a[i], upper = a[d + i] - x[i];
    std::optional<Expr> trim;
    for (std::size_t j = 0; j < d; ++j) {
      if (j == i) continue;
      const Expr slab = slab_function(x[j] - a[j], a[d + j] - a[j]);
      trim = trim ? r_and(*trim, slab) : slab;
    }
    s.pieces.push_back(piece(names[2 * i], lower, trim));
    s.pieces.push_back(piece(names[2 * i + 1], upper, trim));
    sides.push_back(slab_function(lower, a[d + i] - a[i]));
  }
  s.implicit = r_and(sides);
  return s;
}

Symbols ball_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::size_t d = x.size();
  if (d == 1) {
    const Expr ends[] = {a[0] - a[1], a[0] + a[1]};
    return box_symbols(ends, x);
  }
  return closed(d == 2 ? "arc" : "sphere", ball_function(a.first(d), a[d], x));
}

Symbols ellipsoid_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::size_t d = x.size();
  // 1 - sum (x/a)^2 with the gradient written out: slopes become 1, and the centre stays smooth.
  Expr f = 1, slope = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const Expr v = (x[i] - a[i]) / a[d + i];
    f -= square(v);
    slope += square(2 * v / a[d + i]);
  }
  return closed(d == 2 ? "arc" : "surface", f / sqrt(square(f) + slope));
}

Symbols annulus_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const Expr inner = -ball_function(a.first(2), a[2], x);
  const Expr outer = ball_function(a.first(2), a[3], x);
  return {r_and(inner, outer), {piece("inner", inner), piece("outer", outer)}};
}

Symbols sector_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const Expr &cx = a[0], &cy = a[1], &radius = a[2], &start = a[3], &end = a[4];
  const Expr arc = ball_function(a.first(2), radius, x);
  const Expr sx = cx + radius * cos(start), sy = cy + radius * sin(start);
  const Expr ex = cx + radius * cos(end), ey = cy + radius * sin(end);
  const Expr first = line_function(cx, cy, sx, sy, x);
  const Expr last = line_function(ex, ey, cx, cy, x);
  // Up to half a turn the wedge is where both sides hold, beyond it where one does; a full turn
  // leaves a cut.
  const Expr angle = end - start;
  const Expr wedge = where(angle <= Expr(pi), r_and(first, last),
                           where(angle < Expr(2 * pi - 1e-12), r_or(first, last),
                                 segment_function(cx, cy, sx, sy, x[0], x[1])));
  return {r_and(arc, wedge),
          {piece("arc", arc, wedge), piece("start", first, segment_trim(cx, cy, sx, sy, x)),
           piece("end", last, segment_trim(cx, cy, ex, ey, x))}};
}

Symbols half_plane_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const Expr length = sqrt(square(a[2]) + square(a[3]));
  return closed("line", ((a[0] - x[0]) * a[2] + (a[1] - x[1]) * a[3]) / length);
}

Symbols slit_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  Symbols s;
  std::vector<Expr> parts;
  for (std::size_t i = 0; i + 3 < a.size(); i += 2) {
    const Expr f = line_function(a[i], a[i + 1], a[i + 2], a[i + 3], x);
    const Expr trim = segment_trim(a[i], a[i + 1], a[i + 2], a[i + 3], x);
    parts.push_back(trimmed(f, trim));
    s.pieces.push_back({"slit_left", {"slit_left", "slit"}, f, trim});
    s.pieces.push_back({"slit_right", {"slit_right", "slit"}, -f, trim});
  }
  s.implicit = r_equivalence(parts);  // positive away from the cut
  return s;
}

Symbols cylinder_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::vector<Expr> axis = minus(a.subspan(3, 3), a.first(3)), v = minus(x, a.first(3));
  const Expr height = sqrt(scalar_product(axis, axis));
  const Expr z = scalar_product(v, axis) / height;
  const Expr side = (square(a[6]) - scalar_product(v, v) + square(z)) / (2 * a[6]);
  const Expr slab = slab_function(z, height);
  return {r_and(side, slab),
          {piece("side", side, slab), piece("bottom", z, side), piece("top", height - z, side)}};
}

Symbols cone_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::vector<Expr> axis = minus(a.subspan(3, 3), a.first(3)), v = minus(x, a.first(3));
  const Expr height = sqrt(scalar_product(axis, axis)), &radius = a[6];
  const Expr z = scalar_product(v, axis) / height;
  const Expr rest = radius * (1 - z / height);  // radius at height z
  const Expr rho2 = scalar_product(v, v) - square(z);
  const Expr f = square(rest) - rho2;  // |grad f|^2 = 4 rest^2 (radius / height)^2 + 4 rho^2
  const Expr slope = 4 * square(rest * radius / height) + 4 * rho2;
  const Expr side = f / sqrt(square(f) + slope);
  const Expr slab = slab_function(z, height);  // the other half of the double cone is beyond it
  const Expr base[] = {side, z, height - z};
  return {r_and(base), {piece("side", side, slab), piece("base", z, side)}};
}

Symbols torus_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  const std::span<const Expr> axis = a.subspan(3, 3);
  const std::vector<Expr> v = minus(x, a.first(3));
  const Expr z = scalar_product(v, axis) / sqrt(scalar_product(axis, axis));
  const Expr rho = sqrt(scalar_product(v, v) - square(z));
  return closed("surface", (square(a[7]) - square(rho - a[6]) - square(z)) / (2 * a[7]));
}

Symbols tetrahedron_symbols(std::span<const Expr> a, std::span<const Expr> x) {
  Symbols s;
  std::vector<Expr> planes;
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<std::span<const Expr>> face;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i != k) face.push_back(a.subspan(3 * i, 3));
    }
    const std::vector<Expr> u = minus(face[1], face[0]), v = minus(face[2], face[0]);
    const Expr n[] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                      u[0] * v[1] - u[1] * v[0]};
    const Expr height = scalar_product(n, minus(a.subspan(3 * k, 3), face[0]));
    // Towards the opposite vertex, whichever way the vertices are ordered.
    planes.push_back(sign(height) * scalar_product(n, minus(x, face[0])) /
                     sqrt(scalar_product(n, n)));
  }
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<Expr> others;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i != k) others.push_back(planes[i]);
    }
    s.pieces.push_back(piece(fmt::format("face{}", k + 1), planes[k], r_and(others)));
  }
  s.implicit = r_and(planes);
  return s;
}

namespace {

using Vertex = std::array<double, 2>;

double turn(const Vertex& a, const Vertex& b, const Vertex& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double signed_area(std::span<const Vertex> p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vertex &a = p[i], &b = p[(i + 1) % p.size()];
    sum += (a[0] * b[1] - a[1] * b[0]) / 2;
  }
  return sum;
}

/// Indices of the convex hull of a simple counter-clockwise polygon, in its order.
std::vector<std::size_t> hull_of(std::span<const Vertex> p) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<std::size_t> hull;
  for (int pass = 0; pass < 2; ++pass) {  // lower chain, then upper chain backwards
    const std::size_t base = hull.size() + 1;
    for (const std::size_t i : order) {
      while (hull.size() > base && turn(p[hull[hull.size() - 2]], p[hull.back()], p[i]) <= 0) {
        hull.pop_back();
      }
      hull.push_back(i);
    }
    hull.pop_back();
    std::reverse(order.begin(), order.end());
  }
  std::sort(hull.begin(), hull.end());
  return hull;
}

/// The inside of a simple counter-clockwise polygon: its convex hull minus the pockets.
Expr polygon_function(std::span<const Vertex> p, std::span<const Expr> x) {
  const std::vector<std::size_t> hull = hull_of(p);
  std::vector<Expr> sides, pockets;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const std::size_t i = hull[k], j = hull[(k + 1) % hull.size()];
    sides.push_back(line_function(p[i][0], p[i][1], p[j][0], p[j][1], x));
    const std::size_t steps = (j + p.size() - i) % p.size();
    if (steps == 1) continue;
    std::vector<Vertex> pocket;  // backwards, so that it is counter-clockwise
    for (std::size_t n = steps + 1; n-- > 0;) pocket.push_back(p[(i + n) % p.size()]);
    if (signed_area(pocket) > 0) pockets.push_back(polygon_function(pocket, x));
  }
  Expr f = r_and(sides);
  for (const Expr& pocket : pockets) f = r_minus(f, pocket);
  return f;
}

}  // namespace

Symbols polygon_symbols(std::span<const Expr> a, std::span<const std::size_t> rings,
                        std::span<const Expr> x) {
  Symbols s;
  std::size_t first = 0;
  for (std::size_t r = 0; r < rings.size(); ++r) {
    const std::size_t n = rings[r];
    std::vector<Vertex> p;
    for (std::size_t i = 0; i < n; ++i) {
      p.push_back({evaluate(a[2 * (first + i)]), evaluate(a[2 * (first + i) + 1])});
    }
    first += n;
    // Sides keep the numbers of the user's order; only the sign of their function depends on it.
    const double sense = (signed_area(p) > 0) == (r == 0) ? 1 : -1;
    for (std::size_t i = 0; i < n; ++i) {
      const Vertex &v = p[i], &w = p[(i + 1) % n];
      std::string name = fmt::format("side{}", i + 1);
      std::vector<std::string> labels{name};
      if (r > 0) {
        name = fmt::format("hole{}_{}", r, name);
        labels = {name, fmt::format("hole{}", r)};
      }
      s.pieces.push_back({name, labels, sense * line_function(v[0], v[1], w[0], w[1], x),
                          segment_trim(v[0], v[1], w[0], w[1], x)});
    }
    if (signed_area(p) < 0) std::reverse(p.begin(), p.end());
    const Expr f = polygon_function(p, x);
    s.implicit = r == 0 ? f : r_minus(s.implicit, f);
  }
  return s;
}

}  // namespace cauchy::detail
