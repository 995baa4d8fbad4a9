#include <cauchy/geometry/make_mesh.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/level_walls.hpp"
#include "geometry/meshes/mesh_level.hpp"
#include "geometry/meshes/mesh_sides.hpp"
#include "geometry/meshes/plane_mesher.hpp"
#include "geometry/meshes/solid_mesher.hpp"

namespace cauchy {
namespace {

constexpr const char* make_mesh_place = "[geometry.mesh]";

double line_size(const MeshOptions& options, double x) {
  if (!options.size_field) return options.size;
  const double h = options.size_field(&x);
  if (!(h > 0)) {
    throw Error(fmt::format("the size field is {} at {}", h, x), make_mesh_place,
                "sizes must be positive");
  }
  return std::min(options.size, h);
}

/// Sides of an interval from a to b: the integral of dx / h is shared evenly.
void add_stretch(const MeshOptions& options, double a, double b, std::vector<double>& x) {
  const int n_fine = options.size_field ? 1024 : 1;
  std::vector<double> sum(static_cast<std::size_t>(n_fine) + 1, 0);
  double before = 0;
  for (int i = 0; i <= n_fine; ++i) {
    const double rate = (b - a) / line_size(options, a + (b - a) * i / n_fine);
    const auto k = static_cast<std::size_t>(i);
    if (i > 0) sum[k] = sum[k - 1] + 0.5 * (rate + before) / n_fine;
    before = rate;
  }
  const double total = sum.back();
  if (!(total < static_cast<double>(options.max_cells))) {
    throw Error(fmt::format("about {:.3g} cells, more than {}", total, options.max_cells),
                make_mesh_place, "use a larger size");
  }
  const auto n = static_cast<std::size_t>(std::max(1.0, std::ceil(total - 1e-9)));
  std::size_t i = 0;
  for (std::size_t k = 1; k < n; ++k) {
    const double goal = total * static_cast<double>(k) / static_cast<double>(n);
    while (sum[i + 1] < goal) ++i;
    const double part = (goal - sum[i]) / (sum[i + 1] - sum[i]);
    x.push_back(a + (b - a) * (static_cast<double>(i) + part) / n_fine);
  }
  x.push_back(b);
}

/// Places between a and b where a level changes its sign.
void add_roots(const MeshInterface& interface, double a, double b, std::vector<double>& roots) {
  constexpr int n = 4001;  // no round number: roots seldom lie on a point
  const detail::LevelSurface surface(interface, 1, b - a);
  double before = a;
  for (int i = 1; i <= n; ++i) {
    const double x = a + (b - a) * i / n;
    if ((surface.value(&before) >= 0) != (surface.value(&x) >= 0)) {
      roots.push_back(before + surface.crossing(&before, &x) * (x - before));
    }
    before = x;
  }
}

Mesh line_mesh(const Shape& shape, const MeshOptions& options) {
  std::vector<std::pair<double, int>> ends;
  double normal = 0;
  for (std::size_t p = 0; p < shape.pieces().size(); ++p) {
    double x = 0;
    (void)shape.boundary_point(p, nullptr, &x, &normal);
    ends.emplace_back(x, static_cast<int>(p));
  }
  std::ranges::sort(ends);
  std::vector<double> stops;
  for (const MeshPart& part : options.parts) {
    for (std::size_t p = 0; p < part.shape->pieces().size(); ++p) {
      double x = 0;
      (void)part.shape->boundary_point(p, nullptr, &x, &normal);
      stops.push_back(x);
    }
  }
  for (const MeshInterface& i : options.interfaces) {
    add_roots(i, ends.front().first, ends.back().first, stops);
  }
  std::ranges::sort(stops);
  Mesh mesh;
  mesh.dimension = 1;
  detail::PartTable table(options);
  for (const Piece& p : shape.pieces()) mesh.pieces.push_back(p.name);
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
    const double a = ends[k].first, b = ends[k + 1].first, room = 1e-9 * (b - a);
    const std::size_t begin = mesh.nodes.size();
    mesh.nodes.push_back(a);
    double from = a;
    for (const double s : stops) {  // two at one place are one
      if (!(s > from + room && s < b - room)) continue;
      add_stretch(options, from, s, mesh.nodes);
      from = s;
    }
    add_stretch(options, from, b, mesh.nodes);
    for (std::size_t i = begin; i + 1 < mesh.nodes.size(); ++i) {
      mesh.cells.push_back(static_cast<Mesh::Index>(i));
      mesh.cells.push_back(static_cast<Mesh::Index>(i + 1));
      const double middle = 0.5 * (mesh.nodes[i] + mesh.nodes[i + 1]);
      int part = 0;
      for (std::size_t p = options.parts.size(); p-- > 0;) {
        if (options.parts[p].shape->contains(&middle)) part = static_cast<int>(p) + 1;
      }
      std::vector<char> positive;
      for (const MeshInterface& each : options.interfaces) {
        positive.push_back(each.level(&middle) > 0 ? 1 : 0);
      }
      mesh.cell_part.push_back(table.number(part, positive));
    }
    mesh.facets.push_back(static_cast<Mesh::Index>(begin));
    mesh.facet_piece.push_back(ends[k].second);
    mesh.facets.push_back(static_cast<Mesh::Index>(mesh.nodes.size() - 1));
    mesh.facet_piece.push_back(ends[k + 1].second);
  }
  mesh.parts = table.names();
  find_facets(mesh);
  return mesh;
}

}  // namespace

