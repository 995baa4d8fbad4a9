#include <cauchy/geometry/refine_mesh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>

#include "geometry/meshes/mesh_sides.hpp"
#include "geometry/meshes/surface_edges.hpp"

namespace cauchy {
namespace {

using Index = Mesh::Index;
using EdgeKey = std::uint64_t;

constexpr const char* refine_place = "[geometry.refine]";

EdgeKey edge_key(Index a, Index b) {
  return static_cast<EdgeKey>(std::min(a, b)) << 32 | std::max(a, b);
}

/// A cell on its way: the facet or interface that each of its sides lies on, and for tetrahedra
/// which edges are cut next.
struct WorkCell {
  std::array<Index, 4> v{};
  std::array<int, 4> tag{-1, -1, -1, -1};  // of the side opposite; -1: inside
  int part = 0;
  Index parent = 0;
  std::uint8_t marks = 0;
};

/// Facets and then interfaces have the tags 0, 1, ...
std::vector<WorkCell> work_cells(const Mesh& mesh) {
  const auto d = static_cast<std::size_t>(mesh.dimension);
  std::vector<WorkCell> cells(mesh.n_cells());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::ranges::copy(mesh.cell(c), cells[c].v.begin());
    cells[c].part = mesh.cell_part[c];
    cells[c].parent = static_cast<Index>(c);
    if (c < mesh.bisection.size()) cells[c].marks = mesh.bisection[c];
  }
  const auto sides = detail::mesh_sides(mesh);
  const auto set = [&](std::span<const Index> facet, int tag) {
    const auto nodes = detail::ascending(facet.data(), mesh.dimension);
    auto at = std::ranges::lower_bound(sides, nodes, {}, &detail::MeshSide::nodes);
    if (at == sides.end() || at->nodes != nodes) {
      throw Error(
          fmt::format("the facet at {} is not a side of a cell", detail::place_text(mesh, facet)),
          refine_place);
    }
    for (; at != sides.end() && at->nodes == nodes; ++at) {
      cells[at->cell].tag[static_cast<std::size_t>(at->opposite)] = tag;
    }
  };
  int tag = 0;
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) set(mesh.facet(f), tag++);
  for (std::size_t f = 0; f < mesh.n_interfaces(); ++f) {
    set(std::span(mesh.interfaces).subspan(f * d, d), tag++);
  }
  return cells;
}

/// The mesh of new cells and nodes; names and surfaces from the old one.
Mesh assembled(const Mesh& old, const std::vector<WorkCell>& cells, std::vector<double> nodes,
               std::vector<Index> node_parents) {
  Mesh mesh;
  const int d = mesh.dimension = old.dimension;
  mesh.nodes = std::move(nodes);
  mesh.node_parents = std::move(node_parents);
  mesh.pieces = old.pieces;
  mesh.parts = old.parts;
  mesh.surfaces = old.surfaces;
  const auto n_facets = static_cast<int>(old.n_facets());
  // Both cells of an interface know it; the one of the lower part stands behind it.
  std::vector<int> lowest(old.n_interfaces(), std::numeric_limits<int>::max());
  for (const WorkCell& cell : cells) {
    for (const int tag : cell.tag) {
      if (tag < n_facets) continue;
      int& low = lowest[static_cast<std::size_t>(tag - n_facets)];
      low = std::min(low, cell.part);
    }
  }
  const auto width = static_cast<std::size_t>(d) + 1;
  mesh.cells.reserve(cells.size() * width);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const WorkCell& cell = cells[c];
    mesh.cells.insert(mesh.cells.end(), cell.v.begin(),
                      cell.v.begin() + static_cast<std::ptrdiff_t>(width));
    mesh.cell_part.push_back(cell.part);
    mesh.cell_parent.push_back(cell.parent);
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (int k = 0; k <= d; ++k) {
      const int tag = cells[c].tag[static_cast<std::size_t>(k)];
      if (tag < 0) continue;
      if (tag < n_facets) {
        const auto f = static_cast<std::size_t>(tag);
        detail::append_side(mesh, c, k, mesh.facets);
        mesh.facet_piece.push_back(old.facet_piece[f]);
        if (!old.facet_surface.empty()) mesh.facet_surface.push_back(old.facet_surface[f]);
      } else if (const auto f = static_cast<std::size_t>(tag - n_facets);
                 cells[c].part == lowest[f]) {
        detail::append_side(mesh, c, k, mesh.interfaces);
        if (!old.interface_surface.empty()) {
          mesh.interface_surface.push_back(old.interface_surface[f]);
        }
      }
    }
  }
  return mesh;
}

