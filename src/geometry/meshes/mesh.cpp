#include <cauchy/geometry/mesh.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy {
namespace {

constexpr const char* mesh_place = "[geometry.mesh]";

double nodes_measure(const Mesh& mesh, std::span<const Mesh::Index> nodes) {
  const double* corners[4] = {};
  for (std::size_t k = 0; k < nodes.size(); ++k) corners[k] = mesh.node(nodes[k]);
  return detail::simplex_measure(mesh.dimension, static_cast<int>(nodes.size()), corners);
}

/// What a facet was before: its nodes in ascending order, piece and surface.
struct OldFacet {
  std::array<Mesh::Index, 3> nodes{};
  int piece = -1, surface = -1;
};

std::vector<OldFacet> old_facets(const Mesh& mesh, std::span<const Mesh::Index> facets,
                                 std::span<const int> pieces, std::span<const int> surfaces) {
  const auto d = static_cast<std::size_t>(mesh.dimension);
  std::vector<OldFacet> all(facets.size() / d);
  for (std::size_t f = 0; f < all.size(); ++f) {
    all[f].nodes = detail::ascending(&facets[f * d], mesh.dimension);
    if (f < pieces.size()) all[f].piece = pieces[f];
    if (f < surfaces.size()) all[f].surface = surfaces[f];
  }
  std::ranges::sort(all, {}, &OldFacet::nodes);
  return all;
}

const OldFacet* find_facet(const std::vector<OldFacet>& all,
                           const std::array<Mesh::Index, 3>& nodes) {
  const auto at = std::ranges::lower_bound(all, nodes, {}, &OldFacet::nodes);
  return at != all.end() && at->nodes == nodes ? &*at : nullptr;
}

/// Throws unless the cells that share a side are one, or two on both sides of it.
void check_side(const Mesh& mesh, std::span<const detail::MeshSide> same) {
  const auto text = [&] {
    std::vector<Mesh::Index> nodes;
    detail::append_side(mesh, same[0].cell, same[0].opposite, nodes);
    return detail::place_text(mesh, nodes);
  };
  if (same.size() > 2) {
    throw Error(fmt::format("the side at {} belongs to {} cells ({}, {}, {})", text(), same.size(),
                            same[0].cell, same[1].cell, same[2].cell),
                mesh_place, "a side has one or two cells");
  }
  if (same.size() < 2) return;
  // Seen from the other side the nodes come in the opposite order.
  std::vector<Mesh::Index> a, b;
  detail::append_side(mesh, same[0].cell, same[0].opposite, a);
  detail::append_side(mesh, same[1].cell, same[1].opposite, b);
  bool opposite = false;
  if (mesh.dimension == 1) {
    opposite = same[0].opposite != same[1].opposite;
  } else if (mesh.dimension == 2) {
    opposite = a[0] == b[1];
  } else {
    const auto at = std::ranges::find(b, a[0]) - b.begin();
    opposite = b[static_cast<std::size_t>((at + 1) % 3)] == a[2];
  }
  if (!opposite) {
    throw Error(
        fmt::format("the cells {} and {} overlap at {}", same[0].cell, same[1].cell, text()),
        mesh_place, "one of them may be inverted");
  }
}

template <class Use>
void each_side(const std::vector<detail::MeshSide>& sides, Use use) {
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t j = i + 1;
    while (j < sides.size() && sides[j].same(sides[i])) ++j;
    use(std::span(sides).subspan(i, j - i));
    i = j;
  }
}

}  // namespace

double Mesh::cell_measure(std::size_t i) const { return nodes_measure(*this, cell(i)); }
double Mesh::facet_measure(std::size_t i) const { return nodes_measure(*this, facet(i)); }
double Mesh::measure() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_cells(); ++i) sum += cell_measure(i);
  return sum;
}
double Mesh::boundary_measure() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_facets(); ++i) sum += facet_measure(i);
  return sum;
}