double expected_cells(const Shape& shape, const MeshOptions& options) {
  // Cells of a regular shape with sides of 1; halving and lattices come near to them.
  static constexpr double regular[] = {1, 0.433, 0.118};
  const std::size_t d = shape.dimension();
  const double share = regular[d - 1];
  if (!options.size_field && std::isfinite(shape.measure())) {
    return shape.measure() / (share * std::pow(options.size, static_cast<double>(d)));
  }
  // A grid of points over the bounds.
  const std::size_t n = d == 1 ? 4096 : d == 2 ? 128 : 24;
  std::size_t total = 1;
  double volume = 1;
  for (std::size_t k = 0; k < d; ++k) {
    total *= n;
    volume *= shape.bounds().upper[k] - shape.bounds().lower[k];
  }
  double sum = 0;
  for (std::size_t i = 0; i < total; ++i) {
    double x[3];
    std::size_t rest = i;
    for (std::size_t k = 0; k < d; ++k, rest /= n) {
      const double u = (static_cast<double>(rest % n) + 0.5) / static_cast<double>(n);
      x[k] = shape.bounds().lower[k] + u * (shape.bounds().upper[k] - shape.bounds().lower[k]);
    }
    if (!shape.contains(x)) continue;
    double h = options.size;
    if (options.size_field) h = std::min(h, options.size_field(x));
    sum += std::pow(h, -static_cast<double>(d));
  }
  return sum * volume / static_cast<double>(total) / share;
}

Mesh make_mesh(const ShapePtr& shape, const MeshOptions& options) {
  const std::size_t d = shape->dimension();
  if (d < 1 || d > 3) {
    throw Error(ErrorKind::unsupported, fmt::format("meshes have 1 to 3 dimensions, not {}", d),
                make_mesh_place);
  }
  for (std::size_t k = 0; k < d; ++k) {
    if (!std::isfinite(shape->bounds().upper[k] - shape->bounds().lower[k])) {
      throw Error(ErrorKind::unsupported, "the region is unbounded", make_mesh_place,
                  "intersect it with a bounded one");
    }
  }
  if (!(options.size > 0) || !std::isfinite(options.size)) {
    throw Error(fmt::format("the size of cells must be positive, got {}", options.size),
                make_mesh_place);
  }
  if (!(options.smallest_angle >= 0 && options.smallest_angle <= 30)) {
    throw Error(fmt::format("the smallest angle must lie between 0 and 30 degrees, got {}",
                            options.smallest_angle),
                make_mesh_place, "beyond 30 refinement need not end");
  }
  if (!(options.turn >= 1 && options.turn <= 90)) {
    throw Error(fmt::format("the turn of an arc along a side must lie between 1 and 90 degrees, "
                            "got {}",
                            options.turn),
                make_mesh_place);
  }
  for (const MeshPart& part : options.parts) {
    if (!part.shape || part.shape->dimension() != d) {
      throw Error(fmt::format("the part \"{}\" has no shape of {} dimensions", part.name, d),
                  make_mesh_place);
    }
  }
  for (const MeshInterface& i : options.interfaces) {
    if (!i.level) {
      throw Error(fmt::format("the interface \"{}\" has no level function", i.name),
                  make_mesh_place);
    }
  }
  const double expected = expected_cells(*shape, options);
  if (!(expected <= static_cast<double>(options.max_cells))) {
    throw Error(ErrorKind::memory,
                fmt::format("about {:.3g} cells are to be expected for the size {:.3g}, more than "
                            "{}",
                            expected, options.size, options.max_cells),
                make_mesh_place, "use a larger size, or raise max_cells");
  }
  if (d == 1) return line_mesh(*shape, options);
  if (d == 3) return detail::solid_mesh(shape, options);
  detail::PlaneWalls walls = detail::plane_walls(shape, options.parts);
  if (!options.interfaces.empty()) detail::add_level_walls(*shape, options, walls);
  detail::PlaneMesher mesher(*shape, walls, options);
  mesher.run();
  return mesher.mesh();
}

std::function<double(const double*)> focused_size(std::vector<MeshFocus> foci) {
  for (const MeshFocus& f : foci) {
    if (!(f.reach > 0) || !(f.size > 0) || !(f.smallest > 0) || !(f.grading >= 1) ||
        f.place.empty()) {
      throw Error(
          "a focus needs a place, a positive reach, size and smallest size, and a grading "
          "of at least 1",
          make_mesh_place);
    }
  }
  return [foci = std::move(foci)](const double* x) {
    double h = INFINITY;
    for (const MeshFocus& f : foci) {
      double s = 0;
      for (std::size_t k = 0; k < f.place.size(); ++k) {
        s += (x[k] - f.place[k]) * (x[k] - f.place[k]);
      }
      const double part = std::min(1.0, std::sqrt(s) / f.reach);
      h = std::min(h, std::max(f.smallest, f.size * std::pow(part, 1 - 1 / f.grading)));
    }
    return h;
  };
}

}  // namespace cauchy