/// Nodes on curved boundaries that turn cells inside out go back to the middle of their edge.
void untangle(Mesh& mesh, std::size_t n_old) {
  const auto d = static_cast<std::size_t>(mesh.dimension);
  for (int round = 0; round < 64; ++round) {
    bool any = false;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      double size = 0;
      for (std::size_t k = 0; k < d; ++k) {
        size =
            std::max(size, std::abs(mesh.node(mesh.cell(c)[1])[k] - mesh.node(mesh.cell(c)[0])[k]));
      }
      if (mesh.cell_measure(c) > 1e-9 * std::pow(size, mesh.dimension)) continue;
      bool moved = false;
      for (const Index v : mesh.cell(c)) {
        if (v < n_old) continue;
        for (std::size_t k = 0; k < d; ++k) {
          double& x = mesh.nodes[v * d + k];
          const double middle = 0.5 * (mesh.node(mesh.node_parents[2 * v])[k] +
                                       mesh.node(mesh.node_parents[2 * v + 1])[k]);
          moved = moved || x != middle;
          x = middle;
        }
      }
      if (!moved) {
        throw Error(fmt::format("cell {} at {} is turned inside out", c,
                                detail::place_text(mesh, mesh.cell(c))),
                    refine_place, "begin with a finer mesh");
      }
      any = true;
    }
    if (!any) return;
  }
}

std::vector<Index> old_node_parents(const Mesh& mesh) {
  std::vector<Index> parents;
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    parents.insert(parents.end(), 2, static_cast<Index>(i));
  }
  return parents;
}

// -- bisection ------------------------------------------------------------------------------

/// The edge of a side that is cut first, by its nodes.
using Mark = std::array<Index, 2>;

/// Local edges of the side opposite node 0 or 1 by their code, the cut edge of the cell being 0-1.
constexpr int mark_ends[2][3][2] = {{{1, 2}, {1, 3}, {2, 3}}, {{0, 2}, {0, 3}, {2, 3}}};

Mark mark_of(const WorkCell& cell, int opposite) {
  const auto at = [&](int i) { return cell.v[static_cast<std::size_t>(i)]; };
  if (opposite >= 2) return {at(0), at(1)};
  const int* ends = mark_ends[opposite][cell.marks >> (2 * opposite) & 3];
  return {at(ends[0]), at(ends[1])};
}

bool same_edge(const Mark& a, const Mark& b) {
  return edge_key(a[0], a[1]) == edge_key(b[0], b[1]);
}

/// Puts the nodes of a tetrahedron (right-handed, with its tags) so that the edge to cut is 0-1,
/// and encodes the marks, which are given by the node opposite.
WorkCell arranged(const WorkCell& cell, const Mark& cut, const std::array<Mark, 4>& marks,
                  bool flag) {
  std::array<std::size_t, 4> order{};
  std::size_t n = 2;
  for (std::size_t k = 0; k < 4; ++k) {
    if (cell.v[k] == cut[0]) {
      order[0] = k;
    } else if (cell.v[k] == cut[1]) {
      order[1] = k;
    } else {
      order[n++] = k;
    }
  }
  int swaps = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) swaps += order[i] > order[j] ? 1 : 0;
  }
  if (swaps % 2 == 1) std::swap(order[2], order[3]);
  WorkCell result = cell;
  for (std::size_t k = 0; k < 4; ++k) {
    result.v[k] = cell.v[order[k]];
    result.tag[k] = cell.tag[order[k]];
  }
  result.marks = flag ? 16 : 0;
  for (int side = 0; side < 2; ++side) {
    const Mark& mark = marks[order[static_cast<std::size_t>(side)]];
    for (int code = 0; code < 3; ++code) {
      const int* ends = mark_ends[side][code];
      if (same_edge(mark, {result.v[static_cast<std::size_t>(ends[0])],
                           result.v[static_cast<std::size_t>(ends[1])]})) {
        result.marks = static_cast<std::uint8_t>(result.marks | code << (2 * side));
      }
    }
  }
  return result;
}

