#include <cauchy/report/mesh_picture.hpp>

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

/// A mesh point on paper, before it is scaled, and how far it lies behind the paper.
struct MeshPaperPoint {
  double x = 0, y = 0, depth = 0;
};

MeshPaperPoint on_paper(const Mesh& mesh, std::size_t i) {
  const double* p = mesh.node(i);
  if (mesh.dimension == 2) return {p[0], p[1], 0};
  // Seen from the front right, a little from above.
  constexpr double turn = 0.6, tilt = 0.45;
  const double x = std::cos(turn) * p[0] + std::sin(turn) * p[1];
  const double away = -std::sin(turn) * p[0] + std::cos(turn) * p[1];
  return {x, std::cos(tilt) * p[2] + std::sin(tilt) * away,
          std::cos(tilt) * away - std::sin(tilt) * p[2]};
}

}  // namespace

Picture draw_mesh(const Mesh& mesh, double size) {
  if (mesh.dimension == 1) {
    throw Error(ErrorKind::unsupported, "a mesh of one dimension has no picture", "[report.mesh]");
  }
  std::vector<MeshPaperPoint> points;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    points.push_back(on_paper(mesh, i));
    const double at[2] = {points.back().x, points.back().y};
    for (int k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], at[k]);
      high[k] = std::max(high[k], at[k]);
    }
  }
  constexpr double margin = 12;
  const double scale = (size - 2 * margin) / std::max(high[0] - low[0], high[1] - low[1]);
  Picture picture(2 * margin + scale * (high[0] - low[0]), 2 * margin + scale * (high[1] - low[1]));
  const auto pixel = [&](Mesh::Index v) {
    return PixelPoint{margin + scale * (points[v].x - low[0]),
                      margin + scale * (high[1] - points[v].y)};
  };
  // Thin lines where there are many cells.
  const double edge =
      scale * std::sqrt(std::abs(mesh.measure()) / static_cast<double>(mesh.n_cells()));
  const Stroke thin{Color{70, 70, 80}, std::clamp(0.03 * edge, 0.05, 0.6), 0};
  const auto triangle = [&](std::span<const Mesh::Index> v, Color fill) {
    picture.polygon({{pixel(v[0]), pixel(v[1]), pixel(v[2])}}, fill, thin);
  };
  if (mesh.dimension == 2) {
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      const auto part = static_cast<std::size_t>(mesh.cell_part[c]);
      triangle(mesh.cell(c), mix(white, palette_color(part), part == 0 ? 0.12 : 0.45));
    }
    for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
      const auto v = mesh.facet(f);
      picture.line(pixel(v[0]), pixel(v[1]),
                   {palette_color(static_cast<std::size_t>(mesh.facet_piece[f])), 1.8, 0});
    }
    return picture;
  }
  // From the back to the front; those seen from behind are hidden.
  std::vector<std::pair<double, std::size_t>> order;
  std::vector<double> light(mesh.n_facets(), 0);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const auto v = mesh.facet(f);
    const auto &a = points[v[0]], &b = points[v[1]], &c = points[v[2]];
    const double facing = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(facing > 0)) continue;
    light[f] = facing / (2 * mesh.facet_measure(f));
    order.emplace_back(-(a.depth + b.depth + c.depth), f);
  }
  std::ranges::sort(order);
  for (const auto& [depth, f] : order) {
    const Color base =
        mix(white, palette_color(static_cast<std::size_t>(mesh.facet_piece[f])), 0.4);
    triangle(mesh.facet(f), mix(black, base, 0.45 + 0.55 * std::min(1.0, light[f])));
  }
  return picture;
}

}  // namespace cauchy