void find_facets(Mesh& mesh) {
  const auto before = old_facets(mesh, mesh.facets, mesh.facet_piece, mesh.facet_surface);
  const auto inner = old_facets(mesh, mesh.interfaces, {}, mesh.interface_surface);
  const bool surfaces = !mesh.surfaces.empty();
  mesh.facets.clear();
  mesh.facet_piece.clear();
  mesh.facet_surface.clear();
  mesh.interfaces.clear();
  mesh.interface_surface.clear();
  const auto sides = detail::mesh_sides(mesh);
  // In the order of cells, not of nodes: numbers that are near stay near.
  std::vector<detail::MeshSide> outer, between;
  each_side(sides, [&](std::span<const detail::MeshSide> same) {
    check_side(mesh, same);
    if (same.size() == 1) {
      outer.push_back(same[0]);
    } else if (!mesh.cell_part.empty() &&
               mesh.cell_part[same[0].cell] != mesh.cell_part[same[1].cell]) {
      between.push_back(mesh.cell_part[same[0].cell] < mesh.cell_part[same[1].cell] ? same[0]
                                                                                    : same[1]);
    }
  });
  const auto by_cell = [](const detail::MeshSide& a, const detail::MeshSide& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.opposite < b.opposite;
  };
  std::ranges::sort(outer, by_cell);
  std::ranges::sort(between, by_cell);
  int nameless = -1;
  for (const detail::MeshSide& side : outer) {
    detail::append_side(mesh, side.cell, side.opposite, mesh.facets);
    const OldFacet* old = find_facet(before, side.nodes);
    int piece = old ? old->piece : -1;
    if (piece < 0) {
      if (nameless < 0) {
        const auto at = std::ranges::find(mesh.pieces, "boundary");
        nameless = static_cast<int>(at - mesh.pieces.begin());
        if (at == mesh.pieces.end()) mesh.pieces.emplace_back("boundary");
      }
      piece = nameless;
    }
    mesh.facet_piece.push_back(piece);
    if (surfaces) mesh.facet_surface.push_back(old ? old->surface : -1);
  }
  for (const detail::MeshSide& side : between) {
    detail::append_side(mesh, side.cell, side.opposite, mesh.interfaces);
    const OldFacet* old = find_facet(inner, side.nodes);
    if (surfaces) mesh.interface_surface.push_back(old ? old->surface : -1);
  }
}

std::vector<Mesh::Index> facet_cells(const Mesh& mesh) {
  const auto sides = detail::mesh_sides(mesh);
  std::vector<Mesh::Index> cells(mesh.n_facets());
  for (std::size_t f = 0; f < cells.size(); ++f) {
    const auto nodes = detail::ascending(mesh.facet(f).data(), mesh.dimension);
    const auto at = std::ranges::lower_bound(sides, nodes, {}, &detail::MeshSide::nodes);
    if (at == sides.end() || at->nodes != nodes ||
        (at + 1 != sides.end() && at[1].nodes == nodes)) {
      throw Error(fmt::format("facet {} at {} is not the side of exactly one cell", f,
                              detail::place_text(mesh, mesh.facet(f))),
                  mesh_place);
    }
    cells[f] = at->cell;
  }
  return cells;
}

MeshEdges mesh_edges(const Mesh& mesh) {
  MeshEdges edges;
  const std::size_t n = MeshEdges::per_cell(mesh.dimension);
  struct Entry {
    Mesh::Index upper;
    std::size_t slot;
  };
  std::vector<std::size_t> begin(mesh.n_nodes() + 1, 0);
  const auto ends = [&](std::size_t cell, std::size_t k) {
    const auto v = mesh.cell(cell);
    return std::minmax(v[static_cast<std::size_t>(MeshEdges::edge_ends[k][0])],
                       v[static_cast<std::size_t>(MeshEdges::edge_ends[k][1])]);
  };
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    for (std::size_t k = 0; k < n; ++k) ++begin[ends(c, k).first + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Entry> entries(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto [low, high] = ends(c, k);
      entries[next[low]++] = {high, c * n + k};
    }
  }
  edges.cell_edges.resize(mesh.n_cells() * n);
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    const auto from = entries.begin() + static_cast<std::ptrdiff_t>(begin[i]);
    const auto to = entries.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]);
    std::sort(from, to, [](const Entry& a, const Entry& b) {
      return a.upper != b.upper ? a.upper < b.upper : a.slot < b.slot;
    });
    for (auto at = from; at != to; ++at) {
      if (at == from || at->upper != at[-1].upper) {
        edges.nodes.push_back(static_cast<Mesh::Index>(i));
        edges.nodes.push_back(at->upper);
      }
      edges.cell_edges[at->slot] = static_cast<Mesh::Index>(edges.n_edges() - 1);
    }
  }
  return edges;
}