/// The two halves of a tetrahedron with the new node m on its edge 0-1.
std::array<WorkCell, 2> halves_of_tetrahedron(const WorkCell& t, Index m) {
  const Mark mark0 = mark_of(t, 0), mark1 = mark_of(t, 1);
  const Index a = t.v[0], b = t.v[1], c = t.v[2], e = t.v[3];
  // All marks in the plane of one side: the common node of the two marks besides 0 and 1.
  Index common = a;
  if (same_edge(mark0, {b, c}) && same_edge(mark1, {a, c})) common = c;
  if (same_edge(mark0, {b, e}) && same_edge(mark1, {a, e})) common = e;
  const bool planar = common != a, flagged = planar && (t.marks & 16) != 0;
  const Mark inner = flagged ? Mark{m, common} : Mark{c, e};
  std::array<WorkCell, 2> result;
  for (std::size_t half = 0; half < 2; ++half) {
    WorkCell child = t;
    const std::size_t gone = 1 - half;  // m takes the place of node 1, then of node 0
    const Index stays = t.v[half];
    child.v[gone] = m;
    child.tag[half] = -1;           // the new side inside
    child.tag[gone] = t.tag[gone];  // the side that was not cut
    std::array<Mark, 4> marks{};
    marks[gone] = half == 0 ? mark1 : mark0;
    marks[half] = inner;
    marks[2] = {stays, e};
    marks[3] = {stays, c};
    result[half] = arranged(child, marks[gone], marks, planar && !flagged);
  }
  return result;
}

std::array<WorkCell, 2> halves(const WorkCell& t, Index m, int dimension) {
  if (dimension == 3) return halves_of_tetrahedron(t, m);
  WorkCell a = t, b = t;
  if (dimension == 1) {
    a.v = {t.v[0], m};
    a.tag = {-1, t.tag[1], -1, -1};
    b.v = {m, t.v[1]};
    b.tag = {t.tag[0], -1, -1, -1};
  } else {
    a.v = {t.v[2], t.v[0], m};
    a.tag = {t.tag[2], -1, t.tag[1], -1};
    b.v = {t.v[1], t.v[2], m};
    b.tag = {-1, t.tag[2], t.tag[0], -1};
  }
  return {a, b};
}

/// Turns cells so that their longest edge is cut first.
void arrange_first(const Mesh& mesh, std::vector<WorkCell>& cells) {
  const auto longer = [&](const Mark& x, const Mark& y) {
    const auto length = [&](const Mark& e) {
      double s = 0;
      for (int k = 0; k < mesh.dimension; ++k) {
        const double gap = mesh.node(std::max(e[0], e[1]))[k] - mesh.node(std::min(e[0], e[1]))[k];
        s += gap * gap;
      }
      return s;
    };
    const double lx = length(x), ly = length(y);
    return lx != ly ? lx > ly : edge_key(x[0], x[1]) > edge_key(y[0], y[1]);
  };
  for (WorkCell& cell : cells) {
    if (mesh.dimension == 2) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < 3; ++k) {
        if (longer({cell.v[k], cell.v[(k + 1) % 3]}, {cell.v[best], cell.v[(best + 1) % 3]})) {
          best = k;
        }
      }
      std::rotate(cell.v.begin(), cell.v.begin() + static_cast<std::ptrdiff_t>(best),
                  cell.v.begin() + 3);
      std::rotate(cell.tag.begin(), cell.tag.begin() + static_cast<std::ptrdiff_t>(best),
                  cell.tag.begin() + 3);
    } else if (mesh.dimension == 3) {
      std::array<Mark, 4> marks;
      for (std::size_t k = 0; k < 4; ++k) {
        const int* side = detail::side_nodes(3, static_cast<int>(k));
        const auto at = [&](int i) { return cell.v[static_cast<std::size_t>(side[i])]; };
        marks[k] = {at(0), at(1)};
        for (const Mark& e : {Mark{at(1), at(2)}, Mark{at(2), at(0)}}) {
          if (longer(e, marks[k])) marks[k] = e;
        }
      }
      Mark cut = marks[0];
      for (const Mark& e : marks) {
        if (longer(e, cut)) cut = e;
      }
      cell = arranged(cell, cut, marks, false);
    }
  }
}

}  // namespace

