#include <algorithm>
#include <cmath>

#include <cauchy/geometry/mesh.hpp>

#include "geometry/meshes/surface_edges.hpp"

namespace cauchy {
namespace {

/// x moves to where two surfaces meet: Newton with the tangent planes at points near x on the side
/// of each one's facet.
void move_to_meeting(const MeshSurface& a, const MeshSurface& b, const double* from_a,
                     const double* from_b, double* x) {
  const double start[3] = {x[0], x[1], x[2]};
  double reach = 0.5;
  for (int round = 0; round < 14; ++round, reach *= 0.3) {
    double at[3], foot[2][3], normal[2][3];
    for (int k = 0; k < 3; ++k) at[k] = x[k] + reach * (from_a[k] - x[k]);
    a.project(at, foot[0], normal[0]);
    for (int k = 0; k < 3; ++k) at[k] = x[k] + reach * (from_b[k] - x[k]);
    b.project(at, foot[1], normal[1]);
    double gap[2] = {0, 0}, both = 0;
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 2; ++i) gap[i] += normal[i][k] * (foot[i][k] - x[k]);
      both += normal[0][k] * normal[1][k];
    }
    const double det = 1 - both * both;
    if (!(det > 1e-4)) break;
    const double s = (gap[0] - both * gap[1]) / det, t = (gap[1] - both * gap[0]) / det;
    for (int k = 0; k < 3; ++k) x[k] += s * normal[0][k] + t * normal[1][k];
  }
  double moved = 0, room = 0;
  for (int k = 0; k < 3; ++k) {
    moved += (x[k] - start[k]) * (x[k] - start[k]);
    room += (from_a[k] - start[k]) * (from_a[k] - start[k]);
  }
  if (!(moved < room)) std::copy_n(start, 3, x);
}

}  // namespace

detail::SurfaceEdges::SurfaceEdges(const Mesh& mesh)
    : d_(static_cast<std::size_t>(mesh.dimension)), surfaces_(mesh.surfaces) {
  const auto collect = [&](const std::vector<Mesh::Index>& facets,
                           const std::vector<int>& surface) {
    if (surface.size() * d_ != facets.size() || d_ < 2) return;
    for (std::size_t f = 0; f < surface.size(); ++f) {
      if (surface[f] < 0) continue;
      const Mesh::Index* v = &facets[f * d_];
      for (std::size_t k = 0; k < (d_ == 2 ? 1 : 3); ++k) {
        add(v[k], v[(k + 1) % d_], surface[f], v[(k + 2) % d_]);
      }
    }
  };
  collect(mesh.facets, mesh.facet_surface);
  collect(mesh.interfaces, mesh.interface_surface);
}

void detail::SurfaceEdges::add(Mesh::Index a, Mesh::Index b, int surface, Mesh::Index across) {
  Entry& e = edges_[key(a, b)];
  for (int i = 0; i < 2; ++i) {
    if (e.surface[i] == surface) return;
    if (e.surface[i] >= 0) continue;
    e.surface[i] = surface;
    e.across[i] = across;
    return;
  }
}

void detail::SurfaceEdges::cut(Mesh::Index a, Mesh::Index b, Mesh::Index node) {
  const auto at = edges_.find(key(a, b));
  if (at == edges_.end()) return;
  const Entry e = at->second;
  edges_[key(a, node)] = e;
  edges_[key(b, node)] = e;
}

void detail::SurfaceEdges::middle(const std::vector<double>& nodes, Mesh::Index a, Mesh::Index b,
                                  double* x) const {
  const auto [low, high] = std::minmax(a, b);
  for (std::size_t k = 0; k < d_; ++k) x[k] = 0.5 * (nodes[low * d_ + k] + nodes[high * d_ + k]);
  const auto at = edges_.find(key(a, b));
  if (at == edges_.end()) return;
  const Entry& e = at->second;
  const MeshSurface& surface = *surfaces_[static_cast<std::size_t>(e.surface[0])];
  if (e.surface[1] < 0) {
    double foot[3], normal[3];
    surface.project(x, foot, normal);
    std::copy_n(foot, d_, x);
  } else if (d_ == 3) {
    // In the order of the surfaces: whichever facet came first, the point is the same.
    const std::size_t first = e.surface[0] < e.surface[1] ? 0 : 1;
    move_to_meeting(*surfaces_[static_cast<std::size_t>(e.surface[first])],
                    *surfaces_[static_cast<std::size_t>(e.surface[1 - first])],
                    &nodes[e.across[first] * 3], &nodes[e.across[1 - first] * 3], x);
  }
}

std::vector<double> edge_middles(const Mesh& mesh, std::span<const Mesh::Index> edges) {
  const auto d = static_cast<std::size_t>(mesh.dimension);
  const detail::SurfaceEdges curved(mesh);
  std::vector<double> middles(edges.size() / 2 * d);
  for (std::size_t e = 0; e < edges.size() / 2; ++e) {
    curved.middle(mesh.nodes, edges[2 * e], edges[2 * e + 1], &middles[e * d]);
  }
  return middles;
}

}  // namespace cauchy