void check_mesh(const Mesh& mesh) {
  const auto fail = [](const std::string& message) { throw Error(message, mesh_place); };
  if (mesh.dimension < 1 || mesh.dimension > 3) {
    fail(fmt::format("a mesh of {} dimensions", mesh.dimension));
  }
  const auto d = static_cast<std::size_t>(mesh.dimension);
  if (mesh.nodes.size() % d != 0 || mesh.cells.size() % (d + 1) != 0 || mesh.cells.empty() ||
      mesh.facets.size() % d != 0 || mesh.facet_piece.size() != mesh.n_facets() ||
      mesh.cell_part.size() != mesh.n_cells()) {
    fail("the lists of nodes, cells, facets, pieces and parts do not fit to each other");
  }
  for (const double x : mesh.nodes) {
    if (!std::isfinite(x)) fail("a coordinate of a node is not finite");
  }
  std::vector<char> used(mesh.n_nodes(), 0);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    for (const Mesh::Index v : mesh.cell(c)) {
      if (v >= mesh.n_nodes()) {
        fail(fmt::format("cell {} has node {}, but there are {}", c, v, mesh.n_nodes()));
      }
      used[v] = 1;
    }
    if (!(mesh.cell_measure(c) > 0)) {
      fail(fmt::format("cell {} at {} is inverted or flat (measure {:.3g})", c,
                       detail::place_text(mesh, mesh.cell(c)), mesh.cell_measure(c)));
    }
    if (mesh.cell_part[c] < 0 || static_cast<std::size_t>(mesh.cell_part[c]) >= mesh.parts.size()) {
      fail(
          fmt::format("cell {} belongs to part {} of {}", c, mesh.cell_part[c], mesh.parts.size()));
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) {
      fail(fmt::format("node {} at {} belongs to no cell", i,
                       detail::place_text(mesh.dimension, mesh.node(i))));
    }
  }
  std::size_t n_outer = 0;
  each_side(detail::mesh_sides(mesh), [&](std::span<const detail::MeshSide> same) {
    check_side(mesh, same);
    n_outer += same.size() == 1 ? 1 : 0;
  });
  const auto behind = facet_cells(mesh);
  if (n_outer != mesh.n_facets()) {
    fail(fmt::format("{} sides of cells are on the boundary, but there are {} facets", n_outer,
                     mesh.n_facets()));
  }
  for (std::size_t f = 0; f < behind.size(); ++f) {
    if (mesh.facet_piece[f] < 0 ||
        static_cast<std::size_t>(mesh.facet_piece[f]) >= mesh.pieces.size()) {
      fail(fmt::format("facet {} belongs to piece {} of {}", f, mesh.facet_piece[f],
                       mesh.pieces.size()));
    }
    // The facet and the node of its cell that is not on it make the cell, turned round.
    const double* corners[4] = {};
    const auto nodes = mesh.facet(f);
    for (std::size_t k = 0; k < d; ++k) corners[k] = mesh.node(nodes[k]);
    for (const Mesh::Index v : mesh.cell(behind[f])) {
      if (std::ranges::find(nodes, v) == nodes.end()) corners[d] = mesh.node(v);
    }
    const double turned = detail::simplex_measure(mesh.dimension, mesh.dimension + 1, corners);
    // In one dimension the sign says on which end the facet is; both are right.
    if (d == 2 ? !(turned > 0) : d == 3 ? !(turned < 0) : false) {
      fail(fmt::format("facet {} at {} is not seen from outside", f,
                       detail::place_text(mesh, nodes)));
    }
  }
}

}  // namespace cauchy