Mesh refine(const Mesh& mesh) {
  const int d = mesh.dimension;
  const auto dd = static_cast<std::size_t>(d);
  const MeshEdges edges = mesh_edges(mesh);
  const std::size_t n = mesh.n_nodes(), per_cell = MeshEdges::per_cell(d);
  std::vector<double> nodes = mesh.nodes;
  const std::vector<double> middles = edge_middles(mesh, edges.nodes);
  nodes.insert(nodes.end(), middles.begin(), middles.end());
  std::vector<Index> parents = old_node_parents(mesh);
  parents.insert(parents.end(), edges.nodes.begin(), edges.nodes.end());
  // Children by local nodes: 0 .. d are corners, d + 1 + k is the middle of edge k.
  static constexpr int of_line[2][4] = {{0, 2}, {2, 1}};
  static constexpr int of_triangle[4][4] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}, {3, 5, 4}};
  static constexpr int of_corners[4][4] = {{0, 4, 5, 7}, {4, 1, 6, 8}, {5, 6, 2, 9}, {7, 8, 9, 3}};
  // The octahedron inside by its diagonal: 5-8 (02-13), 4-9 (01-23), 6-7 (12-03).
  static constexpr int of_inside[3][4][4] = {
      {{5, 8, 4, 6}, {5, 8, 6, 9}, {5, 8, 9, 7}, {5, 8, 7, 4}},
      {{4, 9, 6, 5}, {4, 9, 8, 6}, {4, 9, 7, 8}, {4, 9, 5, 7}},
      {{6, 7, 5, 4}, {6, 7, 4, 8}, {6, 7, 8, 9}, {6, 7, 9, 5}}};
  static constexpr int diagonal[3][2] = {{5, 8}, {4, 9}, {6, 7}};
  std::vector<WorkCell> cells;
  LoopLimit limit("the finer mesh");
  for (const WorkCell& cell : work_cells(mesh)) {
    limit.next(100);
    std::array<Index, 10> at{};
    std::copy_n(cell.v.begin(), dd + 1, at.begin());
    for (std::size_t k = 0; k < per_cell; ++k) {
      at[dd + 1 + k] = static_cast<Index>(n + edges.cell_edges[cell.parent * per_cell + k]);
    }
    const auto on_side = [&](int local, int opposite) {
      if (local <= d) return local != opposite;
      const auto& ends = MeshEdges::edge_ends[static_cast<std::size_t>(local - d - 1)];
      return ends[0] != opposite && ends[1] != opposite;
    };
    const auto add = [&](const int* local) {
      WorkCell child = cell;
      child.tag = {-1, -1, -1, -1};
      for (std::size_t k = 0; k <= dd; ++k) {
        child.v[k] = at[static_cast<std::size_t>(local[k])];
        for (int side = 0; side <= d; ++side) {
          bool all = true;
          for (std::size_t j = 0; j <= dd; ++j) all = all && (j == k || on_side(local[j], side));
          if (all) child.tag[k] = cell.tag[static_cast<std::size_t>(side)];
        }
      }
      cells.push_back(child);
    };
    if (d == 1) {
      for (const auto& child : of_line) add(child);
    } else if (d == 2) {
      for (const auto& child : of_triangle) add(child);
    } else {
      for (const auto& child : of_corners) add(child);
      int best = 0;
      double shortest = INFINITY;
      for (int k = 0; k < 3; ++k) {
        double s = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          const double gap = nodes[at[static_cast<std::size_t>(diagonal[k][0])] * 3 + j] -
                             nodes[at[static_cast<std::size_t>(diagonal[k][1])] * 3 + j];
          s += gap * gap;
        }
        if (s < shortest * (1 - 1e-12)) {
          shortest = s;
          best = k;
        }
      }
      for (const auto& child : of_inside[best]) add(child);
    }
  }
  Mesh result = assembled(mesh, cells, std::move(nodes), std::move(parents));
  untangle(result, n);
  return result;
}

Mesh refine(const Mesh& mesh, std::span<const Index> marked) {
  const int d = mesh.dimension;
  const auto dd = static_cast<std::size_t>(d);
  std::vector<WorkCell> cells = work_cells(mesh);
  if (mesh.bisection.empty()) arrange_first(mesh, cells);
  std::vector<double> nodes = mesh.nodes;
  std::vector<Index> parents = old_node_parents(mesh);
  std::unordered_map<EdgeKey, Index> middle;
  detail::SurfaceEdges surfaces(mesh);
  const auto n_facets = mesh.n_facets();
  const auto surface_of = [&](int tag) {
    const auto t = static_cast<std::size_t>(tag);
    if (t < n_facets) return mesh.facet_surface.empty() ? -1 : mesh.facet_surface[t];
    return mesh.interface_surface.empty() ? -1 : mesh.interface_surface[t - n_facets];
  };
  std::vector<char> touched(mesh.n_nodes(), 0);
  std::vector<Index> list;
  for (const Index c : marked) {
    if (c >= cells.size()) {
      throw Error(fmt::format("cell {} is marked, but there are {}", c, cells.size()),
                  refine_place);
    }
    list.push_back(c);
  }
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  LoopLimit limit("the finer mesh");
  while (!list.empty()) {
    for (const Index c : list) {
      limit.next(100);
      const WorkCell t = cells[c];
      const auto [at, is_new] =
          middle.try_emplace(edge_key(t.v[0], t.v[1]), static_cast<Index>(parents.size() / 2));
      const Index m = at->second;
      if (is_new) {
        double x[3];
        surfaces.middle(nodes, t.v[0], t.v[1], x);
        nodes.insert(nodes.end(), x, x + dd);
        parents.push_back(std::min(t.v[0], t.v[1]));
        parents.push_back(std::max(t.v[0], t.v[1]));
        touched.push_back(0);
        touched[t.v[0]] = touched[t.v[1]] = 1;
        surfaces.cut(t.v[0], t.v[1], m);
      }
      const auto [a, b] = halves(t, m, d);
      if (d == 3 && !surfaces.empty()) {
        // Sides of surfaces that were cut have a new edge from m to the corner across.
        for (const std::size_t side : {std::size_t{2}, std::size_t{3}}) {
          if (t.tag[side] < 0 || surface_of(t.tag[side]) < 0) continue;
          surfaces.add(m, t.v[5 - side], surface_of(t.tag[side]), t.v[0]);
        }
      }
      cells[c] = a;
      cells.push_back(b);
    }
    list.clear();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto& v = cells[c].v;
      bool hangs = false;
      for (std::size_t k = 0; k < MeshEdges::per_cell(d) && !hangs && d > 1; ++k) {
        const Index p = v[static_cast<std::size_t>(MeshEdges::edge_ends[k][0])];
        const Index q = v[static_cast<std::size_t>(MeshEdges::edge_ends[k][1])];
        hangs = touched[p] && touched[q] && middle.contains(edge_key(p, q));
      }
      if (hangs) list.push_back(static_cast<Index>(c));
    }
  }
  Mesh result = assembled(mesh, cells, std::move(nodes), std::move(parents));
  for (const WorkCell& cell : cells) result.bisection.push_back(cell.marks);
  untangle(result, mesh.n_nodes());
  return result;
}

std::vector<double> refined_values(const Mesh& refined, std::span<const double> values,
                                   std::size_t n_fields) {
  const std::size_t n_old = n_fields > 0 ? values.size() / n_fields : 0;
  if (n_old * n_fields != values.size() || refined.node_parents.empty() ||
      n_old > refined.n_nodes()) {
    throw Error("the values do not belong to the mesh before its refinement", refine_place);
  }
  std::vector<double> result(refined.n_nodes() * n_fields);
  std::ranges::copy(values, result.begin());
  for (std::size_t i = n_old; i < refined.n_nodes(); ++i) {
    for (std::size_t k = 0; k < n_fields; ++k) {
      result[i * n_fields + k] = 0.5 * (result[refined.node_parents[2 * i] * n_fields + k] +
                                        result[refined.node_parents[2 * i + 1] * n_fields + k]);
    }
  }
  return result;
}

}  // namespace cauchy
